import type { Change } from '@voelgoed/core/event/change'
import type { HotEvent } from './event-plan.ts'

/** Further behind than this it is quicker to load anew than to catch up. */
export const MAX_CATCH_UP = 20_000

export interface TellingDeps {
  /** In order and without a gap; `null` when there are too many to tell: whoever follows must start anew. */
  advanced(hot: HotEvent, changes: readonly Change[] | null): void
  /** `count` changes after `from`; null when they can't be read. */
  readJournal(from: number, count: number): Promise<readonly Change[] | null>
}

/** Tells the followers of an event what was committed, by this node or by others: in order, once, one after another. */
export class Telling {
  readonly #deps: TellingDeps
  /** Changes of other nodes that were read under the lock: told before our own. */
  #missed: Change[] = []
  #line: Promise<void> = Promise.resolve()
  /** Followers have heard of everything up to here. */
  #toldSeq: number | null = null

  constructor(deps: TellingDeps) {
    this.#deps = deps
  }

  /** Until everything has been told that was to be. */
  get done(): Promise<void> {
    return this.#line
  }

  /** Whoever follows has this much already; unless they follow since before it was loaded. */
  beginAt(seq: number): void {
    this.#toldSeq ??= seq
  }

  missed(changes: readonly Change[]): void {
    this.#missed.push(...changes)
  }

  /** They were of a state that is thrown away. */
  forgetMissed(): void {
    this.#missed = []
  }

  /** `own`: committed by this node just now. */
  tell(hot: HotEvent, own: readonly Change[]): Promise<void> {
    const changes = this.#missed.length > 0 ? [...this.#missed, ...own] : own
    this.#missed = []
    const to = hot.state.seq
    const next = () => this.#tell(hot, changes, to)
    this.#line = this.#line.then(next, next)
    return this.#line
  }

  async #tell(hot: HotEvent, changes: readonly Change[], to: number): Promise<void> {
    const from = this.#toldSeq ?? to
    if (to <= from) return
    this.#toldSeq = to
    if (changes[0]?.seq === from + 1 && changes.length === to - from) {
      this.#deps.advanced(hot, changes)
    } else if (to - from > MAX_CATCH_UP) {
      this.#deps.advanced(hot, null)
    } else {
      // A reload lies in between: the journal has what was missed.
      const read = await this.#deps.readJournal(from, to - from)
      this.#deps.advanced(hot, read?.length === to - from ? read : null)
    }
  }
}
