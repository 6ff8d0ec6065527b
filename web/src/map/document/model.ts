import type { GroupSale } from '@voelgoed/core/layout/meaning'
import type {
  AccessMode,
  Outline,
  Point,
  PriceCategory,
  SEAT_CATEGORIES,
  ZoneType,
} from '@voelgoed/core/layout/model'

/** An index into SEAT_STATUSES: the two bits that the availability answer has of each seat. */
export type SeatStatus = 0 | 1 | 2 | 3
export const AVAILABLE = 0
export const HELD = 1
export const SOLD = 2
export const BLOCKED = 3
/** No answer about availability has come yet. No server says this: it is how the map begins. */
export const UNKNOWN = 4
export type ShownStatus = SeatStatus | typeof UNKNOWN

/** Stands for the zone of an ordinal that is no seat of this event. */
export const NO_ZONE = 0xffff

export interface MapRow {
  readonly label: string
  readonly firstOrdinal: number
  readonly seatCount: number
}

export interface MapZone {
  readonly zoneId: string
  readonly name: string
  readonly zoneType: ZoneType
  readonly capacity: number
  readonly accessMode: AccessMode
  readonly membershipTier: string | null
  readonly allowedRoles: readonly string[]
  readonly pricingRuleId: string | null
  /**
   * As it was drawn, or the hull of its seats, or a place beside the hall.
   * Empty: it is on another floor than the one that is drawn.
   */
  readonly outline: readonly Point[]
  readonly firstOrdinal: number
  /** 0: a number of places without seats. */
  readonly seatCount: number
  /** Seats that follow each other under one row label. */
  readonly rows: readonly MapRow[]
  /** All seats of a zone with a lower rank are better. */
  readonly rank: number
  /** The floor that it is on; null: it is drawn with every floor. */
  readonly level: string | null
}

/** Seats that are sold together, or first of all to groups of their number. */
export interface MapGroup {
  readonly sale: GroupSale
  readonly ordinals: readonly number[]
}

export interface Bounds {
  readonly minX: number
  readonly minY: number
  readonly maxX: number
  readonly maxY: number
}

/** The server says this of a seat besides its id: it makes the search for it short. */
export interface SeatHint {
  readonly zoneId?: string
  readonly row?: string
  readonly number?: number | string
}

/**
 * A hall in typed arrays by ordinal. Text is put together when a caller asks for it: 200,000 labels would
 * take longer to make than the picture.
 */
export interface MapModel {
  readonly layoutId: string
  readonly version: number
  /** Length of the arrays. Ordinals of zones that are closed have no seat. */
  readonly ordinalCount: number
  readonly seatCount: number
  readonly zones: readonly MapZone[]
  /** Its floors, of which a map shows one at a time; empty unless there are two or more. */
  readonly levels: readonly string[]
  readonly x: Float32Array
  readonly y: Float32Array
  /** Index into `zones`, or NO_ZONE. */
  readonly zoneOf: Uint16Array
  /** Index into SEAT_CATEGORIES. */
  readonly categoryOf: Uint8Array
  /** Index into `priceCategories`, or −1. */
  readonly priceOf: Int32Array
  readonly priceCategories: readonly PriceCategory[]
  readonly shapes: readonly Outline[]
  readonly focalPoint: Point | null
  readonly bounds: Bounds
  /** The usual distance between neighbours in a row. */
  readonly pitch: number
  readonly groups: readonly MapGroup[]
  has(ordinal: number): boolean
  rowOf(ordinal: number): string
  numberOf(ordinal: number): number | string
  labelOf(ordinal: number): string
  /** Returns the wheelchair place of a companion seat, and the first companion seat of a wheelchair place. */
  companionOf(ordinal: number): number | null
  /** True if there is an aisle between this seat and the next one of its row. Null: the distance tells. */
  aisleAfter(ordinal: number): boolean | null
  /** By ordinal, as exactly as the document has them: read again for each call. */
  exactPlaces(): { readonly x: Float64Array; readonly y: Float64Array }
  seatIdOf(ordinal: number): string
  /** Without a hint every id may have to be derived: a second or two for 200,000 seats, once. */
  ordinalOf(seatId: string, hint?: SeatHint): number | undefined
}

export type SeatCategory = (typeof SEAT_CATEGORIES)[number]
