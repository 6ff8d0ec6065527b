const WINDOW_MS = 60_000
/** A new worker mends a fault that one request in a million meets; so many in a minute are no accident. */
const TOO_MANY = 5

/** Notices a worker that ends again and again. */
export class DeathCount {
  readonly #now: () => number
  readonly #deaths = new Map<number, number[]>()

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** A worker with this number has ended. Returns whether it did so too often. */
  add(number: number): boolean {
    const now = this.#now()
    const deaths = (this.#deaths.get(number) ?? []).filter(at => at > now - WINDOW_MS)
    deaths.push(now)
    this.#deaths.set(number, deaths)
    return deaths.length >= TOO_MANY
  }
}
