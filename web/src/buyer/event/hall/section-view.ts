import type { Point } from '@voelgoed/core/layout/model'
import { levelOfZone, type MapModel } from '../../../map/index.ts'

/** The drawing has this size. */
export const VIEW = { width: 320, height: 180 } as const
/** From the middle of a seat to the middle of its neighbour. */
const METRES_A_SEAT = 0.55
/** Between two rows, and how much higher the one behind is. */
const ROW = { depth: 0.9, rise: 0.12 }
/** A balcony stands this much above what is below it. */
const METRES_A_LEVEL = 3.5
/** A person who sits in the first row has their eyes at this height. */
const EYES = 1.2
const STAGE = { floor: 1, height: 6 }
/** A wide angle, so that a near stage still fits: about 50°. */
const FOCUS = 343
/** Left or right of the middle from this angle on. */
const SIDE_DEGREES = 12
const HEADS_ACROSS = 5
const HEAD_ROWS = 4

type Spot = readonly [x: number, y: number]
/** Metres from the middle of the stage: to the viewer's right, up, and towards the audience. */
type Place = readonly [right: number, up: number, out: number]

/** A seat, or a place of a zone. */
export type Standpoint = number | (Point & { readonly zoneIndex: number })

export interface StageView {
  readonly metres: number
  readonly side: 'left' | 'middle' | 'right'
  /** From the back to the front. */
  readonly surfaces: readonly {
    readonly kind: 'back' | 'floor' | 'front' | 'wing'
    readonly points: readonly Spot[]
  }[]
  /** The people who sit in front, from far to near. */
  readonly heads: readonly { readonly x: number; readonly y: number; readonly radius: number }[]
}

/**
 * The stage as it is seen from a seat: how far it is and from which side, by the positions of the layout.
 * Rows are taken to rise as they do in most halls. Null: the layout says nothing of a stage.
 */
export function viewFrom(model: MapModel, from: Standpoint): StageView | null {
  const at =
    typeof from === 'number' ? { x: model.x[from]!, y: model.y[from]!, zoneIndex: model.zoneOf[from]! } : from
  const stage = stageOf(model)
  if (!stage) return null
  const metres = METRES_A_SEAT / model.pitch
  const toLocal = (x: number, y: number): readonly [right: number, out: number] => {
    const [dx, dy] = [(x - stage.x) * metres, (y - stage.y) * metres]
    return [dx * stage.out.y - dy * stage.out.x, dx * stage.out.x + dy * stage.out.y]
  }
  const corners = stage.points.map(({ x, y }) => toLocal(x, y))
  const half = Math.max(...corners.map(([right]) => Math.abs(right)), 3)
  const front = Math.max(...corners.map(([, out]) => out), 1)
  const back = Math.min(...corners.map(([, out]) => out), front - 4)
  const [right, out] = toLocal(at.x, at.y)
  const away = Math.hypot(Math.max(0, Math.abs(right) - half), Math.max(0, out - front))
  const level = levelOfZone(model, at.zoneIndex) ?? 0
  const eye: Place = [right, EYES + (ROW.rise / ROW.depth) * away + level * METRES_A_LEVEL, out]
  const see = camera(eye, [0, STAGE.floor + 1, (front + back) / 2])
  const shape = (...places: Place[]) => places.map(see)
  const { floor, height } = STAGE
  const wing = (side: 1 | -1) =>
    shape(
      [side * half, floor, front],
      [side * 0.82 * half, floor, front],
      [side * 0.82 * half, floor + height, front],
      [side * half, floor + height, front],
    )
  const angle = (Math.atan2(right, Math.max(0.1, out - back)) * 180) / Math.PI
  return {
    metres: Math.max(1, Math.round(away)),
    side: Math.abs(angle) < SIDE_DEGREES ? 'middle' : angle < 0 ? 'left' : 'right',
    surfaces: [
      {
        kind: 'back',
        points: shape(
          [-half, floor, back],
          [half, floor, back],
          [half, floor + height, back],
          [-half, floor + height, back],
        ),
      },
      {
        kind: 'floor',
        points: shape([-half, floor, back], [half, floor, back], [half, floor, front], [-half, floor, front]),
      },
      {
        kind: 'front',
        points: shape([-half, 0, front], [half, 0, front], [half, floor, front], [-half, floor, front]),
      },
      { kind: 'wing', points: wing(-1) },
      { kind: 'wing', points: wing(1) },
    ],
    heads: headsBefore(eye, away, see),
  }
}

/** Where it is, and which way it looks: to most of the audience. */
function stageOf({ shapes, focalPoint, x, y, ordinalCount, pitch, has }: MapModel) {
  const drawn = shapes.find(({ kind }) => kind === 'stage')?.points ?? []
  const size = 8 * pitch
  const points =
    drawn.length > 2 || !focalPoint
      ? drawn
      : [
          { x: focalPoint.x - size, y: focalPoint.y },
          { x: focalPoint.x + size, y: focalPoint.y },
        ]
  if (points.length === 0) return null
  const middle = (values: number[]) => (Math.min(...values) + Math.max(...values)) / 2
  const at = { x: middle(points.map(point => point.x)), y: middle(points.map(point => point.y)) }
  let [sumX, sumY, count] = [0, 0, 0]
  // A part of a large hall tells as well where the audience is.
  const step = Math.max(1, Math.floor(ordinalCount / 2_000))
  for (let ordinal = 0; ordinal < ordinalCount; ordinal += step) {
    if (!has(ordinal)) continue
    sumX += x[ordinal]! - at.x
    sumY += y[ordinal]! - at.y
    count += 1
  }
  const length = Math.hypot(sumX, sumY)
  // In the round it looks down the plan.
  const isAround = count === 0 || length / count < pitch
  return { ...at, points, out: isAround ? { x: 0, y: 1 } : { x: sumX / length, y: sumY / length } }
}

/** Where on the drawing a place is, seen from the eye that looks at a point. */
function camera(eye: Place, at: Place): (place: Place) => Spot {
  const to = unit([at[0] - eye[0], at[1] - eye[1], at[2] - eye[2]])
  const right = unit([-to[2], 0, to[0]])
  const up: Place = [
    right[1] * to[2] - right[2] * to[1],
    right[2] * to[0] - right[0] * to[2],
    right[0] * to[1] - right[1] * to[0],
  ]
  return place => {
    const from: Place = [place[0] - eye[0], place[1] - eye[1], place[2] - eye[2]]
    // A place beside or behind the eye is drawn at the edge.
    const depth = Math.max(0.4, dot(from, to))
    const across = VIEW.width / 2 + (FOCUS * dot(from, right)) / depth
    const down = 0.56 * VIEW.height - (FOCUS * dot(from, up)) / depth
    return [round(across), round(down)]
  }
}

/** Between the eye and the stage: as many rows as there is room for. */
function headsBefore(eye: Place, away: number, see: (place: Place) => Spot) {
  const rows = Math.min(HEAD_ROWS, Math.floor(away / ROW.depth) - 1)
  const to = unit([-eye[0], 0, -eye[2]])
  const heads: { x: number; y: number; radius: number }[] = []
  for (let row = rows; row >= 1; row -= 1) {
    for (let seat = -HEADS_ACROSS; seat <= HEADS_ACROSS; seat += 1) {
      const ahead = ROW.depth * row
      const beside = (seat + (row % 2) / 2) * METRES_A_SEAT
      const place: Place = [
        eye[0] + to[0] * ahead - to[2] * beside,
        eye[1] - 0.1 - 2 * ROW.rise * row,
        eye[2] + to[2] * ahead + to[0] * beside,
      ]
      const [x, y] = see(place)
      const radius = round((0.12 * FOCUS) / ahead)
      if (x > -radius && x < VIEW.width + radius) heads.push({ x, y, radius })
    }
  }
  return heads
}

function unit([x, y, z]: Place): Place {
  const length = Math.hypot(x, y, z) || 1
  return [x / length, y / length, z / length]
}

function dot(a: Place, b: Place): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

function round(value: number): number {
  return Math.round(10 * value) / 10
}
