/** The seat map: plain TypeScript, without framework and without network. */

export { SEAT_CATEGORIES } from '@voelgoed/core/layout/model'
export { isAisleBehind, isAtAisle } from './document/aisles.ts'
export { MapFormatError } from './document/byte-reader.ts'
export { decodeMap } from './document/decode.ts'
export { findSeats } from './document/find-seats.ts'
export { hallOf } from './document/hall-of.ts'
export { levelOfZone } from './document/levels.ts'
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
} from './document/model.ts'
export { lowestIn, type PriceScheme, schemeOf } from './document/price-scheme.ts'
export { drawSeatSample } from './paint/draw-seat.ts'
export type { MapWords } from './paint/scene.ts'
export { strengthOf } from './paint/strength.ts'
export {
  colorOfCategory,
  darkTheme,
  forcedTheme,
  lightTheme,
  type MapTheme,
  priceColor,
} from './paint/theme.ts'
export type { Stop } from './view/neighbour.ts'
export { type CardPlace, placeCard } from './view/place-card.ts'
export { SeatMap } from './view/seat-map.ts'
export type { Means, SeatMapOptions, View } from './view/seat-map-options.ts'
