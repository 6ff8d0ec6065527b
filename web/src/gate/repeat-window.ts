/** A code that was out of sight for so long is shown again on purpose. */
const OUT_OF_SIGHT_MS = 2_500

/** The camera sees a code in many pictures one after another: it counts once while it stays there. */
export class RepeatWindow {
  #code: string | null = null
  #seenAt = Number.NEGATIVE_INFINITY

  /** The code before the camera is not read now. The last one that was does not become new by staying. */
  passes(code: string, at: number): void {
    if (code === this.#code) this.isNew(code, at)
  }

  /** The code is before the camera. False: it still is. */
  isNew(code: string, at: number): boolean {
    const isStill = code === this.#code && at - this.#seenAt <= OUT_OF_SIGHT_MS
    this.#code = code
    this.#seenAt = at
    return !isStill
  }
}
