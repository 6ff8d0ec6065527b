import type { LayoutId } from '@voelgoed/core/ids'
import { compileLayout } from '@voelgoed/core/layout/compile'
import type { Layout, LayoutConfig } from '@voelgoed/core/layout/model'
import { EMPTY_OVERLAY, type Overlay, overlayZones } from '@voelgoed/core/layout/overlay'
import { MapEncoder } from '@voelgoed/core/map/encode'
import { decodeMap } from '../decode.ts'
import type { MapModel } from '../model.ts'

const layoutId = '00000000-0000-4000-8000-000000000001' as LayoutId

export function compiled(config: LayoutConfig): Layout {
  const result = compileLayout(layoutId, config)
  if (!result.ok) throw new Error(JSON.stringify(result.problem.slice(0, 3)))
  return result.value
}

/** As the server does it, in pages. */
export function encodeLayout(layout: Layout, overlay: Overlay = EMPTY_OVERLAY, pageSize = 1_000): Uint8Array {
  const encoder = new MapEncoder({
    layoutId: layout.layoutId,
    version: 1,
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

export function modelOf(config: LayoutConfig, overlay?: Overlay): MapModel {
  return decodeMap(encodeLayout(compiled(config), overlay))
}
