/** Bytes that grow. Whole numbers as varints: seven bits a byte, the lowest first. */
export class ByteWriter {
  #bytes = new Uint8Array(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** 0 … 2³²−1. */
  unsigned(value: number): void {
    this.#reserve(5)
    let rest = value
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#bytes[this.#length++] = rest
  }

  /** −2³¹ … 2³¹−1; small ones of either sign stay short. */
  signed(value: number): void {
    this.unsigned(((value << 1) ^ (value >> 31)) >>> 0)
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count))
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}

/** The same value many times: once, with how often. */
export class RunWriter {
  readonly #bytes: ByteWriter
  #value = 0
  #count = 0

  constructor(bytes: ByteWriter) {
    this.#bytes = bytes
  }

  add(value: number): void {
    if (this.#count > 0 && value === this.#value) this.#count += 1
    else {
      this.end()
      this.#value = value
      this.#count = 1
    }
  }

  end(): void {
    if (this.#count === 0) return
    this.#bytes.unsigned(this.#value)
    this.#bytes.unsigned(this.#count)
    this.#count = 0
  }
}
