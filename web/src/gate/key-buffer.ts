/** Between two keys of a scanner; people who type without a field are slower. */
const GAP_MS = 100
const SHORTEST = 8
const LONGEST = 200

/**
 * Collects what a hardware scanner types: a code in a burst of keys, and Enter. It needs no field that has
 * the focus.
 */
export class KeyBuffer {
  #text = ''
  #lastAt = Number.NEGATIVE_INFINITY

  /** The code, when this key ends one. */
  press(key: string, at: number): string | null {
    if (at - this.#lastAt > GAP_MS) this.#text = ''
    this.#lastAt = at
    if (key === 'Enter' || key === 'Tab') {
      const text = this.#text
      this.#text = ''
      return text.length >= SHORTEST ? text : null
    }
    // One more than the longest: such a text is no ticket, however it goes on, and the gate says so.
    if ([...key].length === 1) this.#text = (this.#text + key).slice(0, LONGEST + 1)
    return null
  }
}
