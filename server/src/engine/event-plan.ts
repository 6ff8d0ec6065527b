import type { CommandId } from '@voelgoed/core/event/ids'
import { restoreState } from '@voelgoed/core/event/restore'
import { createState, type EventPlan, type EventState, type SeatMap } from '@voelgoed/core/event/state'
import type { EventId } from '@voelgoed/core/ids'
import { hasSeats } from '@voelgoed/core/layout/model'
import { type EventZone, overlayZones } from '@voelgoed/core/layout/overlay'
import { effectivePolicy, type PolicyFields } from '@voelgoed/core/policy'
import type { TenantDoor, TenantTx } from '../postgres/database.ts'
import { readSeatMap, readStateRows } from '../postgres/event-state.ts'
import { type Event, findEvent } from '../postgres/events.ts'
import { findLayoutVersion, readZones } from '../postgres/layouts.ts'
import { type JournalPoint, type Ledger, readLedger } from '../postgres/ledger.ts'
import { readPolicy } from '../postgres/policies.ts'
import { readSeatBlocks } from '../postgres/seat-blocks.ts'
import type { TenantScope } from '../tenant.ts'

/** An event in memory: its state, and what answers need to know besides. */
export interface HotEvent {
  readonly state: EventState
  zones: readonly EventZone[]
  readonly seats: SharedSeats
  /** The command of the last change in `state`; null when that is not known. */
  tip: CommandId | null
  eventRevision: number
  policyRevision: number
  /**
   * How far the database's clock is ahead of this node's monotonic one, which does not jump: for telling
   * people how long, never for granting.
   */
  clockOffset: number
}

/** Up to where the journal is in this state. */
export function pointOf({ state, tip }: HotEvent): JournalPoint {
  return { seq: state.seq, tip }
}

/** The database's clock, as well as this node knows it. */
export function databaseNow(hot: HotEvent): number {
  return performance.now() + hot.clockOffset
}

/**
 * How far the database's clock is ahead once it was read again, at some moment between question and answer.
 * An answer that was late, because this node was frozen or the line slow, leaves room for what was known
 * before; a clock that was set does not.
 */
export function offsetAfter(
  known: number,
  { now, askedAt }: Pick<Ledger, 'now' | 'askedAt'>,
  answeredAt: number,
): number {
  return Math.min(Math.max(known, now - answeredAt), now - askedAt)
}

/** What all events on one layout version share. */
export interface SharedSeats {
  readonly map: SeatMap
  /** By ordinal. */
  readonly rows: readonly string[]
  readonly numbers: readonly (number | string)[]
  readonly ordinalOf: ReadonlyMap<string, number>
}

/** Keeps the seats of the layout versions used last: 200,000 seats are about 30 MB, most of it ids. */
export class SeatMaps {
  readonly #maps = new Map<string, SharedSeats>()
  readonly #maxSeats = 2_000_000

  async of(tx: TenantTx, layoutId: string, version: number): Promise<SharedSeats> {
    const key = `${tx.organizationId}/${layoutId}/${version}`
    const known = this.#maps.get(key)
    if (known) {
      this.#maps.delete(key)
      this.#maps.set(key, known)
      return known
    }
    const found = (await findLayoutVersion(tx, layoutId, version))!
    const zones = await readZones(tx, layoutId, version)
    const seatMap = await readSeatMap(tx, { layoutId, version, seatCount: found.seatCount }, zones)
    const ordinalOf = new Map(seatMap.map.seatIds.map((id, ordinal) => [id as string, ordinal]))
    const shared = { ...seatMap, ordinalOf }
    this.#maps.set(key, shared)
    let seats = 0
    for (const entry of this.#maps.values()) seats += entry.map.count
    for (const [oldKey, old] of this.#maps) {
      if (seats <= this.#maxSeats || oldKey === key) break
      this.#maps.delete(oldKey)
      seats -= old.map.count
    }
    return shared
  }
}

/** Everything of one moment, without a lock. Null: no such event, or never on sale. */
export function loadEvent(
  database: TenantDoor,
  seatMaps: SeatMaps,
  scope: TenantScope,
  eventId: EventId,
): Promise<HotEvent | null> {
  return database.tenant(
    scope,
    async tx => {
      const ledger = await readLedger(tx, eventId)
      const event = ledger && (await findEvent(tx, eventId))
      if (!ledger || !event) return null
      const { zones, plan, seats } = await readPlan(tx, seatMaps, event)
      const rows = await readStateRows(tx, eventId, {
        ledger,
        windowSeconds: plan.settings.policy.hold_window_seconds,
        zonesWithoutSeats: zones.flatMap((zone, index) => (hasSeats(zone.zoneType) ? [] : [index])),
      })
      return {
        state: restoreState(plan, rows),
        zones,
        seats,
        tip: ledger.tip,
        eventRevision: ledger.eventRevision,
        policyRevision: ledger.policyRevision,
        // The furthest it can be ahead: then no hold seems to live longer than it does.
        clockOffset: ledger.now - ledger.askedAt,
      }
    },
    { isolation: 'snapshot' },
  )
}

/**
 * A draft has no history: its state is its plan, with the seats blocked that its overlay or its staff block.
 */
export async function draftEvent(tx: TenantTx, seatMaps: SeatMaps, event: Event): Promise<HotEvent> {
  const { zones, plan, seats } = await readPlan(tx, seatMaps, event)
  const blocked = await blockedOrdinals(tx, event, seats)
  const rows = {
    seq: 0,
    seats: blocked.map(ordinal => ({ ordinal, status: 'blocked' as const, version: 1 })),
    holds: [],
    soldPlaces: [],
    recentHolds: [],
  }
  const state = blocked.length > 0 ? restoreState(plan, rows) : createState(plan)
  return {
    state,
    zones,
    seats,
    tip: null,
    eventRevision: 0,
    policyRevision: 0,
    clockOffset: Date.now() - performance.now(),
  }
}

/** Of an event that was never on sale. */
export async function blockedOrdinals(tx: TenantTx, event: Event, seats: SharedSeats): Promise<number[]> {
  const { hand } = await readSeatBlocks(tx, event.id)
  const seatIds = new Set([...event.overlay.blocked_seat_ids, ...hand])
  return [...seatIds].flatMap(id => seats.ordinalOf.get(id) ?? [])
}

export async function readPlan(
  tx: TenantTx,
  seatMaps: SeatMaps,
  event: Event,
): Promise<{ zones: EventZone[]; plan: EventPlan; seats: SharedSeats }> {
  const zones = overlayZones(await readZones(tx, event.layoutId, event.layoutVersion), event.overlay)
  const seats = await seatMaps.of(tx, event.layoutId, event.layoutVersion)
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
      policy: await policyOf(tx, event),
    },
  }
  return { zones, plan, seats }
}

async function policyOf(tx: TenantTx, event: Event): Promise<PolicyFields> {
  return effectivePolicy(await readPolicy(tx), event.seatingOverrides)
}

/**
 * The policy (and what zones are called) is not history: it is not in the journal, but read again whenever
 * its revision or the event's has moved. Everything else of an event's settings changes through the journal.
 */
export async function refreshPolicy(
  tx: TenantTx,
  eventId: EventId,
  hot: HotEvent,
  ledger: Ledger,
): Promise<void> {
  hot.clockOffset = offsetAfter(hot.clockOffset, ledger, performance.now())
  if (hot.eventRevision === ledger.eventRevision && hot.policyRevision === ledger.policyRevision) return
  const event = (await findEvent(tx, eventId))!
  hot.zones = overlayZones(await readZones(tx, event.layoutId, event.layoutVersion), event.overlay)
  hot.state.settings = { ...hot.state.settings, policy: await policyOf(tx, event) }
  hot.eventRevision = ledger.eventRevision
  hot.policyRevision = ledger.policyRevision
}
