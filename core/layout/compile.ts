import { deriveZoneId, isUuid, type LayoutId, type ZoneId } from '../ids.ts'
import { ok, type Result, refuse } from '../result.ts'
import { compileAccess } from './check-access.ts'
import { compileMetadata } from './check-metadata.ts'
import { compilePoint, compilePoints } from './check-points.ts'
import { checkText } from './check-text.ts'
import { compileGroups } from './compile-groups.ts'
import { compilePriceCategories, derivePriceCategories } from './compile-prices.ts'
import { compileSeats, type SeatIndex } from './compile-seats.ts'
import { FaultList, type LayoutFaultCode, type LayoutFaults } from './faults.ts'
import { levelsOf } from './levels.ts'
import {
  hasSeats,
  LAYOUT_LIMITS,
  type Layout,
  type LayoutConfig,
  type LayoutFault,
  type Outline,
  type Zone,
  type ZoneConfig,
} from './model.ts'
import { pairCompanions } from './pair-companions.ts'
import { placeSeats } from './place-seats.ts'

/**
 * From what people write to what the system works with. Finds every fault at once, each with a JSON pointer
 * into the config; only a layout over a size limit is refused before it is looked at.
 *
 * Ordinals are dense in zone order, then seat order. Ids that are left out are derived from layout,
 * zone name and seat label, so they stay the same from version to version.
 */
export function compileLayout(layoutId: LayoutId, config: LayoutConfig): Result<Layout, LayoutFault[]> {
  const faults: LayoutFaults = new FaultList<LayoutFaultCode>()
  checkSizes(faults, config)
  if (faults.count > 0) return refuse(faults.list())

  const listedPrices = compilePriceCategories(faults, config.price_categories ?? [])
  const index: SeatIndex = {
    seats: [],
    unplaced: [],
    ordinalsById: new Map(),
    ordinalsByLabel: [],
    priceKeys: listedPrices.length > 0 ? new Set(listedPrices.map(({ key }) => key)) : null,
  }
  const zones = compileZones(faults, layoutId, config.zones, index)
  const levels = levelsOf(zones).length
  if (levels > LAYOUT_LIMITS.levels) {
    const message = `A layout has at most ${LAYOUT_LIMITS.levels} levels, this one has ${levels}.`
    faults.add('/zones', 'too_many_levels', message)
  }
  for (const [zoneIndex, { firstOrdinal }] of zones.entries()) {
    pairCompanions(faults, index, { zoneIndex, firstOrdinal, seats: config.zones[zoneIndex]?.seats ?? [] })
  }
  const outlines = compileOutlines(faults, config.outlines ?? [])
  const focalPoint = config.focal_point ? compilePoint(faults, '/focal_point', config.focal_point) : null
  placeSeats(faults, index, { zones, outlines, focalPoint })
  const groups = compileGroups(faults, layoutId, config.seat_groups ?? [], { zones, index })
  const priceCategories = listedPrices.length > 0 ? listedPrices : derivePriceCategories(faults, index.seats)
  if (faults.count > 0) return refuse(faults.list())

  const totalCapacity = zones.reduce((sum, zone) => sum + zone.capacity, 0)
  const { seats } = index
  return ok({ layoutId, zones, seats, groups, priceCategories, focalPoint, outlines, totalCapacity })
}

/** Counts only: a layout that is far too large costs no more than a small one. */
function checkSizes(faults: LayoutFaults, config: LayoutConfig): void {
  const { zones } = config
  if (zones.length === 0) faults.add('/zones', 'no_zones', 'Add at least one zone.')
  const seats = zones.reduce((sum, zone) => sum + (zone.seats?.length ?? 0), 0)
  const sizes = [
    ['/zones', 'too_many_zones', 'zones', zones.length, LAYOUT_LIMITS.zones],
    ['/zones', 'too_many_seats', 'seats', seats, LAYOUT_LIMITS.seats],
    ['/seat_groups', 'too_many_groups', 'groups', config.seat_groups?.length ?? 0, LAYOUT_LIMITS.groups],
    [
      '/price_categories',
      'too_many_price_categories',
      'price categories',
      config.price_categories?.length ?? 0,
      LAYOUT_LIMITS.priceCategories,
    ],
    ['/outlines', 'too_many_outlines', 'outlines', config.outlines?.length ?? 0, LAYOUT_LIMITS.outlines],
  ] as const
  for (const [path, code, noun, count, limit] of sizes) {
    if (count > limit) {
      const message = `A layout has at most ${limit} ${noun}, this one has ${count}: split it.`
      faults.add(path, code, message)
    }
  }
}

function compileZones(
  faults: LayoutFaults,
  layoutId: LayoutId,
  configs: readonly ZoneConfig[],
  index: SeatIndex,
): Zone[] {
  const firstWithName = new Map<string, number>()
  const firstWithId = new Map<string, number>()
  return configs.map((config, zoneIndex) => {
    const path = `/zones/${zoneIndex}`
    checkText(faults, `${path}/name`, config.name, LAYOUT_LIMITS.nameLength)
    let zoneId = compileZoneId(faults, layoutId, path, config)

    // One mistake is told once: equal names derive equal ids, and equal zone ids derive equal seat ids.
    const sameName = firstWithName.get(config.name)
    const sameId = firstWithId.get(zoneId)
    if (sameName !== undefined) {
      const message = `Give this zone a name of its own: /zones/${sameName} has the same.`
      faults.add(`${path}/name`, 'duplicate_zone_name', message)
    } else firstWithName.set(config.name, zoneIndex)
    if (sameId === undefined) firstWithId.set(zoneId, zoneIndex)
    else if (sameName === undefined || config.zone_id !== undefined) {
      const message = `Give this zone an id of its own: /zones/${sameId} has ${zoneId} already.`
      faults.add(`${path}/zone_id`, 'duplicate_zone_id', message)
    }
    if (sameId !== undefined) zoneId = deriveZoneId(layoutId, path)

    const firstOrdinal = index.seats.length
    compileSeats(faults, index, { zoneIndex, zoneId, seats: config.seats ?? [] })
    const seatCount = index.seats.length - firstOrdinal
    return {
      zoneId,
      name: config.name,
      zoneType: config.zone_type,
      capacity: compileCapacity(faults, path, config, seatCount),
      ...compileAccess(faults, path, config),
      metadata: compileMetadata(faults, `${path}/metadata`, config.metadata),
      outline: config.outline ? compilePoints(faults, `${path}/outline`, config.outline, 3) : null,
      level: compileLevel(faults, `${path}/level`, config.level),
      firstOrdinal,
      seatCount,
    }
  })
}

function compileZoneId(
  faults: LayoutFaults,
  layoutId: LayoutId,
  path: string,
  { zone_id, name }: ZoneConfig,
): ZoneId {
  if (zone_id !== undefined) {
    const zoneId = zone_id.toLowerCase()
    if (isUuid(zoneId)) return zoneId as ZoneId
    faults.add(`${path}/zone_id`, 'id_not_uuid', 'Give a UUID, or leave the id out to have it derived.')
  }
  return deriveZoneId(layoutId, name)
}

function compileCapacity(
  faults: LayoutFaults,
  path: string,
  { zone_type, capacity, seats }: ZoneConfig,
  seatCount: number,
): number {
  if (hasSeats(zone_type)) {
    if (seatCount === 0) {
      const message = `A ${zone_type} zone needs seats: add them, or choose a general admission type.`
      faults.add(seats ? `${path}/seats` : path, 'reserved_zone_without_seats', message)
    }
    if (capacity !== undefined && capacity !== seatCount) {
      const message = `Set the capacity to the number of seats, ${seatCount}, or leave it out.`
      faults.add(`${path}/capacity`, 'capacity_not_number_of_seats', message)
    }
    return seatCount
  }

  if (seatCount > 0) {
    const message = `Remove the seats, or choose a reserved type: ${zone_type} is sold by number only.`
    faults.add(`${path}/seats`, 'seats_in_capacity_zone', message)
  }
  if (capacity === undefined) {
    faults.add(path, 'capacity_missing', `Say how many people fit: a ${zone_type} zone needs a capacity.`)
    return 0
  }
  if (!Number.isInteger(capacity)) {
    faults.add(`${path}/capacity`, 'capacity_not_whole', 'Give the capacity as a whole number.')
  } else if (capacity <= 0) {
    faults.add(`${path}/capacity`, 'capacity_not_positive', 'Give a capacity of at least 1.')
  } else if (capacity > LAYOUT_LIMITS.zoneCapacity) {
    const message = `Give a capacity of at most ${LAYOUT_LIMITS.zoneCapacity}, or split the zone.`
    faults.add(`${path}/capacity`, 'capacity_too_large', message)
  }
  return capacity
}

function compileOutlines(faults: LayoutFaults, configs: NonNullable<LayoutConfig['outlines']>): Outline[] {
  return configs.map(({ kind, label, points, ...config }, outlineIndex) => {
    const path = `/outlines/${outlineIndex}`
    if (label != null) checkText(faults, `${path}/label`, label, LAYOUT_LIMITS.nameLength)
    const level = compileLevel(faults, `${path}/level`, config.level)
    const atLeast = kind === 'text' ? 1 : 2
    return {
      kind,
      label: label ?? null,
      points: compilePoints(faults, `${path}/points`, points, atLeast),
      ...(level !== null && { level }),
    }
  })
}

function compileLevel(faults: LayoutFaults, path: string, level: string | null | undefined): string | null {
  if (level == null) return null
  checkText(faults, path, level, LAYOUT_LIMITS.labelLength)
  return level
}
