import { checkText } from '../check-text.ts'
import { FaultList } from '../faults.ts'
import { levelsOf } from '../levels.ts'
import { LAYOUT_LIMITS, type LayoutFault } from '../model.ts'

/**
 * A hall as a person describes it: sections of rows before a stage, and zones to stand in. `drawHall` makes a
 * layout of it. Parts come in the order from the stage to the back; a part is behind the one before it, or
 * beside it, to the right.
 */
export interface HallPlan {
  /** This is written on the stage; empty: there is none. */
  readonly stage: string
  /** 0: straight rows. 100: rows are most of a half circle around the stage. */
  readonly curve: number
  readonly parts: readonly HallPart[]
}

export type HallPart = SectionPlan | StandingPlan

interface PartPlan {
  readonly name: string
  /** To the right of the part before it, and not behind it. */
  readonly isBeside: boolean
  /** The floor that it is on; empty: not said. */
  readonly level: string
}

export interface SectionPlan extends PartPlan {
  readonly kind: 'seats'
  /** The price category of its seats; empty: none. */
  readonly category: string
  readonly rows: number
  /** In the row nearest to the stage. */
  readonly seats: number
  /** By how many seats each row is longer than the one before it. */
  readonly morePerRow: number
  readonly rowNames: 'letters' | 'numbers'
  /** `A` or `1`: what the first row is called. */
  readonly firstRow: string
  /** I and O look like 1 and 0. Left out of letters only. */
  readonly skipsIAndO: boolean
  /** Where the lowest number is, as the plan is drawn: with the stage above. */
  readonly numbersFrom: 'left' | 'right'
  readonly numbers: 'all' | 'odd' | 'even'
  readonly firstNumber: number
  /** Each row is divided evenly by so many aisles. */
  readonly aisles: number
  /** The width of an aisle, in seats. */
  readonly aisleWidth: number
  /** Places for wheelchairs, each with a companion seat beside it, from both ends of one row. */
  readonly wheelchairs: number
  readonly wheelchairRow: 'first' | 'last'
}

export interface StandingPlan extends PartPlan {
  readonly kind: 'standing'
  readonly places: number
}

const PLAN_LIMITS = {
  parts: 200,
  rows: 500,
  seatsPerRow: 1_000,
  morePerRow: 50,
  aisles: 20,
  aisleWidth: 10,
  wheelchairs: 100,
  firstNumber: 100_000,
  category: 100,
} as const

type PlanFaultCode =
  | 'no_parts'
  | 'too_many_parts'
  | 'too_many_levels'
  | 'too_many_seats'
  | 'duplicate_name'
  | 'number_not_whole'
  | 'number_too_small'
  | 'number_too_large'
  | 'row_name_wrong'
  | 'no_seats_left'
  | 'too_many_aisles'
  | 'no_room_for_wheelchairs'
  | 'text_empty'
  | 'text_too_long'
  | 'text_not_printable'

/** Every fault of a plan, each with a JSON pointer into it. A plan without faults can be drawn. */
export function checkPlan(plan: HallPlan): LayoutFault[] {
  const faults = new FaultList<PlanFaultCode>()
  if (plan.parts.length === 0) faults.add('/parts', 'no_parts', 'Add a section or a standing zone.')
  if (plan.parts.length > PLAN_LIMITS.parts) {
    faults.add('/parts', 'too_many_parts', `A hall has at most ${PLAN_LIMITS.parts} parts.`)
    return faults.list()
  }
  if (plan.stage !== '') checkText(faults, '/stage', plan.stage, LAYOUT_LIMITS.nameLength)
  checkNumber(faults, '/curve', plan.curve, 0, 100)
  const names = new Set<string>()
  for (const [index, part] of plan.parts.entries()) {
    const path = `/parts/${index}`
    checkText(faults, `${path}/name`, part.name, LAYOUT_LIMITS.nameLength)
    if (names.has(part.name)) faults.add(`${path}/name`, 'duplicate_name', 'Give each part its own name.')
    names.add(part.name)
    if (part.level !== '') checkText(faults, `${path}/level`, part.level, LAYOUT_LIMITS.labelLength)
    if (part.kind === 'standing') {
      checkNumber(faults, `${path}/places`, part.places, 1, LAYOUT_LIMITS.zoneCapacity)
    } else checkSection(faults, path, part)
  }
  if (levelsOf(plan.parts.filter(({ level }) => level !== '')).length > LAYOUT_LIMITS.levels) {
    faults.add('/parts', 'too_many_levels', `A hall has at most ${LAYOUT_LIMITS.levels} levels.`)
  }
  if (faults.count > 0) return faults.list()
  const seats = plan.parts.reduce((sum, part) => sum + (part.kind === 'seats' ? seatsIn(part) : 0), 0)
  if (seats > LAYOUT_LIMITS.seats) {
    const message = `A layout has at most ${LAYOUT_LIMITS.seats} seats, this one has ${seats}.`
    faults.add('/parts', 'too_many_seats', message)
  }
  return faults.list()
}

/** Seats of a row, which is counted from 0 at the stage. */
export function rowLength({ seats, morePerRow }: SectionPlan, row: number): number {
  return seats + row * morePerRow
}

function seatsIn(section: SectionPlan): number {
  const { rows } = section
  return ((rowLength(section, 0) + rowLength(section, rows - 1)) / 2) * rows
}

/** The row that has the places for wheelchairs. */
export function wheelchairRowOf({ rows, wheelchairRow }: SectionPlan): number {
  return wheelchairRow === 'first' ? 0 : rows - 1
}

type Faults = FaultList<PlanFaultCode>

function checkSection(faults: Faults, path: string, section: SectionPlan): void {
  const { rows, seats, morePerRow, aisles, wheelchairs } = section
  const before = faults.count
  if (section.category !== '') {
    checkText(faults, `${path}/category`, section.category, PLAN_LIMITS.category)
  }
  checkNumber(faults, `${path}/rows`, rows, 1, PLAN_LIMITS.rows)
  checkNumber(faults, `${path}/seats`, seats, 1, PLAN_LIMITS.seatsPerRow)
  checkNumber(faults, `${path}/morePerRow`, morePerRow, -PLAN_LIMITS.morePerRow, PLAN_LIMITS.morePerRow)
  checkNumber(faults, `${path}/firstNumber`, section.firstNumber, 0, PLAN_LIMITS.firstNumber)
  checkNumber(faults, `${path}/aisles`, aisles, 0, PLAN_LIMITS.aisles)
  checkNumber(faults, `${path}/aisleWidth`, section.aisleWidth, 1, PLAN_LIMITS.aisleWidth)
  checkNumber(faults, `${path}/wheelchairs`, wheelchairs, 0, PLAN_LIMITS.wheelchairs)
  const pattern = section.rowNames === 'letters' ? /^[A-Z]{1,3}$/ : /^\d{1,6}$/
  if (!pattern.test(section.firstRow)) {
    const message = section.rowNames === 'letters' ? 'Give one to three letters.' : 'Give a whole number.'
    faults.add(`${path}/firstRow`, 'row_name_wrong', message)
  }
  if (faults.count > before) return
  const shortest = Math.min(rowLength(section, 0), rowLength(section, rows - 1))
  if (shortest < 1) {
    const message = 'The rows get so short that the last one has no seat: take fewer rows.'
    faults.add(`${path}/morePerRow`, 'no_seats_left', message)
  } else if (aisles >= shortest) {
    const message = `The shortest row has ${shortest} seats: take fewer aisles.`
    faults.add(`${path}/aisles`, 'too_many_aisles', message)
  }
  const wide = rowLength(section, wheelchairRowOf(section))
  if (wheelchairs * 2 > wide) {
    const message = `Each place takes two seats of its row, which has ${wide}.`
    faults.add(`${path}/wheelchairs`, 'no_room_for_wheelchairs', message)
  }
  const longest = Math.max(rowLength(section, 0), rowLength(section, rows - 1))
  if (longest > PLAN_LIMITS.seatsPerRow) {
    const message = `A row has at most ${PLAN_LIMITS.seatsPerRow} seats, the longest one has ${longest}.`
    faults.add(`${path}/morePerRow`, 'number_too_large', message)
  }
}

function checkNumber(faults: Faults, path: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value)) faults.add(path, 'number_not_whole', 'Give a whole number.')
  else if (value < least) faults.add(path, 'number_too_small', `Give at least ${least}.`)
  else if (value > most) faults.add(path, 'number_too_large', `Give at most ${most}.`)
}
