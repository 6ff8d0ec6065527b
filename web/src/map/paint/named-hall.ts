import type { Outline, Point } from '@voelgoed/core/layout/model'
import { boxesMeet } from '../document/boxes.ts'
import { isInside, pointBounds } from '../document/geometry.ts'
import type { Bounds, MapModel } from '../document/model.ts'
import { type Room, roomIn } from '../document/room.ts'
import type { SeatGrid } from '../document/seat-grid.ts'
import { frontArc, type NameArc } from './name-arc.ts'

interface Figure {
  readonly points: readonly Point[]
  readonly bounds: Bounds
}

export interface NamedZone extends Figure {
  readonly name: string
  readonly hasSeats: boolean
  readonly room: Room
  readonly arc: NameArc | null
  readonly area: number
  /** Places inside of it, the best first. */
  readonly spots: readonly Point[]
  /** Zones whose boxes meet its box. */
  readonly neighbours: readonly number[]
}

export interface NamedShape extends Figure {
  readonly kind: Outline['kind']
  readonly label: string | null
}

/** Placing names needs this of a hall. It is the same at every scale. */
export interface NamedHall {
  readonly pitch: number
  readonly seatCount: number
  readonly grid: SeatGrid
  readonly front: Point
  readonly zones: readonly NamedZone[]
  readonly shapes: readonly NamedShape[]
  /**
   * Zones whose names differ by their numbers alone, the smallest first;
   * families with the largest zones first.
   */
  readonly families: readonly (readonly number[])[]
}

const SPOTS_ACROSS = 7
const MOST_SPOTS = 24

export function namedHall(model: MapModel, grid: SeatGrid, front: Point): NamedHall {
  const figures = model.zones.map(zone => ({ points: zone.outline, bounds: pointBounds(zone.outline) }))
  const zones = model.zones.map((zone, index): NamedZone => {
    const { points, bounds } = figures[index]!
    const room = roomIn(points, front)
    return {
      name: zone.name,
      hasSeats: zone.seatCount > 0,
      points,
      bounds,
      room,
      arc: zone.seatCount > 0 ? frontArc(model, zone, front) : null,
      area: areaOf(points),
      spots: spotsIn(points, bounds, room.middle),
      neighbours: figures.flatMap((other, at) =>
        at !== index && other.points.length > 0 && boxesMeet(other.bounds, bounds) ? [at] : [],
      ),
    }
  })
  return {
    pitch: model.pitch,
    seatCount: model.seatCount,
    grid,
    front,
    zones,
    shapes: model.shapes.map(({ kind, label, points }) => ({
      kind,
      label,
      points,
      bounds: pointBounds(points),
    })),
    families: familiesOf(zones),
  }
}

function familiesOf(zones: readonly NamedZone[]): number[][] {
  const families = new Map<string, number[]>()
  for (const [index, { name, hasSeats, points }] of zones.entries()) {
    // On another floor.
    if (points.length === 0) continue
    const key = `${hasSeats} ${name.replace(/\d+/g, '#')}`
    families.set(key, [...(families.get(key) ?? []), index])
  }
  const largest = (family: readonly number[]) => Math.max(...family.map(index => zones[index]!.area))
  for (const family of families.values()) family.sort((a, b) => zones[a]!.area - zones[b]!.area)
  return [...families.values()].sort((a, b) => largest(b) - largest(a))
}

/** The middle, then a lattice over the box, nearest to the middle first. */
function spotsIn(points: readonly Point[], bounds: Bounds, middle: Point): Point[] {
  const lattice: Point[] = []
  for (let row = 1; row < SPOTS_ACROSS; row += 1) {
    for (let column = 1; column < SPOTS_ACROSS; column += 1) {
      const spot = {
        x: bounds.minX + ((bounds.maxX - bounds.minX) * column) / SPOTS_ACROSS,
        y: bounds.minY + ((bounds.maxY - bounds.minY) * row) / SPOTS_ACROSS,
      }
      if (isInside(spot, points)) lattice.push(spot)
    }
  }
  const distance = ({ x, y }: Point) => (x - middle.x) ** 2 + (y - middle.y) ** 2
  return [middle, ...lattice.sort((a, b) => distance(a) - distance(b)).slice(0, MOST_SPOTS)]
}

function areaOf(points: readonly Point[]): number {
  let twice = 0
  for (const [at, { x, y }] of points.entries()) {
    const next = points[(at + 1) % points.length]!
    twice += x * next.y - next.x * y
  }
  return Math.abs(twice) / 2
}
