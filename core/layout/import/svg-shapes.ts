import type { Point } from '../model.ts'
import { IDENTITY, type Matrix, middleOf, pointsOf, readTransform, transformed } from './svg-geometry.ts'
import { labelOf, type SeatName, type SvgOptions, seatNameOf } from './svg-labels.ts'
import { readXml, type XmlTag } from './xml.ts'

/** A shape that means something, where it is on the plan. */
export interface SvgShape {
  readonly kind: 'seat' | 'places' | 'stage'
  readonly label: string | null
  /** The name of a seat; null: its label does not say it. */
  readonly name: SeatName | null
  readonly middle: Point
  readonly points: readonly Point[]
  /** `#rrggbb`, or null for anything else. */
  readonly fill: string | null
  readonly category: string | null
  readonly capacity: number | null
  /** Words of its class and of `data-kind`. */
  readonly marks: readonly string[]
}

interface Open {
  readonly tag: XmlTag
  readonly matrix: Matrix
  readonly fill: string | null
  readonly isSeats: boolean
  readonly isUnseen: boolean
  title: string
}

/** Their content is no part of the picture, or is no shape. */
const APART = new Set([
  'defs',
  'symbol',
  'clipPath',
  'mask',
  'pattern',
  'marker',
  'style',
  'script',
  'foreignObject',
  'metadata',
])
const SHAPES = new Set(['circle', 'ellipse', 'rect', 'polygon', 'polyline', 'path'])
const STAGE = /^(?:stage|verhoog|bühne|podium)$/iu

export function readShapes(
  text: string,
  options: SvgOptions,
): { shapes: SvgShape[]; ignored: number; broken: string | null } {
  const shapes: SvgShape[] = []
  const stack: Open[] = []
  let ignored = 0
  let hasSvg = false
  const broken = readXml(text, {
    open(tag) {
      hasSvg ||= tag.name === 'svg'
      stack.push(opened(tag, stack.at(-1)))
    },
    text(words) {
      const around = stack.at(-1)
      const named = stack.at(-2)
      if (around?.tag.name === 'title' && named) named.title = (named.title + words).slice(0, 500)
    },
    close() {
      const shape = stack.pop()!
      if (shape.isUnseen || !SHAPES.has(shape.tag.name)) return
      const read = shapeOf(shape, stack, options)
      if (read) shapes.push(read)
      else ignored += 1
    },
  })
  if (broken !== null) return { shapes: [], ignored: 0, broken }
  return { shapes, ignored, broken: hasSvg ? null : 'This is no SVG: there is no <svg> in it.' }
}

function opened(tag: XmlTag, outer: Open | undefined): Open {
  const style = tag.attributes.get('style') ?? ''
  const isHidden = tag.attributes.get('display') === 'none' || /display\s*:\s*none/.test(style)
  return {
    tag,
    matrix: readTransform(tag.attributes.get('transform'), outer?.matrix ?? IDENTITY),
    fill: fillOf(tag.attributes.get('fill'), style) ?? outer?.fill ?? null,
    isSeats: (outer?.isSeats ?? false) || marksOf(tag).some(mark => mark === 'seat' || mark === 'seats'),
    isUnseen: (outer?.isUnseen ?? false) || isHidden || APART.has(tag.name),
    title: '',
  }
}

function marksOf({ attributes }: XmlTag): string[] {
  const text = `${attributes.get('class') ?? ''} ${attributes.get('data-kind') ?? ''}`
  return text.toLowerCase().split(/\s+/).filter(Boolean)
}

function fillOf(attribute: string | undefined, style: string): string | null {
  const said = /(?:^|;)\s*fill\s*:\s*([^;]+)/.exec(style)?.[1] ?? attribute
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(said?.trim() ?? '')?.[1]?.toLowerCase()
  if (hex === undefined) return null
  return `#${hex.length === 3 ? [...hex].map(digit => digit + digit).join('') : hex}`
}

function shapeOf(shape: Open, around: readonly Open[], options: SvgOptions): SvgShape | null {
  const { tag, matrix } = shape
  const { attributes } = tag
  const points = pointsOf(tag.name, attributes)?.map(point => transformed(point, matrix))
  if (!points || points.length === 0) return null
  const label = labelOf(attributes, shape.title, options.labelFrom)
  const called = label ?? labelOf(attributes, shape.title, 'auto')
  const isPlaces = attributes.has('data-capacity')
  const isStage = !isPlaces && called !== null && STAGE.test(called)
  const isSeat =
    tag.name === 'circle' || tag.name === 'ellipse' || shape.isSeats || attributes.has('data-seat')
  if (!isPlaces && !isStage && !isSeat) return null
  return {
    kind: isPlaces ? 'places' : isStage ? 'stage' : 'seat',
    label: isPlaces || isStage ? called : label,
    name: isPlaces || isStage ? null : nameOf(attributes, label, around, options),
    middle: middleOf(points),
    points: isPlaces || isStage ? points : [],
    fill: shape.fill,
    category: attributes.get('data-category')?.trim().slice(0, 100) || null,
    capacity: isPlaces ? Number(attributes.get('data-capacity')) : null,
    marks: marksOf(tag),
  }
}

/** Attributes that say it are right; else it is read from the label and from the groups around. */
function nameOf(
  attributes: ReadonlyMap<string, string>,
  label: string | null,
  around: readonly Open[],
  { rule }: SvgOptions,
): SeatName | null {
  const groups = around
    .filter(({ tag }) => tag.name === 'g')
    .flatMap(({ tag, title }) => labelOf(tag.attributes, title, 'auto') ?? [])
  const read = label === null ? null : seatNameOf(label, groups, rule)
  const row = attributes.get('data-row')?.trim() || read?.row
  const seat = (attributes.has('data-row') && attributes.get('data-seat')?.trim()) || read?.seat
  if (!row || !seat) return null
  return {
    section: attributes.get('data-section')?.trim() || read?.section || groups.at(-1) || 'Seats',
    row,
    seat,
  }
}
