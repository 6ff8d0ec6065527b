import { AsyncLocalStorage } from 'node:async_hooks'
import type { TenantScope } from '../base/tenant.ts'
import { type TenantDoor, type TenantTx, TooManyWaiting } from './database.ts'
import { outageKind } from './outage.ts'

/** Questions of one transaction. */
const MAX_TOGETHER = 500
/** When more than this of one organization wait, an honest 503 is better. */
const MAX_ASKED = 20_000

/**
 * Questions that thousands have at the same moment, asked together: while some are on their way to Postgres,
 * those that come meanwhile gather for the next transaction. Nothing is remembered, so no caller gets an
 * answer that is older than their question; and however many ask, an organization keeps one connection busy.
 */
export class AskTogether<Answer> {
  readonly #database: TenantDoor
  readonly #find: (tx: TenantTx, keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>
  readonly #lines = new Map<string, Line<Answer>>()

  /** `find` gives all of its statements at once, and leaves out what it does not find. */
  constructor(
    database: TenantDoor,
    find: (tx: TenantTx, keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>,
  ) {
    this.#database = database
    this.#find = find
  }

  ask(scope: TenantScope, key: string): Promise<Answer | null> {
    let line = this.#lines.get(scope.organizationId)
    if (!line) {
      line = { waiting: [], isRunning: false }
      this.#lines.set(scope.organizationId, line)
    }
    const { waiting } = line
    if (waiting.length >= MAX_ASKED) return Promise.reject(new TooManyWaiting('too many ask at once'))
    return new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject, within: withinOf(waiting.length) })
      void this.#run(scope, line)
    })
  }

  async #run(scope: TenantScope, line: Line<Answer>): Promise<void> {
    if (line.isRunning) return
    line.isRunning = true
    while (line.waiting.length > 0) {
      const asked = line.waiting.splice(0, MAX_TOGETHER)
      const keys = [...new Set(asked.map(({ key }) => key))]
      try {
        // On behalf of the first of them, so that its trace shows the transaction.
        const found = await asked[0]!.within!(() =>
          this.#database.tenant(scope, tx => {
            const finding = this.#find(tx, keys)
            tx.finish()
            return finding
          }),
        )
        for (const { key, resolve } of asked) resolve(found.get(key) ?? null)
      } catch (error) {
        // Callers that waited for a Postgres that is away must not wait for it a second time.
        if (outageKind(error) !== null) asked.push(...line.waiting.splice(0))
        for (const { reject } of asked) reject(error)
      }
    }
    line.isRunning = false
    this.#lines.delete(scope.organizationId)
  }
}

/**
 * Only the first question of a transaction needs to know its trace: transactions take MAX_TOGETHER questions
 * from the front, so the first ones stand at these places. A snapshot takes 19 µs, the rest of a question 2.
 */
function withinOf(place: number): Within | null {
  return place % MAX_TOGETHER === 0 ? AsyncLocalStorage.snapshot() : null
}

type Within = <T>(work: () => T) => T

interface Line<Answer> {
  readonly waiting: {
    readonly key: string
    resolve(answer: Answer | null): void
    reject(error: unknown): void
    readonly within: Within | null
  }[]
  isRunning: boolean
}
