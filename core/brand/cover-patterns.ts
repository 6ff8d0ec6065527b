/** Colours of one cover: its ground from top to bottom, three tones on it, and one that glows. */
export interface Palette {
  readonly ground: readonly [string, string]
  readonly tones: readonly [string, string, string]
  readonly glow: string
  readonly spark: string
}

/** A number from 0 up to 1; the same ones in the same order for the same name. */
export type Chance = () => number

/** Draws the pattern of a cover. Each pattern fills 640 × 400 and is whole when its edges are cut. */
type Pattern = (palette: Palette, chance: Chance) => string

const W = 640
const H = 400

const between = (chance: Chance, low: number, high: number) => low + chance() * (high - low)
const round = (value: number) => Math.round(value * 10) / 10
const circle = (x: number, y: number, r: number, fill: string, more = '') =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}" fill="${fill}"${more}/>`

/** A smooth line from the left edge to the right one, closed along the bottom. */
function wave(chance: Chance, y: number, height: number, fill: string, opacity = 1): string {
  const swing = (at: number) => round(at + (chance() - 0.5) * 2 * height)
  const [a, b, c] = [swing(y), swing(y), swing(y)]
  const lift = round((chance() - 0.5) * 3 * height)
  return (
    `<path fill="${fill}" fill-opacity="${opacity}" d="M-20 ${a}C120 ${round(a - lift)} 200 ${round(b + lift)} 320 ${b}` +
    `S520 ${round(c - lift)} 660 ${c}V420H-20Z"/>`
  )
}

function stars(chance: Chance, many: number, lowest: number, fill: string): string {
  return Array.from({ length: many }, () =>
    circle(
      between(chance, 0, W),
      between(chance, 0, lowest),
      between(chance, 0.8, 2.4),
      fill,
      ' opacity="0.8"',
    ),
  ).join('')
}

/** A sun with two halos. */
function sun(x: number, y: number, r: number, fill: string): string {
  return (
    circle(x, y, r * 1.6, fill, ' opacity="0.12"') +
    circle(x, y, r * 1.28, fill, ' opacity="0.18"') +
    circle(x, y, r, fill)
  )
}

/** A low sun over dunes, and rain. */
export const dunes: Pattern = ({ ground, tones, glow, spark }, chance) => {
  const x = between(chance, 380, 520)
  const rain = Array.from({ length: 22 }, () => {
    const [left, top, long] = [between(chance, 0, W), between(chance, 0, 200), between(chance, 14, 34)]
    return `<path stroke="${spark}" stroke-opacity="0.45" stroke-width="2" stroke-linecap="round" d="M${round(left)} ${round(top)}l${round(-long * 0.35)} ${round(long)}"/>`
  }).join('')
  return (
    rain +
    sun(x, between(chance, 110, 150), between(chance, 62, 84), glow) +
    wave(chance, 190, 22, tones[1], 0.75) +
    wave(chance, 240, 24, tones[0]) +
    wave(chance, 296, 22, tones[2]) +
    wave(chance, 348, 18, ground[0], 0.85)
  )
}

/** Rings around a point at the edge. */
export const arcs: Pattern = ({ tones, glow, spark }, chance) => {
  const x = between(chance, 120, 300)
  const y = H + between(chance, -10, 30)
  let rings = ''
  for (let index = 0, r = 24; r < 640; index += 1, r += between(chance, 24, 38)) {
    const width = between(chance, 7, 20)
    const stroke = index % 4 === 0 ? glow : tones[index % 3]
    rings += `<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}" fill="none" stroke="${stroke}" stroke-opacity="${round(between(chance, 0.35, 0.95))}" stroke-width="${round(width)}"/>`
  }
  return rings + stars(chance, 9, 240, spark)
}

/** Half a sun that shines over the whole picture. */
export const rays: Pattern = ({ ground, tones, glow, spark }, chance) => {
  const x = between(chance, 260, 380)
  const many = 16 + Math.floor(chance() * 8)
  const step = Math.PI / many
  const turn = between(chance, 0, step)
  let beams = ''
  for (let index = 0; index < many; index += 1) {
    const [from, to] = [turn + index * step, turn + (index + 0.5) * step]
    const at = (angle: number) => `${round(x + 800 * Math.cos(angle))} ${round(H - 800 * Math.sin(angle))}`
    beams += `<path fill="${tones[0]}" fill-opacity="0.55" d="M${round(x)} ${H}L${at(from)}L${at(to)}Z"/>`
  }
  const bulbs = Array.from({ length: 13 }, (_, index) => {
    const angle = (Math.PI * (index + 0.5)) / 13
    return circle(x + 245 * Math.cos(angle), H - 245 * Math.sin(angle), 7, spark)
  }).join('')
  const discs = [205, 158, 112, 66].map((r, index) =>
    circle(x, H, r, [tones[0], tones[1], tones[2], ground[1]][index]!),
  )
  return `${beams}${discs.join('')}${bulbs}${circle(x, H, 40, glow)}`
}

/** Hills under a moon. */
export const hills: Pattern = ({ ground, tones, glow, spark }, chance) =>
  stars(chance, 60, 260, spark) +
  sun(between(chance, 110, 260), between(chance, 100, 150), between(chance, 46, 62), glow) +
  wave(chance, 232, 34, tones[2], 0.9) +
  wave(chance, 276, 34, tones[1]) +
  wave(chance, 320, 26, tones[0]) +
  wave(chance, 366, 16, ground[0])

/** Quarter circles and discs in squares. */
export const tiles: Pattern = ({ ground, tones, glow }, chance) => {
  const side = 80
  const colours = [ground[0], tones[0], tones[1], tones[2], ground[1], glow]
  const pick = () => colours[Math.floor(chance() * colours.length)]!
  let squares = ''
  for (let y = 0; y < H; y += side) {
    for (let x = 0; x < W; x += side) {
      const [back, front] = [pick(), pick()]
      const kind = chance()
      squares += `<rect x="${x}" y="${y}" width="${side + 0.5}" height="${side + 0.5}" fill="${back}"/>`
      if (kind < 0.22) squares += circle(x + side / 2, y + side / 2, side * 0.26, front)
      else if (kind < 0.86) squares += quarter(x, y, side, Math.floor(chance() * 4), front)
    }
  }
  return squares
}

function quarter(x: number, y: number, side: number, corner: number, fill: string): string {
  const [left, top] = [corner % 2 === 0, corner < 2]
  const [cx, cy] = [left ? x : x + side, top ? y : y + side]
  const sweep = left === top ? 1 : 0
  const start = `${left ? x + side : x} ${cy}`
  return `<path fill="${fill}" d="M${cx} ${cy}L${start}A${side} ${side} 0 0 ${sweep} ${cx} ${top ? y + side : y}Z"/>`
}

/** A disc made of dots that fades into smaller ones: a path for each size, of lines without length. */
export const dots: Pattern = ({ tones, glow }, chance) => {
  const [x, y, r] = [between(chance, 340, 460), between(chance, 150, 230), between(chance, 110, 140)]
  const step = 22
  const bySize = new Map<string, string>()
  for (let row = 0; row * 19 < H + step; row += 1) {
    for (let left = row % 2 === 0 ? 0 : step / 2; left < W + step; left += step) {
      const away = Math.hypot(left - x, row * 19 - y)
      const size = away < r ? 15 : Math.max(1, Math.round(13 - (away - r) / 18))
      const look = `stroke="${away < r ? glow : tones[away < r * 1.9 ? 2 : 1]}" stroke-width="${size}"`
      bySize.set(look, `${bySize.get(look) ?? ''}M${left} ${row * 19}h0`)
    }
  }
  return [...bySize]
    .map(([look, d]) => `<path fill="none" stroke-linecap="round" ${look} d="${d}"/>`)
    .join('')
}

/** Broad lines that flow side by side. */
export const ribbons: Pattern = ({ tones, glow, spark }, chance) => {
  const [start, bend, end] = [between(chance, 60, 200), between(chance, -120, 160), between(chance, 120, 300)]
  const colours = [tones[0], tones[1], tones[2], glow, tones[1], tones[0], tones[2]]
  const lines = colours.map((colour, index) => {
    const down = index * 38
    return `<path fill="none" stroke="${colour}" stroke-width="26" stroke-opacity="0.92" d="M-40 ${round(start + down)}C160 ${round(start + bend + down * 1.25)} 380 ${round(end - bend + down * 0.7)} 680 ${round(end + down - 110)}"/>`
  })
  return stars(chance, 14, 180, spark) + lines.join('')
}

/** Beams of spotlights over a crowd. */
export const lights: Pattern = ({ ground, tones, glow, spark }, chance) => {
  let beams = ''
  for (let index = 0; index < 6; index += 1) {
    const x = 60 + index * 104 + between(chance, -18, 18)
    const aim = between(chance, 60, W - 60)
    const wide = between(chance, 60, 120)
    const colour = [glow, tones[0], tones[1], tones[2]][index % 4]!
    beams += `<path fill="${colour}" fill-opacity="0.34" d="M${round(x)} -10L${round(aim - wide)} 410H${round(aim + wide)}Z"/>${circle(x, 4, 9, spark)}`
  }
  const heads = Array.from({ length: 34 }, (_, index) =>
    circle(
      index * 20 + between(chance, -6, 6),
      H - between(chance, 4, 34),
      between(chance, 13, 22),
      ground[0],
    ),
  ).join('')
  return `${beams}${heads}<rect y="384" width="${W}" height="20" fill="${ground[0]}"/>`
}
