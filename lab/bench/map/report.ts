import { formatBytes, formatMs, formatTable } from '../../format.ts'
import type { MapFigures, Spread } from './measure.ts'

type Line = readonly [name: string, text: (figures: MapFigures) => string]

const spread = (value: (figures: MapFigures) => Spread): ((figures: MapFigures) => string) => {
  return figures => {
    const { medianMs, p95Ms } = value(figures)
    return `${formatMs(medianMs)} / ${formatMs(p95Ms)}`
  }
}

const LINES: readonly Line[] = [
  ['first picture', ({ picture }) => formatMs(picture.laterMs)],
  ['first picture with its names', ({ picture }) => formatMs(picture.namesMs)],
  ['first picture, map not made yet', ({ picture }) => formatMs(picture.firstVisitorMs)],
  ["first picture on the buyers' page", ({ page }) => (page ? formatMs(page.pictureMs) : 'not measured')],
  [
    "the buyers' page without pictures",
    ({ page }) => (page ? formatBytes(page.scriptBytes) : 'not measured'),
  ],
  ['reading the map document', ({ picture }) => formatMs(picture.decodeMs)],
  ['map on the wire', ({ wire }) => formatBytes(wire.mapBytes)],
  ['availability on the wire', ({ wire }) => formatBytes(wire.availabilityBytes)],
  ['frame, panning dots', spread(({ frames }) => frames.panDots)],
  ['frame, panning seats', spread(({ frames }) => frames.panSeats)],
  ['frame, zooming', spread(({ frames }) => frames.zoom)],
  ['changes a second, seen', ({ deltas }) => deltas.changesPerSecond.toFixed(0)],
  ['change to pixel', spread(({ deltas }) => deltas)],
  ['frame, panning meanwhile', spread(({ framesUnderDeltas }) => framesUnderDeltas)],
  ['heap', ({ memory }) => formatBytes(memory.heapBytes)],
  ['process', ({ memory }) => (memory.processBytes === null ? 'unknown' : formatBytes(memory.processBytes))],
]

/** One column a size. Two times are the median and the 95th percentile. */
export function printMap(figures: readonly MapFigures[]): string {
  const head = figures.map(({ seats }) => `${seats.toLocaleString('en')} seats`)
  const rows = LINES.map(([name, text]) => [name, ...figures.map(text)])
  return formatTable(['median / 95th', ...head], rows)
}
