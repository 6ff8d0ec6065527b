import { hash, verify } from '@node-rs/argon2'

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. About 25 ms on one core. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** No password has this hash. Unknown emails are verified against it, so that they take as long. */
export const HASH_WITHOUT_PASSWORD =
  '$argon2id$v=19$m=19456,t=2,p=1$Xv3wxeXgSgRg1wgiaHSigw$bZOtmM2KsRcX80dm5HOM17dUq2k3J+t57ueJSbyzcW8'

/**
 * Hashing is meant to be slow, so it is the cheapest way to keep our cores busy from outside. At most
 * `atOnce` run at a time, at most `waiting` wait; a caller who comes after that is told so (`null`).
 */
export class Passwords {
  readonly #atOnce: number
  readonly #maxWaiting: number
  readonly #queue: (() => void)[] = []
  #running = 0

  constructor({ atOnce, waiting }: { atOnce: number; waiting: number }) {
    this.#atOnce = atOnce
    this.#maxWaiting = waiting
  }

  hash(password: string): Promise<string | null> {
    return this.#run(() => hash(password, COST))
  }

  /** With `null` for a user who does not exist: takes the same time and is false. */
  verify(storedHash: string | null, password: string): Promise<boolean | null> {
    return this.#run(async () => {
      const good = await verify(storedHash ?? HASH_WITHOUT_PASSWORD, password).catch(() => false)
      return good && storedHash !== null
    })
  }

  async #run<T>(work: () => Promise<T>): Promise<T | null> {
    if (this.#running >= this.#atOnce) {
      if (this.#queue.length >= this.#maxWaiting) return null
      await new Promise<void>(resolve => this.#queue.push(resolve))
    }
    this.#running += 1
    try {
      return await work()
    } finally {
      this.#running -= 1
      this.#queue.shift()?.()
    }
  }
}
