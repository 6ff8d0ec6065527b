import type { RequestFault } from '@voelgoed/core/refusal'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'

// Enough for a person to mend a body in one go; a bound, because bodies can be large.
Settings.Set({ maxErrors: 50 })

/** So much of each list or object is looked at to say what is wrong with it. */
const LIST = 1_000

export type Validate = (value: unknown) => RequestFault[]

/** A check of one schema: no faults means that the value has the schema's type. */
export function compileValidation(schema: TSchema, prefix = ''): Validate {
  const validator = Compile(schema)
  return value => {
    if (validator.Check(value)) return []
    // Checking ends at the first fault; explaining walks all of it, so it only ever sees the beginning of a list.
    const beginning = firstOf(value, { nodes: 50_000 })
    if (!validator.Check(beginning)) return describe(validator.Errors(beginning), prefix)
    return [
      { path: prefix, message: `is not valid: a list is too long, or wrong after its first ${LIST} items` },
    ]
  }
}

function describe(errors: TLocalizedValidationError[], prefix: string): RequestFault[] {
  const faults = new Map<string, RequestFault>()
  for (const error of errors) {
    // Unknown members are reported where they are; the second report, of the object around them, says no more.
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
  if (error.keyword === 'anyOf') return 'must match one of the forms in the documentation'
  if (error.keyword === 'format') return `must be a valid ${(error.params as { format: string }).format}`
  if (error.keyword === 'pattern') return 'has the wrong form: see the documentation'
  return error.message
}

/** A copy of what comes first: of every list and object the first items, and not more than so many in all. */
function firstOf(value: unknown, budget: { nodes: number }): unknown {
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
    members[key] = firstOf((value as Record<string, unknown>)[key], budget)
  }
  return members
}
