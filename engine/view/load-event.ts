import { setImmediate } from 'node:timers/promises'
import { restoreState, restoreSteps, type StateRows } from '@voelgoed/core/event/restore'
import { lastStartOf } from '@voelgoed/core/event/sale-window'
import { createState, type EventPlan, type EventState, WHEELCHAIR } from '@voelgoed/core/event/state'
import type { EventId } from '@voelgoed/core/ids'
import { hasSeats } from '@voelgoed/core/layout/model'
import { type EventZone, overlayZones } from '@voelgoed/core/layout/overlay'
import { effectivePolicy, type PolicyFields } from '@voelgoed/core/policy'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import {
  type TenantDoor,
  type TenantTx,
  TooManyWaiting,
  type TransactionOptions,
} from '@voelgoed/kit/postgres/database'
import type { EventSource, KeptEvent } from '../ports/event-source.ts'
import type { EventAddress } from '../ports/store.ts'
import { readStateRows, readZoneCounts } from '../tables/event-state.ts'
import { type Ledger, readLedger, readTime } from '../tables/ledger.ts'
import { readSeatBlocks } from '../tables/seat-blocks.ts'
import { type EventHall, type EventTerms, type HotEvent, offsetAfter, sellableOrdinal } from './hot-event.ts'
import type { SeatMaps, SharedSeats } from './seat-maps.ts'

/** Everything of one moment, without a lock. Null: no such event, or never on sale. */
export async function loadEvent(
  database: TenantDoor,
  seatMaps: SeatMaps,
  scope: TenantScope,
  eventId: EventId,
): Promise<HotEvent | null> {
  const read = await withSeats(
    { database, seatMaps, scope },
    tx => readEvent(tx, seatMaps, eventId, 'with takes'),
    { isolation: 'snapshot' },
  )
  return read && restored(read)
}

/** Seats of this event's layout are not in memory: they are made before the event is read. */
class SeatsMissing {
  readonly event: KeptEvent

  constructor(event: KeptEvent) {
    this.event = event
  }
}

/** Made so often, they leave memory before they are read: more halls are in use than there is room for. */
const MOST_TRIES = 5

/** Reads in a transaction that waits for no hall: if one must be made, that comes before another try. */
async function withSeats<T>(
  { database, seatMaps, scope }: { database: TenantDoor; seatMaps: SeatMaps; scope: TenantScope },
  read: (tx: TenantTx) => Promise<T | SeatsMissing>,
  options?: TransactionOptions,
): Promise<T> {
  for (let attempt = 1; attempt <= MOST_TRIES; attempt += 1) {
    const found = await database.tenant(scope, read, options)
    if (!(found instanceof SeatsMissing)) return found
    await seatMaps.make(database, scope, found.event)
  }
  throw new TooManyWaiting('the seats of an event do not stay in memory')
}

/**
 * Restores the event from its rows, so that the copies module can compare a copy with it. The counters are
 * those that Postgres keeps, not those that follow from the other rows. The engine cannot decide on this
 * state, because it leaves out who took how much lately.
 */
export async function loadRows(
  database: TenantDoor,
  seatMaps: SeatMaps,
  { scope, eventId }: EventAddress,
): Promise<HotEvent | null> {
  const read = await withSeats(
    { database, seatMaps, scope },
    async tx => {
      const event = await readEvent(tx, seatMaps, eventId, 'without takes')
      if (event === null || event instanceof SeatsMissing) return event
      return { event, counts: await readZoneCounts(tx, eventId) }
    },
    { isolation: 'snapshot' },
  )
  if (!read) return null
  const hot = await restored(read.event)
  for (const { zoneIndex, ...counts } of read.counts) {
    const zone = hot.state.zones[zoneIndex]
    if (zone) Object.assign(zone, counts)
  }
  return hot
}

/** An event as it was read, in one transaction. Its state is made afterwards: a transaction must not wait. */
interface EventAsRead {
  readonly plan: EventPlan
  readonly rows: StateRows
  readonly rest: Omit<HotEvent, 'state'>
}

async function readEvent(
  tx: TenantTx,
  seatMaps: SeatMaps,
  eventId: EventId,
  takes: 'with takes' | 'without takes',
): Promise<EventAsRead | SeatsMissing | null> {
  const ledger = await readLedger(tx, eventId)
  const event = ledger && (await seatMaps.source.findEvent(tx, eventId))
  if (!ledger || !event) return null
  if (!seatMaps.known(tx, event)) return new SeatsMissing(event)
  const { zones, plan, seats } = await readPlan(tx, seatMaps, event)
  const rows = await readStateRows(tx, eventId, {
    ledger,
    windowSeconds: takes === 'with takes' ? plan.settings.policy.hold_window_seconds : null,
    zoneOf: plan.seats.zoneOf,
    isWheelchair: ordinal => plan.seats.category[ordinal] === WHEELCHAIR,
    zonesWithoutSeats: zones.flatMap((zone, index) => (hasSeats(zone.zoneType) ? [] : [index])),
  })
  return {
    plan,
    rows,
    rest: {
      zones,
      seats,
      tip: ledger.tip,
      epoch: ledger.epoch,
      lostUpTo: ledger.lostUpTo,
      eventRevision: ledger.eventRevision,
      policyRevision: ledger.policyRevision,
      // The furthest it can be ahead: then no hold seems to live longer than it does.
      clockOffset: ledger.now - ledger.askedAt,
    },
  }
}

async function restored({ plan, rows, rest }: EventAsRead): Promise<HotEvent> {
  return { ...rest, state: await restoreInSlices(plan, rows) }
}

/** Buyers of other events are served between two slices. */
async function restoreInSlices(plan: EventPlan, rows: StateRows): Promise<EventState> {
  const steps = restoreSteps(plan, rows)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await setImmediate()
  }
}

/** An event that was never on sale. Null: there is none, or the caller may not see it. */
export function loadDraft(
  database: TenantDoor,
  seatMaps: SeatMaps,
  { scope, eventId }: EventAddress,
  isVisible: (event: KeptEvent) => boolean = () => true,
): Promise<HotEvent | null> {
  return withSeats({ database, seatMaps, scope }, async tx => {
    const event = await seatMaps.source.findEvent(tx, eventId)
    if (!event || !isVisible(event)) return null
    return seatMaps.known(tx, event) ? draftEvent(tx, seatMaps, event) : new SeatsMissing(event)
  })
}

/**
 * A draft has no history: its state is its plan, with the seats blocked that its overlay or its staff block.
 */
export async function draftEvent(tx: TenantTx, seatMaps: SeatMaps, event: KeptEvent): Promise<HotEvent> {
  const { zones, plan, seats } = await readPlan(tx, seatMaps, event)
  const blocked = await blockedOrdinals(tx, event, { seats, zones })
  const rows = {
    seq: 0,
    seats: blocked.map(ordinal => ({ ordinal, status: 'blocked' as const, version: 1 })),
    placeBuyers: [],
    companionsReleased: [],
    holds: [],
    soldPlaces: [],
    recentHolds: [],
  }
  const state = blocked.length > 0 ? restoreState(plan, rows) : createState(plan)
  const time = await readTime(tx, event.id)
  return {
    state,
    zones,
    seats,
    tip: null,
    epoch: 0,
    lostUpTo: 0,
    eventRevision: 0,
    policyRevision: 0,
    clockOffset: time.now - time.askedAt,
  }
}

/**
 * Finds the blocked seats of an event that was never on sale. Staff may have blocked seats by hand before the
 * overlay took the chairs out of their zone. The event does not sell those seats, so there is nothing to
 * block.
 */
export async function blockedOrdinals(tx: TenantTx, event: KeptEvent, hall: EventHall): Promise<number[]> {
  const { hand } = await readSeatBlocks(tx, event.id)
  const seatIds = new Set([...event.overlay.blocked_seat_ids, ...hand])
  return [...seatIds].flatMap(id => sellableOrdinal(hall, id) ?? [])
}

export async function readPlan(
  tx: TenantTx,
  seatMaps: SeatMaps,
  event: KeptEvent,
): Promise<{ zones: EventZone[]; plan: EventPlan; seats: SharedSeats }> {
  const { source } = seatMaps
  const zones = await zonesOf(tx, source, event)
  const seats = await seatMaps.of(tx, event)
  const plan: EventPlan = {
    seats: seats.map,
    zones: zones.map(zone => ({
      zoneId: zone.zoneId,
      zoneType: zone.zoneType,
      capacity: zone.capacity,
      access: {
        accessMode: zone.accessMode,
        membershipTier: zone.membershipTier,
        allowedRoles: zone.allowedRoles,
        allowedUserIds: zone.allowedUserIds,
      },
      disabled: zone.disabled,
    })),
    settings: {
      status: event.status,
      saleStart: event.saleStart?.getTime() ?? null,
      saleEnd: event.saleEnd?.getTime() ?? null,
      lastStart: lastStart(event),
      policy: await policyOf(tx, source, event),
    },
  }
  return { zones, plan, seats }
}

async function zonesOf(
  tx: TenantTx,
  source: EventSource,
  { layoutId, layoutVersion, overlay }: KeptEvent,
): Promise<EventZone[]> {
  return overlayZones(await source.readZones(tx, layoutId, layoutVersion), overlay)
}

async function policyOf(tx: TenantTx, source: EventSource, event: KeptEvent): Promise<PolicyFields> {
  return effectivePolicy(await source.readPolicy(tx), event.seatingOverrides)
}

function lastStart({ startsAt, days }: KeptEvent): number | null {
  return lastStartOf({ startsAt: startsAt?.getTime() ?? null, days })
}

/**
 * The policy (and what zones are called, and when the event begins) is not history: it is not in the journal,
 * but read again whenever its revision or the event's has moved. Everything else of an event's settings
 * changes through the journal.
 */
export async function refreshTerms(
  tx: TenantTx,
  source: EventSource,
  eventId: EventId,
  { known, ledger }: { readonly known: EventTerms; readonly ledger: Ledger },
): Promise<EventTerms> {
  const clockOffset = offsetAfter(known.clockOffset, ledger, performance.now())
  const { epoch, lostUpTo, eventRevision, policyRevision } = ledger
  if (known.eventRevision === eventRevision && known.policyRevision === policyRevision) {
    return { ...known, epoch, lostUpTo, clockOffset }
  }
  const event = (await source.findEvent(tx, eventId))!
  const zones = await zonesOf(tx, source, event)
  const policy = await policyOf(tx, source, event)
  const terms = { zones, policy, lastStart: lastStart(event) }
  return { ...terms, epoch, lostUpTo, eventRevision, policyRevision, clockOffset }
}
