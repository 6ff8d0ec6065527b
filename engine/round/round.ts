import { apply } from '@voelgoed/core/event/apply'
import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import { decide } from '@voelgoed/core/event/decide'
import type { Outcome } from '@voelgoed/core/event/decision'
import { nextExpiry } from '@voelgoed/core/event/view'
import type { Refusal } from '@voelgoed/core/refusal'
import type { Result } from '@voelgoed/core/result'
import type { Time } from '@voelgoed/kit/base/time'
import { CommitUnknown } from '@voelgoed/kit/postgres/database'
import { tookEffect } from '@voelgoed/kit/postgres/unknown-commit'
import type { KeptAnswer } from '../batch/answers.ts'
import type { RowRider } from '../ports/batch-table.ts'
import {
  type AskedUnderLock,
  type BatchWriter,
  type EventAddress,
  type EventStore,
  type LockedEvent,
  type SeenEvent,
  Stale,
} from '../ports/store.ts'
import type { EventTrace } from '../postgres/event-trace.ts'
import { isSamePoint, type JournalPoint } from '../tables/ledger.ts'
import { advance, type EventTerms, type HotEvent, pointOf, takeTerms, termsOf } from '../view/hot-event.ts'
import { type Rider, riderAnswer } from './rider.ts'

/** Further behind than this it is quicker to load the event again than to catch up. */
const MAX_CATCH_UP = 20_000

/**
 * One transaction under an event's lock. Batches, exclusive work and the opening of an event give their
 * commands here: each is decided on exact state, its changes are written down and applied, in this order.
 *
 * Its state is ahead of the database from the first change to the commit: only the lane may see it.
 */
export class Round {
  readonly hot: HotEvent
  readonly locked: Pick<LockedEvent, 'tx' | 'stored' | 'rows' | 'ledger'>
  /** Other nodes had done this, as it was read under the lock. */
  readonly caughtUp: CaughtUp
  readonly seqBefore: number
  readonly lockedAt: number
  /** When the last command was decided; 0 before. */
  decidedAt = 0
  readonly #writer: BatchWriter

  constructor(
    hot: HotEvent,
    locked: Pick<LockedEvent, 'tx' | 'stored' | 'rows' | 'ledger' | 'write'>,
    lockedAt: number,
    caughtUp: CaughtUp = { changes: [], point: pointOf(hot), terms: termsOf(hot) },
  ) {
    this.hot = hot
    this.locked = locked
    this.caughtUp = caughtUp
    this.seqBefore = hot.state.seq
    this.lockedAt = lockedAt
    this.#writer = locked.write(hot.state)
  }

  /** The database's clock, read under the lock. */
  get now(): number {
    return this.locked.ledger.now
  }

  get changes(): readonly Change[] {
    return this.#writer.changes
  }

  get unsent(): number {
    return this.#writer.unsent
  }

  /**
   * Decides a command. What rides with it is made before anything is applied: a rider that fails takes its
   * own command down, and no other. With `stoodAside` nothing was given.
   */
  give(
    command: Command,
    key: Rider | null = null,
    rider: RowRider | null = null,
  ): { readonly outcome: Outcome; readonly kept: KeptAnswer | null; readonly stoodAside?: true } {
    const { hot, now } = this
    const outcome = decide(hot.state, command, now)
    if (!outcome.ok) return { outcome, kept: null }
    // Without an entry in the journal a commit without an answer could not be looked up.
    const row = rider && outcome.value.changes.length > 0 ? rider.row(outcome.value, hot) : null
    if (rider && row === null) return { outcome, kept: null, stoodAside: true }
    const kept = key && riderAnswer(key, outcome.value, hot, now)
    for (const change of outcome.value.changes) {
      this.#writer.add(change, command)
      apply(hot.state, change)
    }
    if (rider) this.#writer.ride(rider.table, row)
    if (kept) this.#writer.keep(kept)
    return { outcome, kept }
  }

  send(): void {
    this.#writer.send()
  }

  /** False: there was nothing to write. */
  finish(): boolean {
    this.hot.tip = this.#writer.lastCommand ?? this.hot.tip
    return this.#writer.finish(nextExpiry(this.hot.state))
  }

  /**
   * Returns what shows that this round took effect: no other transaction can have written it. Null: the round
   * wrote nothing, or only the time at which the next hold runs out.
   */
  get trace(): EventTrace | null {
    const { firstCommand, firstKept } = this.#writer
    if (firstCommand !== null) return { kind: 'journal', seq: this.seqBefore + 1, command: firstCommand }
    return firstKept && { kind: 'answer', ...firstKept }
  }
}

/** A round ends in one of these ways. */
export type RoundEnd<T> =
  | { readonly kind: 'committed'; readonly round: Round; readonly value: T }
  /** The script refused: all of it is undone. */
  | { readonly kind: 'refused'; readonly round: Round; readonly refusal: Refusal }
  /** Nothing was decided: the event must be loaded again. */
  | { readonly kind: 'stale' }
  /** It has taken effect or it has not: that could not be found out. */
  | { readonly kind: 'unknown'; readonly round: Round }
  | { readonly kind: 'failed'; readonly round: Round | null; readonly error: unknown }

export interface RoundDeps {
  readonly store: EventStore
  readonly time: Time
  /** Everything is sent, the commit comes next. */
  written(): void
}

export interface RoundOptions {
  /** The script writes rows of its own; only an entry in the journal shows what became of them. */
  readonly writesRows: boolean
  /**
   * Takes in the commands that came while the round waited for another node, and says what they ask for.
   * Null: there are none.
   */
  readonly late?: (() => AskedUnderLock | null) | undefined
}

/** Locks the event, catches up, runs the script, writes, commits. A commit without an answer is looked up. */
export async function runRound<T>(
  deps: RoundDeps,
  event: EventAddress,
  hot: HotEvent,
  asked: AskedUnderLock,
  script: (round: Round) => Promise<Result<T, Refusal>> | Result<T, Refusal>,
  options: RoundOptions,
): Promise<RoundEnd<T>> {
  const { store, time } = deps
  let round: Round | null = null as Round | null
  let result: Result<T, Refusal> | null = null
  try {
    await store.locked(event, asked, async locked => {
      const lockedAt = time.now()
      const known = { point: pointOf(hot), terms: termsOf(hot) }
      // Another node had the lock, and its changes must be read: what late commands ask is read with them.
      const late = locked.ledger.seq > known.point.seq ? options.late?.() : undefined
      const caughtUp = await catchUp(locked, known, late && (() => locked.lookUp(late)))
      takeIn(hot, caughtUp)
      round = new Round(hot, { ...locked, ledger: caughtUp.ledger }, lockedAt, caughtUp)
      result = await script(round)
      if (!result.ok) throw new Undo()
      // Readers who hear of this round at once read what it has written: names of zones, prices.
      if (options.writesRows) takeTerms(hot, await locked.readTerms(termsOf(hot)))
      const hasWritten = round.finish()
      if (!hasWritten && !options.writesRows) locked.discard()
      round.decidedAt = time.now()
      deps.written()
    })
  } catch (error) {
    const refused = result as Result<T, Refusal> | null
    if (error instanceof Undo && round && refused && !refused.ok) {
      return { kind: 'refused', round, refusal: refused.problem }
    }
    if (error instanceof Stale) return { kind: 'stale' }
    if (!(error instanceof CommitUnknown) || !round) return { kind: 'failed', round, error }
    const committed = await wasCommitted(deps, event, round, options)
    if (committed === null) return { kind: 'unknown', round }
    if (!committed) return { kind: 'failed', round, error: error.cause }
  }
  const value = (result as Result<T, Refusal> | null)!
  return { kind: 'committed', round: round!, value: (value as { value: T }).value }
}

/** Returns whether the commit of a round took effect. Null: that can't be found out. */
async function wasCommitted(
  { store, time }: RoundDeps,
  event: EventAddress,
  { trace }: Round,
  { writesRows }: RoundOptions,
): Promise<boolean | null> {
  // Rows of its own without an entry in the journal leave no trace that only this round can have left.
  if (writesRows && trace?.kind !== 'journal') return null
  // It wrote at most the time at which the next hold runs out: its answers were right under the lock anyway.
  if (trace === null) return true
  return tookEffect(() => store.hasTrace(event, trace), time)
}

/** A transaction sees this beyond a point. */
export interface CaughtUp {
  readonly changes: readonly Change[]
  /** The journal is here after them. */
  readonly point: JournalPoint
  readonly terms: EventTerms
}

/**
 * Returns what an event in memory lacks of what a transaction sees; under the lock it is exact once it has
 * that. `later`: looks at the event once more, in the same round trip.
 */
export async function catchUp(
  seen: SeenEvent,
  known: { readonly point: JournalPoint; readonly terms: EventTerms },
  later?: (() => Promise<SeenEvent>) | null,
): Promise<CaughtUp & Pick<SeenEvent, 'ledger'>> {
  const { ledger } = seen
  const looking = later?.()
  // A connection that breaks fails both questions: the first failure is the one that is told.
  looking?.catch(() => {})
  let { point } = known
  let changes: readonly Change[] = []
  const missing = ledger.seq - point.seq
  // Ahead of the database (which has lost commits), or so far behind that loading the event again is quicker.
  if (missing < 0 || missing > MAX_CATCH_UP) throw new Stale()
  if (missing > 0) {
    const read = await seen.continueJournal(point, missing)
    // The journal has another entry where this state ends: Postgres has lost the one that is in it.
    if (read?.changes.length !== missing) throw new Stale()
    changes = read.changes
    point = read.to
  } else if (!isSamePoint(point, ledger)) {
    throw new Stale()
  }
  const last = (await looking) ?? seen
  return { changes, point, terms: await last.refresh(known.terms), ledger: last.ledger }
}

export function takeIn(hot: HotEvent, { changes, point, terms }: CaughtUp): void {
  if (changes.length > 0) advance(hot, changes, point.tip)
  takeTerms(hot, terms)
}

class Undo extends Error {}
