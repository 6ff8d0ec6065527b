import { AVAILABLE, BLOCKED, HELD, type SeatCategory, type ShownStatus, SOLD, UNKNOWN } from './model.ts'
import { inkOn, type MapTheme } from './theme.ts'

/** What can be drawn on: of a page or of a worker. */
export type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

export interface SeatLook {
  readonly status: ShownStatus
  readonly category: SeatCategory
  /** Of its price category. */
  readonly color: string
  readonly mine?: boolean
  readonly pending?: boolean
  /** Drawn where there is room for them. */
  readonly number?: string
  readonly row?: string
}

/**
 * A seat from near. Each state has a form of its own: free is full, with its number; held by someone else is
 * a hatched ring; sold has a cross; blocked a bar; mine a tick in a double ring; asked for but not yet
 * granted a broken ring; not known yet an empty outline.
 * Places for wheelchairs and companions are square and have a sign.
 */
export function drawSeat(
  context: Context,
  at: { x: number; y: number },
  radius: number,
  look: SeatLook,
  theme: MapTheme,
): void {
  context.save()
  context.translate(at.x, at.y)
  context.scale(radius, radius)
  context.lineCap = 'round'
  context.lineJoin = 'round'
  if (look.mine || look.pending) drawMine(context, look, theme)
  else if (look.status === AVAILABLE) drawFree(context, look)
  else if (look.status === UNKNOWN) drawUnknown(context, look, theme)
  else drawTaken(context, look, theme)
  context.restore()
}

/** A unit square with round corners for those who need more room, else a unit circle. */
function traceSeat(context: Context, category: SeatCategory, radius: number): void {
  context.beginPath()
  if (isAccessible(category)) context.roundRect(-radius, -radius, 2 * radius, 2 * radius, 0.3)
  else context.arc(0, 0, radius, 0, 2 * Math.PI)
}

function drawFree(context: Context, look: SeatLook): void {
  const { category, color } = look
  traceSeat(context, category, 0.97)
  context.fillStyle = color
  context.fill()
  const ink = inkOn(color)
  if (category === 'restricted_view') drawPillar(context, ink)
  drawInside(context, look, ink)
}

/** Says nothing about the seat but that it is there. */
function drawUnknown(context: Context, { category }: SeatLook, theme: MapTheme): void {
  context.strokeStyle = theme.sold
  context.lineWidth = 0.1
  traceSeat(context, category, 0.75)
  context.stroke()
}

function drawTaken(context: Context, { status, category }: SeatLook, theme: MapTheme): void {
  const color = { [HELD]: theme.held, [SOLD]: theme.sold, [BLOCKED]: theme.blocked }[status as 1 | 2 | 3]
  context.strokeStyle = color
  if (status === HELD) {
    context.lineWidth = 0.2
    traceSeat(context, category, 0.85)
    context.stroke()
    context.beginPath()
    for (const offset of [-0.5, 0, 0.5]) {
      const reach = offset === 0 ? 0.55 : 0.38
      context.moveTo(-reach + offset / 2, reach + offset / 2)
      context.lineTo(reach + offset / 2, -reach + offset / 2)
    }
    context.lineWidth = 0.14
    context.stroke()
    return
  }
  context.lineWidth = 0.1
  traceSeat(context, category, 0.8)
  if (status === SOLD) {
    context.globalAlpha = 0.25
    context.fillStyle = color
    context.fill()
    context.globalAlpha = 1
    context.beginPath()
    for (const side of [-1, 1]) {
      context.moveTo(-0.32 * side, -0.32)
      context.lineTo(0.32 * side, 0.32)
    }
    context.lineWidth = 0.17
  } else {
    context.stroke()
    context.beginPath()
    context.moveTo(-0.35, 0)
    context.lineTo(0.35, 0)
    context.lineWidth = 0.2
  }
  context.stroke()
}

function drawMine(context: Context, { category, pending }: SeatLook, theme: MapTheme): void {
  traceSeat(context, category, 1.32)
  context.fillStyle = theme.zone
  context.fill()
  context.strokeStyle = theme.mine
  context.lineWidth = 0.16
  if (pending) context.setLineDash([0.42, 0.3])
  context.stroke()
  context.setLineDash([])
  traceSeat(context, category, 1)
  context.fillStyle = theme.mine
  context.fill()
  context.beginPath()
  context.strokeStyle = theme.mineMark
  context.fillStyle = theme.mineMark
  if (pending) {
    for (const x of [-0.42, 0, 0.42]) {
      context.moveTo(x + 0.12, 0)
      context.arc(x, 0, 0.12, 0, 2 * Math.PI)
    }
    context.fill()
  } else {
    context.lineWidth = 0.24
    context.moveTo(-0.42, 0.04)
    context.lineTo(-0.1, 0.36)
    context.lineTo(0.46, -0.32)
    context.stroke()
  }
}

function drawInside(context: Context, { category, number, row }: SeatLook, ink: string): void {
  context.strokeStyle = ink
  context.fillStyle = ink
  if (category === 'wheelchair') drawWheelchair(context)
  else if (category === 'companion') drawPerson(context)
  else if (number !== undefined && row !== undefined) {
    drawText(context, row, -0.5, 0.5)
    drawText(context, number, 0.22, 0.85)
  } else if (number !== undefined) drawText(context, number, 0.05, 0.95)
}

/** `size`: of up to two letters; more are drawn smaller. */
function drawText(context: Context, text: string, y: number, size: number): void {
  const fitting = size * (text.length > 3 ? 0.6 : text.length > 2 ? 0.8 : 1)
  context.font = `600 ${fitting}px system-ui, sans-serif`
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillText(text, 0, y, 1.7)
}

function drawWheelchair(context: Context): void {
  context.beginPath()
  context.arc(-0.12, -0.62, 0.15, 0, 2 * Math.PI)
  context.fill()
  context.lineWidth = 0.15
  context.beginPath()
  context.moveTo(-0.12, -0.36)
  context.lineTo(-0.12, 0.08)
  context.lineTo(0.3, 0.08)
  context.lineTo(0.46, 0.52)
  context.stroke()
  context.beginPath()
  context.arc(-0.08, 0.26, 0.38, -0.1 * Math.PI, 1.25 * Math.PI)
  context.stroke()
}

function drawPerson(context: Context): void {
  context.beginPath()
  context.arc(0, -0.36, 0.24, 0, 2 * Math.PI)
  context.fill()
  context.beginPath()
  context.moveTo(-0.46, 0.56)
  context.bezierCurveTo(-0.46, -0.1, 0.46, -0.1, 0.46, 0.56)
  context.fill()
}

/** Something stands in the way: a wedge of the view is missing. */
function drawPillar(context: Context, ink: string): void {
  context.beginPath()
  context.moveTo(0, 0)
  context.arc(0, 0, 0.97, -0.72 * Math.PI, -0.28 * Math.PI)
  context.closePath()
  context.globalAlpha = 0.45
  context.fillStyle = ink
  context.fill()
  context.globalAlpha = 1
}

export function isAccessible(category: SeatCategory): boolean {
  return category === 'wheelchair' || category === 'companion'
}

/** One seat that fills a small canvas: for a legend. */
export function drawSeatSample(canvas: HTMLCanvasElement, sample: Partial<SeatLook>, theme: MapTheme): void {
  const context = canvas.getContext('2d')
  if (!context) return
  context.clearRect(0, 0, canvas.width, canvas.height)
  const middle = { x: canvas.width / 2, y: canvas.height / 2 }
  const room = Math.min(middle.x, middle.y)
  const radius = sample.mine || sample.pending ? room / 1.45 : room / 1.05
  drawSeat(
    context,
    middle,
    radius,
    { status: AVAILABLE, category: 'standard', color: theme.free, ...sample },
    theme,
  )
}
