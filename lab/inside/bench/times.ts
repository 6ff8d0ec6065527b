/** Durations in milliseconds, as many as come. */
export class Times {
  #ms = new Float64Array(1 << 12)
  #count = 0

  add(ms: number): void {
    if (this.#count === this.#ms.length) {
      const larger = new Float64Array(2 * this.#count)
      larger.set(this.#ms)
      this.#ms = larger
    }
    this.#ms[this.#count] = ms
    this.#count += 1
  }

  get all(): Float64Array {
    return this.#ms.subarray(0, this.#count)
  }
}

export interface Percentiles {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

export function percentiles(ms: Float64Array): Percentiles {
  const sorted = ms.slice().sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }
}
