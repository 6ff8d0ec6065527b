import { SEAT_CATEGORIES } from '@voelgoed/core/layout/model'
import { type Camera, type Size, toScreen } from './camera.ts'
import { drawSeat } from './draw-seat.ts'
import type { MapModel } from './model.ts'
import type { Stop } from './neighbour.ts'
import { RADIUS_OF_PITCH } from './painting.ts'
import type { Scene } from './scene.ts'

/** What belongs to this visitor alone: drawn again over each frame, because there is little of it. */
export interface Marks {
  readonly mine: ReadonlySet<number>
  readonly pending: ReadonlySet<number>
  /** Where the keyboard is. */
  readonly focus: Stop | null
  readonly hover: number | null
}

/** So that one finds one's own seats from far as well. */
const SMALLEST_MARK_PX = 5

export function drawMarks(
  context: CanvasRenderingContext2D,
  scene: Scene,
  marks: Marks,
  { camera, size, ratio }: { camera: Camera; size: Size; ratio: number },
): void {
  const { model, theme } = scene
  const radius = RADIUS_OF_PITCH * model.pitch * camera.scale
  const markRadius = Math.max(radius * 0.92, SMALLEST_MARK_PX)
  const placeOf = (ordinal: number) => {
    const at = toScreen(camera, size, { x: model.x[ordinal]!, y: model.y[ordinal]! })
    const margin = 2 * markRadius + 8
    const isSeen =
      at.x > -margin && at.y > -margin && at.x < size.width + margin && at.y < size.height + margin
    return model.has(ordinal) && isSeen ? at : null
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  for (const ordinal of [...marks.pending, ...marks.mine]) {
    const at = placeOf(ordinal)
    if (!at) continue
    const pending = marks.pending.has(ordinal)
    drawSeat(context, at, markRadius, { ...lookOf(model, ordinal), mine: !pending, pending }, theme)
  }
  for (const [ordinal, color, width] of [
    [marks.hover, theme.text, 2],
    [marks.focus?.kind === 'seat' ? marks.focus.ordinal : null, theme.focus, 3],
  ] as const) {
    const at = ordinal === null ? null : placeOf(ordinal)
    if (!at) continue
    context.beginPath()
    context.arc(at.x, at.y, Math.max(radius * 1.25, SMALLEST_MARK_PX + 2), 0, 2 * Math.PI)
    context.strokeStyle = color
    context.lineWidth = width
    context.stroke()
  }
  if (marks.focus?.kind === 'zone') {
    const { scale } = camera
    const dx = size.width / 2 - camera.x * scale
    const dy = size.height / 2 - camera.y * scale
    context.setTransform(scale * ratio, 0, 0, scale * ratio, dx * ratio, dy * ratio)
    context.strokeStyle = theme.focus
    context.lineWidth = 3 / scale
    context.stroke(scene.zones[marks.focus.zoneIndex]!.path)
  }
}

function lookOf(model: MapModel, ordinal: number) {
  return { status: 0, category: SEAT_CATEGORIES[model.categoryOf[ordinal]!]!, color: '#000000' } as const
}
