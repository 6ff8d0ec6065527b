import type { LayoutId } from '@voelgoed/core/ids'
import { compileLayout } from '@voelgoed/core/layout/compile'
import type { ImportPlaces } from '@voelgoed/core/layout/import/places'
import { type FileFormat, readLayoutFile } from '@voelgoed/core/layout/import/read-file'
import type { SvgOptions } from '@voelgoed/core/layout/import/svg-labels'
import { loneWheelchairs } from '@voelgoed/core/layout/lone-wheelchairs'
import type { Layout, LayoutConfig, LayoutFault, Point } from '@voelgoed/core/layout/model'
import { drawHall } from '@voelgoed/core/layout/plan/draw-hall'
import type { HallPlan } from '@voelgoed/core/layout/plan/hall-plan'
import { withoutIds } from '@voelgoed/core/layout/without-ids'
import { encodeLayout } from '@voelgoed/core/map/encode-layout'

export type LayoutSource =
  | { readonly kind: 'plan'; readonly plan: HallPlan }
  | { readonly kind: 'file'; readonly bytes: ArrayBuffer; readonly svg: SvgOptions }
  /** Another version, which the worker has read. */
  | { readonly kind: 'config'; readonly config: LayoutConfig }

/** Something to know about a layout before it is saved, and where it is on the map. */
export interface LayoutNote {
  readonly isFault: boolean
  readonly code: string
  readonly message: string
  readonly path: string
  readonly ordinal: number | null
  readonly point: Point | null
}

interface ZoneSummary {
  readonly name: string
  readonly seats: number
  readonly capacity: number
}

/** The page shows this of a layout that is not stored. */
export interface LayoutPreview {
  readonly format: FileFormat | null
  /** The map document; null: it can not be drawn. */
  readonly map: Uint8Array | null
  readonly seatCount: number
  readonly totalCapacity: number
  readonly zones: readonly ZoneSummary[]
  readonly categories: readonly { readonly label: string; readonly seats: number }[]
  readonly notes: readonly LayoutNote[]
  /** Without faults: it may be saved. */
  readonly isWhole: boolean
}

export interface DrawnLayout {
  readonly preview: LayoutPreview
  readonly config: LayoutConfig | null
}

/** A layout that is not stored yet has no id; its seats get theirs from the server. */
const NO_LAYOUT = '00000000-0000-4000-8000-000000000000' as LayoutId

const NOTHING: Omit<LayoutPreview, 'notes'> = {
  format: null,
  map: null,
  seatCount: 0,
  totalCapacity: 0,
  zones: [],
  categories: [],
  isWhole: false,
}

/**
 * From what a person made or dropped to a map with its warnings. `layoutId`: of the layout that gets a new
 * version, whose seats keep their ids; null: a new layout, which takes over none.
 */
export function drawLayout(source: LayoutSource, layoutId: LayoutId | null): DrawnLayout {
  const read = readSource(source)
  if (!read.ok) {
    const notes = read.faults.map(fault => noteOf(fault, true))
    return { preview: { ...NOTHING, format: read.format, notes }, config: null }
  }
  const config = layoutId === null ? withoutIds(read.config) : read.config
  const compiled = compileSafely(layoutId ?? NO_LAYOUT, config)
  const layout = compiled.layout ?? compileRest(layoutId ?? NO_LAYOUT, config, compiled.faults)
  const notes = [
    ...compiled.faults.map(fault => noteOf(fault, true, pointIn(config, fault.path))),
    ...read.warnings.map(warning =>
      placedNote(warning, layout, compiled.layout === null ? null : read.places),
    ),
    ...(layout ? loneWheelchairs(layout).map(warning => seatNote(warning, layout)) : []),
  ]
  const isWhole = compiled.layout !== null
  return {
    preview: { ...NOTHING, format: read.format, notes, isWhole, ...(layout && summaryOf(layout)) },
    config: isWhole ? config : null,
  }
}

type Read =
  | {
      readonly ok: true
      readonly format: FileFormat | null
      readonly config: LayoutConfig
      readonly warnings: readonly LayoutFault[]
      readonly places: ImportPlaces | null
    }
  | { readonly ok: false; readonly format: FileFormat | null; readonly faults: readonly LayoutFault[] }

function readSource(source: LayoutSource): Read {
  const plain = { ok: true, format: null, warnings: [], places: null } as const
  if (source.kind === 'config') return { ...plain, config: source.config }
  if (source.kind === 'plan') {
    const drawn = drawHall(source.plan)
    return drawn.ok ? { ...plain, config: drawn.value } : { ok: false, format: null, faults: drawn.problem }
  }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(source.bytes)
  } catch {
    const message = 'This is no text in UTF-8. Save the file as UTF-8, or export it as text.'
    return { ok: false, format: null, faults: [{ path: '', code: 'not_text', message }] }
  }
  const read = readLayoutFile(text, source.svg)
  return read.ok ? { ok: true, ...read.value } : { ok: false, ...read.problem }
}

function compileSafely(
  layoutId: LayoutId,
  config: LayoutConfig,
): { layout: Layout | null; faults: readonly LayoutFault[] } {
  try {
    const result = compileLayout(layoutId, config)
    return result.ok ? { layout: result.value, faults: [] } : { layout: null, faults: result.problem }
  } catch {
    const message = 'This layout has members of a wrong kind, and can not be drawn.'
    return { layout: null, faults: [{ path: '', code: 'shape_wrong', message }] }
  }
}

const SEAT_PATH = /^\/zones\/(\d+)\/seats\/(\d+)/

/** To be looked at while faults are mended: the same hall without the seats that have them. */
function compileRest(
  layoutId: LayoutId,
  config: LayoutConfig,
  faults: readonly LayoutFault[],
): Layout | null {
  const faulty = new Set(faults.map(({ path }) => SEAT_PATH.exec(path)?.[0]))
  if (faulty.has(undefined)) return null
  const zones = config.zones.map((zone, zoneIndex) => ({
    ...zone,
    ...(zone.seats && {
      seats: zone.seats.filter((_, index) => !faulty.has(`/zones/${zoneIndex}/seats/${index}`)),
    }),
  }))
  return compileSafely(layoutId, { ...config, zones, seat_groups: [] }).layout
}

function pointIn(config: LayoutConfig, path: string): Point | null {
  const found = SEAT_PATH.exec(path)
  const at = found && config.zones[Number(found[1])]?.seats?.[Number(found[2])]?.coordinates
  return at && Number.isFinite(at.x) && Number.isFinite(at.y) ? at : null
}

function noteOf(
  { path, code, message }: LayoutFault,
  isFault: boolean,
  point: Point | null = null,
): LayoutNote {
  return { isFault, code, message, path, ordinal: null, point }
}

function seatNote(warning: LayoutFault, layout: Layout): LayoutNote {
  const found = SEAT_PATH.exec(warning.path)
  const zone = found && layout.zones[Number(found[1])]
  return { ...noteOf(warning, false), ordinal: zone ? zone.firstOrdinal + Number(found[2]) : null }
}

function placedNote(warning: LayoutFault, layout: Layout | null, places: ImportPlaces | null): LayoutNote {
  const place = places?.of(warning) ?? null
  const note = noteOf(warning, false, place && 'point' in place ? place.point : null)
  if (!layout || !place || 'point' in place) return note
  const zone = layout.zones[place.zoneIndex]
  if (!zone) return note
  if (zone.seatCount > 0) return { ...note, ordinal: zone.firstOrdinal + (place.seatIndex ?? 0) }
  return { ...note, point: zone.outline?.[0] ?? null }
}

function summaryOf(layout: Layout): Omit<LayoutPreview, 'notes' | 'format' | 'isWhole'> {
  const seats = new Map<string, number>()
  for (const { priceCategory } of layout.seats) {
    if (priceCategory !== null) seats.set(priceCategory, (seats.get(priceCategory) ?? 0) + 1)
  }
  return {
    map: encodeLayout(layout),
    seatCount: layout.seats.length,
    totalCapacity: layout.totalCapacity,
    zones: layout.zones.map(({ name, seatCount, capacity }) => ({ name, seats: seatCount, capacity })),
    categories: layout.priceCategories.map(({ key, label }) => ({ label, seats: seats.get(key) ?? 0 })),
  }
}
