import {
  AVAILABLE,
  BLOCKED,
  HELD,
  type SeatCategory,
  type ShownStatus,
  SOLD,
  UNKNOWN,
} from '../document/model.ts'
import { type Context, fontOf } from './measure-name.ts'
import { CORNER, DIMMED, HELD_SIZE, RIBBON, SOLD_SIZE, TINT } from './seat-shapes.ts'
import { drawCompanion, drawStar, drawWheelchair } from './seat-signs.ts'
import { inkOn, type MapTheme, mix, textColor } from './theme.ts'

export interface SeatLook {
  readonly status: ShownStatus
  readonly category: SeatCategory
  /** The colour of its price category. */
  readonly color: string
  /** In radians: so that its sides are in line with its row. */
  readonly turn?: number
  /** For members alone. */
  readonly isMembers?: boolean
  readonly mine?: boolean
  readonly pending?: boolean
  /** Proposed to the buyer, not held. */
  readonly offered?: boolean
  /** Would be left alone between seats that are taken. */
  readonly alone?: boolean
  /** Not what the buyer has asked for. */
  readonly isDimmed?: boolean
  /** Drawn where there is room for it. */
  readonly number?: string
}

/**
 * A seat from near. Each state has a form of its own: free is a full square with its number; in the cart of
 * someone else a ring; sold a small dot; not for sale a bar; mine is full in the colour of text; asked for
 * but not yet granted has three dots; not known yet is an empty outline. Places for wheelchairs are square
 * with a sign, companion seats are square outlines, seats for members have a star, and seats with a
 * restricted view are tinted outlines.
 *
 * `half`: of a seat's side.
 */
export function drawSeat(
  context: Context,
  at: { x: number; y: number },
  half: number,
  look: SeatLook,
  theme: MapTheme,
): void {
  context.save()
  context.translate(at.x, at.y)
  context.scale(half, half)
  context.lineCap = 'round'
  context.lineJoin = 'round'
  if (look.isDimmed) context.globalAlpha = DIMMED
  if (look.alone) drawAlone(context, look, theme)
  if (look.mine || look.pending) drawMine(context, look, theme)
  else if (look.status === AVAILABLE) drawFree(context, look, theme)
  else drawTaken(context, look, theme)
  context.restore()
}

/** A square with round corners around the middle, turned as the seat is; `size`: 1 is the seat's. */
function traceSquare(context: Context, { category, turn = 0 }: SeatLook, size: number): void {
  context.rotate(turn)
  context.beginPath()
  const corner = isAccessible(category) ? 0.3 : 2 * CORNER
  context.roundRect(-size, -size, 2 * size, 2 * size, Math.min(size, corner * size))
  context.rotate(-turn)
}

function drawFree(context: Context, look: SeatLook, theme: MapTheme): void {
  const { category, color, turn = 0, isMembers } = look
  const isOutlined = category === 'restricted_view' || category === 'companion'
  let ink = inkOn(color)
  if (isOutlined) {
    traceSquare(context, look, 0.91)
    const ground = category === 'companion' ? theme.zone : mix(color, theme.zone, TINT)
    context.fillStyle = ground
    context.fill()
    context.strokeStyle = color
    context.lineWidth = 0.18
    context.stroke()
    ink = textColor(color, ground)
  } else {
    traceSquare(context, look, 1)
    context.fillStyle = color
    context.fill()
  }
  context.strokeStyle = ink
  context.fillStyle = ink
  const sign =
    category === 'wheelchair'
      ? drawWheelchair
      : category === 'companion'
        ? drawCompanion
        : isMembers
          ? drawStar
          : null
  if (!sign) drawNumber(context, look)
  else {
    context.rotate(turn)
    sign(context)
    context.rotate(-turn)
  }
}

function drawTaken(context: Context, look: SeatLook, theme: MapTheme): void {
  const { status } = look
  if (status === SOLD) {
    traceSquare(context, look, SOLD_SIZE)
    context.fillStyle = theme.sold
    context.fill()
  } else if (status === BLOCKED) {
    context.rotate(look.turn ?? 0)
    context.fillStyle = theme.blocked
    context.beginPath()
    context.roundRect(-SOLD_SIZE, -0.13, 2 * SOLD_SIZE, 0.26, 0.13)
    context.fill()
  } else {
    const isUnknown = status === UNKNOWN
    context.lineWidth = isUnknown ? 0.1 : 0.2
    traceSquare(context, look, (isUnknown ? 0.75 : HELD_SIZE) - context.lineWidth / 4)
    context.strokeStyle = status === HELD ? theme.held : theme.blocked
    context.stroke()
  }
}

function drawMine(context: Context, look: SeatLook, theme: MapTheme): void {
  traceSquare(context, look, 1)
  context.fillStyle = look.pending ? mix(theme.mine, theme.zone, 0.6) : theme.mine
  context.fill()
  context.fillStyle = theme.mineMark
  if (look.pending) {
    context.beginPath()
    for (const x of [-0.42, 0, 0.42]) {
      context.moveTo(x + 0.13, 0)
      context.arc(x, 0, 0.13, 0, 2 * Math.PI)
    }
    context.fill()
  } else drawNumber(context, look)
}

function drawAlone(context: Context, look: SeatLook, theme: MapTheme): void {
  traceSquare(context, look, RIBBON)
  context.strokeStyle = theme.warning
  context.lineWidth = 0.17
  context.setLineDash([0.42, 0.3])
  context.stroke()
  context.setLineDash([])
}

/** Upright, however the seat is turned. */
function drawNumber(context: Context, { number }: SeatLook): void {
  if (number === undefined) return
  const size = number.length > 3 ? 0.6 : number.length > 2 ? 0.8 : 1
  context.font = seatFont(size)
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillText(number, 0, 0.06, 1.7)
}

function seatFont(size: number): string {
  return fontOf(650, size)
}

function isAccessible(category: SeatCategory): boolean {
  return category === 'wheelchair' || category === 'companion'
}

/** One seat that fills a small canvas: for a legend. */
export function drawSeatSample(canvas: HTMLCanvasElement, sample: Partial<SeatLook>, theme: MapTheme): void {
  const context = canvas.getContext('2d')
  if (!context) return
  context.clearRect(0, 0, canvas.width, canvas.height)
  const middle = { x: canvas.width / 2, y: canvas.height / 2 }
  const room = Math.min(middle.x, middle.y)
  const half = sample.alone ? room / (RIBBON + 0.12) : room / 1.05
  drawSeat(
    context,
    middle,
    half,
    { status: AVAILABLE, category: 'standard', color: theme.free, ...sample },
    theme,
  )
}
