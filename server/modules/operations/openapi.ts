import { Problem } from '@voelgoed/contract/common'
import { exampleAnswer } from '@voelgoed/contract/example-answer'
import { problemKinds } from '@voelgoed/contract/problems'
import { paramNames, type Route, refusalsOf } from '@voelgoed/contract/route'
import { type Task, tasks } from '@voelgoed/contract/tasks'
import { curlLine } from './curl-line.ts'

export interface OpenApi {
  openapi: '3.1.0'
  info: { title: string; version: string; summary: string; description: string; license: object }
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: object
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: object[]
  parameters: { name: string; in: string; required: boolean; schema: object; description?: string }[]
  requestBody?: { required: true; content: Record<string, { schema: object; example?: unknown }> }
  responses: Record<
    string,
    {
      description: string
      content?: Record<string, { schema: object; example?: unknown }>
      headers?: object
    }
  >
  /** Shown by Redoc, Scalar and our own page. */
  'x-codeSamples': { lang: string; source: string }[]
}

/** The contract as OpenAPI 3.1, from the very schemas that judge requests. */
export function buildOpenApi(): OpenApi {
  const paths: OpenApi['paths'] = {}
  for (const task of tasks) {
    for (const route of task.routes) {
      const path = route.path.replace(/:(\w+)/g, '{$1}')
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, task) }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'VoelgoedEvents Seating',
      version: '1',
      summary: 'Venues, layouts, events and seat holds.',
      description:
        'Venues, layouts, events and seat holds. Errors are application/problem+json. An introduction is at /docs.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that you have this document from' }],
    tags: tasks.map(({ name, about }) => ({ name, description: about })),
    paths,
    components: {
      securitySchemes: {
        session: { type: 'http', scheme: 'bearer', description: 'A token from /api/sessions' },
        root: { type: 'http', scheme: 'bearer', description: "The platform's key" },
      },
      schemas: { Problem: plain(Problem) },
    },
  }
}

function operation(route: Route, task: Task): Operation {
  return {
    operationId: operationId(route),
    tags: [task.name],
    summary: route.summary,
    description: accessSentence(route),
    security: route.access === 'public' ? [] : [route.access === 'root' ? { root: [] } : { session: [] }],
    parameters: parameters(route),
    ...(route.body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: plain(route.body),
            ...(route.example !== undefined && { example: route.example }),
          },
        },
      },
    }),
    ...(route.bytesOf && {
      requestBody: {
        required: true,
        content: Object.fromEntries(route.bytesOf.map(type => [type, { schema: {} }])),
      },
    }),
    responses: responses(route),
    'x-codeSamples': [{ lang: 'Shell', source: curlLine(route) }],
  }
}

function operationId(route: Route): string {
  const words = route.path.replace(/[/:.-]+/g, '_').replace(/^_|_$/g, '')
  return `${route.method.toLowerCase()}_${words}`
}

function accessSentence(route: Route): string {
  if (route.access === 'public') return 'Open to everyone.'
  if (route.access === 'root') return "Needs the platform's key."
  if (route.access === 'signed_in') return 'Needs a session of any role.'
  return `Needs a session with the role ${route.access.join(' or ')}.`
}

function parameters(route: Route): Operation['parameters'] {
  const path = paramNames(route.path).map(name => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'v' ? { type: 'integer', minimum: 1 } : { type: 'string', format: 'uuid' },
  }))
  const required = new Set((route.query as { required?: string[] } | undefined)?.required)
  const query = Object.entries(route.query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    schema: plain(schema),
  }))
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: { type: 'string', maxLength: 255 },
    description: 'The same key and body give the stored answer again, for 24 hours',
  }
  return [...path, ...query, ...(route.idempotencyKey ? [key] : [])]
}

function responses(route: Route): Operation['responses'] {
  const result: Operation['responses'] = {}
  const example = exampleAnswer(route)
  for (const [status, schema] of Object.entries(route.answers)) {
    result[status] = {
      description: status === '304' ? 'Not modified' : route.summary,
      ...(schema && {
        content: {
          'application/json': {
            schema: plain(schema),
            ...(example?.status === Number(status) && { example: example.body }),
          },
        },
      }),
    }
  }
  for (const [status, kinds] of groupByStatus(refusalsOf(route))) {
    const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
    const known = result[status]
    result[status] = {
      description: kinds.map(kind => `\`${kind}\`: ${problemKinds[kind].title}.`).join(' '),
      content: { ...known?.content, ...problem },
    }
  }
  return result
}

function groupByStatus(kinds: ReturnType<typeof refusalsOf>): Map<number, typeof kinds> {
  const groups = new Map<number, typeof kinds>()
  for (const kind of kinds) {
    const { status } = problemKinds[kind]
    groups.set(status, [...(groups.get(status) ?? []), kind])
  }
  return groups
}

/** Schemas carry symbols for the type system; a document has none. */
function plain(schema: object): object {
  return JSON.parse(JSON.stringify(schema))
}
