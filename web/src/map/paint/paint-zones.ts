import type { Point } from '@voelgoed/core/layout/model'
import { type Context, fontOf, nameFont } from './measure-name.ts'
import { placeOn } from './name-arc.ts'
import { ARC_GAP_PX, COUNT_OF_ARC, COUNT_PX, NAME_LINE, type PlacedName } from './place-names.ts'
import type { Scene } from './scene.ts'
import { strengthOf } from './strength.ts'
import { contrast, mix, parseColor } from './theme.ts'

/**
 * Zones from far: their price as the hue, how much is left as its strength in four steps; sold out is
 * neutral, not on sale is hatched.
 * What is left, and from what price, is written on them where there is room.
 */
export function zoneFill(scene: Scene, zoneIndex: number): string {
  const { states, theme } = scene
  const free = states.freeIn(zoneIndex)
  const capacity = states.capacityOf(zoneIndex)
  if (free === null) return mix(theme.sold, theme.zone, 0.3)
  if (free <= 0 || capacity <= 0) return mix(theme.background, theme.zone, 0.6)
  return mix(scene.zoneColor(zoneIndex), theme.zone, strengthOf(free, capacity))
}

/**
 * A name where placeNames has put it, with what is free below it. In CSS pixels; `at`: the middle of its box.
 */
export function paintName(
  context: Context,
  scene: Scene,
  name: PlacedName,
  at: Point,
  isOnFill: boolean,
): void {
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.font = nameFont(name.px)
  context.fillStyle = inkOf(scene, name, isOnFill)
  const line = name.px * NAME_LINE
  const lines = name.lines.length * line + (name.hasCount ? COUNT_PX * NAME_LINE : 0)
  let y = at.y - lines / 2 + line / 2
  for (const text of name.lines) {
    context.fillText(text, at.x, y, name.width)
    y += line
  }
  const text = name.hasCount ? scene.sectionText(name.index, name.isBrief) : null
  if (text === null) return
  context.font = fontOf(500, COUNT_PX)
  context.fillText(text, at.x, y - line / 2 + (COUNT_PX * NAME_LINE) / 2, name.width)
}

/** A name along its first row, letter by letter. `toPx`: from the hall's units to CSS pixels here. */
export function paintNameOnArc(
  context: Context,
  scene: Scene,
  { px, lines, length, hasCount, index, arc }: PlacedName,
  toPx: { readonly scale: number; readonly left: number; readonly top: number },
): void {
  const count = hasCount ? scene.sectionText(index, false) : null
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  const parts = [
    { text: lines[0]!, font: nameFont(px), ink: scene.theme.text },
    ...(count === null
      ? []
      : [{ text: count, font: fontOf(450, COUNT_OF_ARC * px), ink: scene.theme.quiet }]),
  ].map(part => {
    context.font = part.font
    const letters = [...part.text].map(letter => ({ letter, width: context.measureText(letter).width }))
    return { ...part, letters, width: letters.reduce((sum, { width }) => sum + width, 0) }
  })
  const wide = parts.reduce((sum, { width }) => sum + width, (parts.length - 1) * ARC_GAP_PX)
  let along = -Math.min(wide, length!) / 2
  const base = context.getTransform()
  for (const { letters, font, ink } of parts) {
    context.font = font
    context.fillStyle = ink
    for (const { letter, width } of letters) {
      const { x, y, turn } = placeOn(arc!, (along + width / 2) / toPx.scale)
      context.translate(x * toPx.scale + toPx.left, y * toPx.scale + toPx.top)
      context.rotate(turn)
      context.fillText(letter, 0, 0)
      context.setTransform(base)
      along += width
    }
    along += ARC_GAP_PX
  }
}

function inkOf(scene: Scene, { kind, index, isBeneath }: PlacedName, isOnFill: boolean): string {
  const { theme, model } = scene
  if (isBeneath) return mix(theme.text, theme.zone, BENEATH_SHARE)
  if (kind === 'shape') return model.shapes[index]!.kind === 'stage' ? theme.stageText : theme.quiet
  if (!isOnFill) return theme.text
  const fill = parseColor(zoneFill(scene, index))!
  const isReadable = (ink: string) => contrast(parseColor(ink)!, fill)
  if (scene.states.freeIn(index) === 0) return theme.quiet
  return isReadable(theme.text) >= isReadable(theme.zone) ? theme.text : theme.zone
}

/** So faint that seats on it keep their contrast. */
const BENEATH_SHARE = 0.13
