import * as contract from '@voelgoed/contract/holds'
import { isOnSale } from '@voelgoed/core/event/lifecycle'
import type { EventId } from '@voelgoed/core/ids'
import { hasSeats } from '@voelgoed/core/layout/model'
import { overlayZones } from '@voelgoed/core/layout/overlay'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { listEventHolds } from '@voelgoed/engine/tables/holds'
import { addSeatBlocks, readSeatBlocks, removeSeatBlocks } from '@voelgoed/engine/tables/seat-blocks'
import { sellableOrdinal } from '@voelgoed/engine/view/hot-event'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import { given } from '@voelgoed/kit/http/given'
import { readPage, toPage } from '@voelgoed/kit/http/paging'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { findEvent, lockEvent } from '../../events/tables/events.ts'
import type { Kit } from '../../module.ts'
import { readZones, unknownSeats } from '../../venues/tables/layouts.ts'

/** Serves what staff do with seats and holds. */
export function serveHoldAdministration(router: Router, { database }: Kit, lanes: Lanes): void {
  router.serve(contract.blockSeats, call => changeBlocks(call, 'block'))
  router.serve(contract.unblockSeats, call => changeBlocks(call, 'unblock'))

  router.serve(contract.listEventHolds, async ({ principal, params, query }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const { after, limit } = page.value
    const rows = await database.tenant(principal.scope, async tx =>
      (await findEvent(tx, params.event))
        ? listEventHolds(tx, params.event, {
            userId: query.user_id,
            seatId: query.seat_id,
            zoneId: query.zone_id,
            source: query.source,
            after,
            limit: limit + 1,
          })
        : null,
    )
    if (!rows) return refuse({ kind: 'event_not_found' })
    return ok({
      status: 200,
      body: toPage(
        rows,
        limit,
        row => row.id,
        ({ id, ...row }) => ({
          hold_id: id,
          ...row,
          created_at: row.created_at.toISOString(),
          held_until: row.held_until.toISOString(),
        }),
      ),
    })
  })

  /**
   * On sale, blocking goes through the lane; a draft keeps a list, and is blocked by it when it is published.
   */
  async function changeBlocks(
    call: Call<typeof contract.blockSeats | typeof contract.unblockSeats>,
    kind: 'block' | 'unblock',
  ): Promise<Result<Answer, Refusal>> {
    const { scope } = call.principal
    const seatIds = [...new Set(call.body.seat_ids.map(id => id.toLowerCase()))]
    const lane = lanes.lane(scope, call.params.event as EventId)
    const view = await lane.ready()
    if (!view) return changeDraftBlocks(call, kind, seatIds)
    if (!isOnSale(view.state.settings.status)) {
      return refuse({ kind: 'invalid_transition', status: view.state.settings.status, allowed: [] })
    }
    if (seatIds.some(id => sellableOrdinal(view, id) === null)) return refuse({ kind: 'seat_not_found' })
    return lane.exclusive(async (tx, give, current) => {
      // A seat that the overlay blocks stays blocked, because only the overlay may change that.
      const kept = await changeHandBlocks(tx, call.params.event, kind, seatIds)
      const free = seatIds.filter(id => kind === 'block' || !kept.has(id))
      const ordinals = free.map(id => current.seats.map.seatIds.ordinalOf(id)!)
      const outcome = give({ kind, ...given(call), ordinals, reason: call.body.reason })
      if (!outcome.ok) return outcome
      const changed = outcome.value.changes.filter(change => change.kind !== 'seat_hold_expired').length
      await appendAudit(tx, call.by, {
        action: kind === 'block' ? 'seats_blocked' : 'seats_unblocked',
        entity: { type: 'event', id: call.params.event },
        changes: { seats: changed, reason: call.body.reason },
      })
      const data = { seats_changed: changed, blocked_by_overlay: kept.size, seq: current.seq }
      return ok({ status: 200, body: { data } })
    })
  }

  function changeDraftBlocks(
    call: Call<typeof contract.blockSeats | typeof contract.unblockSeats>,
    kind: 'block' | 'unblock',
    seatIds: readonly string[],
  ): Promise<Result<Answer, Refusal>> {
    return inTenant(database, call.principal.scope, call, async tx => {
      const event = await lockEvent(tx, call.params.event)
      if (!event) return refuse({ kind: 'event_not_found' })
      if (event.status !== 'draft')
        return refuse({ kind: 'invalid_transition', status: event.status, allowed: [] })
      const { layoutId, layoutVersion: version } = event
      const zones = overlayZones(await readZones(tx, layoutId, version), event.overlay)
      const zoneIds = zones.flatMap(zone => (hasSeats(zone.zoneType) ? [zone.zoneId] : []))
      const unknown = await unknownSeats(tx, { layoutId, version, zoneIds, seatIds })
      if (unknown.size > 0) return refuse({ kind: 'seat_not_found' })
      const before = await readSeatBlocks(tx, event.id)
      const overlay = new Set(event.overlay.blocked_seat_ids)
      const hand = new Set(before.hand)
      await changeHandBlocks(tx, event.id, kind, seatIds)
      const changed = seatIds.filter(id => !overlay.has(id) && hand.has(id) === (kind === 'unblock')).length
      await appendAudit(tx, call.by, {
        action: kind === 'block' ? 'seats_blocked' : 'seats_unblocked',
        entity: { type: 'event', id: event.id },
        changes: { seats: changed, reason: call.body.reason },
      })
      const kept = seatIds.filter(id => overlay.has(id)).length
      const data = { seats_changed: changed, blocked_by_overlay: kept, seq: 0 }
      return ok({ status: 200, body: { data } })
    })
  }
}

/** Returns those of the seats that the overlay blocks as well. */
async function changeHandBlocks(
  tx: TenantTx,
  eventId: string,
  kind: 'block' | 'unblock',
  seatIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (kind === 'unblock') return removeSeatBlocks(tx, eventId, 'hand', seatIds)
  await addSeatBlocks(tx, eventId, 'hand', seatIds)
  const wanted = new Set(seatIds)
  const { overlay } = await readSeatBlocks(tx, eventId)
  return new Set(overlay.filter(id => wanted.has(id)))
}
