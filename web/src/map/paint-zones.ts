import type { Point } from '@voelgoed/core/layout/model'
import type { Context } from './draw-seat.ts'
import { isInside } from './geometry.ts'
import type { Scene } from './scene.ts'
import { mix } from './theme.ts'

/** Zones from far: the fuller they are, the paler; how much is free is written on them, and drawn as a bar. */

const STEPS = 6

/** Few steps, so that a zone looks the same until it is worth painting again. */
export function zoneFill(scene: Scene, zoneIndex: number): string {
  const free = scene.states.freeIn(zoneIndex)
  const capacity = scene.states.capacityOf(zoneIndex)
  if (free === null) return mix(scene.theme.sold, scene.theme.zone, 0.1)
  if (free <= 0 || capacity <= 0) return mix(scene.theme.sold, scene.theme.zone, 0.22)
  const step = Math.ceil((STEPS * free) / capacity) / STEPS
  return mix(scene.zoneColor(zoneIndex), scene.theme.zone, 0.1 + 0.32 * step)
}

const NAME_PX = 13
const SMALL_PX = 11
const SMALLEST_PX = 9
const LINE = 1.25
const BAR_PX = 4

/**
 * Name, bar and what is free, as far as there is room, around the middle of the zone; the name alone, turned,
 * where it is narrow. In CSS pixels; `scale` is those a unit.
 */
export function paintZoneLabel(
  context: Context,
  scene: Scene,
  zoneIndex: number,
  at: Point,
  scale: number,
): void {
  const { theme, words, states, model } = scene
  const free = states.freeIn(zoneIndex)
  const count = free === null ? '' : free > 0 ? words.free(free) : words.soldOut
  const { slope } = scene.zones[zoneIndex]!
  const fits: Fits = (width, height, angle) =>
    fitsInside(scene, zoneIndex, width / scale, height / scale, angle)
  const name = fittingName(context, model.zones[zoneIndex]!.name, fits, [0, readable(slope), -Math.PI / 2])
  if (!name) return
  context.save()
  context.translate(at.x, at.y)
  context.rotate(name.angle)
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillStyle = theme.text

  context.font = countFont
  const width = Math.max(name.width, context.measureText(count).width)
  const height = name.px * LINE + BAR_PX + 4 + SMALL_PX * LINE
  const isFull = free !== null && name.angle === 0 && fits(width + 4, height, 0)
  let y = isFull ? (name.px * LINE - height) / 2 : 0
  context.font = nameFont(name.px)
  context.fillText(name.text, 0, y)
  if (isFull) {
    y += (name.px * LINE) / 2 + 2
    paintBar(context, scene, zoneIndex, y, Math.min(56, width))
    y += BAR_PX + 3 + (SMALL_PX * LINE) / 2
    context.font = countFont
    context.fillStyle = theme.text
    context.fillText(count, 0, y)
  }
  context.restore()
}

/** The name alone, on a ground of its own, where there are seats around it; unless it is wider than `most`. */
export function paintZoneName(
  context: Context,
  scene: Scene,
  zoneIndex: number,
  at: Point,
  most: number,
): void {
  const { theme, model } = scene
  const { name } = model.zones[zoneIndex]!
  context.font = nameFont(SMALL_PX + 1)
  const { width } = context.measureText(name)
  if (width > most) return
  const height = (SMALL_PX + 1) * LINE + 4
  context.globalAlpha = 0.9
  context.fillStyle = theme.zone
  context.beginPath()
  context.roundRect(at.x - width / 2 - 8, at.y - height / 2, width + 16, height, height / 2)
  context.fill()
  context.globalAlpha = 1
  context.strokeStyle = theme.zoneEdge
  context.lineWidth = 1
  context.stroke()
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillStyle = theme.text
  context.fillText(name, at.x, at.y + 0.5)
}

type Fits = (width: number, height: number, angle: number) => boolean

interface FittingName {
  readonly text: string
  readonly px: number
  readonly width: number
  readonly angle: number
}

/** The whole name, or its number if it ends in one (`Section 101` → `101`), at a size and an angle that fit. */
function fittingName(
  context: Context,
  name: string,
  fits: Fits,
  angles: readonly number[],
): FittingName | null {
  const short = /\S*\d\S*$/.exec(name)?.[0]
  for (const text of short && short !== name ? [name, short] : [name]) {
    for (const px of [NAME_PX, SMALL_PX, SMALLEST_PX]) {
      context.font = nameFont(px)
      const { width } = context.measureText(text)
      const angle = angles.find(candidate => fits(width + 2, px * LINE, candidate))
      if (angle !== undefined) return { text, px, width, angle }
    }
  }
  return null
}

/** The same line, never upside down. */
function readable(angle: number): number {
  if (angle > Math.PI / 2 - 0.01) return angle - Math.PI
  return angle < -Math.PI / 2 - 0.01 ? angle + Math.PI : angle
}

/** Whether a turned rectangle around the middle of a zone is inside of it. In the hall's units. */
function fitsInside(scene: Scene, zoneIndex: number, width: number, height: number, angle: number): boolean {
  const { room, points } = scene.zones[zoneIndex]!
  const { middle } = room
  const cos = Math.cos(angle) / 2
  const sin = Math.sin(angle) / 2
  return [-1, 1].every(side =>
    [-1, 0, 1].every(end =>
      isInside(
        {
          x: middle.x + end * width * cos - side * height * sin,
          y: middle.y + end * width * sin + side * height * cos,
        },
        points,
      ),
    ),
  )
}

function paintBar(context: Context, scene: Scene, zoneIndex: number, y: number, width: number): void {
  const share = (scene.states.freeIn(zoneIndex) ?? 0) / Math.max(1, scene.states.capacityOf(zoneIndex))
  context.fillStyle = mix(scene.theme.text, scene.theme.zone, 0.25)
  context.fillRect(-width / 2, y, width, BAR_PX)
  context.fillStyle = scene.theme.text
  context.fillRect(-width / 2, y, width * Math.min(1, share), BAR_PX)
}

const countFont = `500 ${SMALL_PX}px system-ui, sans-serif`

function nameFont(px: number): string {
  return `600 ${px}px system-ui, sans-serif`
}
