import { boundsOf } from './geometry.ts'
import { type MapModel, type MapZone, NO_ZONE } from './model.ts'

/** A zone that is on another floor than the one that is drawn has no outline. */
export function isDrawn({ outline }: Pick<MapZone, 'outline'>): boolean {
  return outline.length > 0
}

/** The floor that a zone is on, as an index of `levels`; null: it is drawn with every floor. */
export function levelOfZone({ levels, zones }: MapModel, zoneIndex: number): number | null {
  const level = zones[zoneIndex]?.level ?? null
  return level === null || levels.length === 0 ? null : levels.indexOf(level)
}

/**
 * One floor of a hall. Ordinals and indices of zones are those of the hall: a seat of another floor is no
 * seat here, and its zone has neither seats nor an outline. Plans of floors may lie on top of each other.
 */
export function onLevel(hall: MapModel, level: number): MapModel {
  const name = hall.levels[level]
  if (name === undefined) return hall
  const isHere = (other: string | null | undefined) => other == null || other === name
  const zoneOf = hall.zoneOf.slice()
  let { seatCount } = hall
  const zones = hall.zones.map(zone => {
    if (isHere(zone.level)) return zone
    zoneOf.fill(NO_ZONE, zone.firstOrdinal, zone.firstOrdinal + zone.seatCount)
    seatCount -= zone.seatCount
    return { ...zone, outline: [], rows: [], seatCount: 0 }
  })
  const shapes = hall.shapes.filter(shape => isHere(shape.level))
  return {
    ...hall,
    zones,
    zoneOf,
    seatCount,
    shapes,
    bounds: boundsOf(zones, shapes, hall.focalPoint),
    has: ordinal => ordinal >= 0 && ordinal < hall.ordinalCount && zoneOf[ordinal] !== NO_ZONE,
  }
}
