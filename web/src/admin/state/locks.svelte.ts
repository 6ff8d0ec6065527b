import type { Data } from '@voelgoed/client'
import type { PolicyField } from '@voelgoed/core/policy'
import { Loaded } from './loaded.svelte.ts'
import type { StaffSession } from './staff-session.svelte.ts'

type Entry = Data<'GET /api/admin/audit'>[number]

/** Who locked a rule last, and when. */
interface Lock {
  readonly userId: string | null
  /** Null: the audit log does not name an account, or it is gone. */
  readonly email: string | null
  readonly at: string
}

/** Rules are seldom changed: so many changes go back for years. */
const ENTRIES = '200'

/** The locks of rules by the audit log, which keeps who changed the policy. */
export class Locks {
  readonly loaded = new Loaded<ReadonlyMap<string, Lock>>()
  readonly #session: StaffSession

  constructor(session: StaffSession) {
    this.#session = session
  }

  of(field: PolicyField): Lock | null {
    return this.loaded.value?.get(field) ?? null
  }

  /** For an effect. */
  open(): () => void {
    if (!this.#session.may('GET /api/admin/audit')) return () => {}
    return this.loaded.ask(signal => this.#read(signal))
  }

  async #read(signal: AbortSignal): Promise<ReadonlyMap<string, Lock>> {
    const query = { action: 'seating_policy_replaced', limit: ENTRIES }
    const { data } = await this.#session.call('GET /api/admin/audit', { query, signal })
    const found = locksIn(data)
    const names = new Map<string, string | null>()
    for (const userId of new Set([...found.values()].flatMap(lock => lock.userId ?? []))) {
      const people = await this.#session.call('GET /api/admin/users', { query: { query: userId }, signal })
      names.set(userId, people.data[0]?.email ?? null)
    }
    return new Map(
      [...found].map(([field, lock]) => [field, { ...lock, email: names.get(lock.userId ?? '') ?? null }]),
    )
  }
}

/** By field: the entry that locked it last. `entries`: newest first. */
export function locksIn(
  entries: readonly Pick<Entry, 'at' | 'user_id' | 'changes'>[],
): Map<string, Omit<Lock, 'email'>> {
  const locks = new Map<string, Omit<Lock, 'email'>>()
  for (const { at, user_id: userId, changes } of [...entries].reverse()) {
    const { before, after } = (changes.locked_fields ?? {}) as { before?: string[]; after?: string[] }
    for (const field of after ?? []) if (!before?.includes(field)) locks.set(field, { userId, at })
  }
  return locks
}
