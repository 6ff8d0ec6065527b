import type { TSchema } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'

type ValidationError = TLocalizedValidationError

/** A JSON schema, as far as it tells the forms of a union apart. */
interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly required?: readonly string[]
}

/**
 * The library tells what is wrong with a value in every form of a union. A sender has one form in mind: what
 * the others lack is no fault of theirs. Where a value comes near to no form, one fault says what the forms
 * are.
 */
export function meant(
  errors: readonly ValidationError[],
  schema: TSchema,
  value: unknown,
): ValidationError[] {
  const found = errors.flatMap(error => inMeantForm(error, schema as Schema, value) ?? [])
  // A bound on the number of errors may have cut off those of the form that was meant.
  return found.length > 0 ? found : [...errors]
}

/** Null: the error belongs to another form than the one that was meant, or says no more than its errors. */
function inMeantForm(error: ValidationError, root: Schema, whole: unknown): ValidationError | null {
  const steps = stepsOf(error.schemaPath)
  const names = error.instancePath.split('/').slice(1).map(unescaped)
  let schema: unknown = root
  let value = whole
  for (let at = 0; at < steps.length; at += 1) {
    const step = steps[at]!
    if (step === 'anyOf') {
      const options = (schema as Schema).anyOf!
      const index = Number(steps[at + 1])
      // Where none was meant, the error of the union itself stands for all of its forms.
      if (nearest(options, value) !== index) return null
      schema = options[index]
      at += 1
    } else if (step === 'properties' || step === 'patternProperties') {
      schema = memberOf(memberOf(schema, step), steps[at + 1]!)
      value = memberOf(value, names.shift() ?? '')
      at += 1
    } else {
      schema = memberOf(schema, step)
      if (step === 'items' || step === 'additionalProperties') value = memberOf(value, names.shift() ?? '')
    }
  }
  if (error.keyword !== 'anyOf') return error
  const options = (schema as Schema).anyOf ?? []
  return nearest(options, value) === null ? { ...error, message: formsOf(options, value) } : null
}

/** Returns which of the forms the sender meant; null: none of them, or it can not be told. */
function nearest(options: readonly Schema[], value: unknown): number | null {
  const possible = options.flatMap((option, index) => (typesOf(option).has(typeOf(value)) ? [index] : []))
  if (possible.length === 1) return possible[0]!
  if (possible.length === 0) {
    // A wrong value for something or null was meant to be the something.
    const things = options.flatMap((option, index) => (typesOf(option).has('null') ? [] : [index]))
    return things.length === 1 ? things[0]! : null
  }
  if (typeOf(value) !== 'object') return null
  const own = ownMembers(options)
  let best: { index: number; rank: number } | null = null
  for (const index of possible) {
    const wanted = own[index]!
    const present = wanted.filter(name => Object.hasOwn(value as object, name)).length
    // A form whose members are all there comes before one that has more of them, and lacks one.
    const rank = present + (present === wanted.length ? 1_000 : 0)
    if (present > 0 && (!best || rank > best.rank)) best = { index, rank }
  }
  return best?.index ?? null
}

/** Returns for each form the members it needs that not every other form needs: they choose it. */
function ownMembers(options: readonly Schema[]): string[][] {
  const lists = options.map(({ required = [] }) => required)
  const objects = options.filter(option => typesOf(option).has('object')).length
  return lists.map(list => list.filter(name => lists.filter(other => other.includes(name)).length < objects))
}

function formsOf(options: readonly Schema[], value: unknown): string {
  const chosenBy = ownMembers(options).filter(names => names.length > 0)
  if (typeOf(value) === 'object' && chosenBy.length > 0) {
    return `must have ${chosenBy.map(names => names.join(' and ')).join(', or ')}`
  }
  return `must be ${[...new Set(options.flatMap(option => [...typesOf(option)]))].join(' or ')}`
}

function typesOf(schema: Schema): Set<string> {
  if (schema.anyOf) return new Set(schema.anyOf.flatMap(option => [...typesOf(option)]))
  if (schema.type !== undefined) return new Set([schema.type === 'integer' ? 'number' : schema.type])
  const values = 'const' in schema ? [schema.const] : (schema.enum ?? [])
  return new Set(values.map(typeOf))
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function memberOf(parent: unknown, name: string): unknown {
  return typeof parent === 'object' && parent !== null ? (parent as Record<string, unknown>)[name] : undefined
}

function stepsOf(schemaPath: string): string[] {
  return schemaPath.split('/').slice(1).map(unescaped)
}

/** As JSON pointers write it. */
function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
