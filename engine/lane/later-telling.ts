import type { Time } from '@voelgoed/kit/base/time'

/** The answers of a batch may wait so long for the next one to be sent. */
const LATEST_ANSWER_MS = 3

/**
 * The facts and the answers of a batch, while they wait for the next batch to be sent: Postgres works while
 * this node tells. But no answer waits for a lock that another node may have.
 */
export class LaterTelling {
  readonly #time: Time
  #untold: { readonly seq: number; tell(): void } | null = null

  constructor(time: Time) {
    this.#time = time
  }

  /** The last change that is still to be told; 0: none is. */
  get seq(): number {
    return this.#untold?.seq ?? 0
  }

  /** The lane must have told all earlier facts before it calls this. */
  soon(seq: number, tell: () => void): void {
    const callOff = this.#time.after(LATEST_ANSWER_MS, () => this.now())
    this.#untold = {
      seq,
      tell: () => {
        callOff()
        tell()
      },
    }
  }

  /** The next batch is on its way to Postgres. */
  sent(): void {
    if (this.#untold) this.#time.soon(() => this.now())
  }

  now(): void {
    const untold = this.#untold
    this.#untold = null
    untold?.tell()
  }
}
