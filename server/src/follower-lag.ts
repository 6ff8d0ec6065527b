import type { EventId } from '@voelgoed/core/ids'
import type { Fact } from './lane/fact.ts'
import type { TenantScope } from './tenant.ts'

type SeqInMemory = (scope: TenantScope, eventId: EventId) => number | null

const MAX_FOLLOWED = 10_000

/**
 * How far the events in the memory of this node are behind what has been announced of them. Only of events
 * that have moved here at least once: an announcement alone does not tell whether this node needs the event.
 */
export class FollowerLag {
  readonly #seqInMemory: SeqInMemory
  /** In the order in which they last moved. */
  readonly #followed = new Map<string, Followed>()

  constructor(seqInMemory: SeqInMemory) {
    this.#seqInMemory = seqInMemory
  }

  advanced({ kind, scope, eventId, seq }: Fact): void {
    const key = `${scope.organizationId}/${eventId}`
    // After a restart seq may have gone back: what was announced before may be lost.
    const known = kind === 'committed' && this.#followed.get(key)?.announced
    const announced = Math.max(known || 0, seq)
    this.#followed.delete(key)
    this.#followed.set(key, { scope, eventId, seq, announced })
    if (this.#followed.size > MAX_FOLLOWED) this.#followed.delete(this.#followed.keys().next().value!)
  }

  heard(organizationId: string, eventId: string, seq: number): void {
    const event = this.#followed.get(`${organizationId}/${eventId}`)
    if (event && event.announced < seq) event.announced = seq
  }

  worst(): number {
    let worst = 0
    for (const [key, { scope, eventId, seq, announced }] of this.#followed) {
      if (announced <= seq) continue
      const current = this.#seqInMemory(scope, eventId)
      if (current === null) this.#followed.delete(key)
      else worst = Math.max(worst, announced - current)
    }
    return worst
  }
}

interface Followed {
  readonly scope: TenantScope
  readonly eventId: EventId
  /** When it last moved. */
  readonly seq: number
  announced: number
}
