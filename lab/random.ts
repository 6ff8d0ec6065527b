/**
 * Numbers that only follow from a seed: a run can be repeated, and one request of it can be made again
 * without the others. `stream` tells the requests of one seed apart.
 */
export class Random {
  #state: number

  constructor(seed: number, stream = 0) {
    this.#state = scramble(scramble(seed | 0) ^ Math.imul(stream | 0, 0x9e3779b1))
  }

  /** From 0 up to but not including 1: mulberry32, plenty for choosing what to break. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    return scramble(this.#state) / 2 ** 32
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

function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 15), value | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return (mixed ^ (mixed >>> 14)) >>> 0
}
