import type { HoldSeats } from '@voelgoed/core/event/command'
import { people } from '@voelgoed/core/event/test/hall'
import { Scene } from '@voelgoed/core/event/test/scene'
import type { CommandId, HoldId } from '@voelgoed/core/ids'
import { systemClock } from '@voelgoed/kit/base/clock'
import { processTime } from '@voelgoed/kit/base/time'
import { expect, it } from 'vitest'
import type { EventAddress } from '../ports/store.ts'
import { looksTaken, refusedWithProof } from '../proofs/certain-refusal.ts'
import type { Ledger } from '../tables/ledger.ts'
import { CommittedView } from '../view/committed-view.ts'
import { databaseNow, type HotEvent } from '../view/hot-event.ts'

/** Ann holds a seat, and Ben asks for it. `memoryIsAheadBy`: its clock is past the hold's end. */
function asked({ memoryIsAheadBy }: { memoryIsAheadBy: number }) {
  const scene = new Scene()
  scene.holdSeats('ann', [0])
  const { heldUntil } = scene.state.holds.get('h1' as HoldId)!
  const hot = {
    state: scene.state,
    tip: 'c1' as CommandId,
    eventRevision: 1,
    policyRevision: 1,
    epoch: 1,
    lostUpTo: 0,
    clockOffset: heldUntil + memoryIsAheadBy - systemClock.elapsed(),
  } as HotEvent
  const command: HoldSeats = {
    kind: 'hold_seats',
    commandId: 'c2' as CommandId,
    actor: { person: people.ben, ip: null, source: 'web' },
    ordinals: [0],
    holdIds: ['h2' as HoldId],
  }
  const ledgerAt = (now: number, seq = scene.state.seq): Ledger => ({
    seq,
    tip: seq === scene.state.seq ? hot.tip : ('c0' as CommandId),
    now,
    askedAt: 0,
    nextExpiry: heldUntil,
    epoch: 1,
    lostUpTo: 0,
    eventRevision: 1,
    policyRevision: 1,
  })
  return {
    view: new CommittedView({} as EventAddress, hot),
    heldUntil,
    ledgerAt,
    question: { command, key: null, seq: 0 },
  }
}

const HOUR = 3_600_000

it('memory that is as far as the ledger is judged by the time of the ledger, whatever its own clock says', () => {
  const late = asked({ memoryIsAheadBy: HOUR })
  const before = late.heldUntil - 1
  const proof = { ledger: late.ledgerAt(before), stored: null }
  expect(refusedWithProof(late.view, late.question, proof, processTime)).toMatchObject({
    now: before,
    outcome: { ok: false, problem: { kind: 'seat_held_by_another_user', expiresIn: 1 } },
  })
  const early = asked({ memoryIsAheadBy: -HOUR })
  const after = { ledger: early.ledgerAt(early.heldUntil), stored: null }
  expect(refusedWithProof(early.view, early.question, after, processTime)).toBeNull()
})

it('memory that has moved on is judged by a time that is not before its last change', () => {
  const late = asked({ memoryIsAheadBy: HOUR })
  const proof = { ledger: late.ledgerAt(late.heldUntil - 1, 0), stored: null }
  expect(databaseNow(late.view)).toBeGreaterThan(late.heldUntil)
  expect(refusedWithProof(late.view, late.question, proof, processTime)).toBeNull()
  const early = asked({ memoryIsAheadBy: -HOUR })
  const now = early.heldUntil - 2
  expect(
    refusedWithProof(
      early.view,
      early.question,
      { ledger: early.ledgerAt(now, 0), stored: null },
      processTime,
    ),
  ).toMatchObject({ now, outcome: { ok: false } })
})

it('memory that was ahead of the ledger when it was asked proves nothing', () => {
  const { view, heldUntil, ledgerAt, question } = asked({ memoryIsAheadBy: -HOUR })
  const proof = { ledger: ledgerAt(heldUntil - 2, 0), stored: null }
  expect(refusedWithProof(view, { ...question, seq: view.seq }, proof, processTime)).toBeNull()
})

it('memory that has moved on within a history that Postgres has lost since proves nothing', () => {
  const { view, heldUntil, ledgerAt, question } = asked({ memoryIsAheadBy: -HOUR })
  const ledger = { ...ledgerAt(heldUntil - 2, 0), epoch: 2 }
  expect(refusedWithProof(view, question, { ledger, stored: null }, processTime)).toBeNull()
})

it('only what is not simply free is worth a look while a batch is in flight', () => {
  const { view, question } = asked({ memoryIsAheadBy: 0 })
  expect(looksTaken(view, question.command)).toBe(true)
  expect(looksTaken(view, { ...question.command, ordinals: [1] })).toBe(false)
  expect(looksTaken(view, { ...question.command, ordinals: [1, 0] })).toBe(true)
})
