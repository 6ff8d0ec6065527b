import { DeathCount } from './death-count.ts'

/** A worker that has ended. */
interface Ended {
  readonly number: number
  /** It has let connections in. */
  readonly hasServed: boolean
  /** It said this when it could not start: Postgres is away, for instance. */
  readonly failure: string | null
  /** Another worker with its number is there: the one that it should have replaced, or the one after it. */
  readonly isCovered: boolean
}

/** A new worker takes the place of one that has ended after so long; or none does, or the server ends. */
type Next = { readonly startAfterMs: number } | 'none' | 'too often'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

/**
 * The places of workers that have ended. Those that served, or ended without a word, are replaced at once,
 * and end the server when that happens too often. Those that could not start are tried again for as long as
 * it takes, with growing pauses: while Postgres is away the other workers go on.
 */
export class Vacancies {
  readonly #deaths: DeathCount
  readonly #pauses = new Map<number, number>()

  constructor(deaths = new DeathCount()) {
    this.#deaths = deaths
  }

  /** A worker with this number serves. */
  filled(number: number): void {
    this.#pauses.delete(number)
  }

  ended({ number, hasServed, failure, isCovered }: Ended): Next {
    if (!hasServed && isCovered) return 'none'
    if (!hasServed && failure !== null) {
      const pause = this.#pauses.get(number) ?? FIRST_PAUSE_MS
      this.#pauses.set(number, Math.min(2 * pause, LONGEST_PAUSE_MS))
      return { startAfterMs: pause }
    }
    if (this.#deaths.add(number)) return 'too often'
    return isCovered ? 'none' : { startAfterMs: 0 }
  }
}
