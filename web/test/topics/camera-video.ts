const [WIDTH, HEIGHT] = [640, 480]
/** Pixels of a module. */
const SCALE = 6

/**
 * Makes what a camera sees that a ticket is held before: an uncompressed video (YUV4MPEG2) with the code of
 * an SVG of ours on some frames and nothing on the others. Chromium plays it from the beginning again and
 * again.
 */
export function videoOf(
  svg: string,
  { framesPerSecond, shown, blank }: { framesPerSecond: number; shown: number; blank: number },
): Buffer {
  const header = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F${framesPerSecond}:1 Ip A1:1 C420jpeg\n`)
  const withCode = frame(drawCode(svg))
  const without = frame(Buffer.alloc(WIDTH * HEIGHT, 200))
  return Buffer.concat([header, ...Array(shown).fill(withCode), ...Array(blank).fill(without)])
}

function frame(luma: Buffer): Buffer {
  // Two planes of colour, each a quarter as large: grey.
  return Buffer.concat([Buffer.from('FRAME\n'), luma, Buffer.alloc((WIDTH * HEIGHT) / 2, 128)])
}

function drawCode(svg: string): Buffer {
  const luma = Buffer.alloc(WIDTH * HEIGHT, 200)
  const runs = [...svg.matchAll(/M(\d+) (\d+)h(\d+)v1/g)].map(run => run.slice(1).map(Number))
  const side = Math.max(...runs.map(([, y]) => y!)) + 1
  const [left, top] = [(WIDTH - side * SCALE) >> 1, (HEIGHT - side * SCALE) >> 1]
  for (const [x, y, length] of runs as [number, number, number][]) {
    for (let row = 0; row < SCALE; row += 1) {
      const from = (top + y * SCALE + row) * WIDTH + left + x * SCALE
      luma.fill(20, from, from + length * SCALE)
    }
  }
  return luma
}
