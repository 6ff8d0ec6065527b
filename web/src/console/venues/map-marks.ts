import type { Point } from '@voelgoed/core/layout/model'

export type MarkKind = 'warn' | 'bad' | 'added' | 'moved' | 'removed' | 'renumbered' | 'changed'

/** Something to see at a place of the hall. */
export interface MapMark {
  readonly kind: MarkKind
  readonly at: Point
  /** It was here before. */
  readonly from?: Point | null
  /** A number or a sign beside it. */
  readonly text?: string
}

interface Shown {
  readonly marks: readonly MapMark[]
  readonly chosen: MapMark | null
  readonly view: { readonly x: number; readonly y: number; readonly scale: number }
  readonly pitch: number
  readonly size: { readonly width: number; readonly height: number }
}

/** Tokens of the design system, and a dash for what is not there. */
const LOOKS: Readonly<Record<MarkKind, { readonly color: string; readonly isDashed?: boolean }>> = {
  warn: { color: '--warn' },
  bad: { color: '--bad' },
  added: { color: '--good' },
  moved: { color: '--info' },
  removed: { color: '--bad', isDashed: true },
  renumbered: { color: '--warn' },
  changed: { color: '--ink-2' },
}
/** With more marks in view than this they are dots: rings and lines would cover the hall. */
const MOST_RINGS = 4_000

/** Over the map: rings around seats, lines from where they were, numbers beside warnings. */
export function drawMarks(layer: HTMLCanvasElement, { marks, chosen, view, pitch, size }: Shown): void {
  const context = layer.getContext('2d')
  if (!context) return
  const ratio = Math.min(devicePixelRatio || 1, 2)
  layer.width = Math.round(size.width * ratio)
  layer.height = Math.round(size.height * ratio)
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  const style = getComputedStyle(layer)
  const onScreen = ({ x, y }: Point) => ({
    x: (x - view.x) * view.scale + size.width / 2,
    y: (y - view.y) * view.scale + size.height / 2,
  })
  const radius = Math.max(3, pitch * view.scale * 0.52)
  const seen = marks.filter(({ at }) => {
    const { x, y } = onScreen(at)
    return x > -radius && y > -radius && x < size.width + radius && y < size.height + radius
  })
  const areRings = seen.length <= MOST_RINGS
  for (const kind of Object.keys(LOOKS) as MarkKind[]) {
    const ofKind = seen.filter(mark => mark.kind === kind)
    if (ofKind.length === 0) continue
    const { color, isDashed = false } = LOOKS[kind]
    context.strokeStyle = context.fillStyle = style.getPropertyValue(color)
    context.setLineDash(isDashed && areRings ? [3, 3] : [])
    context.lineWidth = 2
    context.beginPath()
    for (const { at, from } of ofKind) {
      const { x, y } = onScreen(at)
      if (!areRings) {
        context.rect(x - 1.5, y - 1.5, 3, 3)
        continue
      }
      context.moveTo(x + radius, y)
      context.arc(x, y, radius, 0, 2 * Math.PI)
      if (!from) continue
      const old = onScreen(from)
      context.moveTo(old.x, old.y)
      context.lineTo(x, y)
    }
    if (areRings) context.stroke()
    else context.fill()
    context.setLineDash([])
    if (areRings)
      for (const mark of ofKind) if (mark.text) drawSign(context, mark.text, onScreen(mark.at), radius, style)
  }
  if (!chosen) return
  const { x, y } = onScreen(chosen.at)
  context.lineWidth = 3
  context.strokeStyle = style.getPropertyValue('--ink')
  context.beginPath()
  context.arc(x, y, radius + 5, 0, 2 * Math.PI)
  context.stroke()
}

function drawSign(
  context: CanvasRenderingContext2D,
  text: string,
  { x, y }: Point,
  radius: number,
  style: CSSStyleDeclaration,
): void {
  const [atX, atY] = [x + radius * 0.75, y - radius * 0.75]
  const fill = context.fillStyle
  context.beginPath()
  context.arc(atX, atY, 8, 0, 2 * Math.PI)
  context.fill()
  context.fillStyle = style.getPropertyValue('--surface')
  context.font = `600 10px ${style.fontFamily}`
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillText(text, atX, atY + 0.5)
  context.fillStyle = fill
}
