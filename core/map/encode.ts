import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { deriveSeatId, type ZoneId } from '../ids.ts'
import { rankOf, saleOf } from '../layout/meaning.ts'
import {
  type Outline,
  type Point,
  type PriceCategory,
  SEAT_CATEGORIES,
  type SeatGroup,
} from '../layout/model.ts'
import type { EventZone } from '../layout/overlay.ts'
import { canonicalNumber } from '../layout/seat-number.ts'
import { ByteWriter, RunWriter } from './byte-writer.ts'
import {
  GROUP_SALES,
  type HeaderZone,
  LARGEST_PLAIN_NUMBER,
  type LabelTemplate,
  MAP_COLUMNS,
  MAP_MAGIC,
  type MapColumn,
  type MapHeader,
} from './format.ts'
import { gridOf, predictAlongRows, typicalPitch } from './quantise.ts'

/** Everything of a map but its seats, with the event's overlay applied. */
export interface MapPlan {
  readonly layoutId: string
  readonly version: number
  readonly ordinals: number
  readonly zones: readonly EventZone[]
  readonly priceCategories: readonly PriceCategory[]
  readonly focalPoint: Point | null
  readonly outlines: readonly Outline[]
  readonly groups: readonly Pick<SeatGroup, 'groupType' | 'ordinals' | 'metadata'>[]
}

/** Seats in the order of their ordinals, without a gap: a list for each of their properties. */
export interface SeatPage {
  readonly firstOrdinal: number
  readonly seatIds: readonly string[]
  readonly labels: readonly string[]
  readonly rows: readonly string[]
  readonly numbers: readonly (number | string)[]
  readonly categories: readonly string[]
  readonly prices: readonly (string | null)[]
  readonly x: readonly number[]
  readonly y: readonly number[]
  readonly companions: readonly (number | null)[]
  readonly aisles: readonly (boolean | null)[]
}

/** Takes all seats of a layout version, page by page, and keeps those of zones that are open. */
export class MapEncoder {
  readonly #plan: MapPlan
  readonly #zones: readonly EventZone[]
  readonly #columns = Object.fromEntries(MAP_COLUMNS.map(name => [name, new ByteWriter()])) as Record<
    MapColumn,
    ByteWriter
  >
  readonly #rows = new Dictionary<string>()
  readonly #prices: Dictionary<string>
  readonly #numbers = new Dictionary<number | string>()
  readonly #templates = new Dictionary<string>()
  readonly #rowRuns = new RunWriter(this.#columns.rows)
  readonly #priceRuns = new RunWriter(this.#columns.prices)
  readonly #categoryRuns = new RunWriter(this.#columns.categories)
  readonly #labelRuns = new RunWriter(this.#columns.labels)
  readonly #idRuns = new RunWriter(this.#columns.id_runs)
  readonly #numberSteps = new StepWriter(this.#columns.numbers)
  /** Places of all seats, those of closed zones included: all events of the version share one grid. */
  readonly #x: number[] = []
  readonly #y: number[] = []
  readonly #rowLengths: number[] = []
  /** The ordinals of the seats that are kept, and the lengths of their rows. */
  readonly #kept: number[] = []
  readonly #keptRowLengths: number[] = []
  readonly #zoneStarts: ReadonlySet<number>
  #row: string | null = null
  #keptRow: string | null = null
  #zoneIndex = 0
  #lastWithCompanion = 0
  #lastWithAisle = 0

  constructor(plan: MapPlan) {
    this.#plan = plan
    this.#zones = plan.zones.filter(zone => !zone.disabled)
    this.#zoneStarts = new Set(plan.zones.map(zone => zone.firstOrdinal))
    this.#prices = new Dictionary(plan.priceCategories.map(category => category.key))
  }

  add(page: SeatPage): void {
    for (let index = 0; index < page.seatIds.length; index += 1) {
      const ordinal = page.firstOrdinal + index
      this.#addPlace(ordinal, page, index)
      const zone = this.#zoneOf(ordinal)
      if (zone) this.#addSeat(zone, ordinal, page, index)
    }
  }

  finish(): Uint8Array {
    for (const runs of [
      this.#rowRuns,
      this.#priceRuns,
      this.#categoryRuns,
      this.#labelRuns,
      this.#idRuns,
      this.#numberSteps,
    ]) {
      runs.end()
    }
    const pitch = typicalPitch(this.#x, this.#y, this.#rowLengths)
    const grid = gridOf(this.#x, this.#y, pitch)
    for (const axis of ['x', 'y'] as const) {
      const steps = Int32Array.from(this.#kept, ordinal => grid[axis][ordinal]!)
      predictAlongRows(steps, this.#keptRowLengths, residual => this.#columns[axis].signed(residual))
    }
    this.#writeGroups()

    const columns = MAP_COLUMNS.map(name => this.#columns[name].finish())
    const plan = this.#plan
    const header: MapHeader = {
      layout_id: plan.layoutId,
      version: plan.version,
      ordinals: plan.ordinals,
      origin: grid.origin,
      per_unit: grid.perUnit,
      pitch,
      zones: this.#zones.map(headerZone),
      shapes: plan.outlines.map(({ points, ...outline }) => ({ ...outline, points: flat(points) })),
      focal_point: plan.focalPoint && [plan.focalPoint.x, plan.focalPoint.y],
      price_categories: this.#priceCategories(),
      row_labels: this.#rows.entries,
      odd_numbers: this.#numbers.entries,
      label_templates: this.#templates.entries.map(text => JSON.parse(text) as LabelTemplate),
      columns: columns.map(column => column.length),
    }
    const text = utf8ToBytes(JSON.stringify(header))
    const document = new Uint8Array(8 + text.length + columns.reduce((sum, { length }) => sum + length, 0))
    const view = new DataView(document.buffer)
    view.setUint32(0, MAP_MAGIC, true)
    view.setUint32(4, text.length, true)
    document.set(text, 8)
    let at = 8 + text.length
    for (const column of columns) {
      document.set(column, at)
      at += column.length
    }
    return document
  }

  /** Ordinals come in order and zones own ranges of them, so the zone is this one or a later one. */
  #zoneOf(ordinal: number): EventZone | null {
    for (; this.#zoneIndex < this.#zones.length; this.#zoneIndex += 1) {
      const zone = this.#zones[this.#zoneIndex]!
      if (ordinal < zone.firstOrdinal) return null
      if (ordinal < zone.firstOrdinal + zone.seatCount) return zone
      this.#rowRuns.end()
      this.#keptRow = null
    }
    return null
  }

  #addPlace(ordinal: number, page: SeatPage, index: number): void {
    const row = page.rows[index]!
    if (row === this.#row && !this.#zoneStarts.has(ordinal)) {
      this.#rowLengths[this.#rowLengths.length - 1]! += 1
    } else this.#rowLengths.push(1)
    this.#row = row
    this.#x.push(page.x[index]!)
    this.#y.push(page.y[index]!)
  }

  #addSeat(zone: EventZone, ordinal: number, page: SeatPage, index: number): void {
    const row = page.rows[index]!
    this.#rowRuns.add(this.#rows.indexOf(row))
    if (row === this.#keptRow) this.#keptRowLengths[this.#keptRowLengths.length - 1]! += 1
    else this.#keptRowLengths.push(1)
    this.#keptRow = row
    this.#kept.push(ordinal)

    const price = page.prices[index]!
    this.#priceRuns.add(price === null ? 0 : this.#prices.indexOf(price) + 1)
    this.#categoryRuns.add(SEAT_CATEGORIES.indexOf(page.categories[index] as never))

    const number = canonicalNumber(page.numbers[index]!)
    const plain = typeof number === 'number' && number >= 0 && number <= LARGEST_PLAIN_NUMBER
    this.#numberSteps.add(plain ? number * 2 : this.#numbers.indexOf(number) * 2 + 1)

    const label = page.labels[index]!
    this.#labelRuns.add(this.#templates.indexOf(JSON.stringify(templateOf(label, row, String(number)))))

    const companion = page.companions[index]!
    if (companion !== null) {
      this.#columns.companions.unsigned(ordinal - this.#lastWithCompanion)
      this.#columns.companions.signed(companion - ordinal)
      this.#lastWithCompanion = ordinal
    }

    const aisle = page.aisles[index]!
    if (aisle !== null) {
      this.#columns.aisles.unsigned((ordinal - this.#lastWithAisle) * 2 + (aisle ? 1 : 0))
      this.#lastWithAisle = ordinal
    }

    // Nearly all ids follow from zone and label. They are noise to a compressor, and most of the document.
    const seatId = page.seatIds[index]!
    const isDerived = deriveSeatId(zone.zoneId as ZoneId, label) === seatId
    this.#idRuns.add(isDerived ? 0 : 1)
    if (!isDerived) this.#columns.ids.raw(hexToBytes(seatId.replaceAll('-', '')))
  }

  /** Those of zones that are open and have their chairs. A group is within one zone. */
  #writeGroups(): void {
    if (this.#plan.groups.length === 0) return
    const kept = new Set(this.#kept)
    const column = this.#columns.groups
    let last = 0
    for (const group of this.#plan.groups) {
      const sale = saleOf(group)
      const ordinals = [...group.ordinals].sort((a, b) => a - b)
      if (sale === null || !kept.has(ordinals[0]!)) continue
      column.unsigned(GROUP_SALES.indexOf(sale))
      column.unsigned(ordinals.length)
      column.signed(ordinals[0]! - last)
      last = ordinals[0]!
      for (let index = 1; index < ordinals.length; index += 1) {
        column.unsigned(ordinals[index]! - ordinals[index - 1]!)
      }
    }
  }

  /** The listed ones, and those that seats name without their being listed. */
  #priceCategories(): PriceCategory[] {
    const listed = this.#plan.priceCategories
    const others = this.#prices.entries.slice(listed.length)
    return [...listed, ...others.map(key => ({ key, label: key, color: null }))]
  }
}

function headerZone(zone: EventZone): HeaderZone {
  const rank = rankOf(zone)
  return {
    zone_id: zone.zoneId,
    name: zone.name,
    zone_type: zone.zoneType,
    capacity: zone.capacity,
    access_mode: zone.accessMode,
    membership_tier: zone.membershipTier,
    allowed_roles: zone.allowedRoles,
    pricing_rule_id: zone.pricingRuleId,
    first_ordinal: zone.firstOrdinal,
    seat_count: zone.seatCount,
    outline: zone.outline && flat(zone.outline),
    ...(rank !== 0 && { rank }),
    ...(zone.level !== null && { level: zone.level }),
  }
}

function flat(points: readonly Point[]): number[] {
  return points.flatMap(({ x, y }) => [x, y])
}

/** Finds how a label is made of row and number. A label that is made otherwise is its own template. */
function templateOf(label: string, row: string, number: string): LabelTemplate {
  const rowAt = label.indexOf(row)
  const numberAt = rowAt === -1 ? -1 : label.indexOf(number, rowAt + row.length)
  if (numberAt === -1) return [label]
  return [
    label.slice(0, rowAt),
    label.slice(rowAt + row.length, numberAt),
    label.slice(numberAt + number.length),
  ]
}

/** Values by the order in which they first came. */
class Dictionary<Value> {
  readonly entries: Value[]
  readonly #index: Map<Value, number>

  constructor(entries: readonly Value[] = []) {
    this.entries = [...entries]
    this.#index = new Map(entries.map((value, index) => [value, index]))
  }

  indexOf(value: Value): number {
    const known = this.#index.get(value)
    if (known !== undefined) return known
    this.#index.set(value, this.entries.length)
    this.entries.push(value)
    return this.entries.length - 1
  }
}

/** Runs of values that grow evenly: 1, 2, 3 … and 2, 4, 6 … are one entry each. */
class StepWriter {
  readonly #bytes: ByteWriter
  #last = 0
  #first = 0
  #step = 0
  #count = 0

  constructor(bytes: ByteWriter) {
    this.#bytes = bytes
  }

  add(value: number): void {
    if (this.#count === 1) this.#step = value - this.#first
    if (this.#count === 0 || value !== this.#first + this.#step * this.#count) {
      this.end()
      this.#first = value
      this.#step = 0
    }
    this.#count += 1
  }

  end(): void {
    if (this.#count === 0) return
    this.#bytes.signed(this.#first - this.#last)
    this.#bytes.signed(this.#step)
    this.#bytes.unsigned(this.#count)
    this.#last = this.#first
    this.#count = 0
  }
}
