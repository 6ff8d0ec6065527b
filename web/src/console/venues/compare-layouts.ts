import type { SeatId } from '@voelgoed/core/ids'
import type { Layout, Point, Seat } from '@voelgoed/core/layout/model'
import { compareVersions } from '@voelgoed/core/layout/versions'
import { encodeLayout } from '@voelgoed/core/map/encode-layout'

/** A seat that is not the same in both versions. */
export interface SeatDifference {
  readonly label: string
  readonly zone: string
  /** The place in the later version; a seat that is gone has the place where it was. */
  readonly at: Point
  /** A seat that was moved has its old place here. */
  readonly from: Point | null
  /** A seat that was renamed has its old name here. */
  readonly before: string | null
}

export interface LayoutComparison {
  readonly before: Uint8Array
  readonly after: Uint8Array
  readonly added: readonly SeatDifference[]
  readonly removed: readonly SeatDifference[]
  readonly moved: readonly SeatDifference[]
  readonly renumbered: readonly SeatDifference[]
  /** Another category, price, companion or aisle, and the same name. */
  readonly changed: readonly SeatDifference[]
  readonly unchangedCount: number
  readonly seatCounts: readonly [before: number, after: number]
  readonly capacityChange: number
  readonly zonesAdded: readonly string[]
  readonly zonesRemoved: readonly string[]
  readonly zonesChanged: readonly string[]
}

export function compareLayouts(before: Layout, after: Layout): LayoutComparison {
  const found = compareVersions(before, after)
  const earlier = new Map(before.seats.map(seat => [seat.seatId, seat]))
  const later = new Map(after.seats.map(seat => [seat.seatId, seat]))
  const isRenumbered = (id: SeatId) => nameOf(earlier.get(id)!) !== nameOf(later.get(id)!)
  const differences = (ids: readonly SeatId[]) =>
    ids.map(id => difference(after, later.get(id)!, earlier.get(id) ?? null))
  const zoneName = (layout: Layout) => (id: string) =>
    layout.zones.find(({ zoneId }) => zoneId === id)?.name ?? ''
  return {
    before: encodeLayout(before),
    after: encodeLayout(after),
    added: differences(found.added),
    removed: found.removed.map(id => difference(before, earlier.get(id)!, null)),
    moved: differences(found.moved),
    renumbered: differences(found.changed.filter(isRenumbered)),
    changed: differences(found.changed.filter(id => !isRenumbered(id))),
    unchangedCount: found.unchangedCount,
    seatCounts: [before.seats.length, after.seats.length],
    capacityChange: found.capacityChange,
    zonesAdded: found.zonesAdded.map(zoneName(after)),
    zonesRemoved: found.zonesRemoved.map(zoneName(before)),
    zonesChanged: found.zonesChanged.map(zoneName(after)),
  }
}

function nameOf({ label, row, number }: Seat): string {
  return `${label}\0${row}\0${number}`
}

function difference(layout: Layout, seat: Seat, before: Seat | null): SeatDifference {
  const isMoved = before !== null && (before.x !== seat.x || before.y !== seat.y)
  return {
    label: seat.label,
    zone: layout.zones[seat.zoneIndex]!.name,
    at: { x: seat.x, y: seat.y },
    from: isMoved ? { x: before.x, y: before.y } : null,
    before: before && before.label !== seat.label ? before.label : null,
  }
}
