/**
 * Work that many callers want at the same moment, done once for all of them. Work that begins after a caller
 * has asked is exact for that caller, so a caller who comes while it runs waits for the next turn, together
 * with all others who come meanwhile: however many ask, each key has one turn at work and one that waits.
 */
export class SharedTurns<T> {
  readonly #running = new Map<string, { readonly now: Promise<T>; next: Promise<T> | null }>()

  take(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key)
    if (!running) return this.#begin(key, work)
    const begin = () => this.#begin(key, work)
    running.next ??= running.now.then(begin, begin)
    return running.next
  }

  #begin(key: string, work: () => Promise<T>): Promise<T> {
    const now = work()
    const turn = { now, next: null as Promise<T> | null }
    this.#running.set(key, turn)
    const end = () => {
      if (turn.next === null) this.#running.delete(key)
    }
    now.then(end, end)
    return now
  }
}
