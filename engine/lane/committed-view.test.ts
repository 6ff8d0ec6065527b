import type { Change } from '@voelgoed/core/event/change'
import { Scene } from '@voelgoed/core/event/test/scene'
import type { CommandId, EventId, HoldId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { hotEvent } from '@voelgoed/testing/hot-event'
import { expect, it } from 'vitest'
import type { CommittedFact } from '../facts/fact.ts'
import { CommittedView } from '../view/committed-view.ts'

const event = { scope: TenantScope.of('o' as OrganizationId), eventId: 'e' as EventId }
const tip = (seq: number) => `command ${seq}` as CommandId

function factOf(changes: readonly Change[]): CommittedFact {
  const { seq } = changes.at(-1)!
  return { kind: 'committed', ...event, seq, tip: tip(seq), changes, isOwn: true }
}

/** Ann holds two seats, one after the other. */
function twoHolds(): { scene: Scene; facts: readonly [CommittedFact, CommittedFact] } {
  const scene = new Scene()
  scene.holdSeats('ann', [0])
  scene.holdSeats('ann', [1])
  const [first, second] = scene.changes
  return { scene, facts: [factOf([first!]), factOf([second!])] }
}

it('is what the facts make of it', () => {
  const view = new CommittedView(event, hotEvent())
  const { scene, facts } = twoHolds()
  for (const fact of facts) view.apply(fact)
  expect(view.point).toEqual({ seq: 2, tip: tip(2) })
  expect(view.state.seatStatus).toEqual(scene.state.seatStatus)
  expect([...view.state.holds.keys()]).toEqual(['h1', 'h2'])
})

it('takes no fact that leaves a gap, and none twice, and stays as it was', () => {
  const view = new CommittedView(event, hotEvent())
  const { facts } = twoHolds()
  expect(() => view.apply(facts[1])).toThrow('does not follow')
  expect([view.seq, view.state.holds.size]).toEqual([0, 0])
  view.apply(facts[0])
  expect(() => view.apply(facts[0])).toThrow('does not follow')
  expect([view.seq, view.state.holds.size]).toEqual([1, 1])
  // Nor one whose end is not where its changes end.
  expect(() => view.apply({ ...facts[1], seq: 3 })).toThrow('does not follow')
  view.apply(facts[1])
  expect(view.seq).toBe(2)
})

it('starts again with what was loaded, also where a seq stands for something else', () => {
  const view = new CommittedView(event, hotEvent())
  view.apply(twoHolds().facts[0])
  const { state } = view
  const other = hotEvent(1)
  view.replace({ ...other, tip: tip(9) })
  expect(view.state).not.toBe(state)
  expect(view.point).toEqual({ seq: 1, tip: tip(9) })
  expect(view.state.holds.size).toBe(0)
})

it('gives a copy to work on that does not show in the view', () => {
  const view = new CommittedView(event, hotEvent())
  const { facts } = twoHolds()
  view.apply(facts[0])
  const working = view.copy()
  const other = new CommittedView(event, working)
  other.apply(facts[1])
  expect([working.state.seq, view.seq]).toEqual([2, 1])
  expect(view.state.holds.has('h2' as HoldId)).toBe(false)
})

it('takes another policy only with a revision that has moved', () => {
  const view = new CommittedView(event, hotEvent())
  const { policy: known } = view.terms
  const policy = { ...known, hold_window_seconds: known.hold_window_seconds + 1 }
  view.refresh({ ...view.terms, policy, clockOffset: 7 })
  expect([view.state.settings.policy, view.clockOffset]).toEqual([known, 7])
  view.refresh({ ...view.terms, policy, policyRevision: 2 })
  expect([view.state.settings.policy, view.policyRevision]).toEqual([policy, 2])
})
