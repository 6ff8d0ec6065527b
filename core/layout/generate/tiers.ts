import type { Point } from '../model.ts'
import { band, type Curve, equalParts, lengthBetween, pointsAlong } from './curve.ts'

/** Ten units are the width of a seat, about half a metre. */
export const SEAT_PITCH = 10
export const ROW_PITCH = 16
const AISLE = 24
export const TIER_GAP = 60

/** Rows one behind the other along a curve, cut by aisles into sections, and sections into blocks. */
export interface Tier {
  readonly firstOffset: number
  readonly rows: number
  readonly sectionNames: readonly string[]
  readonly blocksPerSection: number
}

/** A row of one section: its seats, block by block. */
type Row = Point[][]

export interface Section {
  readonly name: string
  readonly tierIndex: number
  readonly rows: readonly Row[]
  readonly outline: readonly Point[]
  /** The middle of each aisle between two blocks, row by row. */
  readonly aisles: readonly (readonly Point[])[]
}

/** Nothing is built around less than this: a floor or a stage has to fit. */
const SMALLEST = 40

/** Sections of exactly this many seats, along the smallest curve that is large enough. */
export function fillTiers(
  curveOfSize: (size: number) => Curve,
  tiers: readonly Tier[],
  seats: number,
): { size: number; sections: Section[] } {
  let tooSmall = SMALLEST
  let size = 2 * SMALLEST
  while (capacityOf(curveOfSize(size), tiers) < seats) {
    tooSmall = size
    size *= 2
  }
  while (size - tooSmall > 0.5) {
    const middle = (tooSmall + size) / 2
    if (capacityOf(curveOfSize(middle), tiers) < seats) tooSmall = middle
    else size = middle
  }
  const curve = curveOfSize(size)
  const sections = tiers.flatMap((tier, tierIndex) => sectionsOf(curve, tier, tierIndex))
  removeSeats(sections, seatsIn(sections) - seats)
  return { size, sections: sections.filter(section => seatsIn([section]) > 0) }
}

function seatsIn(sections: readonly Section[]): number {
  let count = 0
  for (const { rows } of sections) for (const row of rows) for (const block of row) count += block.length
  return count
}

function capacityOf(curve: Curve, tiers: readonly Tier[]): number {
  let count = 0
  for (const tier of tiers) {
    for (const block of blocksOf(curve, tier)) {
      for (let row = 0; row < tier.rows; row++) count += seatsInBlock(curve, block, offsetOf(tier, row))
    }
  }
  return count
}

interface Span {
  readonly from: number
  readonly to: number
}

function blocksOf(curve: Curve, tier: Tier): Span[] {
  const count = tier.sectionNames.length * tier.blocksPerSection
  const cuts = equalParts(curve, count, offsetOf(tier, (tier.rows - 1) / 2))
  return Array.from({ length: count }, (_, block) => ({ from: cuts[block]!, to: cuts[block + 1]! }))
}

function seatsInBlock(curve: Curve, { from, to }: Span, offset: number): number {
  return Math.max(0, Math.floor((lengthBetween(curve, from, to, offset) - AISLE) / SEAT_PITCH))
}

function offsetOf(tier: Tier, row: number): number {
  return tier.firstOffset + row * ROW_PITCH
}

function sectionsOf(curve: Curve, tier: Tier, tierIndex: number): Section[] {
  const blocks = blocksOf(curve, tier)
  const offsets = Array.from({ length: tier.rows }, (_, row) => offsetOf(tier, row))
  return tier.sectionNames.map((name, index) => {
    const own = blocks.slice(index * tier.blocksPerSection, (index + 1) * tier.blocksPerSection)
    const from = own[0]!.from
    const to = own.at(-1)!.to
    return {
      name,
      tierIndex,
      rows: offsets.map(offset =>
        own.map(span => {
          const count = seatsInBlock(curve, span, offset)
          return pointsAlong(curve, { ...span, offset }, count, SEAT_PITCH).map(toOneDecimal)
        }),
      ),
      outline: band(curve, from, to, offsets[0]! - ROW_PITCH / 2, offsets.at(-1)! + ROW_PITCH / 2).map(
        toOneDecimal,
      ),
      aisles: own.slice(1).map(span =>
        offsets.map(offset => {
          const [point] = pointsAlong(
            curve,
            { from: span.from - 1, to: span.from + 1, offset },
            1,
            SEAT_PITCH,
          )
          return toOneDecimal(point!)
        }),
      ),
    }
  })
}

/** One seat from an end of each row, the rear rows of the last tier first, until enough are gone. */
function removeSeats(sections: readonly Section[], surplus: number): void {
  const rows = sections
    .flatMap(({ rows, tierIndex }) =>
      rows.map((row, rowIndex) => ({ row, depth: tierIndex * 1_000 + rowIndex })),
    )
    .sort((a, b) => b.depth - a.depth)
  let left = surplus
  for (let pass = 0; left > 0; pass++) {
    for (const { row } of rows) {
      const longest = row.reduce((a, b) => (b.length > a.length ? b : a))
      if (left === 0 || longest.length === 0) continue
      if (pass % 2 === 0) longest.pop()
      else longest.shift()
      left--
    }
  }
}

/** Keeps the JSON of 200,000 seats short; a twentieth of a unit is half a centimetre. */
function toOneDecimal({ x, y }: Point): Point {
  return { x: Math.round(x * 10) / 10 + 0, y: Math.round(y * 10) / 10 + 0 }
}
