import type { EpochPoint } from '../tables/epochs.ts'

/** Remembers how far an event is by the word of other tiers, which answered this node's readers. */
export class KnownElsewhere {
  #told: EpochPoint | null = null

  /** Readers of this node were told this by another tier, while the event was not in memory. */
  told(point: EpochPoint): void {
    const known = this.#told
    const isLater =
      !known || point.epoch > known.epoch || (point.epoch === known.epoch && point.seq > known.seq)
    if (isLater) this.#told = point
  }

  /** Readers were told more than a view at this point would tell them. */
  isAhead({ epoch, seq }: EpochPoint): boolean {
    return this.#told !== null && epoch === this.#told.epoch && seq < this.#told.seq
  }
}
