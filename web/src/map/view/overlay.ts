import { SEAT_CATEGORIES } from '@voelgoed/core/layout/model'
import { AVAILABLE } from '../document/model.ts'
import { type Camera, type Size, toScreen } from '../paint/camera.ts'
import { showsNumbers } from '../paint/detail.ts'
import { drawSeat } from '../paint/draw-seat.ts'
import { ribbonsOf } from '../paint/ribbons.ts'
import type { Scene } from '../paint/scene.ts'
import { CORNER, HALF_OF_PITCH, RIBBON } from '../paint/seat-shapes.ts'
import { mix } from '../paint/theme.ts'
import type { Stop } from './neighbour.ts'

/**
 * These belong to this visitor alone: they are drawn again over each frame, because there is little of them.
 */
export interface Marks {
  readonly mine: ReadonlySet<number>
  readonly pending: ReadonlySet<number>
  /** Proposed to the buyer. */
  readonly offered: ReadonlySet<number>
  /** Would be left alone. */
  readonly alone: ReadonlySet<number>
  /** The seat that the buyer is told about. */
  readonly chosen: number | null
  /** The keyboard is here. */
  readonly focus: Stop | null
  readonly hover: number | null
}

export interface FrameView {
  readonly camera: Camera
  readonly size: Size
  readonly ratio: number
}

/** So that one finds one's own seats from far as well. */
const SMALLEST_MARK_PX = 4
/** Marked seats show their numbers when they are nearer than this. */
const MARKED_NUMBERS_FROM_PX = 15

export function drawMarks(
  context: CanvasRenderingContext2D,
  scene: Scene,
  marks: Marks,
  view: FrameView,
): void {
  const { model, theme } = scene
  const { camera, size, ratio } = view
  const pitchPx = model.pitch * camera.scale
  const half = Math.max(HALF_OF_PITCH * pitchPx, SMALLEST_MARK_PX)
  const hasNumbers = pitchPx >= MARKED_NUMBERS_FROM_PX || showsNumbers(pitchPx)
  const placeOf = (ordinal: number) => {
    const at = toScreen(camera, size, { x: model.x[ordinal]!, y: model.y[ordinal]! })
    const margin = 2 * half + 8
    const isSeen =
      at.x > -margin && at.y > -margin && at.x < size.width + margin && at.y < size.height + margin
    return model.has(ordinal) && isSeen ? at : null
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  drawRibbons(context, scene, marks, view, half)
  for (const ordinal of new Set([...marks.alone, ...marks.offered, ...marks.pending, ...marks.mine])) {
    const at = placeOf(ordinal)
    if (!at) continue
    const pending = marks.pending.has(ordinal)
    drawSeat(
      context,
      at,
      half,
      {
        status: AVAILABLE,
        category: SEAT_CATEGORIES[model.categoryOf[ordinal]!]!,
        color: scene.colorOf(ordinal),
        turn: scene.angleOf(ordinal),
        isMembers: scene.isMembers(model.zoneOf[ordinal]!),
        mine: !pending && marks.mine.has(ordinal),
        pending,
        alone: marks.alone.has(ordinal),
        ...(hasNumbers && { number: String(model.numberOf(ordinal)) }),
      },
      theme,
    )
  }
  for (const [ordinal, color, width] of [
    [marks.hover, theme.text, 2],
    [marks.chosen, theme.text, 2.5],
    [marks.focus?.kind === 'seat' ? marks.focus.ordinal : null, theme.focus, 3],
  ] as const) {
    const at = ordinal === null ? null : placeOf(ordinal)
    if (at) drawRing(context, at, Math.max(half * RIBBON, half + 3), scene.angleOf(ordinal!), color, width)
  }
  if (marks.focus?.kind === 'zone') drawZoneRing(context, scene, marks.focus.zoneIndex, view)
}

function drawRing(
  context: CanvasRenderingContext2D,
  at: { x: number; y: number },
  half: number,
  angle: number,
  color: string,
  width: number,
): void {
  context.save()
  context.translate(at.x, at.y)
  context.rotate(angle)
  context.beginPath()
  context.roundRect(-half, -half, 2 * half, 2 * half, 2 * CORNER * half)
  context.strokeStyle = color
  context.lineWidth = width
  context.stroke()
  context.restore()
}

/** Seats side by side lie on one ribbon: mine, and those that are offered. */
function drawRibbons(
  context: CanvasRenderingContext2D,
  scene: Scene,
  marks: Marks,
  { camera, size }: FrameView,
  half: number,
): void {
  const { model, theme } = scene
  context.lineCap = 'round'
  context.lineJoin = 'round'
  for (const { seats, isPending } of [
    { seats: new Set([...marks.mine, ...marks.offered]), isPending: false },
    { seats: marks.pending, isPending: true },
  ]) {
    for (const ribbon of ribbonsOf(scene, seats)) {
      const trace = (width: number, color: string) => {
        context.beginPath()
        for (const [index, ordinal] of ribbon.entries()) {
          const { x, y } = toScreen(camera, size, { x: model.x[ordinal]!, y: model.y[ordinal]! })
          if (index === 0) context.moveTo(x, y)
          context.lineTo(x, y)
        }
        context.lineWidth = width
        context.strokeStyle = color
        context.stroke()
      }
      const edge = Math.min(2, 0.2 * half)
      const ink = isPending ? mix(theme.mine, theme.zone, 0.5) : theme.mine
      trace(2 * half * RIBBON + 2 * edge, ink)
      trace(2 * half * RIBBON, mix(theme.mine, theme.zone, 0.1))
    }
  }
}

function drawZoneRing(
  context: CanvasRenderingContext2D,
  scene: Scene,
  zoneIndex: number,
  { camera, size, ratio }: FrameView,
): void {
  const { scale } = camera
  const dx = size.width / 2 - camera.x * scale
  const dy = size.height / 2 - camera.y * scale
  context.setTransform(scale * ratio, 0, 0, scale * ratio, dx * ratio, dy * ratio)
  context.strokeStyle = scene.theme.focus
  context.lineWidth = 3 / scale
  context.stroke(scene.zones[zoneIndex]!.path)
}
