import type { Point } from '../model.ts'
import type { ImportFaultCode, ImportReport } from './report.ts'

/** Line breaks, other control characters, halves of surrogate pairs: they become one space. */
const NOT_PRINTABLE = /[\p{Cc}\p{Cs}\s]+/gu

/**
 * A place in a document of which nothing is known. Reading it never throws: what isn't as it should be is
 * reported with its JSON pointer, and the reader goes on with something harmless, to find the other faults.
 * Only own members are seen, so a member named `__proto__` is like any other.
 */
export class Cursor {
  readonly value: unknown
  readonly report: ImportReport
  readonly #parent: Cursor | null
  readonly #key: string | number

  private constructor(value: unknown, report: ImportReport, parent: Cursor | null, key: string | number) {
    this.value = value
    this.report = report
    this.#parent = parent
    this.#key = key
  }

  static root(document: unknown, report: ImportReport): Cursor {
    return new Cursor(document, report, null, '')
  }

  /** Built when asked for: of a hundred thousand seats few are ever named. */
  get path(): string {
    const keys: string[] = []
    for (let cursor: Cursor = this; cursor.#parent; cursor = cursor.#parent) {
      keys.push(`/${String(cursor.#key).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    }
    return keys.reverse().join('')
  }

  /** Absent and null are the same in both formats. */
  get isAbsent(): boolean {
    return this.value === undefined || this.value === null
  }

  fault(code: ImportFaultCode, message: string): void {
    this.report.faults.add(this.path, code, message)
  }

  isObject(): boolean {
    const fits = typeof this.value === 'object' && this.value !== null && !Array.isArray(this.value)
    if (!fits) this.fault(...(this.isAbsent ? MISSING : NOT_AN_OBJECT))
    return fits
  }

  member(key: string): Cursor {
    return new Cursor(this.#read(key), this.report, this, key)
  }

  /** The objects of a list; an absent list is an empty one. */
  objects(key: string): Cursor[] {
    const value = this.#read(key)
    if (value === undefined || value === null) return []
    const list = this.member(key)
    if (!Array.isArray(value)) {
      list.fault('not_a_list', 'Expected a list here.')
      return []
    }
    return value
      .map((item, index) => new Cursor(item, this.report, list, index))
      .filter(item => item.isObject())
  }

  /** On one line, without spaces around it; null when absent or empty. Numbers count as text. */
  text(key: string): string | null {
    const value = this.#read(key)
    if (typeof value === 'string') return value.replace(NOT_PRINTABLE, ' ').trim() || null
    if (value === undefined || value === null) return null
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
    this.member(key).fault('not_text', 'Expected text here.')
    return null
  }

  requiredText(key: string): string | null {
    const text = this.text(key)
    const member = this.member(key)
    if (text === null && (member.isAbsent || typeof member.value === 'string')) member.fault(...MISSING)
    return text
  }

  number(key: string): number | null {
    const value = this.#read(key)
    if (value === undefined || value === null) return null
    if (typeof value === 'number' && Number.isFinite(value)) return value
    this.member(key).fault('not_a_number', 'Expected a finite number here.')
    return null
  }

  flag(key: string): boolean {
    const value = this.#read(key)
    if (value === undefined || value === null) return false
    if (typeof value !== 'boolean') this.member(key).fault('not_a_flag', 'Expected true or false here.')
    return value === true
  }

  /** An object with x and y; null when absent. */
  point(key: string): Point | null {
    const cursor = this.member(key)
    return cursor.isAbsent || !cursor.isObject() ? null : cursor.xy()
  }

  /** The x and y of this object itself. */
  xy(): Point {
    return { x: this.#required('x'), y: this.#required('y') }
  }

  #required(key: string): number {
    const number = this.number(key)
    if (number === null && this.member(key).isAbsent) this.member(key).fault(...MISSING)
    return number ?? 0
  }

  #read(key: string): unknown {
    const { value } = this
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    return isThere ? (value as Record<string, unknown>)[key] : undefined
  }
}

const MISSING: [ImportFaultCode, string] = ['missing', 'This is needed and not there.']
const NOT_AN_OBJECT: [ImportFaultCode, string] = ['not_an_object', 'Expected an object here.']
