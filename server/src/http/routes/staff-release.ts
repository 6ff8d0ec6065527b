import * as contract from '@voelgoed/core/contract/holds'
import type { BodyOf } from '@voelgoed/core/contract/route'
import { type Chosen, countChosen } from '@voelgoed/core/event/end-holds'
import type { HoldId } from '@voelgoed/core/event/ids'
import type { EventId, UserId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { HotEvent } from '../../engine/event-plan.ts'
import { appendAudit } from '../../postgres/audit-log.ts'
import { findEvent } from '../../postgres/events.ts'
import { findHolds } from '../../postgres/holds.ts'
import { outageKind } from '../../postgres/outage.ts'
import type { AppDeps } from '../app.ts'
import type { Call } from '../call.ts'
import type { Router } from '../serve.ts'
import { given } from './holds.ts'

/** Holds that one transaction ends: buyers of the event get their turn in between. */
const CHUNK = 1_000
/** After so long the caller gets an answer, and repeats the request for the rest. */
const LONGEST_MS = 5_000

/** Staff release buyers' holds. What is released and its audit entry are one transaction, per event. */
export function serveStaffRelease(router: Router, deps: Pick<AppDeps, 'database' | 'engine'>): void {
  const { database, engine } = deps

  router.serve(contract.releaseSeats, async call => {
    const { scope } = call.principal
    const wanted = [...new Set(call.body.hold_ids.map(id => id.toLowerCase()))]
    const records = await database.tenant(scope, tx => findHolds(tx, wanted))
    const known = new Map(records.map(record => [record.id, record]))
    const skipped: { hold_id: string; code: string }[] = []
    const byEvent = new Map<EventId, HoldId[]>()
    for (const id of wanted) {
      const record = known.get(id)
      if (record?.status === 'active') {
        byEvent.set(record.event_id, [...(byEvent.get(record.event_id) ?? []), id as HoldId])
      } else {
        skipped.push({ hold_id: id, code: record ? endedCode(record.status) : 'hold_not_found' })
      }
    }
    const released: string[] = []
    let seats = 0
    let failures = 0
    let failure: Refusal | null = null
    for (const [eventId, holdIds] of byEvent) {
      const result = await releaseOfEvent(call, eventId, holdIds)
      if (result.ok) {
        for (const { holdId, quantity } of result.value.holds) {
          released.push(holdId)
          seats += quantity
        }
        for (const { holdId, code } of result.value.skipped) skipped.push({ hold_id: holdId, code })
      } else {
        failures += 1
        // An event whose outcome is unknown speaks for all: there the holds may be released.
        if (!failure || result.problem.kind === 'outcome_unknown') failure = result.problem
        for (const holdId of holdIds) skipped.push({ hold_id: holdId, code: result.problem.kind })
      }
    }
    // Where nothing at all was done, the caller repeats the request as a whole.
    if (failure && failures === byEvent.size) return refuse(failure)
    const data = { status: 'released', seats_released: seats, reason: 'admin_override', released, skipped }
    return ok({ status: 200, body: { data } })
  })

  router.serve(contract.releaseEventHolds, async call => {
    const { scope } = call.principal
    const eventId = call.params.event as EventId
    const hot = await engine.lane(scope, eventId).ready()
    if (!hot) {
      const event = await database.tenant(scope, tx => findEvent(tx, eventId))
      if (!event) return refuse({ kind: 'event_not_found' })
    }
    const chosen = choose(call.body, hot)
    if (!chosen.ok) return chosen
    const until = performance.now() + LONGEST_MS
    let holds = 0
    let seats = 0
    let left = { remaining: 0, inPayment: 0 }
    do {
      const result = hot ? await endChunk(call, eventId, chosen.value) : null
      if (result && !result.ok) {
        if (holds === 0) return result
        // Something was released before: the answer says how much, and that there is more.
        left = { ...left, remaining: Math.max(1, left.remaining) }
        break
      }
      if (!result) break
      holds += result.value.holds
      seats += result.value.seats
      left = result.value.left
    } while (left.remaining > 0 && performance.now() < until)
    const data = {
      holds_released: holds,
      seats_released: seats,
      remaining: left.remaining,
      in_payment: left.inPayment,
      done: left.remaining === 0,
    }
    return ok({ status: 200, body: { data } })
  })

  function releaseOfEvent(call: Call<typeof contract.releaseSeats>, eventId: EventId, holdIds: HoldId[]) {
    const { notes, force } = call.body
    return orRefusal(() =>
      engine.lane(call.principal.scope, eventId).exclusive(async (tx, give) => {
        const outcome = give({
          kind: 'release',
          reason: 'admin_override',
          ...given(call),
          holdIds,
          ...(notes !== undefined && { notes }),
          ...(force !== undefined && { force }),
        })
        if (!outcome.ok) return outcome
        const { holds, skipped } = outcome.value
        if (holds.length > 0) {
          await appendAudit(tx, call.by, {
            action: 'holds_released',
            entity: { type: 'event', id: eventId },
            changes: {
              hold_ids: holds.map(hold => hold.holdId),
              seats_released: holds.reduce((sum, hold) => sum + hold.quantity, 0),
              notes: notes ?? null,
              force: force ?? false,
            },
          })
        }
        return ok({ holds, skipped })
      }),
    )
  }

  function endChunk(call: Call<typeof contract.releaseEventHolds>, eventId: EventId, chosen: Chosen) {
    const { notes, zone_id, user_id } = call.body
    return orRefusal(() =>
      engine.lane(call.principal.scope, eventId).exclusive(async (tx, give, hot) => {
        const outcome = give({
          kind: 'end_holds',
          reason: 'admin_override',
          ...given(call),
          limit: CHUNK,
          notes,
          ...chosen,
        })
        if (!outcome.ok) return outcome
        const { holds } = outcome.value
        const seats = holds.reduce((sum, hold) => sum + hold.quantity, 0)
        if (holds.length > 0) {
          await appendAudit(tx, call.by, {
            action: 'holds_released',
            entity: { type: 'event', id: eventId },
            changes: {
              ...(zone_id !== undefined && { zone_id }),
              ...(user_id !== undefined && { user_id }),
              holds_released: holds.length,
              seats_released: seats,
              notes,
              force: chosen.force ?? false,
            },
          })
        }
        return ok({ holds: holds.length, seats, left: countChosen(hot.state, chosen) })
      }),
    )
  }
}

/** Exactly one of zone, user and all: no one empties an event by leaving something out. */
function choose(
  body: BodyOf<typeof contract.releaseEventHolds>,
  hot: HotEvent | null,
): Result<Chosen, Refusal> {
  const { zone_id, user_id, all, force } = body
  if ([zone_id, user_id, all].filter(choice => choice !== undefined).length !== 1) {
    const message = 'needs exactly one of zone_id, user_id and all'
    return refuse({ kind: 'invalid_request', errors: [{ path: '', message }] })
  }
  const insist = force === undefined ? {} : { force }
  if (user_id !== undefined) return ok({ userId: user_id.toLowerCase() as UserId, ...insist })
  if (zone_id === undefined) return ok(insist)
  const zoneIndex = hot?.zones.findIndex(zone => zone.zoneId === zone_id.toLowerCase()) ?? -1
  return zoneIndex === -1 ? refuse({ kind: 'zone_not_found' }) : ok({ zoneIndex, ...insist })
}

/** An outage of one event is an answer about that event, not the end of the request. */
async function orRefusal<T>(work: () => Promise<Result<T, Refusal>>): Promise<Result<T, Refusal>> {
  try {
    return await work()
  } catch (error) {
    const kind = outageKind(error)
    if (kind === null) throw error
    return refuse({ kind, retryAfterSeconds: 1 })
  }
}

function endedCode(status: 'active' | 'converted' | 'expired' | 'cancelled'): string {
  return status === 'converted'
    ? 'seat_not_available'
    : status === 'expired'
      ? 'hold_expired'
      : 'hold_not_found'
}
