import type { Point } from '@voelgoed/core/layout/model'
import { pointBounds } from '../document/geometry.ts'
import type { Bounds, MapModel, MapZone } from '../document/model.ts'

/** A line of text that follows a row: around `centre`, in the hall's units. */
export interface NameArc {
  readonly centre: Point
  readonly radius: number
  /** The angle at the middle of the text, in radians. */
  readonly middle: number
  /** 1 or −1: whether angles grow or shrink from left to right. */
  readonly direction: 1 | -1
}

/** Text that rises more steeply than this in its middle is not written along a row. */
const STEEPEST = Math.PI / 4

/** The arc of the row that is nearest to the stage; null: it is straight, too short, or too steep. */
export function frontArc(model: MapModel, { rows }: MapZone, front: Point): NameArc | null {
  const { x, y } = model
  const distance = ({ firstOrdinal, seatCount }: MapZone['rows'][number]) => {
    const at = firstOrdinal + (seatCount >> 1)
    return Math.hypot(x[at]! - front.x, y[at]! - front.y)
  }
  const ends = [rows[0], rows.at(-1)].filter(row => row !== undefined)
  const row = ends.sort((a, b) => distance(a) - distance(b))[0]
  if (!row || row.seatCount < 5) return null
  const { firstOrdinal, seatCount } = row
  const place = (index: number) => ({ x: x[firstOrdinal + index]!, y: y[firstOrdinal + index]! })
  const centre = circleThrough(place(0), place(seatCount >> 1), place(seatCount - 1))
  if (!centre) return null
  const middleSeat = place(seatCount >> 1)
  const radius = Math.hypot(middleSeat.x - centre.x, middleSeat.y - centre.y)
  // The middle between the ends, where an aisle may be: a name belongs there.
  const between = {
    x: (place(0).x + place(seatCount - 1).x) / 2,
    y: (place(0).y + place(seatCount - 1).y) / 2,
  }
  const side = Math.hypot(between.x - centre.x, between.y - centre.y) > 0.2 * radius ? between : middleSeat
  const middle = Math.atan2(side.y - centre.y, side.x - centre.x)
  const direction = Math.sin(middle) > 0 ? -1 : 1
  const lean = Math.abs(Math.PI / 2 - Math.abs(middle))
  return lean > STEEPEST ? null : { centre, radius, middle, direction }
}

/** The same arc, moved by so much towards a point. */
export function movedTowards(arc: NameArc, front: Point, by: number): NameArc {
  const isInside = Math.hypot(front.x - arc.centre.x, front.y - arc.centre.y) < arc.radius
  return { ...arc, radius: arc.radius + (isInside ? -by : by) }
}

/** A place on the arc, so far along the text from its middle, and how the text is turned there. */
export function placeOn(
  { centre, radius, middle, direction }: NameArc,
  along: number,
): Point & { turn: number } {
  const angle = middle + (direction * along) / radius
  return {
    x: centre.x + radius * Math.cos(angle),
    y: centre.y + radius * Math.sin(angle),
    turn: Math.atan2(direction * Math.cos(angle), -direction * Math.sin(angle)),
  }
}

/** Boxes that cover a text of this size on the arc. */
export function piecesOn(arc: NameArc, width: number, height: number): Bounds[] {
  const count = Math.max(1, Math.ceil(width / height))
  return Array.from({ length: count }, (_, index) => {
    const from = -width / 2 + (index * width) / count
    const corners = [from, from + width / count].flatMap(along => {
      const { x, y, turn } = placeOn(arc, along)
      const across = { x: (-Math.sin(turn) * height) / 2, y: (Math.cos(turn) * height) / 2 }
      return [
        { x: x + across.x, y: y + across.y },
        { x: x - across.x, y: y - across.y },
      ]
    })
    return pointBounds(corners)
  })
}

function circleThrough(a: Point, b: Point, c: Point): Point | null {
  const cross = 2 * ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x))
  const long = (c.x - a.x) ** 2 + (c.y - a.y) ** 2
  if (Math.abs(cross) < 0.02 * long) return null
  const ab = (b.x - a.x) ** 2 + (b.y - a.y) ** 2
  return {
    x: a.x + ((c.y - a.y) * ab - (b.y - a.y) * long) / cross,
    y: a.y + ((b.x - a.x) * long - (c.x - a.x) * ab) / cross,
  }
}
