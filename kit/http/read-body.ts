import type { Refusal } from '@voelgoed/core/refusal'
import { type Result, refuse } from '@voelgoed/core/result'
import { parseStrictJson } from '../base/strict-json.ts'
import type { Validate } from './validation.ts'

/** An overlay may block 250,000 seats. */
const MAX_VALUES = 300_000

/** From the bytes of a request to a value of the route's schema, or to every reason why not. */
export function readBody(bytes: Uint8Array, validate: Validate): Result<unknown, Refusal> {
  const parsed = parseStrictJson(bytes, { maxValues: MAX_VALUES })
  const errors = parsed.ok ? validate(parsed.value) : parsed.problem
  return parsed.ok && errors.length === 0 ? parsed : refuse({ kind: 'invalid_request', errors })
}
