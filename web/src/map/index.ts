/** The seat map: plain TypeScript, without framework and without network. */

export { SEAT_CATEGORIES } from '@voelgoed/core/layout/model'
export { isAisleBehind, isAtAisle } from './aisles.ts'
export { MapFormatError } from './byte-reader.ts'
export { decodeMap } from './decode.ts'
export { drawSeatSample } from './draw-seat.ts'
export { findSeats } from './find-seats.ts'
export { hallOf } from './hall-of.ts'
export { levelOfZone } from './levels.ts'
export {
  AVAILABLE,
  BLOCKED,
  type MapModel,
  type MapRow,
  type MapZone,
  NO_ZONE,
  type SeatCategory,
  type SeatHint,
  type SeatStatus,
  type ShownStatus,
  UNKNOWN,
} from './model.ts'
export type { Stop } from './neighbour.ts'
export { type CardPlace, placeCard } from './place-card.ts'
export type { PriceScheme } from './price-scheme.ts'
export type { MapWords } from './scene.ts'
export { SeatMap } from './seat-map.ts'
export type { Means, SeatMapOptions, View } from './seat-map-options.ts'
export { colorOfCategory, darkTheme, forcedTheme, lightTheme, type MapTheme, priceColor } from './theme.ts'
