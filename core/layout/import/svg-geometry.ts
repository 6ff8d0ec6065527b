import type { Point } from '../model.ts'
import { ellipse } from './polygons.ts'

/** a c e / b d f, as SVG writes it. */
export type Matrix = readonly [number, number, number, number, number, number]
export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0]

const STEP = /([a-zA-Z]+)\s*\(([^()]*)\)/g
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/g
const MOST_NUMBERS = 20_000

function numbersIn(text: string): number[] {
  const numbers: number[] = []
  for (const [found] of text.matchAll(NUMBER)) {
    if (numbers.length === MOST_NUMBERS) break
    numbers.push(Number(found))
  }
  return numbers
}

export function transformed({ x, y }: Point, [a, b, c, d, e, f]: Matrix): Point {
  return { x: a * x + c * y + e, y: b * x + d * y + f }
}

/** Returns what a transform attribute does inside of another one. Steps that are not known do nothing. */
export function readTransform(text: string | undefined, outer: Matrix): Matrix {
  if (!text) return outer
  let matrix = outer
  for (const [, name, inside] of text.matchAll(STEP)) {
    matrix = times(matrix, stepOf(name!, numbersIn(inside!)))
  }
  return matrix
}

function stepOf(name: string, n: readonly number[]): Matrix {
  const [first = 0, second] = n
  if (name === 'translate') return [1, 0, 0, 1, first, second ?? 0]
  if (name === 'scale') return [first, 0, 0, second ?? first, 0, 0]
  if (name === 'matrix' && n.length === 6) return n as unknown as Matrix
  if (name === 'rotate') {
    const angle = (first / 180) * Math.PI
    const turn: Matrix = [Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0]
    const [, x = 0, y = 0] = n
    return times(times([1, 0, 0, 1, x, y], turn), [1, 0, 0, 1, -x, -y])
  }
  return IDENTITY
}

function times(m: Matrix, n: Matrix): Matrix {
  return [
    m[0] * n[0] + m[2] * n[1],
    m[1] * n[0] + m[3] * n[1],
    m[0] * n[2] + m[2] * n[3],
    m[1] * n[2] + m[3] * n[3],
    m[0] * n[4] + m[2] * n[5] + m[4],
    m[1] * n[4] + m[3] * n[5] + m[5],
  ]
}

/** The corners of a shape before its transform; null: it has none that can be read. */
export function pointsOf(name: string, attributes: ReadonlyMap<string, string>): Point[] | null {
  const n = (key: string) => numbersIn(attributes.get(key) ?? '')[0] ?? 0
  if (name === 'circle' || name === 'ellipse') {
    const radiusX = n(name === 'circle' ? 'r' : 'rx')
    return ellipse({ x: n('cx'), y: n('cy') }, radiusX, name === 'circle' ? radiusX : n('ry'), 0)
  }
  if (name === 'rect') {
    const [x, y, width, height] = [n('x'), n('y'), n('width'), n('height')]
    return [
      { x, y },
      { x: x + width, y },
      { x: x + width, y: y + height },
      { x, y: y + height },
    ]
  }
  if (name === 'polygon' || name === 'polyline') return pairs(numbersIn(attributes.get('points') ?? ''))
  if (name === 'path') return pathPoints(attributes.get('d') ?? '')
  return null
}

function pairs(numbers: readonly number[]): Point[] | null {
  const points = Array.from({ length: numbers.length >> 1 }, (_, index) => ({
    x: numbers[index * 2]!,
    y: numbers[index * 2 + 1]!,
  }))
  return points.length > 0 ? points : null
}

/** A step of a path takes so many numbers; the last two are where it ends. */
const STEPS: Readonly<Record<string, number>> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 }

/** Returns where the steps of a path end: curves between them are left out. */
function pathPoints(text: string): Point[] | null {
  const points: Point[] = []
  let x = 0
  let y = 0
  for (const [, letter, inside] of text.slice(0, 200_000).matchAll(/([a-zA-Z])([^a-df-zA-DF-Z]*)/g)) {
    const size = STEPS[letter!.toLowerCase()]
    if (!size) continue
    const numbers = numbersIn(inside!)
    const isRelative = letter === letter!.toLowerCase()
    const kind = letter!.toLowerCase()
    for (let at = 0; at + size <= numbers.length && points.length < MOST_NUMBERS; at += size) {
      const end = numbers.slice(at, at + size)
      const [dx, dy] = isRelative ? [x, y] : [0, 0]
      if (kind === 'h') x = dx + end[0]!
      else if (kind === 'v') y = dy + end[0]!
      else {
        x = dx + end.at(-2)!
        y = dy + end.at(-1)!
      }
      points.push({ x, y })
    }
  }
  return points.length > 0 ? points : null
}

/** The middle of what the points cover. */
export function middleOf(points: readonly Point[]): Point {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const { x, y } of points) {
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  return { x: (left + right) / 2, y: (top + bottom) / 2 }
}
