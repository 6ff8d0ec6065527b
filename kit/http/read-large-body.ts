import { routes } from '@voelgoed/contract/routes'
import type { Refusal } from '@voelgoed/core/refusal'
import { assert, type Result } from '@voelgoed/core/result'
import type { LargeBody } from './large-bodies.ts'
import { readBody } from './read-body.ts'
import { compileValidation, type Validate } from './validation.ts'

const validations = new Map<string, Validate>()

/** In a thread: the bytes of one body in, its checked value or its faults out. */
export function readLargeBody({ method, path, bytes }: LargeBody): Result<unknown, Refusal> {
  const name = `${method} ${path}`
  let validate = validations.get(name)
  if (!validate) {
    const route = routes.find(one => one.method === method && one.path === path)
    assert(route?.body !== undefined, `${name} has no body`)
    validate = compileValidation(route.body)
    validations.set(name, validate)
  }
  return readBody(bytes, validate)
}
