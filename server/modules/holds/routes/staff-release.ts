import * as contract from '@voelgoed/contract/holds'
import type { BodyOf } from '@voelgoed/contract/route'
import type { Chosen } from '@voelgoed/core/event/rules/end-holds'
import type { EventId, HoldId, UserId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { EventHall } from '@voelgoed/engine/view/hot-event'
import { given } from '@voelgoed/kit/http/given'
import type { Router } from '@voelgoed/kit/http/serve'
import { findEvent } from '../../events/tables/events.ts'
import type { Kit } from '../../module.ts'
import type { HoldHistory } from '../hold-history.ts'
import {
  placesOf,
  type ReleasedChoice,
  releaseChosen,
  releaseHolds,
  skippedAnswer,
} from '../release-holds.ts'

/** Staff release buyers' holds. */
export function serveStaffRelease(
  router: Router,
  { clock, database, log }: Kit,
  { lanes, history }: { readonly lanes: Lanes; readonly history: HoldHistory },
): void {
  const deps = { lanes, log, clock }

  router.serve(contract.releaseSeats, async call => {
    const { scope } = call.principal
    const { notes, force } = call.body
    const wanted = [...new Set(call.body.hold_ids.map(id => id.toLowerCase()))]
    const found = await history.lookUp(scope, wanted)
    if (!found.ok) return found
    const known = new Map(found.value.map(record => [record.id, record]))
    const ended: { hold_id: string; code: string }[] = []
    const holds = new Map<EventId, HoldId[]>()
    for (const id of wanted) {
      const record = known.get(id)
      if (record?.status === 'active') {
        holds.set(record.event_id, [...(holds.get(record.event_id) ?? []), id as HoldId])
      } else {
        ended.push({ hold_id: id, code: record ? endedCode(record.status) : 'hold_not_found' })
      }
    }
    const releaser = { actor: given(call).actor, by: call.by }
    const { released, skipped, failure } = await releaseHolds(scope, deps, { releaser, holds, notes, force })
    // Where nothing at all was done, the caller repeats the request as a whole.
    if (failure) return refuse(failure)
    const data = {
      status: 'released',
      seats_released: placesOf(released),
      reason: 'admin_override',
      released: released.map(({ holdId }) => holdId),
      skipped: [...ended, ...skippedAnswer(skipped)],
    }
    return ok({ status: 200, body: { data } })
  })

  router.serve(contract.releaseEventHolds, async call => {
    const { scope } = call.principal
    const { zone_id, user_id, notes } = call.body
    const eventId = call.params.event as EventId
    const view = await lanes.lane(scope, eventId).ready()
    if (!view) {
      const event = await database.tenant(scope, tx => findEvent(tx, eventId))
      if (!event) return refuse({ kind: 'event_not_found' })
    }
    const chosen = choose(call.body, view)
    if (!chosen.ok) return chosen
    const result = view
      ? await releaseChosen(scope, deps, {
          releaser: { actor: given(call).actor, by: call.by },
          eventId,
          chosen: chosen.value,
          notes,
          asked: { ...(zone_id !== undefined && { zone_id }), ...(user_id !== undefined && { user_id }) },
        })
      : ok(NOTHING)
    if (!result.ok) return result
    const { holds, seats, remaining, inPayment, stoppedBy } = result.value
    const data = {
      holds_released: holds,
      seats_released: seats,
      remaining,
      in_payment: inPayment,
      done: remaining === 0,
      stopped_by: stoppedBy,
    }
    return ok({ status: 200, body: { data } })
  })
}

/** A draft has no holds. */
const NOTHING: ReleasedChoice = { holds: 0, seats: 0, remaining: 0, inPayment: 0, stoppedBy: null }

/** Exactly one of zone, user and all: staff can't empty an event by leaving something out. */
function choose(
  body: BodyOf<typeof contract.releaseEventHolds>,
  hall: EventHall | null,
): Result<Chosen, Refusal> {
  const { zone_id, user_id, all, force } = body
  if ([zone_id, user_id, all].filter(choice => choice !== undefined).length !== 1) {
    const message = 'needs exactly one of zone_id, user_id and all'
    return refuse({ kind: 'invalid_request', errors: [{ path: '', message }] })
  }
  const insist = force === undefined ? {} : { force }
  if (user_id !== undefined) return ok({ userId: user_id.toLowerCase() as UserId, ...insist })
  if (zone_id === undefined) return ok(insist)
  const zoneIndex = hall?.zones.findIndex(zone => zone.zoneId === zone_id.toLowerCase()) ?? -1
  return zoneIndex === -1 ? refuse({ kind: 'zone_not_found' }) : ok({ zoneIndex, ...insist })
}

function endedCode(status: 'active' | 'converted' | 'expired' | 'cancelled'): string {
  return status === 'converted'
    ? 'seat_not_available'
    : status === 'expired'
      ? 'hold_expired'
      : 'hold_not_found'
}
