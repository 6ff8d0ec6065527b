import type { Point } from '@voelgoed/core/layout/model'
import type { Context } from './measure-name.ts'
import { zoneFill } from './paint-zones.ts'
import type { Figure, Scene } from './scene.ts'
import { mix } from './theme.ts'
import type { Parts } from './tiles.ts'

/**
 * Paints what seats stand on: the stage, other shapes, and the sections. In the hall's units. `px`: units of
 * a CSS pixel.
 */
export function paintGround(context: Context, scene: Scene, parts: Parts, px: number, isFar: boolean): void {
  const { theme, model } = scene
  // Edges are drawn around what they belong to.
  const around = parts.grownBy(12 * px + model.pitch)
  for (const [index, shape] of model.shapes.entries()) {
    const figure = scene.shapes[index]!
    if (shape.kind === 'text' || !around.touch(figure.bounds)) continue
    if (shape.kind === 'stage') paintStage(context, scene, figure, shape.points, px)
    else {
      context.fillStyle = theme.shape
      context.fill(figure.path)
    }
  }
  context.lineJoin = 'round'
  for (const [index, figure] of scene.zones.entries()) {
    if (around.touch(figure.bounds)) paintZone(context, scene, index, figure, px, isFar)
  }
}

/** Round corners: an edge of its own colour around the section, as far as its neighbours leave room. */
function paintZone(
  context: Context,
  scene: Scene,
  index: number,
  { path }: Figure,
  px: number,
  isFar: boolean,
): void {
  const { theme, model } = scene
  const isArea = isFar || model.zones[index]!.seatCount === 0
  const round = isFar ? 0 : Math.min(8 * px, 0.6 * model.pitch)
  const fill = isArea ? zoneFill(scene, index) : theme.zone
  context.globalAlpha = isArea && scene.isZoneDimmed(index) ? 0.35 : 1
  context.lineWidth = round + 2 * px
  context.strokeStyle = isFar ? theme.background : theme.zoneEdge
  context.stroke(path)
  context.fillStyle = fill
  context.fill(path)
  if (round > 0) {
    context.lineWidth = round
    context.strokeStyle = fill
    context.stroke(path)
  }
  if (isArea && scene.isClosed(index)) paintHatching(context, scene, index, px)
  context.globalAlpha = 1
  if (scene.isMembers(index)) paintMembersBlock(context, scene, index, px, isArea)
}

function paintMembersBlock(context: Context, scene: Scene, index: number, px: number, isArea: boolean): void {
  const { path } = scene.zones[index]!
  const color = scene.zoneColor(index)
  if (!isArea) {
    context.fillStyle = mix(color, scene.theme.zone, 0.12)
    context.fill(path)
  }
  context.setLineDash([5 * px, 4 * px])
  context.lineWidth = 2 * px
  context.strokeStyle = color
  context.stroke(path)
  context.setLineDash([])
}

/** Not on sale. */
function paintHatching(context: Context, scene: Scene, index: number, px: number): void {
  const { path, bounds } = scene.zones[index]!
  const { minX, minY, maxX, maxY } = bounds
  const step = 7 * px
  const height = maxY - minY
  context.save()
  context.clip(path)
  context.beginPath()
  // On one lattice for the whole hall, so that parts of a picture fit together.
  const from = Math.floor((minX - height) / step)
  const to = Math.ceil(maxX / step)
  for (let line = from; line <= to; line += Math.max(1, Math.ceil((to - from) / MOST_LINES))) {
    context.moveTo(line * step, maxY)
    context.lineTo(line * step + height, minY)
  }
  context.lineWidth = 1.5 * px
  context.strokeStyle = scene.theme.sold
  context.stroke()
  context.restore()
}

const MOST_LINES = 400

/** Dark, a little lighter inside, and with an edge of light where the audience sits. */
function paintStage(
  context: Context,
  scene: Scene,
  { path, bounds }: Figure,
  points: readonly Point[],
  px: number,
): void {
  const { theme, model } = scene
  const { minX, minY, maxX, maxY } = bounds
  const small = Math.min(maxX - minX, maxY - minY)
  context.lineJoin = 'round'
  context.fillStyle = theme.stage
  context.strokeStyle = theme.stage
  context.lineWidth = Math.min(10 * px, 0.12 * small)
  context.stroke(path)
  context.fill(path)
  const middle = { x: (minX + maxX) / 2, y: (minY + maxY) / 2 }
  context.save()
  context.translate(middle.x, middle.y)
  context.scale(0.84, 0.78)
  context.translate(-middle.x, -middle.y)
  context.fillStyle = mix(theme.stage, theme.stageFront, 0.9)
  context.fill(path)
  context.restore()
  const audience = scene.audience
  const dx = audience.x - middle.x
  const dy = audience.y - middle.y
  // In the middle of the hall it is seen from all sides.
  if (Math.hypot(dx, dy) < 0.2 * Math.hypot(maxX - minX, maxY - minY) && model.zones.length > 1) return
  context.lineCap = 'round'
  context.lineWidth = Math.min(4 * px, 0.05 * small)
  context.strokeStyle = theme.stageFront
  context.beginPath()
  for (const [at, a] of points.entries()) {
    const b = points[(at + 1) % points.length]!
    const outX = (a.x + b.x) / 2 - middle.x
    const outY = (a.y + b.y) / 2 - middle.y
    const facing = (outX * dx + outY * dy) / (Math.hypot(outX, outY) * Math.hypot(dx, dy) || 1)
    if (facing < 0.35) continue
    context.moveTo(a.x, a.y)
    context.lineTo(b.x, b.y)
  }
  context.stroke()
}
