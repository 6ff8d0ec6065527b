import type { RequestFault } from '@voelgoed/core/refusal'
import { assert } from '@voelgoed/core/result'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import Format from 'typebox/format'
import { Settings } from 'typebox/system'
import { meant } from './meant-form.ts'

// Enough for a person to mend a body in one go; a bound, because bodies can be large.
Settings.Set({ maxErrors: 50 })

/** So much of each list or object is looked at to say what is wrong with it. */
const LIST = 1_000
/**
 * And so much of each text: more than twice the longest that the contract allows, so that it stays too long.
 */
const TEXT = 10_000

export type Validate = (value: unknown) => RequestFault[]

/** A check of one schema: no faults means that the value has the schema's type. */
export function compileValidation(schema: TSchema, prefix = ''): Validate {
  const validator = Compile(withBoundedText(schema) as TSchema)
  return value => {
    if (validator.Check(value)) return []
    // Checking ends at the first fault. Explaining walks everything, and reads whole texts to compare the
    // items of a list, so it only ever sees the beginning of a list and of a text.
    const beginning = firstOf(value, { nodes: 50_000 })
    if (!validator.Check(beginning)) {
      return describe(meant(validator.Errors(beginning), schema, beginning), prefix)
    }
    return [
      { path: prefix, message: `is not valid: a list is too long, or wrong after its first ${LIST} items` },
    ]
  }
}

function describe(errors: TLocalizedValidationError[], prefix: string): RequestFault[] {
  const faults = new Map<string, RequestFault>()
  const tooLong = new Set(errors.filter(isTooLong).map(({ instancePath }) => instancePath))
  for (const error of errors) {
    // The form of a text that is too long was not looked at.
    if (error.keyword === 'pattern' && tooLong.has(error.instancePath)) continue
    // Unknown members are reported where they are; the second report, of the object around them,
    // says no more.
    if (error.keyword === 'additionalProperties') continue
    const fault = { path: `${prefix}${error.instancePath}`, message: sentence(error) }
    faults.set(`${fault.path}\0${fault.message}`, fault)
  }
  if (faults.size === 0) return [{ path: prefix, message: 'is not valid' }]
  return [...faults.values()]
}

function sentence(error: TLocalizedValidationError): string {
  if (error.keyword === 'boolean') return 'is not known here: remove it'
  if (error.keyword === 'required')
    return `must have ${(error.params as { requiredProperties: string[] }).requiredProperties.join(', ')}`
  if (error.keyword === 'enum')
    return `must be one of ${(error.params as { allowedValues: unknown[] }).allowedValues.join(', ')}`
  if (error.keyword === 'anyOf') return error.message
  if (error.keyword === 'pattern') {
    const { format, title } = (error.params as unknown as { pattern: BoundedForm }).pattern
    if (format !== null) return `must be a valid ${format}`
    return title === null ? 'has the wrong form: see the documentation' : `must be ${title}`
  }
  return error.message
}

function isTooLong({ keyword }: TLocalizedValidationError): boolean {
  return keyword === 'maxLength'
}

/**
 * The schema with the form of each text (`pattern`, `format`) behind its `maxLength`. The library checks the
 * length first when it only wants to know whether a value is valid; when it explains what is wrong, it checks
 * everything, and a pattern would read a text of a whole body.
 */
function withBoundedText(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withBoundedText)
  if (typeof schema !== 'object' || schema === null) return schema
  if (!isText(schema) || (schema.pattern === undefined && schema.format === undefined)) {
    return Object.fromEntries(Object.entries(schema).map(([key, member]) => [key, withBoundedText(member)]))
  }
  const { pattern, format, ...rest } = schema
  assert(rest.maxLength !== undefined, `a text with a form needs a maxLength: ${pattern ?? format}`)
  return { ...rest, pattern: new BoundedForm(schema) }
}

interface TextSchema {
  readonly type: 'string'
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  /** Its form in words that end a sentence: "must be …". */
  readonly title?: string
}

function isText(schema: object): schema is TextSchema {
  return (schema as { type?: unknown }).type === 'string'
}

/** Looks like a pattern to the library, and refuses what is too long without reading it. */
class BoundedForm extends RegExp {
  readonly format: string | null
  readonly title: string | null
  readonly #pattern: RegExp | null
  readonly #maxUnits: number

  constructor({ pattern, format, maxLength, title }: TextSchema) {
    super(pattern ?? '', 'u')
    this.format = format ?? null
    this.title = title ?? null
    this.#pattern = pattern === undefined ? null : new RegExp(pattern, 'u')
    // `maxLength` counts characters; the largest of them have two units each.
    this.#maxUnits = 2 * maxLength!
  }

  override test(text: string): boolean {
    if (text.length > this.#maxUnits) return false
    if (this.format !== null && !Format.Test(this.format, text)) return false
    return this.#pattern === null || this.#pattern.test(text)
  }
}

/**
 * A copy of what comes first: of every list and object the first items, of every text the first characters,
 * and not more than so many values in all.
 */
function firstOf(value: unknown, budget: { nodes: number }): unknown {
  if (typeof value === 'string') return value.slice(0, TEXT)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const item of value) {
      if (items.length === LIST || budget.nodes <= 0) break
      budget.nodes -= 1
      items.push(firstOf(item, budget))
    }
    return items
  }
  const members: Record<string, unknown> = Object.create(null)
  let count = 0
  for (const key in value) {
    if (count === LIST || budget.nodes <= 0) break
    count += 1
    budget.nodes -= 1
    members[key.slice(0, TEXT)] = firstOf((value as Record<string, unknown>)[key], budget)
  }
  return members
}
