import type { Point } from '@voelgoed/core/layout/model'
import type { Size } from '../paint/camera.ts'

/** Between a seat's edge and the card about it. */
const GAP_PX = 10
/** Between the card and the edge of the map. */
const MARGIN_PX = 8
/** The pointer stays this far from the card's round corners. */
const CORNER_PX = 14

export interface CardPlace {
  readonly left: number
  readonly top: number
  /** `above` the seat, `below` it, or `aside` where neither has room: then there is no pointer. */
  readonly side: 'above' | 'below' | 'aside'
  /** Where the card points to its seat, from the card's left edge. */
  readonly pointer: number
}

/**
 * Where the card about a seat goes: above the seat, else below it, else beside it, and always wholly on the
 * map as far as the map is large enough for it. All in CSS pixels of the map. `radius`: of the seat,
 * which the card does not cover.
 */
export function placeCard(seat: Point & { readonly radius: number }, card: Size, map: Size): CardPlace {
  const left = within(seat.x - card.width / 2, map.width - card.width)
  const pointer = Math.min(Math.max(seat.x - left, CORNER_PX), Math.max(card.width - CORNER_PX, CORNER_PX))
  const reach = seat.radius + GAP_PX
  const above = seat.y - reach - card.height
  if (above >= MARGIN_PX) {
    return { left, top: within(above, map.height - card.height), side: 'above', pointer }
  }
  const below = seat.y + reach
  if (below + card.height <= map.height - MARGIN_PX) return { left, top: below, side: 'below', pointer }
  const isRoomBehind = seat.x + reach + card.width <= map.width - MARGIN_PX
  return {
    left: isRoomBehind ? seat.x + reach : within(seat.x - reach - card.width, map.width - card.width),
    top: within(seat.y - card.height / 2, map.height - card.height),
    side: 'aside',
    pointer,
  }
}

/** With a margin at both ends; from the start where there is not even room for that. */
function within(value: number, most: number): number {
  return Math.max(Math.min(value, most - MARGIN_PX), Math.min(MARGIN_PX, Math.max(most, 0)))
}
