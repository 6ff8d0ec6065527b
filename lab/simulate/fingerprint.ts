/** A short number for much text: 53 bits, of which no two of a million texts are likely to have the same. */
export class Fingerprint {
  #high = 0xdeadbeef | 0
  #low = 0x41c6ce57 | 0

  add(text: string): void {
    let high = this.#high
    let low = this.#low
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      high = Math.imul(high ^ code, 0x9e3779b1)
      low = Math.imul(low ^ code, 0x5f356495)
    }
    this.#high = Math.imul(high ^ (low >>> 15), 0x85ebca77)
    this.#low = Math.imul(low ^ (high >>> 13), 0xc2b2ae3d)
  }

  get value(): number {
    const high = this.#high ^ (this.#high >>> 16)
    return (high & 0x1fffff) * 2 ** 32 + (this.#low >>> 0)
  }
}
