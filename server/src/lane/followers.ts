import type { Change } from '@voelgoed/core/event/change'
import { isSamePoint, type JournalPoint } from '../postgres/tables/ledger.ts'
import { type HotEvent, pointOf } from './hot-event.ts'
import { MAX_CATCH_UP } from './round.ts'

export interface TellingDeps {
  /** In order and without a gap; `null`: followers must start again from `hot`. */
  advanced(hot: HotEvent, changes: readonly Change[] | null): void
  /** Followers know changes up to this seq that may be lost: called before they are told to start again. */
  lost(upTo: number): void
  /**
   * `count` changes after `from`; null when they can't be read, or when the journal has another entry there.
   */
  readJournal(from: JournalPoint, count: number): Promise<readonly Change[] | null>
}

/**
 * Tells the followers of an event what was committed, by this node or by others: in order, once, one after
 * another. When Postgres has lost commits that followers have heard of, they are told to start again.
 */
export class Telling {
  readonly #deps: TellingDeps
  /** Changes of other nodes that were read under the lock: told before our own. */
  #missed: Change[] = []
  #line: Promise<void> = Promise.resolve()
  /** Followers have heard of everything up to here. */
  #told: JournalPoint | null = null

  constructor(deps: TellingDeps) {
    this.#deps = deps
  }

  /** Resolves when followers have heard of everything that was given to `tell` so far. */
  get done(): Promise<void> {
    return this.#line
  }

  /** Followers that come from now on begin with this state; those from before are told what lies between. */
  begin(hot: HotEvent): void {
    this.#told ??= pointOf(hot)
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
    const to = pointOf(hot)
    const next = () => this.#tell(hot, changes, to)
    this.#line = this.#line.then(next, next)
    return this.#line
  }

  async #tell(hot: HotEvent, changes: readonly Change[], to: JournalPoint): Promise<void> {
    const from = this.#told ?? to
    if (isSamePoint(from, to)) return
    this.#told = to
    const count = to.seq - from.seq
    if (count <= 0 || count > MAX_CATCH_UP) {
      // What followers know was lost (seq went back), or there is too much to tell.
      this.#startAgain(hot, from)
    } else if (changes[0]?.seq === from.seq + 1 && changes.length === count) {
      this.#deps.advanced(hot, changes)
    } else {
      // The event was loaded again in between: the journal has what was missed.
      const read = await this.#deps.readJournal(from, count)
      if (read?.length === count) this.#deps.advanced(hot, read)
      else this.#startAgain(hot, from)
    }
  }

  #startAgain(hot: HotEvent, from: JournalPoint): void {
    this.#deps.lost(from.seq)
    this.#deps.advanced(hot, null)
  }
}
