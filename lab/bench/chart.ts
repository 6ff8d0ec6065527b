/**
 * Lines between measured points, as a small SVG. Both axes are logarithmic: loads and waits span magnitudes.
 */
export interface Chart {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly series: readonly Series[]
}

interface Series {
  readonly name: string
  readonly points: readonly ChartPoint[]
}

interface ChartPoint {
  readonly x: number
  readonly y: number
  readonly label?: string
}

const WIDTH = 860
const HEIGHT = 520
const LEFT = 70
const RIGHT = 230
const TOP = 50
const BOTTOM = 60
const COLOURS = ['#0b6e4f', '#c8553d', '#3a5ba0', '#8f5ea2', '#b8860b', '#555555', '#1b9e9e', '#d1478f']

export function drawChart(chart: Chart): string {
  const points = chart.series.flatMap(series => series.points).filter(({ x, y }) => x > 0 && y > 0)
  const across = axis(
    points.map(({ x }) => x),
    LEFT,
    WIDTH - RIGHT,
  )
  const up = axis(
    points.map(({ y }) => y),
    HEIGHT - BOTTOM,
    TOP,
  )
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(chart.title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 26, chart.title, { size: 16 }),
    ...across.ticks.flatMap(tick => [
      line(across.at(tick), TOP, across.at(tick), HEIGHT - BOTTOM, '#dddddd'),
      text(across.at(tick), HEIGHT - BOTTOM + 18, tick.toLocaleString('en'), { anchor: 'middle' }),
    ]),
    ...up.ticks.flatMap(tick => [
      line(LEFT, up.at(tick), WIDTH - RIGHT, up.at(tick), '#dddddd'),
      text(LEFT - 8, up.at(tick) + 4, tick.toLocaleString('en'), { anchor: 'end' }),
    ]),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, chart.x, { anchor: 'middle' }),
    text(LEFT, TOP - 8, chart.y, {}),
    ...chart.series.flatMap((series, index) => drawSeries(series, index, across.at, up.at)),
    '</svg>',
  ]
  return `${parts.join('\n')}\n`
}

function drawSeries(
  { name, points }: Series,
  index: number,
  across: (value: number) => number,
  up: (value: number) => number,
): string[] {
  const colour = COLOURS[index % COLOURS.length]!
  const drawn = points.filter(({ x, y }) => x > 0 && y > 0)
  const path = drawn.map(({ x, y }) => `${across(x).toFixed(1)},${up(y).toFixed(1)}`).join(' ')
  const key = TOP + 14 + index * 22
  return [
    `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...drawn.flatMap(({ x, y, label }) => [
      `<circle cx="${across(x).toFixed(1)}" cy="${up(y).toFixed(1)}" r="4" fill="${colour}"/>`,
      ...(label === undefined ? [] : [text(across(x) + 6, up(y) - 6, label, { colour, size: 10 })]),
    ]),
    `<rect x="${WIDTH - RIGHT + 20}" y="${key - 9}" width="12" height="12" fill="${colour}"/>`,
    text(WIDTH - RIGHT + 38, key + 1, name, {}),
  ]
}

/** From the power of ten below the least to the one above the most. */
function axis(values: readonly number[], from: number, to: number) {
  const low = Math.floor(Math.log10(Math.min(...values, 1e12)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values, 1e-12))))
  const bounded = Number.isFinite(low) && high - low < 20 ? { low, high } : { low: 0, high: 1 }
  const at = (value: number) =>
    from + ((Math.log10(value) - bounded.low) / (bounded.high - bounded.low)) * (to - from)
  const ticks: number[] = []
  for (let power = bounded.low; power <= bounded.high; power += 1) {
    for (const step of power < bounded.high ? [1, 2, 5] : [1]) ticks.push(step * 10 ** power)
  }
  return { at, ticks }
}

function line(x1: number, y1: number, x2: number, y2: number, colour: string): string {
  const at = [x1, y1, x2, y2].map(value => value.toFixed(1))
  return `<line x1="${at[0]}" y1="${at[1]}" x2="${at[2]}" y2="${at[3]}" stroke="${colour}"/>`
}

function text(
  x: number,
  y: number,
  words: string,
  { anchor = 'start', colour = '#222222', size = 12 }: { anchor?: string; colour?: string; size?: number },
): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${colour}" font-size="${size}">${escaped(words)}</text>`
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
