/** Names the attribute of a shape that says what it is called. `auto`: the first that does. */
type SvgLabelSource = 'auto' | 'id' | 'title' | 'label' | 'data-seat'

/** Says what a label is made of. `auto`: by the number of its pieces. */
type SvgLabelRule = 'auto' | 'section-row-seat' | 'row-seat' | 'seat'

export interface SvgOptions {
  readonly labelFrom: SvgLabelSource
  readonly rule: SvgLabelRule
}

export interface SeatName {
  readonly section: string
  readonly row: string
  readonly seat: string
}

/** Made up by drawing programs: no person gave these. */
const MADE_UP = /^(?:circle|ellipse|rect|path|polygon|polyline|use|g|group|layer|svg)[-_]?\d+(?:[-_]\d+)*_?$/i
const ATTRIBUTES = {
  id: ['id'],
  label: ['inkscape:label', 'aria-label', 'data-label', 'data-name', 'label'],
  'data-seat': ['data-seat'],
} as const

/** Returns what a shape or a group is called; null: nothing that a person gave it. */
export function labelOf(
  attributes: ReadonlyMap<string, string>,
  title: string,
  from: SvgLabelSource,
): string | null {
  const of = (names: readonly string[]) => {
    for (const name of names) {
      const text = clean(attributes.get(name) ?? '')
      if (text !== '' && !(name === 'id' && MADE_UP.test(text))) return text
    }
    return null
  }
  if (from === 'title') return clean(title) || null
  if (from !== 'auto') return of(ATTRIBUTES[from])
  return of(ATTRIBUTES['data-seat']) ?? of(ATTRIBUTES.label) ?? (clean(title) || null) ?? of(ATTRIBUTES.id)
}

/** Illustrator writes `_x2D_` for a hyphen. */
function clean(text: string): string {
  return text
    .replace(/_x([0-9A-F]{2})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\s+/g, ' ')
    .trim()
}

/** `groups`: what the groups around the shape are called, the outermost first. */
export function seatNameOf(label: string, groups: readonly string[], rule: SvgLabelRule): SeatName | null {
  const pieces = label.split(/[\s\-_:/.,|;]+/).filter(piece => piece !== '')
  const seat = pieces.at(-1)
  if (seat === undefined) return null
  if (rule === 'section-row-seat' || (rule === 'auto' && pieces.length >= 3)) {
    if (pieces.length < 3) return null
    return { section: pieces.slice(0, -2).join(' '), row: withoutWord(pieces.at(-2)!), seat }
  }
  const section = groups.at(-1) ?? 'Seats'
  if (rule === 'row-seat' || (rule === 'auto' && pieces.length === 2)) {
    if (pieces.length >= 2) return { section, row: withoutWord(pieces.slice(0, -1).join(' ')), seat }
    const together = /^(\p{L}+)(\d+\p{L}?)$/u.exec(seat)
    return together ? { section, row: together[1]!, seat: together[2]! } : null
  }
  const together = rule === 'auto' ? /^(\p{L}+)(\d+\p{L}?)$/u.exec(seat) : null
  if (together) return { section, row: together[1]!, seat: together[2]! }
  const row = groups.at(-1)
  return row === undefined ? null : { section: groups.at(-2) ?? 'Seats', row: withoutWord(row), seat }
}

/** `Row A` is A. */
function withoutWord(row: string): string {
  return row.replace(/^(?:row|ry|reihe|rang)[\s-]*(?=\S)/i, '')
}
