import { inflateSync } from 'node:zlib'
import { decodeQR } from 'qr/decode.js'

interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Pixels for each unit of the drawing. */
const SCALE = 3
/** Units around the code. */
const BORDER = 20

/** Returns what a reader sees in an SVG of ours. */
export function decodeSvg(svg: string): string {
  const rectangles = [...svg.matchAll(/M(\d+) (\d+)h(\d+)v1/g)].map(match => {
    const [x, y, width] = match.slice(1).map(Number) as [number, number, number]
    return { x, y, width, height: 1 }
  })
  return decode(rectangles)
}

/** Returns what a reader sees on each page of a PDF of ours: rectangles are the only shapes on it. */
export function decodePdf(pdf: Buffer): string[] {
  return pagesOf(pdf).map(content => {
    const rectangles = [...content.matchAll(/^(\S+) (\S+) (\S+) (\S+) re$/gm)].map(match => {
      const [x, y, width, height] = match.slice(1).map(Number) as [number, number, number, number]
      return { x, y, width, height }
    })
    return decode(rectangles)
  })
}

/** The drawing commands of each page. */
function pagesOf(pdf: Buffer): string[] {
  const text = pdf.toString('latin1')
  const streams = [...text.matchAll(/\/Length (\d+)\n\/Filter \/FlateDecode\n>>\nstream\n/g)]
  return streams
    .map(({ index, 0: head, 1: length }) => {
      const from = index + head.length
      return inflateSync(pdf.subarray(from, from + Number(length))).toString('latin1')
    })
    .filter(content => / re$/m.test(content))
}

export function countPages(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type \/Page\n/g)!.length
}

function decode(rectangles: readonly Rectangle[]): string {
  const left = Math.min(...rectangles.map(each => each.x)) - BORDER
  const top = Math.min(...rectangles.map(each => each.y)) - BORDER
  const right = Math.max(...rectangles.map(each => each.x + each.width)) + BORDER
  const bottom = Math.max(...rectangles.map(each => each.y + each.height)) + BORDER
  const [columns, rows] = [Math.ceil((right - left) * SCALE), Math.ceil((bottom - top) * SCALE)]
  const data = new Uint8Array(columns * rows * 4).fill(255)
  for (const { x, y, width, height } of rectangles) {
    const [from, to] = [Math.round((x - left) * SCALE), Math.round((x + width - left) * SCALE)]
    for (let row = Math.round((y - top) * SCALE); row < Math.round((y + height - top) * SCALE); row += 1) {
      for (let column = from; column < to; column += 1)
        data.fill(0, (row * columns + column) * 4, -1 + (row * columns + column + 1) * 4)
    }
  }
  return decodeQR({ width: columns, height: rows, data })
}
