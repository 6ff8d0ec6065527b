import type { Point } from '../model.ts'
import type { Cursor } from './cursor.ts'
import { addPoints } from './draft.ts'
import { ellipse, rectangle } from './polygons.ts'
import { type ChartContext, levelOf, type Place } from './seatsio-place.ts'

export function readShape({ draft }: ChartContext, place: Place, shape: Cursor): void {
  const isStage = shape.text('smartType') === 'stage' || shape.text('icon') === 'stage'
  const points = shapePoints(shape, place.origin) ?? []
  const kind = isStage ? 'stage' : 'shape'
  draft.addOutline(place.at, shape, { kind, label: shape.text('label'), points, ...levelOf(place) })
}

export function readText({ draft }: ChartContext, place: Place, text: Cursor): void {
  const label = text.text('text') ?? text.text('label')
  if (label === null) return
  const position = textPosition(text)
  const points = position ? [addPoints(place.origin, position)] : []
  draft.addOutline(place.at, text, { kind: 'text', label, points, ...levelOf(place) })
}

/** Shapes and areas are drawn alike: by their points, or around a centre. Null for what we can't draw. */
export function shapePoints(shape: Cursor, origin: Point): Point[] | null {
  const points = shape.objects('points').map(point => addPoints(origin, point.xy()))
  if (points.length > 0) return points
  const own = shape.point('center')
  if (!own) return null
  const centre = addPoints(origin, own)
  const degrees = shape.number('rotationAngle') ?? 0
  const width = shape.number('width')
  const height = shape.number('height')
  if (width !== null && height !== null) {
    return rectangle(centre, { x: -width / 2, y: -height / 2 }, { width, height }, degrees)
  }
  const radiusX = shape.number('radius1') ?? shape.number('radius')
  const radiusY = shape.number('radius2') ?? radiusX
  return radiusX === null || radiusY === null ? null : ellipse(centre, radiusX, radiusY, degrees)
}

function textPosition(text: Cursor): Point | null {
  const centre = text.point('center')
  if (centre) return centre
  const x = text.number('centerX') ?? text.number('x')
  const y = text.number('centerY') ?? text.number('y')
  return x === null || y === null ? null : { x, y }
}
