/** Thrown when the bytes are no map, or one of a format that this page does not know. */
export class MapFormatError extends Error {
  constructor(what: string) {
    super(`This is no map document: ${what}.`)
  }
}

/** Reads what core/map/byte-writer.ts wrote. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  unsigned(): number {
    const only = this.#bytes[this.#at]
    if (only !== undefined && only < 0x80) {
      this.#at += 1
      return only
    }
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new MapFormatError('a column is too short')
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
    throw new MapFormatError('a number is too long')
  }

  signed(): number {
    const value = this.unsigned()
    return (value >>> 1) ^ -(value & 1)
  }
}

/** Calls back for each run of equal values, and insists that the runs are as long as there are seats. */
export function eachRun(
  bytes: Uint8Array,
  seatCount: number,
  run: (value: number, from: number, count: number) => void,
): void {
  const reader = new ByteReader(bytes)
  let from = 0
  while (!reader.isAtEnd) {
    const value = reader.unsigned()
    const count = reader.unsigned()
    if (count === 0 || from + count > seatCount) throw new MapFormatError('a run is too long')
    run(value, from, count)
    from += count
  }
  if (from !== seatCount) throw new MapFormatError('a column is too short')
}
