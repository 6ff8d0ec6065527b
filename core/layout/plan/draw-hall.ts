import { ok, type Result, refuse } from '../../result.ts'
import { ROW_PITCH, SEAT_PITCH } from '../generate/tiers.ts'
import type { LayoutConfig, LayoutFault, Point, SeatConfig, ZoneConfig } from '../model.ts'
import { defaultLabel } from '../seat-number.ts'
import { Bend } from './bend.ts'
import {
  checkPlan,
  type HallPart,
  type HallPlan,
  rowLength,
  type SectionPlan,
  wheelchairRowOf,
} from './hall-plan.ts'
import { rowNamer } from './row-names.ts'

/** Between parts that are side by side, and between one that is behind another. */
const GAP = 30
const STAGE_DEPTH = 50
/** Between the stage and the first row. */
const STAGE_GAP = 30
/** A person who stands takes so much of the plan, which has 20 units a metre. */
const STANDING_AREA = 130
/** Between two points of an outline along a row. */
const OUTLINE_STEP = 40

/** The layout of a hall as it was described; equal plans give equal layouts. */
export function drawHall(plan: HallPlan): Result<LayoutConfig, LayoutFault[]> {
  const faults = checkPlan(plan)
  if (faults.length > 0) return refuse(faults)
  const tiers = stack(plan.parts)
  const bend = bendOf(plan.curve, tiers)
  const zones: ZoneConfig[] = []
  for (const tier of tiers) {
    const shares = tier.parts.map(part => shareOf(bend, part, tier.depth))
    const gap = bend.share(GAP, tier.depth)
    let at = -(shares.reduce((sum, share) => sum + share, 0) + gap * (shares.length - 1)) / 2
    for (const [index, part] of tier.parts.entries()) {
      const middle = at + shares[index]! / 2
      zones.push(
        part.kind === 'seats'
          ? drawSection(bend, part, middle, tier.depth)
          : standingZone(bend, part, middle, tier.depth),
      )
      at += shares[index]! + gap
    }
  }
  const categories = new Set(
    plan.parts.flatMap(part => (part.kind === 'seats' && part.category !== '' ? [part.category] : [])),
  )
  const config: LayoutConfig = { zones, focal_point: { x: 0, y: -STAGE_GAP } }
  if (categories.size > 0) {
    config.price_categories = Array.from(categories, key => ({ key, label: key, color: null }))
  }
  if (plan.stage !== '') {
    config.outlines = [{ kind: 'stage', label: plan.stage, points: stage(bend, tiers[0]!) }]
  }
  return ok(config)
}

/** Parts that are side by side. */
interface Tier {
  readonly parts: readonly HallPart[]
  /** It is that of its first row, behind the first row of all. */
  readonly depth: number
}

function stack(parts: readonly HallPart[]): Tier[] {
  const groups: HallPart[][] = []
  for (const part of parts) {
    if (part.isBeside && groups.length > 0) groups.at(-1)!.push(part)
    else groups.push([part])
  }
  let depth = 0
  return groups.map(group => {
    const tier = { parts: group, depth }
    depth += Math.max(...group.map(depthOf)) + GAP
    return tier
  })
}

function depthOf(part: HallPart): number {
  return part.kind === 'seats' ? part.rows * ROW_PITCH : standingSize(part.places).depth
}

function standingSize(places: number): { width: number; depth: number } {
  const area = Math.max(places, 20) * STANDING_AREA
  const width = Math.sqrt(area * 2.5)
  return { width, depth: area / width }
}

/** Returns how long a row of a part is. */
function widthOf(part: HallPart, row: number): number {
  if (part.kind === 'standing') return standingSize(part.places).width
  return (rowLength(part, row) + part.aisles * part.aisleWidth) * SEAT_PITCH
}

/** So wide that the widest row is no more of a circle than the plan says. */
function bendOf(curve: number, tiers: readonly Tier[]): Bend {
  let width = 0
  const full = new Bend(curve, 1)
  for (const { parts, depth } of tiers) {
    const rows = Math.max(...parts.map(part => (part.kind === 'seats' ? part.rows : 1)))
    for (const row of [0, rows - 1]) {
      const length =
        parts.reduce(
          (sum, part) => sum + widthOf(part, Math.min(row, part.kind === 'seats' ? part.rows - 1 : 0)),
          0,
        ) +
        GAP * (parts.length - 1)
      width = Math.max(width, length - full.lengthGainedBy(depth + row * ROW_PITCH))
    }
  }
  return new Bend(curve, Math.max(width, 10 * SEAT_PITCH))
}

/** Returns what a part takes of its tier, where it takes most. */
function shareOf(bend: Bend, part: HallPart, depth: number): number {
  const last = part.kind === 'seats' ? part.rows - 1 : 0
  return Math.max(
    bend.share(widthOf(part, 0), depth),
    bend.share(widthOf(part, last), depth + last * ROW_PITCH),
  )
}

function drawSection(bend: Bend, section: SectionPlan, middle: number, depth: number): ZoneConfig {
  const nameOf = rowNamer(section)
  const seats: SeatConfig[] = []
  for (let row = 0; row < section.rows; row += 1) {
    seats.push(...drawRow(bend, section, { row, name: nameOf(row), middle, depth: depth + row * ROW_PITCH }))
  }
  return { name: section.name, zone_type: 'reserved_seating', ...levelOf(section), seats }
}

interface RowPlace {
  readonly row: number
  readonly name: string
  readonly middle: number
  readonly depth: number
}

/** From left to right, as the plan is drawn. */
function drawRow(bend: Bend, section: SectionPlan, { row, name, middle, depth }: RowPlace): SeatConfig[] {
  const count = rowLength(section, row)
  const behind = aislesBehind(count, section.aisles)
  const numbers = numbersOf(section, count)
  const width = widthOf(section, row)
  let along = (SEAT_PITCH - width) / 2
  const seats = Array.from({ length: count }, (_, index): SeatConfig => {
    const seat: SeatConfig = {
      row: name,
      number: numbers[index]!,
      coordinates: bend.place(middle, along, depth),
    }
    along += SEAT_PITCH
    if (section.category !== '') seat.price_category = section.category
    if (behind.has(index)) {
      seat.aisle_after = true
      along += section.aisleWidth * SEAT_PITCH
    }
    return seat
  })
  if (section.wheelchairs > 0 && row === wheelchairRowOf(section))
    placeWheelchairs(seats, section.wheelchairs)
  return seats
}

/** Indices of the seats behind which an aisle is: the parts between aisles are as equal as can be. */
function aislesBehind(count: number, aisles: number): Set<number> {
  return new Set(
    Array.from({ length: aisles }, (_, index) => Math.round((count * (index + 1)) / (aisles + 1)) - 1),
  )
}

function numbersOf({ numbers, numbersFrom, firstNumber }: SectionPlan, count: number): number[] {
  const step = numbers === 'all' ? 1 : 2
  const isWrong = numbers !== 'all' && (firstNumber % 2 === 1) !== (numbers === 'odd')
  const first = firstNumber + (isWrong ? 1 : 0)
  const list = Array.from({ length: count }, (_, index) => first + index * step)
  return numbersFrom === 'left' ? list : list.reverse()
}

/** From both ends of the row, in turn; the companion is on the inner side. */
function placeWheelchairs(seats: SeatConfig[], count: number): void {
  for (let index = 0; index < count; index += 1) {
    const inward = 2 * Math.floor(index / 2)
    const isLeft = index % 2 === 0
    const at = isLeft ? inward : seats.length - 1 - inward
    const place = seats[at]!
    const companion = seats[isLeft ? at + 1 : at - 1]!
    place.category = 'wheelchair'
    companion.category = 'companion'
    place.companion_seat_label = defaultLabel(companion.row, companion.number)
  }
}

function standingZone(
  bend: Bend,
  part: Extract<HallPart, { kind: 'standing' }>,
  middle: number,
  depth: number,
): ZoneConfig {
  const { name, places } = part
  const size = standingSize(places)
  const front = depth - ROW_PITCH / 2
  const back = front + size.depth
  const outline = [
    ...edge(bend, middle, size.width, front),
    ...edge(bend, middle, size.width, back).reverse(),
  ]
  return { name, zone_type: 'ga_standing', capacity: places, ...levelOf(part), outline }
}

function levelOf({ level }: HallPart): { level?: string } {
  return level === '' ? {} : { level }
}

/** Points along a row, from left to right. */
function edge(bend: Bend, middle: number, width: number, depth: number): Point[] {
  const steps = bend.isStraight ? 1 : Math.min(60, Math.max(4, Math.ceil(width / OUTLINE_STEP)))
  return Array.from({ length: steps + 1 }, (_, index) =>
    bend.place(middle, (index / steps - 0.5) * width, depth),
  )
}

/** A rectangle that the ends of a curved first row do not touch. */
function stage(bend: Bend, first: Tier): Point[] {
  const width = first.parts.reduce((sum, part) => sum + widthOf(part, 0), 0)
  const half = Math.max(20, Math.min(width * 0.3, bend.halfWidthAt(STAGE_GAP) - 1.5 * SEAT_PITCH))
  const [x, top, bottom] = [Math.round(half), -STAGE_GAP - STAGE_DEPTH, -STAGE_GAP]
  return [
    { x: -x, y: top },
    { x, y: top },
    { x, y: bottom },
    { x: -x, y: bottom },
  ]
}
