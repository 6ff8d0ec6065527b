import type { AccessMode, PriceCategory, ZoneType } from '../layout/model.ts'

/**
 * The map document: a hall as a screen needs it, a hundredth of the size of the layout's JSON.
 * docs/map-format.md describes it byte by byte; encode.ts writes it, the page reads it.
 *
 *   'VGM1' · length of the header (u32, little endian) · header (JSON, UTF-8) · columns, one after the other
 *
 * A column has something of every seat, in the order of their ordinals, as varints.
 *
 * Columns may be added at the end, and members to the header; a reader takes what is not there for empty, and
 * skips columns that it does not know. `aisles`, `groups`, the `rank` and the `level` of a zone came so.
 */
export const MAP_MAGIC = 0x314d4756

/** In this order, so that what a picture needs comes first. */
export const MAP_COLUMNS = [
  'rows',
  'x',
  'y',
  'prices',
  'categories',
  'numbers',
  'labels',
  'companions',
  'id_runs',
  'ids',
  'aisles',
  'groups',
] as const
export type MapColumn = (typeof MAP_COLUMNS)[number]

export interface MapHeader {
  readonly layout_id: string
  readonly version: number
  /** Ordinals of the layout version, those of zones that are closed included. */
  readonly ordinals: number
  /** A coordinate is `origin + q / per_unit`. */
  readonly origin: readonly [x: number, y: number]
  readonly per_unit: number
  /** The usual distance between neighbours in a row. */
  readonly pitch: number
  readonly zones: readonly HeaderZone[]
  readonly shapes: readonly HeaderShape[]
  readonly focal_point: readonly [x: number, y: number] | null
  readonly price_categories: readonly PriceCategory[]
  /** The columns point into these. */
  readonly row_labels: readonly string[]
  readonly odd_numbers: readonly (number | string)[]
  readonly label_templates: readonly LabelTemplate[]
  /** Lengths in bytes, in the order of MAP_COLUMNS. */
  readonly columns: readonly number[]
}

export interface HeaderZone {
  readonly zone_id: string
  readonly name: string
  readonly zone_type: ZoneType
  readonly capacity: number
  readonly access_mode: AccessMode
  readonly membership_tier: string | null
  readonly allowed_roles: readonly string[]
  readonly pricing_rule_id: string | null
  readonly first_ordinal: number
  readonly seat_count: number
  /** x, y, x, y … or null. */
  readonly outline: readonly number[] | null
  /** All seats of zones with a lower rank are better. Left out: 0. */
  readonly rank?: number
  /** The floor that it is on. Left out: a map shows it with every floor. */
  readonly level?: string
}

interface HeaderShape {
  readonly kind: 'stage' | 'shape' | 'text'
  readonly label: string | null
  readonly points: readonly number[]
  readonly level?: string
}

/** `before + row + between + number + after`, or one text alone: the label itself. */
export type LabelTemplate =
  | readonly [before: string, between: string, after: string]
  | readonly [label: string]

/** The groups of the last column are sold like this: its first number is an index into these. */
export const GROUP_SALES = ['whole', 'family'] as const

/** Numbers from 0 to this are written as they are; all others are listed in the header. */
export const LARGEST_PLAIN_NUMBER = 2 ** 28 - 1
