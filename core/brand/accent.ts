/**
 * The accent of an organization: from one colour that it chose, all that pages draw with it. Text on the
 * accent, and the accent as text, can be read whatever colour it is (WCAG 1.4.3).
 */
type Rgb = readonly [red: number, green: number, blue: number]

interface Shades {
  readonly accent: string
  readonly strong: string
  readonly soft: string
  readonly on: string
}

const READABLE = 4.5
const LIGHT_PAPER: Rgb = [245, 241, 236]
const DARK_PAPER: Rgb = [29, 23, 32]
const WHITE: Rgb = [255, 255, 255]
const NEARLY_BLACK: Rgb = [24, 12, 10]

/** Null: not a colour of the form #rrggbb. */
export function accentOf(colour: string): { readonly light: Shades; readonly dark: Shades } | null {
  const own = rgbOf(colour)
  return own && { light: shades(own, LIGHT_PAPER, NEARLY_BLACK), dark: shades(own, DARK_PAPER, WHITE) }
}

/** `away`: towards which a colour goes that is too close to the paper. */
function shades(own: Rgb, paper: Rgb, away: Rgb): Shades {
  // A button is a graphic beside its text: it stands out from the paper by 3 to 1.
  const accent = until(own, away, colour => contrast(colour, paper) >= 3)
  const strong = until(mix(accent, away, 0.14), away, colour => contrast(colour, paper) >= READABLE)
  const on = contrast(accent, WHITE) >= contrast(accent, NEARLY_BLACK) ? WHITE : NEARLY_BLACK
  // Between light and dark neither reads well: the accent gives way.
  const readable = until(
    accent,
    on === WHITE ? NEARLY_BLACK : WHITE,
    colour => contrast(colour, on) >= READABLE,
  )
  return { accent: hex(readable), strong: hex(strong), soft: hex(mix(own, paper, 0.86)), on: hex(on) }
}

function until(colour: Rgb, target: Rgb, isEnough: (candidate: Rgb) => boolean): Rgb {
  for (let share = 0; share < 1; share += 0.04) {
    const candidate = mix(colour, target, share)
    if (isEnough(candidate)) return candidate
  }
  return target
}

/** `share` of the second, the rest of the first. */
function mix(first: Rgb, second: Rgb, share: number): Rgb {
  return first.map((part, index) => Math.round(part * (1 - share) + second[index]! * share)) as unknown as Rgb
}

/** Compares two colours of the form #rrggbb, or #rgb as built style sheets have it, by WCAG: from 1 to 21. */
export function contrastOf(a: string, b: string): number {
  const [first, second] = [rgbOf(long(a)), rgbOf(long(b))]
  return first && second ? contrast(first, second) : 1
}

function long(colour: string): string {
  return colour.replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3')
}

function rgbOf(colour: string): Rgb | null {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour)
  return match && (match.slice(1).map(part => Number.parseInt(part, 16)) as unknown as Rgb)
}

export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map(part => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function hex(colour: Rgb): string {
  return `#${colour.map(part => part.toString(16).padStart(2, '0')).join('')}`
}
