import { isAlive } from '@voelgoed/core/event/active-hold'
import type { Change } from '@voelgoed/core/event/change'
import type { EventState } from '@voelgoed/core/event/state'

/** Watches a replay for users who hold more than they may. */
export class LimitWatch {
  readonly #limit: number | null
  readonly #since: number

  /** `since`: the limit was another one before, as far as anybody knows. */
  constructor(limit: number | null, since: number) {
    this.#limit = limit
    this.#since = since
  }

  /** To be asked after each change; null when all is well. */
  after({ users }: EventState, change: Change): Record<string, unknown> | null {
    if (this.#limit === null || change.kind !== 'seat_reserved' || change.at <= this.#since) return null
    const holds = users.get(change.userId)!.all.heap.filter(hold => isAlive(hold, change.at)).length
    return holds > this.#limit ? { seq: change.seq, user_id: change.userId, holds, limit: this.#limit } : null
  }
}
