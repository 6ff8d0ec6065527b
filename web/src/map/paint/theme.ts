import type { MapModel } from '../document/model.ts'

/** Colours of the map. What a state is can be told without them: each has a shape of its own. */
export interface MapTheme {
  readonly background: string
  readonly zone: string
  readonly zoneEdge: string
  readonly text: string
  readonly quiet: string
  readonly stage: string
  readonly stageText: string
  /** The edge of the stage that the audience sees. */
  readonly stageFront: string
  readonly shape: string
  /** Free seats of no price category. */
  readonly free: string
  readonly held: string
  readonly sold: string
  readonly blocked: string
  readonly mine: string
  readonly mineMark: string
  /** Around seats that would be left alone. */
  readonly warning: string
  readonly focus: string
  /** Colours of price categories stand out from the ground by this much at least (WCAG 1.4.11 asks for 3). */
  readonly leastContrast: number
}

export const lightTheme: MapTheme = {
  background: '#f3eee8',
  zone: '#ffffff',
  zoneEdge: '#e2dad0',
  text: '#231626',
  quiet: '#5d4f5e',
  stage: '#2c1a2e',
  stageText: '#f7ece4',
  stageFront: '#cf3f27',
  shape: '#e4dcd3',
  free: '#0b7fab',
  held: '#857a86',
  sold: '#d6cdc2',
  blocked: '#b3a89c',
  mine: '#231626',
  mineMark: '#ffffff',
  warning: '#9a5b00',
  focus: '#cf3f27',
  leastContrast: 3,
}

export const darkTheme: MapTheme = {
  background: '#100c12',
  zone: '#1d1720',
  zoneEdge: '#3a3040',
  text: '#f6f0f4',
  quiet: '#bdb0bd',
  stage: '#4a2c3c',
  stageText: '#fbe6dd',
  stageFront: '#ff7a5c',
  shape: '#332a37',
  free: '#58c2e8',
  held: '#9a8c9d',
  sold: '#453a4a',
  blocked: '#6a5d70',
  mine: '#ffffff',
  mineMark: '#231626',
  warning: '#f3b95a',
  focus: '#ff9b83',
  leastContrast: 6,
}

/**
 * Serves a visitor whose system draws with colours of their own choice: black and white with no shade between
 * them, the system's light or dark. States have shapes of their own, so none of them is lost.
 */
export function forcedTheme(isDark: boolean): MapTheme {
  const [ink, ground] = isDark ? ['#ffffff', '#000000'] : ['#000000', '#ffffff']
  const grey = isDark ? '#9a9a9a' : '#5f5f5f'
  return {
    background: ground,
    zone: ground,
    zoneEdge: ink,
    text: ink,
    quiet: ink,
    stage: ink,
    stageText: ground,
    stageFront: ink,
    shape: grey,
    free: isDark ? '#4fc3ff' : '#00518a',
    held: ink,
    sold: grey,
    blocked: grey,
    mine: ink,
    mineMark: ground,
    warning: ink,
    focus: isDark ? '#ffff00' : '#b00000',
    leastContrast: 7,
  }
}

/** Far enough apart for every kind of colour vision. */
const PALETTE = ['#6d3bbd', '#0b7fab', '#12855c', '#a36500', '#c2386b', '#4b5f7a', '#7a5230', '#3c7d9b']

/** The colour of free seats of a price category: its own as far as it can be seen, else one of ours. */
export function colorOfCategory(own: string | null, index: number, theme: MapTheme): string {
  const color = own && parseColor(own) ? own : PALETTE[index % PALETTE.length]!
  return withContrast(color, theme.zone, theme.leastContrast)
}

/** The same of a category of the layout (−1: none). */
export function priceColor({ priceCategories }: MapModel, priceIndex: number, theme: MapTheme): string {
  const category = priceCategories[priceIndex]
  return category ? colorOfCategory(category.color, priceIndex, theme) : theme.free
}

/** A colour that text may have on this ground: the given one, darker or lighter as far as needed. */
export function textColor(color: string, ground: string): string {
  return withContrast(color, ground, 4.5)
}

/** White or black, whichever is easier to read on it: one of the two always is. */
export function inkOn(color: string): string {
  const ground = parseColor(color)!
  return contrast(ground, [255, 255, 255]) >= contrast(ground, [0, 0, 0]) ? '#ffffff' : '#000000'
}

/** `share` of the first colour, the rest of the second. */
export function mix(first: string, second: string, share: number): string {
  const a = parseColor(first)!
  const b = parseColor(second)!
  return toHex(a.map((part, index) => part * share + b[index]! * (1 - share)) as unknown as Rgb)
}

export type Rgb = readonly [red: number, green: number, blue: number]

/** `#rgb` or `#rrggbb`; null for anything else. */
export function parseColor(text: string): Rgb | null {
  const match = /^#(?:([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})|([0-9a-f])([0-9a-f])([0-9a-f]))$/i.exec(text)
  if (!match) return null
  const parts = match[1] ? match.slice(1, 4) : match.slice(4, 7).map(digit => digit + digit)
  return parts.map(part => Number.parseInt(part, 16)) as unknown as Rgb
}

export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/** Darker or lighter, as the ground asks for, until it stands out. */
function withContrast(color: string, ground: string, least: number): string {
  const back = parseColor(ground)!
  const isLightGround = luminance(back) > 0.4
  for (let share = 1; share > 0; share -= 0.1) {
    const candidate = isLightGround ? mix(color, '#000000', share) : vivid(mix(color, '#ffffff', share))
    if (contrast(parseColor(candidate)!, back) >= least) return candidate
  }
  return isLightGround ? '#000000' : '#ffffff'
}

/** White takes the colour out of a colour: some of it is given back. */
function vivid(color: string): string {
  const rgb = parseColor(color)!
  const grey = (rgb[0] + rgb[1] + rgb[2]) / 3
  return toHex(rgb.map(part => Math.max(0, Math.min(255, grey + (part - grey) * VIVID))) as unknown as Rgb)
}

const VIVID = 1.5

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map(part => {
    const share = part / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function toHex(color: Rgb): string {
  return `#${color.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}
