import type { SeatId, ZoneId } from '../ids.ts'
import type { Layout, Seat, Zone } from './model.ts'

/**
 * A layout version's life:
 *
 *   draft ──activate──▶ active ──archive──▶ archived
 *     └────────────────archive─────────────────▲
 *
 * Active versions never change: a change is a new draft. See `compareVersions` for what it would do to seats.
 */
export const LAYOUT_VERSION_STATUSES = ['draft', 'active', 'archived'] as const
export type LayoutVersionStatus = (typeof LAYOUT_VERSION_STATUSES)[number]

export const LAYOUT_VERSION_ACTIONS = ['activate', 'archive'] as const
export type LayoutVersionAction = (typeof LAYOUT_VERSION_ACTIONS)[number]

const transitions: Record<
  LayoutVersionAction,
  { from: readonly LayoutVersionStatus[]; to: Exclude<LayoutVersionStatus, 'draft'> }
> = {
  activate: { from: ['draft'], to: 'active' },
  archive: { from: ['draft', 'active'], to: 'archived' },
}

/** `null` when the action is not allowed in this status. */
export function nextVersionStatus(
  status: LayoutVersionStatus,
  action: LayoutVersionAction,
): 'active' | 'archived' | null {
  const { from, to } = transitions[action]
  return from.includes(status) ? to : null
}

export function allowedVersionActions(status: LayoutVersionStatus): LayoutVersionAction[] {
  return LAYOUT_VERSION_ACTIONS.filter(action => transitions[action].from.includes(status))
}

/**
 * Describes what becomes of the seats and zones of one version in another. Lists are in the order of the
 * layouts.
 */
export interface VersionDifference {
  readonly added: readonly SeatId[]
  /** A buyer who holds or owns one of these must be given another seat. */
  readonly removed: readonly SeatId[]
  /** Another place on the plan, or another zone. */
  readonly moved: readonly SeatId[]
  /** Another label, row, number, category, price category, companion or aisle. A seat can be moved, too. */
  readonly changed: readonly SeatId[]
  readonly unchangedCount: number
  readonly zonesAdded: readonly ZoneId[]
  readonly zonesRemoved: readonly ZoneId[]
  /** Another name, type, level, access or, where there are no seats to count, capacity. */
  readonly zonesChanged: readonly ZoneId[]
  readonly capacityChange: number
}

export function compareVersions(before: Layout, after: Layout): VersionDifference {
  const seatsBefore = new Map(before.seats.map(seat => [seat.seatId, seat]))
  const added: SeatId[] = []
  const moved: SeatId[] = []
  const changed: SeatId[] = []
  let unchangedCount = 0
  for (const seat of after.seats) {
    const earlier = seatsBefore.get(seat.seatId)
    if (earlier === undefined) {
      added.push(seat.seatId)
      continue
    }
    seatsBefore.delete(seat.seatId)
    const isMoved = hasMoved(before, earlier, after, seat)
    const isChanged = hasChanged(before, earlier, after, seat)
    if (isMoved) moved.push(seat.seatId)
    if (isChanged) changed.push(seat.seatId)
    if (!isMoved && !isChanged) unchangedCount++
  }

  const zonesBefore = new Map(before.zones.map(zone => [zone.zoneId, zone]))
  const zoneIdsAfter = new Set(after.zones.map(({ zoneId }) => zoneId))
  return {
    added,
    removed: [...seatsBefore.keys()],
    moved,
    changed,
    unchangedCount,
    zonesAdded: [...zoneIdsAfter].filter(zoneId => !zonesBefore.has(zoneId)),
    zonesRemoved: [...zonesBefore.keys()].filter(zoneId => !zoneIdsAfter.has(zoneId)),
    zonesChanged: after.zones
      .filter(zone => zonesBefore.has(zone.zoneId) && isZoneChanged(zonesBefore.get(zone.zoneId)!, zone))
      .map(({ zoneId }) => zoneId),
    capacityChange: after.totalCapacity - before.totalCapacity,
  }
}

function hasMoved(before: Layout, earlier: Seat, after: Layout, later: Seat): boolean {
  const zoneBefore = before.zones[earlier.zoneIndex]!.zoneId
  const zoneAfter = after.zones[later.zoneIndex]!.zoneId
  return earlier.x !== later.x || earlier.y !== later.y || zoneBefore !== zoneAfter
}

function hasChanged(before: Layout, earlier: Seat, after: Layout, later: Seat): boolean {
  return (
    earlier.label !== later.label ||
    earlier.row !== later.row ||
    earlier.number !== later.number ||
    earlier.category !== later.category ||
    earlier.priceCategory !== later.priceCategory ||
    earlier.aisleAfter !== later.aisleAfter ||
    companionId(before, earlier) !== companionId(after, later)
  )
}

/** By id: ordinals shift when a seat is added before them. */
function companionId(layout: Layout, { companionOrdinal }: Seat): SeatId | null {
  return companionOrdinal === null ? null : layout.seats[companionOrdinal]!.seatId
}

function isZoneChanged(earlier: Zone, later: Zone): boolean {
  const capacityChanged = later.seatCount === 0 && earlier.capacity !== later.capacity
  return (
    capacityChanged ||
    earlier.name !== later.name ||
    earlier.zoneType !== later.zoneType ||
    earlier.level !== later.level ||
    earlier.accessMode !== later.accessMode ||
    earlier.membershipTier !== later.membershipTier ||
    earlier.allowedRoles.join() !== later.allowedRoles.join() ||
    earlier.allowedUserIds.join() !== later.allowedUserIds.join()
  )
}
