import type { Command } from '@voelgoed/core/event/command'
import { decide } from '@voelgoed/core/event/decide'
import { AVAILABLE } from '@voelgoed/core/event/state'
import type { Time } from '@voelgoed/kit/base/time'
import type { LaneAnswer } from '../lane/lane-answer.ts'
import type { Rider } from '../round/rider.ts'
import { isSamePoint, type Ledger } from '../tables/ledger.ts'
import type { CommittedView } from '../view/committed-view.ts'
import { databaseNow } from '../view/hot-event.ts'
import type { RefusalProof } from './refusal-proofs.ts'

/**
 * Returns whether memory refuses a request for seats. That alone is no answer: it needs a proof. A held seat
 * may have been released, a blocked one unblocked, a sale opened again, a limit lifted: each by another node,
 * a moment ago. A sold seat stays sold, but Postgres may have lost the sale in a failover that this node has
 * not noticed. Memory never grants: the lane decides.
 */
export function isRefusedInMemory(view: CommittedView, command: Command, time: Time): boolean {
  if (command.kind !== 'hold_seats' && command.kind !== 'hold_places') return false
  return !decide(view.state, command, databaseNow(view, time)).ok
}

/**
 * Returns whether what is asked for is not simply free. While a batch is in flight, only then is a look at
 * memory worth its time: a command that is granted would be decided twice.
 */
export function looksTaken({ state }: CommittedView, command: Command): boolean {
  if (command.kind === 'hold_seats') {
    return command.ordinals.some(ordinal => state.seatStatus[ordinal] !== AVAILABLE)
  }
  if (command.kind !== 'hold_places') return false
  const zone = state.zones[command.zoneIndex]
  if (!zone) return false
  return zone.held + zone.sold + zone.blocked + command.quantity > zone.settings.capacity
}

/**
 * The answer that memory and a proof give together; null when only the lane can tell. The view holds nothing
 * that is not committed. If it is as far as the ledger was, it was exact when the ledger was read; if it has
 * moved further since the question, it was exact when its last change was committed, and is judged by a time
 * that is not before that. Both lie between the question and the answer.
 *
 * Memory that was ahead of the ledger when it asked proves nothing: Postgres has lost commits. Nor does
 * memory of another epoch: what moved it may have been read before they were lost, by a node that was
 * stopped since. Nor does memory that has moved further for a request with a key: what moved it may have been
 * the same key, whose answer the proof did not find yet.
 */
export function refusedWithProof(
  view: CommittedView,
  { command, key, seq }: { readonly command: Command; readonly key: Rider | null; readonly seq: number },
  { ledger, stored }: RefusalProof,
  time: Time,
): LaneAnswer | null {
  if (key && stored) return storedAnswer(key, stored)
  const hasMovedOn = key === null && hasMovedOnSince(view, { seq, ledger })
  const isExact = hasMovedOn || isSamePoint(view.point, ledger)
  if (!isExact || !hasTermsOf(view, ledger)) return null
  const now = hasMovedOn ? Math.max(ledger.now, databaseNow(view, time)) : ledger.now
  const outcome = decide(view.state, command, now)
  return outcome.ok ? null : { kind: 'decided', outcome, now, hall: view, kept: null }
}

/**
 * True: the view has all that was committed before a question that a ledger answers. `seq`: of the view
 * when that was asked for; null: the event was not in memory.
 */
export function isProven(view: CommittedView, asked: Asked): boolean {
  return hasTermsOf(view, asked.ledger) && (isAtLedger(view, asked.ledger) || hasMovedOnSince(view, asked))
}

interface Asked {
  readonly seq: number | null
  readonly ledger: Ledger
}

function isAtLedger({ point, epochPoint }: CommittedView, ledger: Ledger): boolean {
  return epochPoint.epoch === ledger.epoch && isSamePoint(point, ledger)
}

function hasMovedOnSince(view: CommittedView, { seq, ledger }: Asked): boolean {
  const isLater = seq !== null && seq <= ledger.seq && view.seq > ledger.seq
  return isLater && view.epochPoint.epoch === ledger.epoch
}

function hasTermsOf(view: CommittedView, { eventRevision, policyRevision }: Ledger): boolean {
  return view.eventRevision === eventRevision && view.policyRevision === policyRevision
}

/** A key that is known: its answer again, or a refusal when it came with another body. */
export function storedAnswer(key: Rider, stored: NonNullable<RefusalProof['stored']>): LaneAnswer {
  return stored.fingerprint.equals(key.fingerprint)
    ? { kind: 'replayed', stored }
    : { kind: 'refused', refusal: { kind: 'idempotency_key_reused' } }
}
