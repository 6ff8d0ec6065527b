import type { Point } from '@voelgoed/core/layout/model'
import type { Context } from './draw-seat.ts'
import { nameFont } from './measure-name.ts'
import { COUNT_PX, NAME_LINE, type PlacedName } from './place-names.ts'
import type { Scene } from './scene.ts'
import { mix } from './theme.ts'

/**
 * Zones from far: the fuller they are, the paler; how much is free is written on them where there is room.
 */

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

/**
 * A name where placeNames has put it, with what is free below it. In CSS pixels; `at`: the middle of its box.
 */
export function paintName(context: Context, scene: Scene, name: PlacedName, at: Point): void {
  const { theme, model } = scene
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.font = nameFont(name.px)
  const isOnStage = name.kind === 'shape' && model.shapes[name.index]!.kind === 'stage'
  context.fillStyle = isOnStage ? theme.stageText : name.kind === 'shape' ? theme.quiet : theme.text
  if (name.isBeneath) context.fillStyle = mix(theme.text, theme.zone, BENEATH_SHARE)
  const line = name.px * NAME_LINE
  const lines = name.lines.length * line + (name.hasCount ? COUNT_PX * NAME_LINE : 0)
  let y = at.y - lines / 2 + line / 2
  for (const text of name.lines) {
    context.fillText(text, at.x, y, name.width)
    y += line
  }
  const free = name.hasCount ? scene.states.freeIn(name.index) : null
  if (free === null) return
  context.font = `500 ${COUNT_PX}px system-ui, sans-serif`
  const text = free > 0 ? scene.words.free(free) : scene.words.soldOut
  context.fillText(text, at.x, y - line / 2 + (COUNT_PX * NAME_LINE) / 2, name.width)
}

/** So faint that seats on it keep their contrast. */
const BENEATH_SHARE = 0.13
