import { toScreen } from '../paint/camera.ts'
import { showsRowLetters } from '../paint/detail.ts'
import { fontOf } from '../paint/measure-name.ts'
import { EDGE_BEFORE, EDGE_BEHIND, type Scene } from '../paint/scene.ts'
import { parseColor } from '../paint/theme.ts'
import { NARROW_UNTIL_PX } from './minimap.ts'
import type { FrameView } from './overlay.ts'

const RAIL_PX = 44
const LETTER_PX = 13
const LETTERS_AT_PX = 14
/** Rows that rise more steeply than this have no letter at the side of the view. */
const STEEPEST = 0.6

/**
 * On narrow screens, the letters of the rows at the left edge of the view, under which seats fade: the ends
 * of a row may be far off the screen.
 */
export function drawRowRail(context: CanvasRenderingContext2D, scene: Scene, view: FrameView): void {
  const { model, theme } = scene
  const { camera, size, ratio } = view
  if (size.width > NARROW_UNTIL_PX || !showsRowLetters(model.pitch * camera.scale)) return
  const letters = lettersAt(scene, view)
  if (letters.length === 0) return
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  const [red, green, blue] = parseColor(theme.zone)!
  const fade = context.createLinearGradient(0, 0, RAIL_PX, 0)
  fade.addColorStop(0, `rgb(${red} ${green} ${blue})`)
  fade.addColorStop(0.55, `rgb(${red} ${green} ${blue} / 92%)`)
  fade.addColorStop(1, `rgb(${red} ${green} ${blue} / 0%)`)
  context.fillStyle = fade
  const top = Math.max(0, letters[0]!.y - 1.5 * LETTER_PX)
  const bottom = Math.min(size.height, letters.at(-1)!.y + 1.5 * LETTER_PX)
  context.fillRect(0, top, RAIL_PX, bottom - top)
  context.font = fontOf(680, LETTER_PX)
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillStyle = theme.text
  for (const { text, y } of letters) context.fillText(text, LETTERS_AT_PX, y, 2 * LETTERS_AT_PX - 2)
}

interface Letter {
  readonly text: string
  readonly y: number
}

/** Returns the place of each row that runs through the edge, from top to bottom, none too near to another. */
function lettersAt({ model, grid, rowEdges }: Scene, { camera, size }: FrameView): Letter[] {
  const { x, y, pitch } = model
  const left = camera.x - size.width / 2 / camera.scale
  const reach = size.height / 2 / camera.scale
  const found: Letter[] = []
  grid.forEachIn(
    { minX: left - pitch, minY: camera.y - reach, maxX: left + pitch, maxY: camera.y + reach },
    ordinal => {
      // The seat at the left of a pair whose right one is in view.
      const next = rightNeighbour(ordinal)
      if (next === null || x[ordinal]! > left || x[next]! <= left) return
      const slope = (y[next]! - y[ordinal]!) / (x[next]! - x[ordinal]!)
      if (Math.abs(slope) > STEEPEST) return
      const at = y[ordinal]! + slope * (left + LETTERS_AT_PX / camera.scale - x[ordinal]!)
      found.push({ text: model.rowOf(ordinal), y: toScreen(camera, size, { x: left, y: at }).y })
    },
  )
  found.sort((a, b) => a.y - b.y)
  return found.filter((letter, index) => index === 0 || letter.y - found[index - 1]!.y >= LETTER_PX)

  function rightNeighbour(ordinal: number): number | null {
    const isRight = (other: number) => model.has(other) && x[other]! > x[ordinal]!
    if (!(rowEdges[ordinal]! & EDGE_BEHIND) && isRight(ordinal + 1)) return ordinal + 1
    if (!(rowEdges[ordinal]! & EDGE_BEFORE) && isRight(ordinal - 1)) return ordinal - 1
    return null
  }
}
