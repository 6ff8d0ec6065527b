/**
 * A line for something that organizations share. They take turns, whichever of them came first, and each
 * keeps its own order. None of them can fill it: half of the places are the most that one may have, and one
 * that has nothing waiting is let in beyond the last place, so that two can not fill it for a third either.
 */
export class FairLine<Item> {
  /** The first one has the next turn. */
  readonly #lines = new Map<string, Item[]>()
  readonly #most: number
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#size
  }

  hasRoomFor(owner: string): boolean {
    const own = this.#lines.get(owner)?.length ?? 0
    if (own === 0) return this.#size < 2 * this.#most
    return own < Math.ceil(this.#most / 2) && this.#size < this.#most
  }

  push(owner: string, item: Item): void {
    const line = this.#lines.get(owner)
    if (line) line.push(item)
    else this.#lines.set(owner, [item])
    this.#size += 1
  }

  /** The next one; its owner's others wait until all other owners had a turn. */
  shift(): Item | undefined {
    const [next] = this.#lines
    if (!next) return undefined
    const [owner, line] = next
    const item = line.shift()!
    this.#lines.delete(owner)
    if (line.length > 0) this.#lines.set(owner, line)
    this.#size -= 1
    return item
  }
}

/** Work that is done one piece at a time, for one organization after another. */
export class FairTurns {
  readonly #line: FairLine<() => Promise<void>>
  #isBusy = false

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#line = new FairLine(most)
  }

  hasRoomFor(owner: string): boolean {
    return this.#line.hasRoomFor(owner)
  }

  run<Value>(owner: string, work: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#line.push(owner, async () => {
        try {
          resolve(await work())
        } catch (error) {
          reject(error)
        }
      })
      if (!this.#isBusy) void this.#runAll()
    })
  }

  async #runAll(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#line.shift(); next; next = this.#line.shift()) await next()
    this.#isBusy = false
  }
}
