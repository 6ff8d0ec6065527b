import type { Point } from '../model.ts'

/**
 * A path of straight lines and arcs that bends to one side only, so that its parallels on the other side are
 * such paths too: rows of seats around a stage, a floor or a pitch.
 * Positions on it are lengths from its start.
 *
 * Headings are angles on the screen (y points down); the outside is to the left of the direction of travel.
 */
export interface Curve {
  readonly pieces: readonly Piece[]
  readonly length: number
}

interface Piece {
  readonly begin: number
  readonly length: number
  readonly start: Point
  readonly heading: number
  /** The heading changes so far on the way; 0 on a straight line. */
  readonly turn: number
}

/** A part of a piece, as it looks from a parallel. */
interface Stretch {
  readonly piece: Piece
  readonly from: number
  readonly to: number
  readonly length: number
}

/** From a seat's view: the stage is at the centre, above; the curve runs below it, from right to left. */
export function arcAround(centre: Point, radius: number, angle: number): Curve {
  const heading = Math.PI - angle / 2
  const start = { x: centre.x + radius * Math.sin(heading), y: centre.y - radius * Math.cos(heading) }
  const length = radius * angle
  return { length, pieces: [{ begin: 0, length, start, heading, turn: angle }] }
}

/** A rectangle around the origin with rounded corners, clockwise from the left end of its upper side. */
export function roundedRectangle(width: number, height: number, cornerRadius: number): Curve {
  const sides = [width, height, width, height].map(side => side - 2 * cornerRadius)
  const pieces: Piece[] = []
  let begin = 0
  let start: Point = { x: -width / 2 + cornerRadius, y: -height / 2 }
  const append = (length: number, heading: number, turn: number) => {
    const piece = { begin, length, start, heading, turn }
    if (length > 0) pieces.push(piece)
    start = pointOn(piece, length, 0)
    begin += length
  }
  for (const [side, length] of sides.entries()) {
    const heading = (side * Math.PI) / 2
    append(length, heading, 0)
    append((cornerRadius * Math.PI) / 2, heading, Math.PI / 2)
  }
  return { pieces, length: begin }
}

export function lengthBetween(curve: Curve, from: number, to: number, offset: number): number {
  return stretches(curve, from, to, offset).reduce((sum, { length }) => sum + length, 0)
}

/** Cuts the curve so that all parts are equally long on a parallel: corners fan out behind it. */
export function equalParts(curve: Curve, count: number, offset: number): number[] {
  const parts = stretches(curve, 0, curve.length, offset)
  const total = parts.reduce((sum, { length }) => sum + length, 0)
  const cuts: number[] = []
  let part = 0
  let passed = 0
  for (let index = 0; index <= count; index++) {
    const along = (total * index) / count
    while (part < parts.length - 1 && along > passed + parts[part]!.length) passed += parts[part++]!.length
    const { piece, length } = parts[part]!
    cuts.push(piece.begin + Math.min(1, (along - passed) / length) * piece.length)
  }
  return cuts
}

/** `count` points, `pitch` apart on the parallel and centred between two positions of the curve. */
export function pointsAlong(
  curve: Curve,
  span: { from: number; to: number; offset: number },
  count: number,
  pitch: number,
): Point[] {
  const parts = stretches(curve, span.from, span.to, span.offset)
  const total = parts.reduce((sum, { length }) => sum + length, 0)
  const points: Point[] = []
  let part = 0
  let passed = 0
  for (let index = 0; index < count; index++) {
    const along = (total - (count - 1) * pitch) / 2 + index * pitch
    while (part < parts.length - 1 && along > passed + parts[part]!.length) passed += parts[part++]!.length
    const { piece, from, to, length } = parts[part]!
    const share = (along - passed) / length
    points.push(pointOn(piece, from + share * (to - from), span.offset))
  }
  return points
}

/** A polygon between two parallels. Arcs become chords that stay within one unit of them. */
export function band(curve: Curve, from: number, to: number, inner: number, outer: number): Point[] {
  return [...chords(curve, from, to, inner), ...chords(curve, from, to, outer).reverse()]
}

function chords(curve: Curve, from: number, to: number, offset: number): Point[] {
  const points: Point[] = []
  for (const stretch of stretches(curve, from, to, offset)) {
    const turn = (stretch.piece.turn * (stretch.to - stretch.from)) / stretch.piece.length
    const radius = turn === 0 ? 0 : stretch.length / turn
    const steps = turn === 0 ? 1 : Math.max(1, Math.ceil(turn / (2 * Math.acos(1 - 1 / Math.max(radius, 2)))))
    for (let step = points.length === 0 ? 0 : 1; step <= steps; step++) {
      const position = stretch.from + ((stretch.to - stretch.from) * step) / steps
      points.push(pointOn(stretch.piece, position, offset))
    }
  }
  return points
}

function stretches(curve: Curve, from: number, to: number, offset: number): Stretch[] {
  const parts: Stretch[] = []
  for (const piece of curve.pieces) {
    const partFrom = Math.max(from, piece.begin) - piece.begin
    const partTo = Math.min(to, piece.begin + piece.length) - piece.begin
    if (partFrom >= partTo) continue
    const length = (partTo - partFrom) * (1 + (offset * piece.turn) / piece.length)
    parts.push({ piece, from: partFrom, to: partTo, length })
  }
  return parts
}

function pointOn({ start, heading, turn, length }: Piece, position: number, offset: number): Point {
  if (turn === 0) {
    return {
      x: start.x + position * Math.cos(heading) + offset * Math.sin(heading),
      y: start.y + position * Math.sin(heading) - offset * Math.cos(heading),
    }
  }
  const radius = length / turn
  const direction = heading + (turn * position) / length
  return {
    x: start.x - radius * Math.sin(heading) + (radius + offset) * Math.sin(direction),
    y: start.y + radius * Math.cos(heading) - (radius + offset) * Math.cos(direction),
  }
}
