import { copyState } from '@voelgoed/core/event/copy-state'
import type { EventState } from '@voelgoed/core/event/state'
import type { EventId } from '@voelgoed/core/ids'
import { assert } from '@voelgoed/core/result'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { CommittedFact } from '../facts/fact.ts'
import type { EventAddress } from '../ports/store.ts'
import type { EpochPoint } from '../tables/epochs.ts'
import type { JournalPoint } from '../tables/ledger.ts'
import {
  advance,
  type EventHall,
  type EventTerms,
  type HotEvent,
  pointOf,
  takeTerms,
  termsOf,
} from './hot-event.ts'

/**
 * An event as far as this node knows it to be committed: what every reader reads, at any time and without
 * waiting. It is made of the facts that followers get, and is the first of them: by the time a caller is
 * answered, what its command did is here. The lane keeps a state of its own to decide on, which is ahead of
 * this one while a batch is being written.
 */
export class CommittedView implements EventHall {
  readonly scope: TenantScope
  readonly eventId: EventId
  #hot: HotEvent

  /** `hot` belongs to the view from here on. */
  constructor({ scope, eventId }: EventAddress, hot: HotEvent) {
    this.scope = scope
    this.eventId = eventId
    this.#hot = hot
  }

  /** Only `apply` of the view changes it. Another object after the event was loaded again. */
  get state(): EventState {
    return this.#hot.state
  }

  get seq(): number {
    return this.#hot.state.seq
  }

  get point(): JournalPoint {
    return pointOf(this.#hot)
  }

  /** The point, and in which history it is. */
  get epochPoint(): EpochPoint {
    return { ...this.point, epoch: this.#hot.epoch }
  }

  /**
   * A reader that knows changes up to this seq may know some that Postgres has lost: the seq may exist again
   * and mean something else. Where the two histories part is not known, so no seq up to the end of the lost
   * one is believed. A reader of the new history with such a seq takes a snapshot that it does not need; soon
   * the event is past it. 0: nothing was lost.
   */
  get lostUpTo(): number {
    return this.#hot.lostUpTo
  }

  get terms(): EventTerms {
    return termsOf(this.#hot)
  }

  get zones(): HotEvent['zones'] {
    return this.#hot.zones
  }

  get seats(): HotEvent['seats'] {
    return this.#hot.seats
  }

  get eventRevision(): number {
    return this.#hot.eventRevision
  }

  get policyRevision(): number {
    return this.#hot.policyRevision
  }

  get clockOffset(): number {
    return this.#hot.clockOffset
  }

  /** Throws when the fact does not follow what is known: before anything is changed. */
  apply({ changes, seq, tip }: CommittedFact): void {
    const follows = changes[0]?.seq === this.seq + 1 && seq === this.seq + changes.length
    assert(follows, 'a fact that does not follow')
    advance(this.#hot, changes, tip)
  }

  /** Takes what is not in the journal as it was just read. */
  refresh(terms: EventTerms): void {
    takeTerms(this.#hot, terms)
  }

  /** The event was loaded again. `hot` belongs to the view from here on. */
  replace(hot: HotEvent): void {
    this.#hot = hot
  }

  /** For a lane to work on. */
  copy(): HotEvent {
    return { ...this.#hot, state: copyState(this.#hot.state) }
  }
}
