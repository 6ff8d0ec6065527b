import type { FastifyBaseLogger } from 'fastify'
import type { Database, PlatformTx } from '../postgres/database.ts'
import { sweepKeys } from '../postgres/idempotency-keys.ts'
import { sweepSessions } from '../postgres/sessions.ts'
import { sweepFailures } from '../postgres/sign-in-failures.ts'

const EVERY_MS = 60_000
const BITE = 5_000

const sweeps: Record<string, (tx: PlatformTx, limit: number) => Promise<number>> = {
  sessions: sweepSessions,
  sign_in_failures: sweepFailures,
  idempotency_keys: sweepKeys,
}

/**
 * Deletes what has expired, in bites, on every node. Nothing depends on it but the size of the
 * tables: an expired row counts for nothing, swept or not.
 */
export function startSweeping(database: Database, log: FastifyBaseLogger): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let stopped = false
  const run = async () => {
    try {
      const swept = await sweepOnce(database)
      if (Object.values(swept).some(count => count > 0)) log.info({ swept }, 'swept what had expired')
    } catch (error) {
      log.warn({ err: error }, 'the sweep failed; the next one will try again')
    }
    if (!stopped) schedule()
  }
  const schedule = () => {
    timer = setTimeout(() => {
      running = run()
    }, EVERY_MS).unref()
  }
  schedule()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

export async function sweepOnce(database: Database): Promise<Record<string, number>> {
  const swept: Record<string, number> = {}
  for (const [name, sweep] of Object.entries(sweeps)) {
    swept[name] = 0
    let count: number
    do {
      count = await database.platform('sweep what has expired', tx => sweep(tx, BITE))
      swept[name] += count
    } while (count === BITE)
  }
  return swept
}
