import { setTimeout as delay } from 'node:timers/promises'
import * as contract from '@voelgoed/contract/events'
import type { BodyOf } from '@voelgoed/contract/route'
import { allowedActions, type EventAction, isOnSale, nextStatus } from '@voelgoed/core/event/lifecycle'
import type { EventId, LayoutId, VenueId } from '@voelgoed/core/ids'
import { hasSeats } from '@voelgoed/core/layout/model'
import { brokenFreeze, EMPTY_OVERLAY, type Overlay, overlayZones } from '@voelgoed/core/layout/overlay'
import { effectivePolicy, type SeatingOverrides, type SeatingPolicy } from '@voelgoed/core/policy'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { openEvent } from '@voelgoed/engine/lane/open-event'
import { addSeatBlocks, readSeatBlocks, type SeatBlocks } from '@voelgoed/engine/tables/seat-blocks'
import type { SeatMaps } from '@voelgoed/engine/view/seat-maps'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import { given } from '@voelgoed/kit/http/given'
import { checkIfMatch } from '@voelgoed/kit/http/if-match'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { deleteImage, placeImage } from '../../images/tables/images.ts'
import type { Kit } from '../../module.ts'
import { readZones } from '../../venues/tables/layouts.ts'
import type { Cancelling } from '../cancelling.ts'
import { type EventChange, hasHolds, isOpen, notNow, type SavedEvent } from '../change-an-event.ts'
import { changeEvent } from '../change-event.ts'
import { checkEvent, checkSeatingOverrides, checkSellable, chooseLayoutVersion } from '../check-event.ts'
import { readDays } from '../event-days.ts'
import { countTaken, type Event, findEvent, insertEvent, type NewEvent } from '../tables/events.ts'
import { readPolicy } from '../tables/policies.ts'
import { eventAnswer } from './events.ts'

const LONGEST_END_MS = 2_000

export interface EventAdministrationNeeds {
  readonly lanes: Lanes
  readonly seatMaps: SeatMaps
  readonly cancelling: () => Cancelling
  /** Orders are above events. */
  hasOrders(tx: TenantTx, eventId: EventId): Promise<boolean>
}

export function serveEventAdministration(
  router: Router,
  { database, clock }: Kit,
  { lanes, seatMaps, cancelling, hasOrders }: EventAdministrationNeeds,
): void {
  router.serve(contract.createEvent, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const { body } = call
      const policy = await readPolicy(tx)
      const layoutVersion = await chooseLayoutVersion(tx, body.layout_id.toLowerCase(), body.layout_version)
      if (!layoutVersion.ok) return layoutVersion
      const days = readDays(body.days ?? [])
      if (!days.ok) return days
      const event: NewEvent = {
        id: uuidV7(clock.now()) as EventId,
        name: body.name,
        description: body.description ?? null,
        venueId: body.venue_id.toLowerCase() as VenueId,
        layoutId: body.layout_id.toLowerCase() as LayoutId,
        layoutVersion: layoutVersion.value,
        saleStart: date(body.sale_start),
        saleEnd: date(body.sale_end),
        startsAt: date(body.starts_at),
        doorsAt: date(body.doors_at),
        endsAt: date(body.ends_at),
        days: days.value,
        overlay: readOverlay(body.overrides ?? {}),
        seatingOverrides: body.seating_overrides ?? {},
      }
      const refusal =
        checkSeatingOverrides(policy, event.seatingOverrides) ??
        (await checkEvent(tx, event)) ??
        (await checkSellable(tx, event, policy))
      if (refusal) return refuse(refusal)
      await insertEvent(tx, event)
      const pictured = await setImage(tx, event.id, body.image_id)
      if (!pictured.ok) return pictured
      await appendAudit(tx, call.by, {
        action: 'event_created',
        entity: { type: 'event', id: event.id },
        changes: { name: event.name, layout_id: event.layoutId, layout_version: event.layoutVersion },
      })
      return ok({
        status: 201,
        body: { data: adminEventAnswer((await findEvent(tx, event.id))!, policy, NO_BLOCKS) },
      })
    }),
  )

  router.serve(contract.readAdminEvent, async ({ principal, params }) => {
    const read = await database.tenant(principal.scope, async tx => {
      const event = await findEvent(tx, params.event)
      return event && { event, policy: await readPolicy(tx), blocks: await readSeatBlocks(tx, event.id) }
    })
    if (!read) return refuse({ kind: 'event_not_found' })
    return ok({ status: 200, body: { data: adminEventAnswer(read.event, read.policy, read.blocks) } })
  })

  router.serve(contract.listEventZones, async ({ principal, params }) => {
    const data = await database.tenant(principal.scope, async tx => {
      const event = await findEvent(tx, params.event)
      if (!event) return null
      const zones = await readZones(tx, event.layoutId, event.layoutVersion)
      return overlayZones(zones, event.overlay).map((zone, index) => ({
        zone_id: zone.zoneId,
        name: zone.name,
        zone_type: zone.zoneType,
        seat_count: zone.seatCount,
        capacity: zone.capacity,
        access_mode: zone.accessMode,
        membership_tier: zone.membershipTier,
        allowed_roles: zone.allowedRoles,
        disabled: zone.disabled,
        changed: Object.keys(event.overlay.zone_overrides[zone.zoneId] ?? {}).length > 0,
        has_chairs: hasSeats(zones[index]!.zoneType),
      }))
    })
    return data ? ok({ status: 200, body: { data } }) : refuse({ kind: 'event_not_found' })
  })

  router.serve(contract.updateEvent, call =>
    change(call, 'event_updated', async (tx, event, policy) => {
      if (!isOpen(event)) return refuse(notNow(event))
      const next = await patched(tx, event, call.body)
      if (!next.ok) return next
      const moved = next.value.layoutId !== event.layoutId || next.value.layoutVersion !== event.layoutVersion
      if (event.wasOnSale && (moved || next.value.venueId !== event.venueId)) {
        const reason =
          'The event is or was on sale: its venue, layout and layout version can no longer change.'
        return refuse({ kind: 'layout_frozen', reason })
      }
      const refusal =
        checkSeatingOverrides(policy, next.value.seatingOverrides, event.seatingOverrides) ??
        (await checkEvent(tx, next.value)) ??
        (moved ? await checkSellable(tx, next.value, policy) : null)
      if (refusal) return refuse(refusal)
      const pictured = await setImage(tx, event.id, call.body.image_id)
      return pictured.ok ? next : pictured
    }),
  )

  router.serve(contract.replaceOverlay, async call => {
    const result = await change(call, 'event_layout_replaced', async (tx, event, policy) => {
      if (!isOpen(event)) return refuse(notNow(event))
      const lost = checkIfMatch(call.headers, event.overlayRevision, isOnSale(event.status))
      if (lost) return refuse(lost)
      const overlay = readOverlay(call.body.overrides)
      const next = { ...event, overlay, overlayRevision: event.overlayRevision + 1 }
      const refusal = await checkEvent(tx, next)
      if (refusal) return refuse(refusal)
      if (event.wasOnSale) {
        const zones = await readZones(tx, event.layoutId, event.layoutVersion)
        const reason = brokenFreeze(overlayZones(zones, event.overlay), overlayZones(zones, next.overlay))
        if (reason) return refuse({ kind: 'layout_frozen', reason })
      }
      const unsellable = await checkSellable(tx, next, policy, event)
      return unsellable ? refuse(unsellable) : ok(next)
    })
    if (!result.ok || !('body' in result.value)) return result
    const { revision } = (result.value.body as { data: { revision: number } }).data
    return ok({ ...result.value, headers: { etag: `"${revision}"` } })
  })

  serveTransition(contract.publishEvent, 'publish', 'event_published')
  serveTransition(contract.unpublishEvent, 'unpublish', 'event_unpublished')
  serveTransition(contract.goLive, 'go-live', 'event_went_live')
  serveTransition(contract.completeEvent, 'complete', 'event_completed')
  serveTransition(contract.cancelEvent, 'cancel', 'event_cancelled')
  serveTransition(contract.archiveEvent, 'archive', 'event_archived')

  function serveTransition(route: typeof contract.publishEvent, action: EventAction, verb: string): void {
    router.serve(route, async call => {
      const eventId = call.params.event as EventId
      // An archived event keeps no hold: those of a cancelled event end first.
      if (action === 'archive') await endHolds(call.principal.scope, eventId)
      const result = await change(call, verb, async (tx, event, policy) => {
        const status = nextStatus(event.status, action)
        if (status === null) return refuse(notNow(event))
        if (event.status === 'cancelled' && (await hasHolds(tx, event.id))) {
          const detail = 'The holds of this cancelled event are still ending. Archive it again in a moment.'
          return refuse({ ...notNow(event), detail })
        }
        const detail = action === 'archive' ? await cancelling().refundsLeft(tx, event.id) : null
        if (detail !== null) return refuse({ ...notNow(event), detail })
        if (action === 'unpublish') {
          const taken = await takenBy(tx, event)
          if (taken !== null) return refuse({ ...notNow(event), detail: taken })
        }
        if (action === 'cancel') await cancelling().begin(tx, event.id, call.principal.user.userId)
        if (action === 'publish') {
          const refusal = (await checkEvent(tx, event)) ?? (await checkSellable(tx, event, policy))
          if (refusal) return refuse(refusal)
          // It was unpublished: its ledger is there, and its blocked seats have their table.
          if (event.wasOnSale) return ok({ ...event, status })
          await openEvent(tx, seatMaps, { ...event, status }, given(call))
          // The overlay's seats may be many, and buyers read the event's row: from here on they have a table.
          await addSeatBlocks(tx, event.id, 'overlay', event.overlay.blocked_seat_ids)
          return ok({ ...event, status, overlay: { ...event.overlay, blocked_seat_ids: [] } })
        }
        return ok({ ...event, status })
      })
      if (result.ok && action === 'cancel') {
        cancelling().wake()
        await endHolds(call.principal.scope, eventId)
      }
      return result
    })
  }

  /** Under the event's lock: no hold begins meanwhile. Null: nothing of the event is taken. */
  async function takenBy(tx: TenantTx, event: Event): Promise<string | null> {
    if ((await countTaken(tx, event.id)) > 0)
      return 'Places of the event are held or sold. Cancel it instead.'
    return (await hasOrders(tx, event.id)) ? 'The event has orders. Cancel it instead.' : null
  }

  /**
   * No hold of a cancelled event can be used any more. The caller waits while they end, but not long: it goes
   * on without them, and a later look ends what is left. An event that is not cancelled keeps its holds.
   */
  async function endHolds(scope: TenantScope, eventId: EventId): Promise<void> {
    const view = await lanes
      .lane(scope, eventId)
      .ready()
      .catch(() => null)
    if (view?.state.settings.status !== 'cancelled') return
    const late = delay(LONGEST_END_MS, undefined, { ref: false })
    await Promise.race([cancelling().endHolds({ scope, eventId }), late])
  }

  async function setImage(
    tx: TenantTx,
    eventId: EventId,
    imageId: string | null | undefined,
  ): Promise<Result<null, Refusal>> {
    const place = { kind: 'event', eventId } as const
    if (imageId === null) await deleteImage(tx, place)
    if (!imageId) return ok(null)
    const named = { id: uuidV7(clock.now()), imageId: imageId.toLowerCase() }
    return (await placeImage(tx, place, named)) ? ok(null) : refuse({ kind: 'image_not_found' })
  }

  async function change(
    call: Call<typeof contract.updateEvent | typeof contract.replaceOverlay | typeof contract.publishEvent>,
    verb: string,
    next: EventChange['next'],
  ): Promise<Result<Answer, Refusal>> {
    return changeEvent({ database, lanes }, call, { verb, next, answer: savedAnswer })
  }
}

function savedAnswer({ event, policy, blocks }: SavedEvent): Answer {
  return { status: 200, body: { data: adminEventAnswer(event, policy, blocks) } }
}

async function patched(
  tx: TenantTx,
  event: Event,
  body: BodyOf<typeof contract.updateEvent>,
): Promise<Result<Event, Refusal>> {
  const layoutId = (body.layout_id?.toLowerCase() as LayoutId | undefined) ?? event.layoutId
  let { layoutVersion } = event
  if (body.layout_version !== undefined || layoutId !== event.layoutId) {
    const chosen = await chooseLayoutVersion(tx, layoutId, body.layout_version)
    if (!chosen.ok) return chosen
    layoutVersion = chosen.value
  }
  const days = body.days === undefined ? ok(event.days) : readDays(body.days)
  if (!days.ok) return days
  const { seating_overrides, seating_changes } = body
  if (seating_overrides && seating_changes) {
    const message = 'must not be given together with seating_overrides'
    return refuse({ kind: 'invalid_request', errors: [{ path: '/seating_changes', message }] })
  }
  return ok({
    ...event,
    name: body.name ?? event.name,
    description: body.description === undefined ? event.description : body.description,
    venueId: (body.venue_id?.toLowerCase() as VenueId | undefined) ?? event.venueId,
    layoutId,
    layoutVersion,
    saleStart: body.sale_start === undefined ? event.saleStart : date(body.sale_start),
    saleEnd: body.sale_end === undefined ? event.saleEnd : date(body.sale_end),
    startsAt: body.starts_at === undefined ? event.startsAt : date(body.starts_at),
    doorsAt: body.doors_at === undefined ? event.doorsAt : date(body.doors_at),
    endsAt: body.ends_at === undefined ? event.endsAt : date(body.ends_at),
    days: days.value,
    seatingOverrides: seating_overrides ?? changedOverrides(event.seatingOverrides, seating_changes),
  })
}

function changedOverrides(
  before: SeatingOverrides,
  { set = {}, reset = [] }: BodyOf<typeof contract.updateEvent>['seating_changes'] & object = {},
): SeatingOverrides {
  const kept = Object.entries(before).filter(([field]) => !reset.some(name => name === field))
  return { ...Object.fromEntries(kept), ...set }
}

type OverlayBody = BodyOf<typeof contract.replaceOverlay>['overrides']

/** Ids in lower case, members that were left out emptied. */
function readOverlay(body: OverlayBody): Overlay {
  const lower = <Value>(record: Record<string, Value> = {}, within = (value: Value) => value) =>
    Object.fromEntries(Object.entries(record).map(([id, value]) => [id.toLowerCase(), within(value)]))
  return {
    blocked_seat_ids: (body.blocked_seat_ids ?? EMPTY_OVERLAY.blocked_seat_ids).map(id => id.toLowerCase()),
    disabled_zones: (body.disabled_zones ?? EMPTY_OVERLAY.disabled_zones).map(id => id.toLowerCase()),
    zone_overrides: lower(body.zone_overrides, override =>
      override.allowed_user_ids
        ? { ...override, allowed_user_ids: override.allowed_user_ids.map(id => id.toLowerCase()) }
        : override,
    ),
    pricing_zones: lower(body.pricing_zones),
  }
}

function date(text: string | null | undefined): Date | null {
  return text ? new Date(text) : null
}

export const NO_BLOCKS: SeatBlocks = { overlay: [], hand: [] }

export function adminEventAnswer(event: Event, policy: SeatingPolicy, blocks: SeatBlocks): object {
  return {
    ...eventAnswer(event, policy),
    description: event.description,
    overrides: event.wasOnSale ? { ...event.overlay, blocked_seat_ids: blocks.overlay } : event.overlay,
    revision: event.overlayRevision,
    blocked_by_hand: blocks.hand,
    seating_overrides: event.seatingOverrides,
    effective_policy: effectivePolicy(policy, event.seatingOverrides),
    was_on_sale: event.wasOnSale,
    allowed_actions: allowedActions(event.status),
    created_at: event.createdAt.toISOString(),
    updated_at: event.updatedAt.toISOString(),
  }
}
