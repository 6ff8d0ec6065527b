import { LAYOUT_LIMITS, type Point, type ZoneConfig, type ZoneType } from '../model.ts'
import type { Cursor } from './cursor.ts'
import { keepOutline } from './draft.ts'
import { type ChartContext, labelOf, levelOf, type Place, zoneName } from './seatsio-place.ts'
import { shapePoints } from './seatsio-shapes.ts'

/**
 * A general admission area is a zone without seats. The drawing doesn't say whether people sit in it; most
 * such areas are floors to stand on, and an event can have it otherwise.
 */
export function readArea(context: ChartContext, place: Place, area: Cursor, index: number): void {
  const label = labelOf(place, area, `Area ${index + 1}`)
  const isDrawn = !area.member('type').isAbsent || !area.member('points').isAbsent
  const outline = isDrawn ? keepOutline(place.at, area, shapePoints(area, place.origin), 3) : null
  addCapacityZone(context, place, area, { label, zoneType: 'ga_standing', outline })
}

export function addCapacityZone(
  context: ChartContext,
  place: Place,
  object: Cursor,
  zone: { label: string; zoneType: ZoneType; outline: Point[] | null },
): void {
  const capacity = readCapacity(place, object)
  if (capacity === null) return
  if (object.flag('bookAsAWhole')) {
    const message = 'Places are sold by number; that this is sold as a whole was left out.'
    object.report.warn('booked_as_a_whole', place.at, object, message)
  }
  if (object.flag('variableOccupancy')) {
    const message = 'Places are sold by number; variable occupancy was left out.'
    object.report.warn('variable_occupancy_dropped', place.at, object, message)
  }

  const section = place.sectionName ?? object.text('sectionLabel')
  const name = section === null ? zone.label : `${section}-${zone.label}`
  const config: Omit<ZoneConfig, 'name'> = { zone_type: zone.zoneType, capacity, ...levelOf(place) }
  const metadata: Record<string, string> = { ...place.metadata }
  const priceCategory = object.text('categoryKey') ?? place.categoryKey
  if (priceCategory !== null) {
    context.draft.useCategory(place.at, object, priceCategory)
    metadata.price_category = priceCategory
  }
  if (Object.keys(metadata).length > 0) config.metadata = metadata
  if (zone.outline) config.outline = zone.outline
  context.draft.addZone(object, zoneName(place, name), config)
}

/** Null when no person fits in. */
function readCapacity(place: Place, object: Cursor): number | null {
  const at = object.member('capacity')
  const capacity = object.number('capacity') ?? 0
  if (capacity <= 0) {
    object.report.warn('area_without_places', place.at, object, 'An area without places was left out.')
    return null
  }
  if (!Number.isInteger(capacity)) at.fault('capacity_not_whole', 'Give the capacity as a whole number.')
  if (capacity > LAYOUT_LIMITS.zoneCapacity) {
    at.fault('capacity_too_large', `A zone has at most ${LAYOUT_LIMITS.zoneCapacity} places.`)
  }
  return capacity
}
