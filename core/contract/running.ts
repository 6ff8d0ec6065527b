import { Type } from 'typebox'
import { Strict } from './common.ts'
import { route } from './route.ts'

const State = Type.Union([
  Type.Literal('ok'),
  Type.Literal('degraded'),
  Type.Literal('down'),
  Type.Literal('off'),
])
const Readiness = Strict({ postgres: State, redis: State, reaper: State })

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
  summary: 'Ready for traffic: 503 while Postgres is out of reach or while draining',
  area: 'Running',
  access: 'public',
  answers: { 200: Readiness, 503: Readiness },
})

export const metrics = route({
  method: 'GET',
  path: '/metrics',
  summary: 'Prometheus metrics, as text',
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
  answers: { 200: Type.Unknown() },
})

export const docs = route({
  method: 'GET',
  path: '/docs',
  summary: 'This contract as a page',
  area: 'Running',
  access: 'public',
  answers: { 200: null },
})
