import type { EventId } from '@voelgoed/core/ids'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Fact } from '../facts/fact.ts'

type SeqInMemory = (scope: TenantScope, eventId: EventId) => number | null

const MAX_FOLLOWED = 10_000

/**
 * Measures how far the events in the memory of this node are behind what has been announced of them. Only of
 * events that have moved here at least once: an announcement alone does not tell whether this node needs the
 * event.
 */
export class FollowerLag {
  readonly #seqInMemory: SeqInMemory
  readonly #now: () => number
  /** In the order in which they last moved. */
  readonly #followed = new Map<string, Followed>()

  /** `now`: monotonic milliseconds. */
  constructor(seqInMemory: SeqInMemory, now: () => number) {
    this.#seqInMemory = seqInMemory
    this.#now = now
  }

  advanced({ kind, scope, eventId, seq }: Fact): void {
    const key = `${scope.organizationId}/${eventId}`
    // After a restart seq may have gone back: what was announced before may be lost.
    const before = kind === 'committed' ? this.#followed.get(key) : undefined
    const announced = Math.max(before?.announced ?? 0, seq)
    const behindSince = announced > seq ? before!.behindSince : 0
    this.#followed.delete(key)
    this.#followed.set(key, { scope, eventId, seq, announced, behindSince })
    if (this.#followed.size > MAX_FOLLOWED) this.#followed.delete(this.#followed.keys().next().value!)
  }

  heard(organizationId: string, eventId: string, seq: number): void {
    const event = this.#followed.get(`${organizationId}/${eventId}`)
    if (!event || event.announced >= seq) return
    if (event.announced === event.seq) event.behindSince = this.#now()
    event.announced = seq
  }

  /** Returns the lag of the event furthest behind, and of the one that has been behind for longest. */
  worst(): { readonly changes: number; readonly ms: number } {
    let [changes, ms] = [0, 0]
    for (const [key, { scope, eventId, seq, announced, behindSince }] of this.#followed) {
      if (announced <= seq) continue
      const current = this.#seqInMemory(scope, eventId)
      if (current === null) this.#followed.delete(key)
      else if (announced > current) {
        changes = Math.max(changes, announced - current)
        ms = Math.max(ms, this.#now() - behindSince)
      }
    }
    return { changes, ms }
  }
}

interface Followed {
  readonly scope: TenantScope
  readonly eventId: EventId
  /** When it last moved. */
  readonly seq: number
  announced: number
  /** When what it lacks was first announced; only while `announced` is beyond `seq`. */
  behindSince: number
}
