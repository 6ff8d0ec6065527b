import { Random } from '../random.ts'

/** A commit that a node sends meets one of these fates. */
export type CommitFate =
  | { readonly kind: 'answered' }
  /** It never reaches the database, which ends the transaction by itself. */
  | { readonly kind: 'lost'; readonly endsAfterMs: number }
  /** It takes effect, and the connection breaks before the answer. */
  | { readonly kind: 'answer lost' }
  /** The connection breaks, and it takes effect later. */
  | { readonly kind: 'late'; readonly afterMs: number }

export interface NetworkFaults {
  readonly lostCommits: boolean
  readonly lostAnswers: boolean
  readonly lateCommits: boolean
  readonly brokenConnections: boolean
  readonly slowCalls: boolean
}

/** The line between nodes and database: how long things take, and what goes wrong. */
export class Network {
  readonly #random: Random
  #faults: NetworkFaults

  constructor(seed: number, faults: NetworkFaults) {
    this.#random = new Random(seed, 2)
    this.#faults = faults
  }

  /** From now on nothing goes wrong. */
  heal(): void {
    this.#faults = NO_FAULTS
  }

  /** One way, in milliseconds. */
  delay(): number {
    const usual = 0.3 + this.#random.next() * 6
    if (!this.#faults.slowCalls || !this.#random.chance(0.06)) return usual
    return usual + this.#random.next() * (this.#random.chance(0.2) ? 2_500 : 200)
  }

  breaks(): boolean {
    return this.#faults.brokenConnections && this.#random.chance(0.05)
  }

  commit(): CommitFate {
    const { lostCommits, lostAnswers, lateCommits } = this.#faults
    const random = this.#random
    if (lostCommits && random.chance(0.1)) return { kind: 'lost', endsAfterMs: random.next() * 1_000 }
    if (lostAnswers && random.chance(0.1)) return { kind: 'answer lost' }
    if (lateCommits && random.chance(0.1)) {
      return { kind: 'late', afterMs: random.next() * (random.chance(0.3) ? 8_000 : 300) }
    }
    return { kind: 'answered' }
  }
}

const NO_FAULTS: NetworkFaults = {
  lostCommits: false,
  lostAnswers: false,
  lateCommits: false,
  brokenConnections: false,
  slowCalls: false,
}

export function steadyNetwork(seed: number): Network {
  return new Network(seed, NO_FAULTS)
}
