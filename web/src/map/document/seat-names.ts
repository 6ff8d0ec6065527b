import { deriveSeatId, type ZoneId } from '@voelgoed/core/ids'
import type { MapColumn, MapHeader } from '@voelgoed/core/map/format'
import { ByteReader, eachRun, MapFormatError } from './byte-reader.ts'
import type { MapRow, MapZone, SeatHint } from './model.ts'

/** Values that stay the same over many seats, by the ordinal at which each begins. */
interface Runs<Value> {
  readonly starts: number[]
  readonly values: Value[]
}

/** Row, number, label, companion and id of a seat: put together when a caller asks. */
export class SeatNames {
  readonly #header: MapHeader
  readonly #rows: readonly MapRow[]
  readonly #rowStarts: readonly number[]
  readonly #zones: readonly MapZone[]
  readonly #zoneOf: Uint16Array
  readonly #numbers: Int32Array
  readonly #templates: Runs<number>
  readonly #companions = new Map<number, number>()
  /** The explicit ids have that of a run's first seat here; null when the run's ids are derived. */
  readonly #ids: Runs<number | null>
  readonly #explicitIds: Uint8Array
  #ordinalsById: Map<string, number> | null = null

  constructor(
    header: MapHeader,
    columns: Record<MapColumn, Uint8Array>,
    ordinals: Uint32Array,
    rows: readonly MapRow[],
    zones: readonly MapZone[],
    zoneOf: Uint16Array,
  ) {
    this.#header = header
    this.#rows = rows
    this.#rowStarts = rows.map(row => row.firstOrdinal)
    this.#zones = zones
    this.#zoneOf = zoneOf
    this.#numbers = readNumbers(columns.numbers, ordinals, header.ordinals)
    this.#templates = readRuns(columns.labels, ordinals, value => value)
    this.#explicitIds = columns.ids
    let explicit = 0
    this.#ids = readRuns(columns.id_runs, ordinals, (isExplicit, count) => {
      if (!isExplicit) return null
      explicit += count
      return explicit - count
    })
    if (explicit * 16 !== columns.ids.length) throw new MapFormatError('its ids are cut off')
    this.#readCompanions(columns.companions)
  }

  rowOf(ordinal: number): string {
    return this.#rows[lastAtMost(this.#rowStarts, ordinal)]!.label
  }

  numberOf(ordinal: number): number | string {
    const code = this.#numbers[ordinal]!
    return code & 1 ? this.#header.odd_numbers[code >> 1]! : code >> 1
  }

  labelOf(ordinal: number): string {
    const { starts, values } = this.#templates
    const template = this.#header.label_templates[values[lastAtMost(starts, ordinal)]!]!
    if (template.length === 1) return template[0]
    return `${template[0]}${this.rowOf(ordinal)}${template[1]}${this.numberOf(ordinal)}${template[2]}`
  }

  companionOf(ordinal: number): number | null {
    return this.#companions.get(ordinal) ?? null
  }

  seatIdOf(ordinal: number): string {
    const run = lastAtMost(this.#ids.starts, ordinal)
    const firstExplicit = this.#ids.values[run]!
    if (firstExplicit === null) {
      const zone = this.#zones[this.#zoneOf[ordinal]!]!
      return deriveSeatId(zone.zoneId as ZoneId, this.labelOf(ordinal))
    }
    const at = (firstExplicit + ordinal - this.#ids.starts[run]!) * 16
    const hex = Array.from(this.#explicitIds.subarray(at, at + 16), byte =>
      byte.toString(16).padStart(2, '0'),
    )
    return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }

  ordinalOf(seatId: string, hint: SeatHint = {}): number | undefined {
    const known = this.#ordinalsById?.get(seatId)
    if (known !== undefined || this.#ordinalsById) return known
    if (hint.row !== undefined && hint.number !== undefined) {
      for (const ordinal of this.#candidates(hint)) if (this.seatIdOf(ordinal) === seatId) return ordinal
    }
    // The hint was wrong or there is none.
    this.#ordinalsById = new Map()
    for (const row of this.#rows) {
      for (let at = row.firstOrdinal; at < row.firstOrdinal + row.seatCount; at += 1) {
        this.#ordinalsById.set(this.seatIdOf(at), at)
      }
    }
    return this.#ordinalsById.get(seatId)
  }

  *#candidates(hint: SeatHint): Generator<number> {
    for (const zone of this.#zones) {
      if (hint.zoneId !== undefined && zone.zoneId !== hint.zoneId) continue
      for (const row of zone.rows) {
        if (row.label !== hint.row) continue
        for (let at = row.firstOrdinal; at < row.firstOrdinal + row.seatCount; at += 1) {
          if (this.numberOf(at) === hint.number) yield at
        }
      }
    }
  }

  #readCompanions(bytes: Uint8Array): void {
    const reader = new ByteReader(bytes)
    let ordinal = 0
    while (!reader.isAtEnd) {
      ordinal += reader.unsigned()
      this.#companions.set(ordinal, ordinal + reader.signed())
    }
  }
}

/** Runs of numbers that grow evenly. */
function readNumbers(bytes: Uint8Array, ordinals: Uint32Array, ordinalCount: number): Int32Array {
  const numbers = new Int32Array(ordinalCount)
  const reader = new ByteReader(bytes)
  let at = 0
  let first = 0
  while (!reader.isAtEnd) {
    first += reader.signed()
    const step = reader.signed()
    const count = reader.unsigned()
    if (count === 0 || at + count > ordinals.length) throw new MapFormatError('a run is too long')
    for (let index = 0; index < count; index += 1) numbers[ordinals[at++]!] = first + step * index
  }
  if (at !== ordinals.length) throw new MapFormatError('a column is too short')
  return numbers
}

/**
 * A run goes on over a gap of ordinals: where they do not follow each other it is cut, so that places count.
 */
function readRuns<Value>(
  bytes: Uint8Array,
  ordinals: Uint32Array,
  toValue: (value: number, count: number) => Value,
): Runs<Value> {
  const runs: Runs<Value> = { starts: [], values: [] }
  eachRun(bytes, ordinals.length, (value, from, count) => {
    let begin = from
    for (let at = from + 1; at <= from + count; at += 1) {
      if (at < from + count && ordinals[at] === ordinals[at - 1]! + 1) continue
      runs.starts.push(ordinals[begin]!)
      runs.values.push(toValue(value, at - begin))
      begin = at
    }
  })
  return runs
}

/** Index of the last of these growing numbers that is not above the limit. */
function lastAtMost(sorted: readonly number[], limit: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (sorted[middle]! <= limit) low = middle
    else high = middle - 1
  }
  return low
}
