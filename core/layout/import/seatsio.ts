import type { ZoneConfig } from '../model.ts'
import type { Cursor } from './cursor.ts'
import { addPoints, type DraftZone, keepOutline, type LayoutDraft, shorten } from './draft.ts'
import { readArea } from './seatsio-areas.ts'
import { type ChartContext, levelOf, type Place, withMetadata, zoneName } from './seatsio-place.ts'
import { readBooth, readRow, readTable } from './seatsio-seats.ts'
import { readShape, readText } from './seatsio-shapes.ts'

/**
 * A seats.io chart drawing.
 *
 *   section                 a reserved zone with the section's outline; an empty one is left out
 *   row, table, booth       seats of the section's zone, or of the zone `Main` outside of sections
 *   table booked whole      also a group of type vip_table that is sold as a whole
 *   gap in a row            an aisle: the distances come through as they are drawn
 *   general admission area  a ga_standing zone: the drawing doesn't say whether people sit there
 *   floor                   a level; its name comes before the zones' names, which are unique in a layout
 *   shape, text             an outline
 *
 * Coordinates in a section count from its `topLeft`, in the chart's own unit. `sectionScaleFactor` doesn't
 * scale them: it is 100 in real charts, whose seats all lie inside their section's outline at scale 1, and at
 * none of the other scales that were tried.
 */
export function readSeatsio(root: Cursor, draft: LayoutDraft): void {
  const context: ChartContext = {
    draft,
    accessibleCategories: readCategories(root, draft),
    zoneLabels: readZoneLabels(root),
  }
  const scale = root.number('sectionScaleFactor') ?? 100
  if (scale !== 100) {
    const at = root.member('sectionScaleFactor')
    const message = 'Sections were placed at scale 1, whatever the factor says; check their places.'
    root.report.warn('section_scale_ignored', at, at, message)
  }

  const floors = root.objects('subChartFloors')
  if (floors.length === 0) {
    const chart = root.member('subChart')
    if (chart.isObject()) readFloor(context, chart, null)
    return
  }
  for (const [index, floor] of floors.entries()) {
    readFloor(
      context,
      floor,
      floor.text('floorDisplayName') ?? floor.text('floorName') ?? `Floor ${index + 1}`,
    )
  }
}

function readCategories(root: Cursor, draft: LayoutDraft): Set<string> {
  const accessible = new Set<string>()
  const categories = root.member('categories')
  if (categories.isAbsent || !categories.isObject()) return accessible
  for (const category of categories.objects('list')) {
    const key = category.requiredText('key')
    if (key === null) continue
    draft.listCategory(category, key, category.text('label'), category.text('color'))
    if (category.flag('accessible')) accessible.add(key)
  }
  return accessible
}

function readZoneLabels(root: Cursor): Map<string, string> {
  const labels = new Map<string, string>()
  const zones = root.member('zones')
  if (zones.isAbsent || !zones.isObject()) return labels
  for (const zone of zones.objects('list')) {
    const key = zone.text('key')
    if (key !== null) labels.set(key, zone.text('label') ?? key)
    if (zone.point('focalPoint')) {
      const message = 'A layout has one focal point; those of the zones were left out.'
      zone.report.warn('focal_point_dropped', zones, zone, message)
    }
  }
  return labels
}

function readFloor(context: ChartContext, chart: Cursor, floorName: string | null): void {
  const zonesByLabel = new Map<string, DraftZone>()
  const place: Place = {
    at: chart,
    origin: { x: 0, y: 0 },
    floorName,
    sectionName: null,
    categoryKey: null,
    metadata: {},
    zoneFor: object => {
      // Charts without drawn sections can still name one on each object.
      const label = object.text('sectionLabel') ?? 'Main'
      const known = zonesByLabel.get(label)
      if (known) return known
      const name = zoneName(place, label)
      const zone = context.draft.addZone(object, name, {
        zone_type: 'reserved_seating',
        ...levelOf(place),
      })
      zonesByLabel.set(label, zone)
      return zone
    },
  }
  const focalPoint = chart.point('focalPoint')
  if (focalPoint) context.draft.addFocalPoint(chart, chart.member('focalPoint'), focalPoint)
  readObjects(context, chart, place)
  for (const [index, section] of chart.objects('sections').entries()) {
    readSection(context, section, place, index)
  }
}

function readSection(context: ChartContext, section: Cursor, floor: Place, index: number): void {
  const { draft } = context
  const label = section.text('label') ?? `Section ${index + 1}`
  if (section.text('label') === null) {
    section.report.warn('label_missing', floor.at, section, 'A section has no label; it was given a number.')
  }
  const chart = section.member('subChart')
  if (!chart.isAbsent && !chart.isObject()) return
  if (chart.objects('sections').length > 0) {
    chart.member('sections').fault('sections_nested', 'Draw sections side by side, not inside each other.')
  }

  const metadata: Record<string, string> = {}
  const entrance = section.text('entrance')
  if (entrance !== null) metadata.entrance = shorten(entrance)
  const zoneKey = section.text('zone')
  if (zoneKey !== null) metadata.zone = shorten(context.zoneLabels.get(zoneKey) ?? zoneKey)

  const points = section.objects('points').map(point => addPoints(point.xy()))
  let zone: DraftZone | null = null
  const zonesBefore = draft.zones.length
  readObjects(context, chart, {
    at: section,
    origin: section.point('topLeft') ?? { x: 0, y: 0 },
    floorName: floor.floorName,
    sectionName: label,
    categoryKey: section.text('categoryKey'),
    metadata,
    zoneFor: () => {
      if (zone) return zone
      const config: Omit<ZoneConfig, 'name'> = {
        zone_type: 'reserved_seating',
        ...levelOf(floor),
        ...withMetadata(metadata),
      }
      const outline = keepOutline(section, section, points, 3)
      if (outline) config.outline = outline
      zone = draft.addZone(section, zoneName(floor, label), config)
      return zone
    },
  })
  if (draft.zones.length === zonesBefore) {
    section.report.warn('empty_section', section, section, `Section ${label} is empty and was left out.`)
  }
}

function readObjects(context: ChartContext, chart: Cursor, place: Place): void {
  for (const [index, row] of chart.objects('rows').entries()) readRow(context, place, row, index)
  for (const [index, table] of chart.objects('tables').entries()) readTable(context, place, table, index)
  for (const [index, booth] of chart.objects('booths').entries()) readBooth(context, place, booth, index)
  for (const [index, area] of chart.objects('generalAdmissionAreas').entries()) {
    readArea(context, place, area, index)
  }
  for (const shape of chart.objects('shapes')) readShape(context, place, shape)
  for (const text of chart.objects('texts')) readText(context, place, text)
  const images = [...chart.objects('imageObjects'), ...chart.objects('icons')]
  if (!chart.member('backgroundImage').isAbsent) images.push(chart.member('backgroundImage'))
  for (const image of images) {
    image.report.warn('image_dropped', place.at, image, 'Images and icons are not carried over.')
  }
}
