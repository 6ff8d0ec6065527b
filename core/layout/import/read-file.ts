import { ok, type Result, refuse } from '../../result.ts'
import type { LayoutConfig, LayoutFault } from '../model.ts'
import { importLayout } from './import.ts'
import { importText } from './import-text.ts'
import type { ImportPlaces } from './places.ts'
import type { SvgOptions } from './svg-labels.ts'

export type FileFormat = 'layout' | 'pretix' | 'seatsio' | 'csv' | 'svg'

/** A layout from a file of any kind that we know, before it is compiled. */
export interface ReadFile {
  readonly format: FileFormat
  readonly config: LayoutConfig
  readonly warnings: readonly LayoutFault[]
  /** Warnings of a file of ours name the layout itself. */
  readonly places: ImportPlaces | null
}

export interface UnreadFile {
  readonly format: FileFormat | null
  readonly faults: readonly LayoutFault[]
}

/** Its content tells what a file is; its name may be anything. */
export function readLayoutFile(text: string, svg: SvgOptions): Result<ReadFile, UnreadFile> {
  const start = text
    .slice(0, 200)
    .replace(/^\ufeff/, '')
    .trimStart()
  if (start.startsWith('<')) return imported('svg', importText(text, { format: 'svg', ...svg }))
  if (!start.startsWith('{')) return imported('csv', importText(text, { format: 'csv' }))
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    const message = `This is no valid JSON: ${(error as Error).message.slice(0, 200)}`
    return refuse({ format: null, faults: [{ path: '', code: 'json_broken', message }] })
  }
  const own = ownConfig(document)
  if (own) {
    const faults = shapeFaults(own)
    if (faults.length > 0) return refuse({ format: 'layout', faults })
    return ok({ format: 'layout', config: own as unknown as LayoutConfig, warnings: [], places: null })
  }
  const format = isPretix(document) ? 'pretix' : 'seatsio'
  return imported(format, importLayout(format, document))
}

function imported(format: FileFormat, result: ReturnType<typeof importText>): Result<ReadFile, UnreadFile> {
  return result.ok ? ok({ format, ...result.value }) : refuse({ format, faults: result.problem })
}

interface Shape {
  readonly [member: string]: unknown
}

/** As it was sent, as it was exported, or as the API answers. */
function ownConfig(document: unknown): Shape | null {
  for (const candidate of [
    document,
    member(document, 'config'),
    member(member(document, 'data'), 'config'),
  ]) {
    const zones = member(candidate, 'zones')
    if (Array.isArray(zones) && zones.some(zone => member(zone, 'zone_type') !== undefined))
      return candidate as Shape
  }
  return null
}

function isPretix(document: unknown): boolean {
  const zones = member(document, 'zones')
  return Array.isArray(zones) && zones.some(zone => Array.isArray(member(zone, 'rows')))
}

/**
 * Checks what `compileLayout` takes for granted. The server checks every member; its answer names what is
 * left.
 */
function shapeFaults(config: Shape): LayoutFault[] {
  const faults: LayoutFault[] = []
  const expect = (fits: boolean, path: string, what: string) => {
    if (!fits && faults.length < 100) {
      faults.push({ path, code: 'shape_wrong', message: `Expected ${what} here.` })
    }
  }
  for (const [index, zone] of (config.zones as unknown[]).entries()) {
    const path = `/zones/${index}`
    expect(typeof member(zone, 'name') === 'string', `${path}/name`, 'text')
    const seats = member(zone, 'seats') ?? []
    expect(Array.isArray(seats), `${path}/seats`, 'a list')
    for (const [at, seat] of (Array.isArray(seats) ? seats : []).entries()) {
      expect(typeof member(seat, 'row') === 'string', `${path}/seats/${at}/row`, 'text')
      const number = member(seat, 'number')
      const isNumber = typeof number === 'string' || typeof number === 'number'
      expect(isNumber, `${path}/seats/${at}/number`, 'a number or text')
    }
  }
  for (const key of ['seat_groups', 'price_categories', 'outlines']) {
    const list = config[key] ?? []
    expect(Array.isArray(list) && list.every(isObject), `/${key}`, 'a list of objects')
  }
  return faults
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function member(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value as object, key) ? (value as Shape)[key] : undefined
}
