import { setTimeout as delay } from 'node:timers/promises'
import * as contract from '@voelgoed/core/contract/events'
import type { BodyOf } from '@voelgoed/core/contract/route'
import type { Command } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import { allowedActions, type EventAction, isOnSale, nextStatus } from '@voelgoed/core/event/lifecycle'
import type { EventId, LayoutId, VenueId } from '@voelgoed/core/ids'
import { hasSeats } from '@voelgoed/core/layout/model'
import {
  brokenFreeze,
  checkOverlay,
  checkZonesAgainstPolicy,
  EMPTY_OVERLAY,
  type Overlay,
  overlayZones,
} from '@voelgoed/core/layout/overlay'
import { allowedVersionActions } from '@voelgoed/core/layout/versions'
import {
  checkOverrides,
  effectivePolicy,
  type SeatingOverrides,
  type SeatingPolicy,
} from '@voelgoed/core/policy'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { HotEvent } from '../../lane/hot-event.ts'
import { changedZones, openEvent } from '../../lane/open-event.ts'
import type { TenantTx } from '../../postgres/database.ts'
import { appendAudit } from '../../postgres/tables/audit-log.ts'
import {
  type Event,
  findEvent,
  insertEvent,
  lockEvent,
  type NewEvent,
  updateEvent,
} from '../../postgres/tables/events.ts'
import {
  findLayoutVersion,
  lockLayoutVersion,
  readZones,
  unknownSeats,
} from '../../postgres/tables/layouts.ts'
import { readLedger } from '../../postgres/tables/ledger.ts'
import { readPolicy } from '../../postgres/tables/policies.ts'
import {
  addSeatBlocks,
  readSeatBlocks,
  removeSeatBlocks,
  type SeatBlocks,
} from '../../postgres/tables/seat-blocks.ts'
import { findVenue } from '../../postgres/tables/venues.ts'
import type { TenantScope } from '../../tenant.ts'
import { uuidV7 } from '../../uuid-v7.ts'
import { readDays } from '../answers/event-days.ts'
import type { Answer, Call } from '../call.ts'
import type { AppDeps } from '../deps.ts'
import type { Router } from '../serve.ts'
import { inTenant } from '../transactions.ts'
import { eventAnswer } from './events.ts'
import { given } from './holds.ts'

const LONGEST_END_MS = 2_000

export function serveEventAdministration(
  router: Router,
  {
    database,
    clock,
    lanes,
    cancelledEvents,
  }: Pick<AppDeps, 'database' | 'clock' | 'lanes' | 'cancelledEvents'>,
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
        venueId: body.venue_id.toLowerCase() as VenueId,
        layoutId: body.layout_id.toLowerCase() as LayoutId,
        layoutVersion: layoutVersion.value,
        saleStart: date(body.sale_start),
        saleEnd: date(body.sale_end),
        startsAt: date(body.starts_at),
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

  router.serve(contract.updateEvent, call =>
    change(call, 'event_updated', async (tx, event, policy) => {
      if (!isOpen(event)) return refuse(notNow(event))
      const next = await patched(tx, event, call.body)
      if (!next.ok) return next
      const moved = next.value.layoutId !== event.layoutId || next.value.layoutVersion !== event.layoutVersion
      if (isOnSale(event.status) && (moved || next.value.venueId !== event.venueId)) {
        const reason = 'The event is on sale: its venue, layout and layout version can no longer change.'
        return refuse({ kind: 'layout_frozen', reason })
      }
      const refusal =
        checkSeatingOverrides(policy, call.body.seating_overrides ?? {}, event.seatingOverrides) ??
        (await checkEvent(tx, next.value)) ??
        (moved ? await checkSellable(tx, next.value, policy) : null)
      return refusal ? refuse(refusal) : next
    }),
  )

  router.serve(contract.replaceOverlay, async call => {
    const result = await change(call, 'event_layout_replaced', async (tx, event, policy) => {
      if (!isOpen(event)) return refuse(notNow(event))
      const lost = checkRevision(call.headers['if-match'], event)
      if (lost) return refuse(lost)
      const overlay = readOverlay(call.body.overrides)
      const next = { ...event, overlay, overlayRevision: event.overlayRevision + 1 }
      const refusal = await checkEvent(tx, next)
      if (refusal) return refuse(refusal)
      if (isOnSale(event.status)) {
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
        if (action === 'publish') {
          const refusal = (await checkEvent(tx, event)) ?? (await checkSellable(tx, event, policy))
          if (refusal) return refuse(refusal)
          await openEvent(tx, lanes.seatMaps, { ...event, status }, given(call))
          // The overlay's seats may be many, and buyers read the event's row: from here on they have a table.
          await addSeatBlocks(tx, event.id, 'overlay', event.overlay.blocked_seat_ids)
          return ok({ ...event, status, overlay: { ...event.overlay, blocked_seat_ids: [] } })
        }
        return ok({ ...event, status })
      })
      if (result.ok && action === 'cancel') await endHolds(call.principal.scope, eventId)
      return result
    })
  }

  /**
   * No hold of a cancelled event can be used any more. The caller waits while they end, but not long: it goes
   * on without them, and a later look ends what is left. An event that is not cancelled keeps its holds.
   */
  async function endHolds(scope: TenantScope, eventId: EventId): Promise<void> {
    const hot = await lanes
      .lane(scope, eventId)
      .ready()
      .catch(() => null)
    if (hot?.state.settings.status !== 'cancelled') return
    const late = delay(LONGEST_END_MS, undefined, { ref: false })
    await Promise.race([cancelledEvents.end({ scope, eventId }), late])
  }

  /**
   * Every change of an event: held, judged, written, audited. Once it has been on sale it goes through the
   * event's lane, so that it takes effect between two holds, and is in the journal.
   */
  async function change(
    call: Call<typeof contract.updateEvent | typeof contract.replaceOverlay | typeof contract.publishEvent>,
    verb: string,
    decide: Decide,
  ): Promise<Result<Answer, Refusal>> {
    const { scope } = call.principal
    const lane = () => lanes.lane(scope, call.params.event as EventId)
    const onSale = () =>
      lane().exclusive((tx, give, current) => changeOnSale(tx, call, verb, decide, give, current))
    if (await lane().ready()) return onSale()
    let wasPublished = false
    const result = await inTenant(database, scope, call, async tx => {
      const event = await lockEvent(tx, call.params.event)
      if (!event) return refuse({ kind: 'event_not_found' })
      // While this request waited, another one put the event on sale:
      // from then on all changes go through its lane.
      wasPublished = (await readLedger(tx, event.id)) !== null
      if (wasPublished) return refuse(notNow(event))
      const policy = await readPolicy(tx)
      const next = await decide(tx, event, policy)
      if (!next.ok) return next
      return ok(await save(tx, call, { before: event, after: next.value, policy, verb }))
    })
    return wasPublished ? onSale() : result
  }
}

type Decide = (tx: TenantTx, event: Event, policy: SeatingPolicy) => Promise<Result<Event, Refusal>>

async function changeOnSale(
  tx: TenantTx,
  call: Call<typeof contract.updateEvent | typeof contract.replaceOverlay | typeof contract.publishEvent>,
  verb: string,
  decide: Decide,
  give: (command: Command) => Outcome,
  hot: HotEvent,
): Promise<Result<Answer, Refusal>> {
  const event = (await lockEvent(tx, call.params.event))!
  const policy = await readPolicy(tx)
  const blocks = await readSeatBlocks(tx, event.id)
  const before: Event = { ...event, overlay: { ...event.overlay, blocked_seat_ids: blocks.overlay } }
  const next = await decide(tx, before, policy)
  if (!next.ok) return next
  const after = next.value
  const layoutZones = await readZones(tx, event.layoutId, event.layoutVersion)
  const zones = changedZones(
    overlayZones(layoutZones, event.overlay),
    overlayZones(layoutZones, after.overlay),
  )
  const outcome = give({
    kind: 'event_changed',
    ...given(call),
    ...(after.status !== event.status && { status: after.status }),
    ...(time(after.saleStart) !== time(event.saleStart) && { saleStart: time(after.saleStart) }),
    ...(time(after.saleEnd) !== time(event.saleEnd) && { saleEnd: time(after.saleEnd) }),
    ...(zones.length > 0 && { zones }),
  })
  if (!outcome.ok) return outcome
  const replaced = await replaceOverlayBlocks(tx, call, give, { hot, before, after })
  if (!replaced.ok) return replaced
  const stored = { ...after, overlay: { ...after.overlay, blocked_seat_ids: [] } }
  return ok(await save(tx, call, { before: event, after: stored, policy, verb }))
}

/** Seats that staff blocked by hand stay blocked, whether they are in the old or the new overlay. */
async function replaceOverlayBlocks(
  tx: TenantTx,
  call: Call,
  give: (command: Command) => Outcome,
  { hot, before, after }: { hot: HotEvent; before: Event; after: Event },
): Promise<Result<null, Refusal>> {
  const known = new Set(before.overlay.blocked_seat_ids)
  const wanted = new Set(after.overlay.blocked_seat_ids)
  const added = [...wanted].filter(id => !known.has(id))
  const removed = [...known].filter(id => !wanted.has(id))
  await addSeatBlocks(tx, before.id, 'overlay', added)
  const kept = await removeSeatBlocks(tx, before.id, 'overlay', removed)
  const reason = 'the overlay was replaced'
  for (const [kind, ids] of [
    ['block', added],
    ['unblock', removed.filter(id => !kept.has(id))],
  ] as const) {
    if (ids.length === 0) continue
    const ordinals = ids.map(id => hot.seats.ordinalOf.get(id)!)
    const done = give({ kind, ...given(call as Call<typeof contract.replaceOverlay>), ordinals, reason })
    if (!done.ok) return done
  }
  return ok(null)
}

/** A strong comparison, as RFC 9110 asks of If-Match. */
function checkRevision(ifMatch: string | string[] | undefined, event: Event): Refusal | null {
  const { overlayRevision: revision } = event
  if (ifMatch === undefined) {
    return isOnSale(event.status) ? { kind: 'precondition_required', revision } : null
  }
  const tags = String(ifMatch)
    .split(',')
    .map(tag => tag.trim())
  return tags.includes('*') || tags.includes(`"${revision}"`)
    ? null
    : { kind: 'precondition_failed', revision }
}

async function save(
  tx: TenantTx,
  call: Call,
  change: {
    before: Event
    after: Event
    policy: SeatingPolicy
    verb: string
  },
): Promise<Answer> {
  const saved = await updateEvent(tx, change.after)
  await appendAudit(tx, call.by, {
    action: change.verb,
    entity: { type: 'event', id: saved.id },
    changes: changedMembers(change.before, saved),
  })
  const blocks = await readSeatBlocks(tx, saved.id)
  return { status: 200, body: { data: adminEventAnswer(saved, change.policy, blocks) } }
}

/** A ledger has a next expiry for as long as the event has holds. */
async function hasHolds(tx: TenantTx, eventId: EventId): Promise<boolean> {
  const ledger = await readLedger(tx, eventId)
  return ledger !== null && ledger.nextExpiry !== null
}

/** What is over stays as it was. */
function isOpen(event: Event): boolean {
  return event.status === 'draft' || isOnSale(event.status)
}

function notNow(event: Event): Extract<Refusal, { kind: 'invalid_transition' }> {
  return { kind: 'invalid_transition', status: event.status, allowed: allowedActions(event.status) }
}

/** The given version, or the newest active one. Only an active version can be sold. */
async function chooseLayoutVersion(
  tx: TenantTx,
  layoutId: string,
  wanted: number | undefined,
): Promise<Result<number, Refusal>> {
  const version =
    (await findLayoutVersion(tx, layoutId, wanted ?? 'latest active')) ??
    (wanted === undefined ? await findLayoutVersion(tx, layoutId, 'latest') : null)
  return version ? ok(version.version) : refuse({ kind: 'layout_not_found' })
}

/**
 * Whether the event is sound in itself. Holds its layout version,
 * so that no other request archives it meanwhile.
 */
async function checkEvent(tx: TenantTx, event: NewEvent): Promise<Refusal | null> {
  if (!(await findVenue(tx, event.venueId))) return { kind: 'venue_not_found' }
  const version = await lockLayoutVersion(tx, event.layoutId, event.layoutVersion)
  if (!version) return { kind: 'layout_not_found' }
  if (version.venueId !== event.venueId) return invalid('/layout_id', 'is a layout of another venue')
  if (version.status !== 'active') {
    return {
      kind: 'invalid_transition',
      status: version.status,
      allowed: allowedVersionActions(version.status),
      detail: `Version ${version.version} of the layout is not active: activate it first, or choose another.`,
    }
  }
  if (event.saleStart && event.saleEnd && event.saleStart >= event.saleEnd) {
    return invalid('/sale_end', 'must be later than sale_start')
  }
  const zones = await readZones(tx, event.layoutId, event.layoutVersion)
  const unknown = await unknownSeats(tx, {
    layoutId: event.layoutId,
    version: event.layoutVersion,
    // A zone that this event runs without its chairs has no seats to block.
    zoneIds: overlayZones(zones, event.overlay).flatMap(zone =>
      hasSeats(zone.zoneType) ? [zone.zoneId] : [],
    ),
    seatIds: event.overlay.blocked_seat_ids,
  })
  const faults = checkOverlay(zones, event.overlay, unknown)
  return faults.length > 0 ? { kind: 'layout_invalid', errors: faults.slice(0, 1_000) } : null
}

/**
 * Only what this request sets is judged:
 * an override that a later lock has put to sleep is no fault of a new name.
 */
function checkSeatingOverrides(
  policy: SeatingPolicy,
  overrides: SeatingOverrides,
  before: SeatingOverrides = {},
): Refusal | null {
  const checked = checkOverrides(policy, overrides, before)
  if (checked.ok) return null
  return {
    kind: 'invalid_request',
    errors: checked.problem.map(field => ({
      path: `/seating_overrides/${field}`,
      message: "is locked by the organization's seating policy",
    })),
  }
}

/**
 * Whether the policy lets the event sell its zones. Asked when a layout is attached and when the event is
 * published; and of a new overlay, which must not add anything (`before`) that the policy forbids.
 */
async function checkSellable(
  tx: TenantTx,
  event: NewEvent,
  policy: SeatingPolicy,
  before: NewEvent | null = null,
): Promise<Refusal | null> {
  const zones = await readZones(tx, event.layoutId, event.layoutVersion)
  const faultsOf = ({ overlay, seatingOverrides }: NewEvent) =>
    checkZonesAgainstPolicy(overlayZones(zones, overlay), effectivePolicy(policy, seatingOverrides))
  const known = new Set(before ? faultsOf(before).map(({ path, code }) => `${path} ${code}`) : [])
  const errors = faultsOf(event).filter(({ path, code }) => !known.has(`${path} ${code}`))
  return errors.length > 0 ? { kind: 'layout_invalid', errors } : null
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
  return ok({
    ...event,
    name: body.name ?? event.name,
    venueId: (body.venue_id?.toLowerCase() as VenueId | undefined) ?? event.venueId,
    layoutId,
    layoutVersion,
    saleStart: body.sale_start === undefined ? event.saleStart : date(body.sale_start),
    saleEnd: body.sale_end === undefined ? event.saleEnd : date(body.sale_end),
    startsAt: body.starts_at === undefined ? event.startsAt : date(body.starts_at),
    days: days.value,
    seatingOverrides: body.seating_overrides ?? event.seatingOverrides,
  })
}

type OverlayBody = BodyOf<typeof contract.replaceOverlay>['overrides']

/** Ids in lower case, members that were left out emptied. */
function readOverlay(body: OverlayBody): Overlay {
  const lower = <Value>(record: Record<string, Value> = {}) =>
    Object.fromEntries(Object.entries(record).map(([id, value]) => [id.toLowerCase(), value]))
  return {
    blocked_seat_ids: (body.blocked_seat_ids ?? EMPTY_OVERLAY.blocked_seat_ids).map(id => id.toLowerCase()),
    disabled_zones: (body.disabled_zones ?? EMPTY_OVERLAY.disabled_zones).map(id => id.toLowerCase()),
    zone_overrides: lower(body.zone_overrides),
    pricing_zones: lower(body.pricing_zones),
  }
}

const NO_BLOCKS: SeatBlocks = { overlay: [], hand: [] }

function adminEventAnswer(event: Event, policy: SeatingPolicy, blocks: SeatBlocks): object {
  return {
    ...eventAnswer(event, policy),
    overrides: event.wasOnSale ? { ...event.overlay, blocked_seat_ids: blocks.overlay } : event.overlay,
    revision: event.overlayRevision,
    blocked_by_hand: blocks.hand,
    seating_overrides: event.seatingOverrides,
    effective_policy: effectivePolicy(policy, event.seatingOverrides),
    allowed_actions: allowedActions(event.status),
    created_at: event.createdAt.toISOString(),
    updated_at: event.updatedAt.toISOString(),
  }
}

/** Before and after of what changed. Of a long list of seats the number says enough. */
function changedMembers(before: Event, after: Event): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const key of Object.keys(after) as (keyof Event)[]) {
    if (key === 'updatedAt' || JSON.stringify(before[key]) === JSON.stringify(after[key])) continue
    changes[key] = { before: brief(before[key]), after: brief(after[key]) }
  }
  return changes
}

function brief(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('blocked_seat_ids' in value)) return value
  const { blocked_seat_ids, ...rest } = value as Overlay
  return { ...rest, blocked_seats: blocked_seat_ids.length }
}

function time(date: Date | null): number | null {
  return date === null ? null : date.getTime()
}

function date(text: string | null | undefined): Date | null {
  return text ? new Date(text) : null
}

function invalid(path: string, message: string): Refusal {
  return { kind: 'invalid_request', errors: [{ path, message }] }
}
