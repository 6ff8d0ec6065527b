import { LiveSeats, type SeatChange } from '../../../kit/live-seats/live-seats.ts'

/** The seats of an event for one buyer: companion seats that are kept for them are free. */
export class BuyerSeats extends LiveSeats {
  /** The feed calls them blocked, as it does to everyone. */
  readonly #kept = new Set<number>()
  #changes = $state(0)
  #frame = 0

  constructor() {
    super()
    this.listen(() => {
      this.#frame ||= requestAnimationFrame(() => {
        this.#frame = 0
        this.#changes += 1
      })
    })
  }

  /** Grows after a seat has changed, at most once a frame: what depends on the statuses reads this first. */
  get changes() {
    return this.#changes
  }

  get kept(): ReadonlySet<number> {
    return this.#kept
  }

  /** From now on these are kept for this buyer, and no others. */
  keep(ordinals: ReadonlySet<number>): void {
    const gone = [...this.#kept].filter(ordinal => !ordinals.has(ordinal) && this.statusOf(ordinal) === 0)
    const blocked = [...ordinals].filter(ordinal => !this.#kept.has(ordinal) && this.statusOf(ordinal) === 3)
    this.#kept.clear()
    for (const ordinal of ordinals) this.#kept.add(ordinal)
    super.apply([...gone.map((ordinal): SeatChange => [ordinal, 3]), ...blocked.map(asFree)])
  }

  override close(): void {
    super.close()
    cancelAnimationFrame(this.#frame)
  }

  protected override replace(bits: Uint8Array): void {
    super.replace(bits)
    super.apply([...this.#kept].filter(ordinal => this.statusOf(ordinal) === 3).map(asFree))
  }

  override apply(changes: readonly SeatChange[]): void {
    // A companion seat that the feed calls free is anyone's from now on.
    for (const [ordinal, status] of changes) if (status === 0) this.#kept.delete(ordinal)
    super.apply(
      changes.map(change => (change[1] === 3 && this.#kept.has(change[0]) ? asFree(change[0]) : change)),
    )
  }
}

const asFree = (ordinal: number): SeatChange => [ordinal, 0]
