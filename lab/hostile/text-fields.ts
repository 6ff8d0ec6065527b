import { bodyLimitOf, paramNames, type Route } from '@voelgoed/contract/route'
import { routes } from '@voelgoed/contract/routes'
import type { Random } from '../random.ts'
import { type Draft, encode, encodeJson, setBody, setHeader } from './draft.ts'
import { fromSchema, type Schema, type SchemaContext } from './from-schema.ts'
import type { Ground } from './ground.ts'
import { authorization, goodToken, honestDraft, pathOf } from './honest.ts'
import type { HostileRequest } from './make-request.ts'

/** A place of a request where a caller may write a text. */
export interface TextField {
  readonly route: Route
  readonly part: 'body' | 'query' | 'path'
  readonly where: string
  /** `text`: the schema says so (an enum is one too). `any`: it says nothing. `key`: the name of a member. */
  readonly kind: Place['kind']
  readonly place: Place
}

/** Every text field of every route, one for each form of the body that has it. */
export const TEXT_FIELDS: readonly TextField[] = routes.flatMap(route => {
  const fields = (part: TextField['part'], places: readonly Place[]) =>
    places.map(place => ({ route, part, where: `${part}${place.where}`, kind: place.kind, place }))
  return [
    ...fields('path', paramNames(route.path).map(inPath)),
    ...fields('query', route.query ? placesOf(route.query as Schema) : []),
    ...fields('body', route.body ? placesOf(route.body as Schema) : []),
  ]
})

/** A long text: `start`, then `one` as often as there is room, then `end`. */
interface Fill {
  readonly name: string
  readonly start?: string
  readonly one: string
  readonly end?: string
}

/**
 * A pattern that tries several ways through a text needs a text that fits for long and then does not: most of
 * these end with an @ that no pattern of the contract allows there.
 */
export const FILLS: readonly Fill[] = [
  { name: 'a', one: 'a', end: '@' },
  { name: 'a@', one: 'a@' },
  { name: 'a@a.a.a.', start: 'a@', one: 'a.', end: '@' },
  { name: 'digits', one: '1', end: '@' },
  { name: 'dots', one: '.', end: '@' },
  { name: 'dashes', one: '-', end: '@' },
  { name: 'a-a-', one: 'a-', end: '@' },
  { name: 'spaces', one: ' ' },
  { name: 'letters with a combining mark', one: 'e\u0301', end: '@' },
  { name: 'combining marks', start: 'e', one: '\u0301\u0327', end: '@' },
  { name: 'pairs of surrogates', one: '\u{1f600}', end: '@' },
]

/** Node reads a head of 16 KiB; the rest of it has room too. */
const HEAD_TEXT_BYTES = 12 * 1024

/** An honest request but for one field, which holds as much text as the route lets in. */
export function longTextRequest(
  field: TextField,
  fill: Fill,
  { ground, random, maxBytes }: { ground: Ground; random: Random; maxBytes: number },
): HostileRequest {
  const { route, part, place } = field
  const draft = honestDraft(route, ground, random)
  draft.path = pathOf(route, ground.ours, random)
  draft.query = ''
  draft.mustBeRefused = true
  setHeader(draft, 'authorization', authorization(goodToken(route, ground, random)))
  setHeader(draft, 'idempotency-key', null)
  const context = { random, ids: ground.ours.ids, slug: ground.ours.slug }
  writeText(draft, part, place.make(HERE, context), fill, Math.min(maxBytes, bodyLimitOf(route)))
  return { index: -1, attack: `long text: ${fill.name}`, route, draft, bytes: encode(draft) }
}

/** Stands where the long text will. */
const HERE = 'long-text-goes-here'

function writeText(
  draft: Draft,
  part: TextField['part'],
  made: unknown,
  fill: Fill,
  bodyBytes: number,
): void {
  switch (part) {
    case 'body':
      setBody(draft, filled(encodeJson(made), fill, bodyBytes))
      return
    case 'query': {
      const query = new URLSearchParams(made as Record<string, string>).toString()
      draft.query = filled(query, inUrl(fill), HEAD_TEXT_BYTES).toString('latin1')
      return
    }
    case 'path': {
      const [name, text] = Object.entries(made as Record<string, string>)[0]!
      const segments = draft.path.split('/')
      const at = draft.route.path.split('/').indexOf(`:${name}`)
      segments[at] = text
      draft.path = filled(segments.join('/'), inUrl(fill), HEAD_TEXT_BYTES).toString('latin1')
    }
  }
}

function inUrl({ name, start = '', one, end = '' }: Fill): Fill {
  return {
    name,
    start: encodeURIComponent(start),
    one: encodeURIComponent(one),
    end: encodeURIComponent(end),
  }
}

/** `template` with the text in its place: not more than `bytes` in all. */
function filled(template: string, { start = '', one, end = '' }: Fill, bytes: number): Buffer {
  const [before, after] = template.split(HERE) as [string, string]
  const head = Buffer.from(before + start)
  const tail = Buffer.from(end + after)
  const length = Buffer.byteLength(one)
  const count = Math.floor((bytes - head.length - tail.length) / length)
  return Buffer.concat([head, Buffer.alloc(count * length, one), tail])
}

interface Place {
  readonly where: string
  readonly kind: 'text' | 'any' | 'key'
  /** A document as its schema wants it, with `text` in this place. */
  make(text: string, context: SchemaContext): unknown
}

function inPath(name: string): Place {
  return { where: `/:${name}`, kind: 'text', make: text => ({ [name]: text }) }
}

function placesOf(schema: Schema): Place[] {
  const { items, anyOf, properties = {}, patternProperties = {} } = schema
  const inside = (places: Place[], step: string, wrap: (made: unknown, context: SchemaContext) => unknown) =>
    places.map(({ where, kind, make }) => ({
      where: `${step}${where}`,
      kind,
      make: (text: string, context: SchemaContext) => wrap(make(text, context), context),
    }))
  const withRequired = (key: string) => (made: unknown, context: SchemaContext) => ({
    ...requiredMembers(schema, context),
    [key]: made,
  })
  const own = kindOfText(schema)
  return [
    ...(own ? [{ where: '', kind: own, make: (text: string) => text }] : []),
    ...(items ? inside(placesOf(items), '/*', made => [made]) : []),
    ...(anyOf ?? []).flatMap(placesOf),
    ...Object.entries(properties).flatMap(([key, member]) =>
      inside(placesOf(member), `/${key}`, withRequired(key)),
    ),
    ...Object.values(patternProperties).flatMap(member => [
      ...inside(placesOf(member), '/{any}', (made, context) =>
        withRequired(context.random.uuid())(made, context),
      ),
      {
        where: '/{any}',
        kind: 'key' as const,
        make: (text: string, context: SchemaContext) =>
          withRequired(text)(fromSchema(member, context), context),
      },
    ]),
  ]
}

function kindOfText({ type, enum: values, const: only, anyOf }: Schema): 'text' | 'any' | null {
  if (type === 'string' || typeof only === 'string' || values?.some(value => typeof value === 'string'))
    return 'text'
  return type === undefined && values === undefined && only === undefined && anyOf === undefined
    ? 'any'
    : null
}

function requiredMembers(schema: Schema, context: SchemaContext): object {
  const members = (schema.required ?? []).map(key => [
    key,
    fromSchema(schema.properties![key]!, context, key),
  ])
  return Object.fromEntries(members)
}
