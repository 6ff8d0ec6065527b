import { Refused } from '@voelgoed/client'
import { untrack } from 'svelte'
import { keepTrying } from '../../kit/state/keep-trying.ts'

/**
 * Asks the server for what a screen shows. While the server is away it asks again by itself; what it had
 * stays on the screen.
 */
export class Loaded<T> {
  #value: T | null = $state.raw(null)
  #refused: Refused | null = $state.raw(null)
  #isTrouble = $state(false)
  #at: number | null = $state(null)
  #asking: AbortController | null = null
  #work: ((signal: AbortSignal) => Promise<T>) | null = null

  get value(): T | null {
    return this.#value
  }

  get refused(): Refused | null {
    return this.#refused
  }

  /** The server does not answer; it is asked again. */
  get isTrouble(): boolean {
    return this.#isTrouble
  }

  /** When it was last told, by a clock that people can't set. */
  get at(): number | null {
    return this.#at
  }

  /** For an effect, which reads first what is to make it run again: what `work` reads does not. */
  ask(work: (signal: AbortSignal) => Promise<T>): () => void {
    this.#work = work
    this.#asking?.abort()
    const asking = new AbortController()
    this.#asking = asking
    untrack(() => void this.#settle(work, asking.signal))
    return () => asking.abort()
  }

  /** Asks once more, and keeps what it has meanwhile. */
  again(): void {
    if (this.#work) this.ask(this.#work)
  }

  /** Keeps what the server just answered another request with. */
  put(value: T): void {
    this.#asking?.abort()
    this.#value = value
    this.#at = performance.now()
  }

  async #settle(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<void> {
    const onTrouble = () => {
      this.#isTrouble = true
    }
    try {
      const value = await keepTrying(() => work(signal), { signal, onTrouble })
      if (signal.aborted) return
      this.#value = value
      this.#refused = null
      this.#at = performance.now()
      this.#isTrouble = false
    } catch (error) {
      if (signal.aborted) return
      this.#isTrouble = false
      if (!(error instanceof Refused)) throw error
      this.#refused = error
    }
  }
}

/** Runs while it is on the screen and the page is in view; nothing is asked for that no reader sees. */
export function whileSeen(everyMs: number, work: () => void): () => void {
  const timer = setInterval(() => document.hidden || work(), everyMs)
  const onSeen = () => document.hidden || work()
  document.addEventListener('visibilitychange', onSeen)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', onSeen)
  }
}
