import type { Layout } from '../layout/model.ts'
import { EMPTY_OVERLAY, type Overlay, overlayZones } from '../layout/overlay.ts'
import { MapEncoder } from './encode.ts'

interface EncodeOptions {
  readonly version?: number
  readonly overlay?: Overlay
  readonly pageSize?: number
}

/** The map document of a layout that is in memory. The server reads seats in pages, and encodes those. */
export function encodeLayout(
  layout: Layout,
  { version = 1, overlay = EMPTY_OVERLAY, pageSize = 10_000 }: EncodeOptions = {},
): Uint8Array {
  const encoder = new MapEncoder({
    layoutId: layout.layoutId,
    version,
    ordinals: layout.seats.length,
    zones: overlayZones(layout.zones, overlay),
    priceCategories: layout.priceCategories,
    focalPoint: layout.focalPoint,
    outlines: layout.outlines,
    groups: layout.groups,
  })
  for (let firstOrdinal = 0; firstOrdinal < layout.seats.length; firstOrdinal += pageSize) {
    const seats = layout.seats.slice(firstOrdinal, firstOrdinal + pageSize)
    encoder.add({
      firstOrdinal,
      seatIds: seats.map(seat => seat.seatId),
      labels: seats.map(seat => seat.label),
      rows: seats.map(seat => seat.row),
      // The database keeps them as text.
      numbers: seats.map(seat => String(seat.number)),
      categories: seats.map(seat => seat.category),
      prices: seats.map(seat => seat.priceCategory),
      x: seats.map(seat => seat.x),
      y: seats.map(seat => seat.y),
      companions: seats.map(seat => seat.companionOrdinal),
      aisles: seats.map(seat => seat.aisleAfter),
    })
  }
  return encoder.finish()
}
