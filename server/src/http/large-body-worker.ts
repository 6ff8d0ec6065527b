import { parentPort } from 'node:worker_threads'
import { routes } from '@voelgoed/core/contract/routes'
import { assert } from '@voelgoed/core/result'
import { compileValidation, type Validate } from '../validation.ts'
import type { LargeBody } from './large-bodies.ts'
import { readBody } from './read-body.ts'

/** The other end of large-bodies.ts: the bytes of one body in, its checked value or its faults out. */
parentPort!.on('message', ({ id, job }: { id: number; job: LargeBody }) => {
  parentPort!.postMessage({ id, outcome: readBody(job.bytes, validationOf(job)) })
})

const validations = new Map<string, Validate>()

function validationOf({ method, path }: LargeBody): Validate {
  const name = `${method} ${path}`
  const known = validations.get(name)
  if (known) return known
  const route = routes.find(one => one.method === method && one.path === path)
  assert(route?.body !== undefined, `${name} has no body`)
  const validate = compileValidation(route.body)
  validations.set(name, validate)
  return validate
}
