import { Type } from 'typebox'
import { Strict } from './common.ts'
import { route } from './route.ts'

const State = Type.Union([
  Type.Literal('ok'),
  Type.Literal('degraded'),
  Type.Literal('down'),
  Type.Literal('off'),
])
const Reason = Type.Union(
  [
    Type.Literal('draining'),
    Type.Literal('unreachable'),
    Type.Literal('read_only'),
    Type.Literal('disk_full'),
    Type.Literal('settings_dropped'),
  ],
  {
    description:
      'Why no traffic should come here: the node is being stopped; Postgres does not answer, takes no writes (`read_only`, `disk_full`), or is behind a pooler that drops the role of connections (`settings_dropped`)',
  },
)
const Readiness = Strict({ postgres: State, redis: State, reaper: State, reason: Type.Optional(Reason) })

export const healthz = route({
  method: 'GET',
  path: '/healthz',
  summary: 'The process lives',
  area: 'Running',
  access: 'public',
  answers: { 200: Strict({ status: Type.Literal('ok') }) },
})

export const readyz = route({
  method: 'GET',
  path: '/readyz',
  summary: 'Ready for traffic: 503 while Postgres is out of reach or takes no writes, and while draining',
  area: 'Running',
  access: 'public',
  answers: { 200: Readiness, 503: Readiness },
})

export const metrics = route({
  method: 'GET',
  path: '/metrics',
  summary: 'Prometheus metrics, as text; 404 where the operator gave them an address of their own',
  area: 'Running',
  access: 'public',
  answers: { 200: null },
})

export const openapi = route({
  method: 'GET',
  path: '/openapi.json',
  summary: 'This contract as OpenAPI 3.1',
  area: 'Running',
  access: 'public',
  answers: { 200: Type.Unknown(), 304: null },
})

export const docs = route({
  method: 'GET',
  path: '/docs',
  summary: 'This contract as a page',
  area: 'Running',
  access: 'public',
  answers: { 200: null, 304: null },
})
