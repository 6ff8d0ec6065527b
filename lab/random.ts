/**
 * Numbers that only follow from a seed: a run can be repeated, and one request of it can be made again
 * without the others. `stream` tells the requests of one seed apart.
 */
export class Random {
  #a: number
  #b: number
  #c: number
  #count = 1

  constructor(seed: number, stream = 0) {
    // Each seed, and each stream of a seed, has a state of its own: mixing loses nothing.
    this.#a = mixed(seed)
    this.#b = mixed(stream ^ 0x5bd1e995)
    this.#c = mixed(Math.floor(seed / 2 ** 32)) ^ mixed(Math.floor(stream / 2 ** 32))
    for (let rounds = 12; rounds > 0; rounds -= 1) this.next()
  }

  /** From 0 up to but not including 1: sfc32, which goes through 2^32 numbers at least before it repeats. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#count) | 0
    this.#count = (this.#count + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  between(from: number, to: number): number {
    return from + this.below(to - from + 1)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  /** The more weight, the likelier. */
  weighted<T extends { readonly weight: number }>(list: readonly T[]): T {
    let left = this.next() * list.reduce((sum, item) => sum + item.weight, 0)
    for (const item of list) {
      left -= item.weight
      if (left < 0) return item
    }
    return list[list.length - 1]!
  }

  /** A copy in another order. */
  shuffled<T>(list: readonly T[]): T[] {
    const copy = [...list]
    for (let left = copy.length - 1; left > 0; left -= 1) {
      const other = this.below(left + 1)
      const kept = copy[left]!
      copy[left] = copy[other]!
      copy[other] = kept
    }
    return copy
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)))
  }

  hex(length: number): string {
    return Array.from({ length }, () => this.below(16).toString(16)).join('')
  }

  uuid(): string {
    return `${this.hex(8)}-${this.hex(4)}-7${this.hex(3)}-8${this.hex(3)}-${this.hex(12)}`
  }
}

/** Another number for every number: the last steps of MurmurHash3, each of which can be undone. */
function mixed(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}
