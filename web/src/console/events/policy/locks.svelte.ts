import type { Data } from '@voelgoed/client'
import type { PolicyField } from '@voelgoed/core/policy'
import { Loaded } from '../../kit/loaded.svelte.ts'
import type { StaffSession } from '../../kit/staff-session.svelte.ts'

type Entry = Data<'GET /api/admin/audit'>[number]

/** Tells who locked a rule last, and when. */
interface Lock {
  /** An email address, or the name of an API key. Null: the audit log has no name. */
  readonly name: string | null
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
    return locksIn((await this.#session.call('GET /api/admin/audit', { query, signal })).data)
  }
}

/** By field: the entry that locked it last. `entries`: newest first. */
export function locksIn(entries: readonly Pick<Entry, 'at' | 'user_name' | 'changes'>[]): Map<string, Lock> {
  const locks = new Map<string, Lock>()
  for (const { at, user_name: name, changes } of [...entries].reverse()) {
    const { before, after } = (changes.locked_fields ?? {}) as { before?: string[]; after?: string[] }
    for (const field of after ?? []) if (!before?.includes(field)) locks.set(field, { name, at })
  }
  return locks
}
