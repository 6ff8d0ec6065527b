import type { EpochPoint } from '../postgres/tables/epochs.ts'

/** How far an event is by the word of others: other nodes, and tiers that answered this node's readers. */
export class KnownElsewhere {
  #told: EpochPoint | null = null
  #seq = 0

  /** The furthest that another node has said the event is. */
  get seq(): number {
    return this.#seq
  }

  heard(seq: number): void {
    this.#seq = Math.max(this.#seq, seq)
  }

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
