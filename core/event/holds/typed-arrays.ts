type Numbers = Float64Array | Int32Array | Uint16Array

/** A longer copy. What is new is zero. */
export function lengthened<Kind extends Numbers>(array: Kind, length: number): Kind {
  const longer = new (array.constructor as new (length: number) => Kind)(length)
  longer.set(array)
  return longer
}

/**
 * The next length of arrays that are full. Small ones double; large ones grow by an eighth, so that at most
 * an eighth of them stands empty. Moving 100,000 holds takes about 2 ms, once in 12,500 holds.
 */
export function longer(length: number): number {
  return Math.max(16, length < 1024 ? 2 * length : length + (length >> 3))
}
