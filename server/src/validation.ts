import type { RequestFault } from '@voelgoed/core/refusal'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'

// Enough for a person to mend a body in one go; a bound, because bodies can be large.
Settings.Set({ maxErrors: 50 })

export type Validate = (value: unknown) => RequestFault[]

/** A check of one schema: no faults means that the value has the schema's type. */
export function compileValidation(schema: TSchema, prefix = ''): Validate {
  const validator = Compile(schema)
  return value => (validator.Check(value) ? [] : describe(validator.Errors(value), prefix))
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
