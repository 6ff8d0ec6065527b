import type { MapModel } from './model.ts'

/** Colours of the map. What a state is can be told without them: each has a shape of its own. */
export interface MapTheme {
  readonly background: string
  readonly zone: string
  readonly zoneEdge: string
  readonly text: string
  readonly quiet: string
  readonly stage: string
  readonly stageText: string
  readonly shape: string
  /** Free seats of no price category. */
  readonly free: string
  readonly held: string
  readonly sold: string
  readonly blocked: string
  readonly mine: string
  readonly mineMark: string
  readonly focus: string
}

export const lightTheme: MapTheme = {
  background: '#eef1f5',
  zone: '#ffffff',
  zoneEdge: '#c3cad5',
  text: '#182230',
  quiet: '#4c5969',
  stage: '#2b3544',
  stageText: '#f4f6f9',
  shape: '#d5dbe4',
  free: '#0b6fa4',
  held: '#6b7686',
  sold: '#98a2b0',
  blocked: '#b4bcc8',
  mine: '#0f1720',
  mineMark: '#ffffff',
  focus: '#c2410c',
}

export const darkTheme: MapTheme = {
  background: '#0f141b',
  zone: '#1b232e',
  zoneEdge: '#3d4959',
  text: '#eaf0f7',
  quiet: '#a9b5c4',
  stage: '#d7dee8',
  stageText: '#151c26',
  shape: '#313c4a',
  free: '#4fb3e8',
  held: '#8e9bac',
  sold: '#5d6a7a',
  blocked: '#465261',
  mine: '#ffffff',
  mineMark: '#0f1720',
  focus: '#fb923c',
}

/** Of Okabe and Ito, darkened where white ground needs it: colour-blind people can tell them apart. */
const PALETTE = ['#0072b2', '#a3540a', '#007a5a', '#a8467b', '#5a5fb0', '#7a6a00', '#2f7fa8', '#8b3a2e']

/** Graphics that mean something must stand out from their ground (WCAG 1.4.11). */
const LEAST_CONTRAST = 3

/**
 * The colour of free seats of a price category (−1: none): its own as far as it can be seen,
 * else one of ours.
 */
export function priceColor(model: MapModel, priceIndex: number, theme: MapTheme): string {
  const category = model.priceCategories[priceIndex]
  if (!category) return theme.free
  const own =
    category.color && parseColor(category.color) ? category.color : PALETTE[priceIndex % PALETTE.length]!
  return withContrast(own, theme.zone)
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

/** Towards black or white, as the ground asks for, until it stands out. */
function withContrast(color: string, ground: string): string {
  const back = parseColor(ground)!
  const target = luminance(back) > 0.4 ? '#000000' : '#ffffff'
  for (let share = 1; share > 0; share -= 0.1) {
    const candidate = mix(color, target, share)
    if (contrast(parseColor(candidate)!, back) >= LEAST_CONTRAST) return candidate
  }
  return target
}

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
