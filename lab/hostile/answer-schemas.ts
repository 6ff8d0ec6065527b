import type { Route } from '@voelgoed/contract/route'
import { routes } from '@voelgoed/contract/routes'
import { Compile } from 'typebox/compile'
import type { Draft } from './draft.ts'
import type { Answer } from './wire.ts'

const PROMISES = new Map(
  routes.map(route => [
    route,
    {
      path: new RegExp(`^${route.path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
      schemas: new Map(
        Object.entries(route.answers).flatMap(([status, schema]) =>
          schema ? [[Number(status), Compile(schema)] as const] : [],
        ),
      ),
    },
  ]),
)

/** Says how a success breaks the contract. Null: it does not, or another route answered. */
export function brokenPromise(route: Route, draft: Draft, answer: Answer, text: string): string | null {
  const promise = PROMISES.get(route)!
  if (draft.raw || draft.alone || draft.method !== route.method || !promise.path.test(draft.path)) return null
  if (!(answer.status in route.answers)) return `success ${answer.status}, which the contract does not know`
  const schema = promise.schemas.get(answer.status)
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  if (!schema || !isJson || text === '' || answer.bytes > answer.body.length) return null
  const value: unknown = JSON.parse(text)
  if (schema.Check(value)) return null
  const [first] = schema.Errors(value)
  return `an answer that the contract does not allow: ${first?.instancePath} ${first?.message}`
}
