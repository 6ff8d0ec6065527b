import {
  arcs,
  type Chance,
  dots,
  dunes,
  hills,
  lights,
  type Palette,
  rays,
  ribbons,
  tiles,
} from './cover-patterns.ts'

const COVER_WIDTH = 640
const COVER_HEIGHT = 400

const PALETTES: readonly Palette[] = [
  {
    ground: ['#2d1238', '#5c2553'],
    tones: ['#cf3f27', '#a2323b', '#6d2b61'],
    glow: '#f5a05b',
    spark: '#ffe3c4',
  },
  {
    ground: ['#1c1c54', '#3a3590'],
    tones: ['#6f63d6', '#b693d6', '#e2c7d8'],
    glow: '#f1e4ee',
    spark: '#ffffff',
  },
  {
    ground: ['#5a2a10', '#8a4a18'],
    tones: ['#d9822b', '#f2b544', '#ffe2a6'],
    glow: '#fff0cf',
    spark: '#fff7e6',
  },
  {
    ground: ['#123322', '#1f4d33'],
    tones: ['#2f7048', '#6d9440', '#a9b84a'],
    glow: '#f2cd62',
    spark: '#fdf3cf',
  },
  {
    ground: ['#0d3347', '#14556b'],
    tones: ['#1f7f93', '#46a3a4', '#9bd0bd'],
    glow: '#f4b265',
    spark: '#fde6c8',
  },
  {
    ground: ['#4a2740', '#7b4457'],
    tones: ['#a96a72', '#d3a79b', '#f0ddd0'],
    glow: '#f8e8da',
    spark: '#ffffff',
  },
  {
    ground: ['#161a33', '#27305c'],
    tones: ['#c2386b', '#e56b6f', '#eaac8b'],
    glow: '#ffd9a8',
    spark: '#fff1de',
  },
  {
    ground: ['#0f2c3f', '#1d4a5b'],
    tones: ['#b5541f', '#dd8b3c', '#f0c27a'],
    glow: '#ffe7bd',
    spark: '#fff8ea',
  },
  {
    ground: ['#33163f', '#52246b'],
    tones: ['#7d3f98', '#b56bb0', '#e6a8c0'],
    glow: '#ffd3b5',
    spark: '#fff0e6',
  },
]

const PATTERNS = [dunes, arcs, rays, hills, tiles, dots, ribbons, lights]

/**
 * The picture of an event without one, as SVG: the same for the same name, wherever and whenever it is drawn.
 * It has neither text nor scripts nor styles.
 */
export function cover(name: string): string {
  const chance = chanceOf(name.trim().toLowerCase())
  const palette = PALETTES[Math.floor(chance() * PALETTES.length)]!
  const pattern = PATTERNS[Math.floor(chance() * PATTERNS.length)]!
  const [top, bottom] = palette.ground
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${COVER_WIDTH} ${COVER_HEIGHT}" width="${COVER_WIDTH}" ` +
    `height="${COVER_HEIGHT}" preserveAspectRatio="xMidYMid slice"><defs><linearGradient id="g" x1="0" y1="0" x2="0.3" y2="1">` +
    `<stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient></defs>` +
    `<rect width="${COVER_WIDTH}" height="${COVER_HEIGHT}" fill="url(#g)"/>${pattern(palette, chance)}</svg>`
  )
}

/** Mulberry32, started with an FNV-1a hash of the name. */
function chanceOf(name: string): Chance {
  let state = 0x811c9dc5
  for (const sign of name) state = Math.imul(state ^ sign.codePointAt(0)!, 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
