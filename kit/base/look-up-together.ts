import type { Clock } from './clock.ts'

export interface LookUpLimits {
  /** An answer counts for so long, also that there is nothing. */
  readonly knownMs: number
  readonly maxKnown: number
  /** Keys that wait for an answer at once; the next ones are not found. */
  readonly maxWaiting: number
}

/**
 * Strangers may ask for any number of keys. However many they are, one question at a time is on its way, for
 * all keys that came meanwhile, and what is not there is remembered as well.
 */
export class LookUpTogether<Value> {
  readonly #ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>
  readonly #clock: Clock
  readonly #limits: LookUpLimits
  readonly #known = new Map<string, { readonly value: Value | null; readonly until: number }>()
  #next = new Map<string, Promise<Value | null>>()
  #asking: Promise<ReadonlyMap<string, Value>> | null = null
  #running: Promise<unknown> = Promise.resolve()

  constructor(
    ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
    clock: Clock,
    limits: LookUpLimits,
  ) {
    this.#ask = ask
    this.#clock = clock
    this.#limits = limits
  }

  async find(key: string): Promise<Value | null> {
    const known = this.#known.get(key)
    if (known && this.#clock.elapsed() < known.until) return known.value
    const asked = this.#next.get(key)
    if (asked) return asked
    if (this.#next.size >= this.#limits.maxWaiting) return null
    this.#asking ??= this.#askNext()
    const finding = this.#asking.then(found => this.#keep(key, found.get(key) ?? null))
    this.#next.set(key, finding)
    return finding
  }

  /** Those that come while others are looked up gather here. */
  #askNext(): Promise<ReadonlyMap<string, Value>> {
    const asking = this.#running.then(() => {
      const keys = [...this.#next.keys()]
      this.#next = new Map()
      this.#asking = null
      return this.#ask(keys)
    })
    this.#running = asking.catch(() => {})
    return asking
  }

  #keep(key: string, value: Value | null): Value | null {
    this.#known.delete(key)
    this.#known.set(key, { value, until: this.#clock.elapsed() + this.#limits.knownMs })
    if (this.#known.size > this.#limits.maxKnown) this.#known.delete(this.#known.keys().next().value!)
    return value
  }
}
