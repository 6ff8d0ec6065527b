import { SEAT_CATEGORIES } from '@voelgoed/core/layout/model'
import { AVAILABLE, type Bounds, type ShownStatus } from '../document/model.ts'
import { detailOf, showsNumbers, showsRowLetters } from './detail.ts'
import { drawSeat } from './draw-seat.ts'
import { type Context, fontOf } from './measure-name.ts'
import { DotPainter } from './paint-dots.ts'
import { paintGround } from './paint-ground.ts'
import { paintName, paintNameOnArc } from './paint-zones.ts'
import type { PlacedName } from './place-names.ts'
import { EDGE_BEFORE, EDGE_BEHIND, type Scene } from './scene.ts'
import { HALF_OF_PITCH, SEAT_REACH } from './seat-shapes.ts'
import type { TileSet } from './tiles.ts'
import { type Painting, Parts } from './tiles.ts'

/**
 * Paints any part of the hall at any scale. What it paints follows from the scene alone,
 * so parts fit together.
 */
export class Painter {
  readonly #scene: Scene
  readonly #dots: DotPainter

  constructor(scene: Scene) {
    this.#scene = scene
    this.#dots = new DotPainter(scene)
  }

  paint(context: Context, painting: Painting): void {
    const { set, rects, corner, ratio } = painting
    const scene = this.#scene
    const pitchPx = (scene.model.pitch * set.scale) / ratio
    const detail = detailOf(pitchPx, scene.model.seatCount)
    const parts = new Parts(rects.map(rect => set.toUnits(rect)))

    context.save()
    context.setTransform(1, 0, 0, 1, -corner.left, -corner.top)
    context.beginPath()
    for (const { left, top, right, bottom } of rects) context.rect(left, top, right - left, bottom - top)
    context.clip()
    context.fillStyle = scene.theme.background
    for (const { left, top, right, bottom } of rects) context.fillRect(left, top, right - left, bottom - top)

    inUnits(context, set, corner)
    paintGround(context, scene, parts, ratio / set.scale, detail === 'zones')
    if (detail === 'dots') this.#paintNames(context, painting, parts, name => name.isBeneath, false)
    if (detail === 'dots') this.#dots.paint(context, painting, parts)
    if (detail === 'seats') this.#paintSeats(context, painting, parts, pitchPx)
    this.#paintWords(context, painting, parts, detail === 'zones')
    context.restore()
  }

  #paintSeats(context: Context, { set, corner }: Painting, parts: Parts, pitchPx: number): void {
    const scene = this.#scene
    const { model, states, theme } = scene
    const { x, y } = model
    const half = HALF_OF_PITCH * model.pitch * set.scale
    const origin = set.toPixels({ minX: 0, minY: 0, maxX: 0, maxY: 0 })
    const withNumbers = showsNumbers(pitchPx)
    const withLetters = showsRowLetters(pitchPx)
    context.setTransform(1, 0, 0, 1, -corner.left, -corner.top)
    const placeOf = (ordinal: number) => ({
      x: x[ordinal]! * set.scale + origin.left,
      y: y[ordinal]! * set.scale + origin.top,
    })
    scene.grid.forEachInAny(parts.grownBy(SEAT_REACH * model.pitch).each, ordinal => {
      const status = states.statuses[ordinal] as ShownStatus
      const look = {
        status,
        category: SEAT_CATEGORIES[model.categoryOf[ordinal]!]!,
        color: scene.colorOf(ordinal),
        turn: scene.angleOf(ordinal),
        isMembers: scene.isMembers(model.zoneOf[ordinal]!),
        isDimmed: status === AVAILABLE && scene.isDimmed(ordinal),
        ...(withNumbers && status === AVAILABLE && { number: String(model.numberOf(ordinal)) }),
      }
      drawSeat(context, placeOf(ordinal), half, look, theme)
    })
    if (!withLetters) return
    // A letter stands beside its seat.
    scene.grid.forEachInAny(parts.grownBy(2 * model.pitch).each, ordinal => {
      if (scene.rowEdges[ordinal]) this.#paintRowLabel(context, ordinal, placeOf(ordinal), set.scale)
    })
  }

  /** Beside the ends of a row and on both sides of an aisle, in the direction in which the row runs. */
  #paintRowLabel(context: Context, ordinal: number, at: { x: number; y: number }, scale: number): void {
    const { model, rowEdges, theme } = this.#scene
    const { x, y, pitch } = model
    const edge = rowEdges[ordinal]!
    context.font = fontOf(600, 0.36 * pitch * scale)
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    context.fillStyle = theme.quiet
    const isAlone = edge === (EDGE_BEFORE | EDGE_BEHIND)
    for (const [mask, neighbour, side] of [
      [EDGE_BEFORE, ordinal + 1, -1],
      [EDGE_BEHIND, ordinal - 1, 1],
    ] as const) {
      if (!(edge & mask)) continue
      const dx = isAlone ? side : x[ordinal]! - x[neighbour]!
      const dy = isAlone ? 0 : y[ordinal]! - y[neighbour]!
      const reach = (0.92 * pitch * scale) / (Math.hypot(dx, dy) || 1)
      context.fillText(model.rowOf(ordinal), at.x + dx * reach, at.y + dy * reach, 0.9 * pitch * scale)
    }
  }

  #paintNames(
    context: Context,
    { set, corner, ratio, withNames }: Painting,
    parts: Parts,
    isMeant: (name: PlacedName) => boolean,
    isFar: boolean,
  ): void {
    if (!withNames) return
    const scale = set.scale / ratio
    context.setTransform(ratio, 0, 0, ratio, -corner.left, -corner.top)
    for (const name of this.#scene.namesAt(scale)) {
      if (!isMeant(name) || !parts.touch(boundsOf(name, scale))) continue
      if (name.arc) {
        const origin = set.toPixels({ minX: 0, minY: 0, maxX: 0, maxY: 0 })
        const toPx = { scale, left: origin.left / ratio, top: origin.top / ratio }
        paintNameOnArc(context, this.#scene, name, toPx)
        continue
      }
      const { left, top } = set.toPixels({ minX: name.x, minY: name.y, maxX: name.x, maxY: name.y })
      const isOnFill = isFar || (name.kind === 'zone' && this.#scene.model.zones[name.index]!.seatCount === 0)
      paintName(context, this.#scene, name, { x: left / ratio, y: top / ratio }, isOnFill)
    }
  }

  #paintWords(context: Context, painting: Painting, parts: Parts, isFar: boolean): void {
    const scene = this.#scene
    const { set, corner, ratio } = painting
    const { model, theme } = scene
    context.setTransform(ratio, 0, 0, ratio, -corner.left, -corner.top)
    this.#paintNames(context, painting, parts, name => !name.isBeneath, isFar)
    if (model.focalPoint && !model.shapes.some(shape => shape.kind === 'stage')) {
      const { left, top } = set.toPixels({
        minX: model.focalPoint.x,
        minY: model.focalPoint.y,
        maxX: 0,
        maxY: 0,
      })
      context.strokeStyle = theme.quiet
      context.lineWidth = 2
      for (const radius of [3, 8]) {
        context.beginPath()
        context.arc(left / ratio, top / ratio, radius, 0, 2 * Math.PI)
        context.stroke()
      }
    }
  }
}

/** A name's box, from the hall's units and CSS pixels to the hall's units. */
function boundsOf({ x, y, width, height }: PlacedName, scale: number): Bounds {
  return {
    minX: x - width / 2 / scale,
    minY: y - height / 2 / scale,
    maxX: x + width / 2 / scale,
    maxY: y + height / 2 / scale,
  }
}

function inUnits(context: Context, set: TileSet<unknown>, corner: Painting['corner']): void {
  const origin = set.toPixels({ minX: 0, minY: 0, maxX: 0, maxY: 0 })
  context.setTransform(set.scale, 0, 0, set.scale, origin.left - corner.left, origin.top - corner.top)
}
