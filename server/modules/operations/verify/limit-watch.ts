import type { Change } from '@voelgoed/core/event/change'
import { isAlive } from '@voelgoed/core/event/holds/active-hold'
import type { EventState } from '@voelgoed/core/event/state'

/** Watches a replay for buyers who have more seats and places than they may. */
export class LimitWatch {
  readonly #limit: number
  readonly #since: number
  readonly #staff: ReadonlySet<string>

  /** `since`: the limit may have been another one before. `staff` are not bound. */
  constructor({ limit, since, staff }: { limit: number; since: number; staff: ReadonlySet<string> }) {
    this.#limit = limit
    this.#since = since
    this.#staff = staff
  }

  /** To be asked after each change; null when all is well. */
  after({ users }: EventState, change: Change): Record<string, unknown> | null {
    if (change.at <= this.#since) return null
    if (change.kind !== 'seat_reserved' && change.kind !== 'hold_transferred') return null
    const { userId, seq } = change
    if (this.#staff.has(userId)) return null
    let places = 0
    for (const hold of users.get(userId)!.all.heap) if (isAlive(hold, change.at)) places += hold.quantity
    return places > this.#limit ? { seq, user_id: userId, places, limit: this.#limit } : null
  }
}
