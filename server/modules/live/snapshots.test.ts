import { randomUUID } from 'node:crypto'
import { SeatIds } from '@voelgoed/core/event/seat-ids'
import { createState } from '@voelgoed/core/event/state'
import { planOf } from '@voelgoed/core/event/test/hall'
import type { EventId, OrganizationId, SeatId, UserId } from '@voelgoed/core/ids'
import { CommittedView } from '@voelgoed/engine/view/committed-view'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { afterAll, expect, it } from 'vitest'
import { Snapshots } from './snapshots.ts'

const snapshots = new Snapshots()
afterAll(() => snapshots.close())

const event = { scope: TenantScope.of('o' as OrganizationId), eventId: 'e' as EventId }
const ids = new SeatIds(Array.from({ length: planOf().seats.count }, () => randomUUID() as string as SeatId))
const reader = { userId: 'ann' as UserId, encoding: 'identity' } as const

function viewAt(seq: number, epoch = 1): CommittedView {
  const state = createState(planOf(), seq)
  const seats = { map: { ...state.seats, seatIds: ids }, rows: [], numbers: [], prices: [] }
  const revisions = { eventRevision: 1, policyRevision: 1 }
  const hot = { state, seats, zones: [], tip: null, epoch, lostUpTo: 0, ...revisions, clockOffset: 0 }
  return new CommittedView(event, hot)
}

it('readers who wait together get what the furthest of them knows, when the event has left memory', async () => {
  const asked = [
    // The first gets its JSON at once; the others wait for the next, each with the view that it was given.
    viewAt(3),
    viewAt(352),
    viewAt(354),
    viewAt(353),
  ].map(view => snapshots.json(view, reader))
  expect((await Promise.all(asked)).map(answer => answer?.seq)).toEqual([3, 354, 354, 354])
})

it('a new epoch is newer, whatever the seq', async () => {
  const asked = [viewAt(3), viewAt(354, 2), viewAt(352, 3)].map(view => snapshots.json(view, reader))
  expect((await Promise.all(asked)).slice(1).map(answer => answer?.seq)).toEqual([352, 352])
})
