import { LAYOUT_LIMITS, type Point, type ZoneConfig } from '../model.ts'
import type { Cursor } from './cursor.ts'
import { type DraftZone, type LayoutDraft, shorten } from './draft.ts'

/** This holds for the whole chart. */
export interface ChartContext {
  readonly draft: LayoutDraft
  /** Keys of the categories whose seats are all wheelchair places. */
  readonly accessibleCategories: ReadonlySet<string>
  /** Names of the chart's own zones, which group sections, by key. */
  readonly zoneLabels: ReadonlyMap<string, string>
}

/** Objects are read here: on a floor or in a section of it. */
export interface Place {
  readonly at: Cursor
  readonly origin: Point
  readonly floorName: string | null
  /** Null outside of sections. */
  readonly sectionName: string | null
  readonly categoryKey: string | null
  /** This is what the zones made here remember of where they came from. */
  readonly metadata: Readonly<Record<string, string>>
  /** The zone that the seats go to; made when the first seat asks for it. */
  readonly zoneFor: (object: Cursor) => DraftZone
}

export function zoneName(place: Pick<Place, 'floorName'>, name: string): string {
  return place.floorName === null ? name : `${place.floorName} - ${name}`
}

/** Floors lie on top of each other in the chart; maps show one of them at a time. */
export function levelOf({ floorName }: Pick<Place, 'floorName'>): { level?: string } {
  return floorName === null ? {} : { level: shorten(floorName, LAYOUT_LIMITS.labelLength) }
}

export function withMetadata(metadata: Readonly<Record<string, string>>): Pick<ZoneConfig, 'metadata'> {
  return Object.keys(metadata).length === 0 ? {} : { metadata: { ...metadata } }
}

/** An object without a label is called by its position. */
export function labelOf(place: Place, object: Cursor, instead: string): string {
  const label = object.text('label')
  if (label !== null) return label
  const message = 'An object has no label; its position was taken instead.'
  object.report.warn('label_missing', place.at, object, message)
  return instead
}
