export interface Percentiles {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

/** Takes durations in milliseconds, and gives zeros when there are none. */
export function percentiles(ms: readonly number[] | Float64Array): Percentiles {
  const sorted = Float64Array.from(ms).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }
}
