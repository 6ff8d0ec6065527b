import { changeOrganization, signOut } from '@voelgoed/contract/accounts'
import { createLayout, createLayoutVersion } from '@voelgoed/contract/layouts'
import { paramNames, type Route } from '@voelgoed/contract/route'
import { EVENT_ACTIONS } from '@voelgoed/core/event/lifecycle'
import { isUuid } from '@voelgoed/core/ids'
import { festival, generateVenue } from '@voelgoed/core/layout/generate'
import type { Random } from '../random.ts'
import type { Draft } from './draft.ts'
import { encodeJson, setBody, setHeader } from './draft.ts'
import { fromSchema, kindOf, type Schema } from './from-schema.ts'
import { EVENT_TO_CHANGE, type Ground, ORGANIZATION_TO_CHANGE, type Tenant } from './ground.ts'
import { PRETIX_DOCUMENT, SEATSIO_DOCUMENT, SEATSIO_FLOORS_DOCUMENT } from './import-documents.ts'

/**
 * A request as an honest program would send it: the beginning of every attack. Half of the ids are real; the
 * others never were, or are the neighbour's.
 */
export function honestDraft(route: Route, ground: Ground, random: Random): Draft {
  const draft: Draft = {
    route,
    method: route.method,
    path: '',
    query: '',
    version: 'HTTP/1.1',
    headers: [
      ['host', 'localhost'],
      ['user-agent', 'lab'],
    ],
    document: undefined,
    body: null,
    framing: 'length',
    raw: null,
    alone: false,
    incomplete: false,
    mayClose: false,
    mustBeRefused: false,
  }
  const whose = random.pick(['ours', 'ours', 'neighbour', 'unknown'] as const)
  draft.path = pathOf(route, whose === 'unknown' ? null : ground[whose], random)
  draft.mustBeRefused =
    whose === 'neighbour' && isTenantRoute(route) && paramNames(route.path).some(isTenants)
  draft.query = route.query && random.chance(0.5) ? queryOf(route.query as Schema, ground, random) : ''
  setHeader(draft, 'authorization', authorization(goodToken(route, ground, random)))
  if (random.chance(0.3))
    setHeader(draft, 'accept-encoding', random.pick(['br', 'gzip', 'gzip, br', 'identity']))
  if (route.idempotencyKey && random.chance(0.3)) {
    setHeader(draft, 'idempotency-key', `key-${random.below(50)}`)
  }
  if (route.body) {
    draft.document = documentOf(route, ground, random)
    setBody(draft, encodeJson(draft.document))
  }
  return draft
}

function isTenantRoute(route: Route): boolean {
  return route.access !== 'root' && route.access !== 'public'
}

/** The ids of a version or the like say nothing of whose they are. */
function isTenants(param: string): boolean {
  return param !== 'v' && param !== 'org'
}

export function pathOf(route: Route, tenant: Tenant | null, random: Random): string {
  return route.path.replace(/:(\w+)/g, (_, name: string) => {
    if (name === 'v') return String(random.between(1, 3))
    const ids = tenant?.ids[nameOf(route, name)]
    return ids ? random.pick(ids) : random.uuid()
  })
}

/** Under which the ids are that may be in this place of the path. */
function nameOf(route: Route, param: string): string {
  if (param === 'event' && isTransition(route)) return EVENT_TO_CHANGE
  return route.path === changeOrganization.path ? ORGANIZATION_TO_CHANGE : param
}

function isTransition(route: Route): boolean {
  return EVENT_ACTIONS.some(action => route.path.endsWith(`/:event/${action}`))
}

export function authorization(token: string | null): string | null {
  return token === null ? null : `Bearer ${token}`
}

export function goodToken(route: Route, ground: Ground, random: Random): string | null {
  // One changed method, and the session is over: none that is needed later.
  if (route.path === signOut.path) return random.pick(ground.guestTokens)
  const { tokens } = ground.ours
  switch (route.access) {
    case 'public':
      return null
    case 'root':
      return ground.rootKey
    case 'signed_in':
      return random.pick(Object.values(tokens))
    default:
      return tokens[random.pick(route.access)]
  }
}

function queryOf(schema: Schema, ground: Ground, random: Random): string {
  const { ids, slug } = ground.ours
  const members = fromSchema(schema, { random, ids, slug }) as Record<string, string>
  return new URLSearchParams(members).toString()
}

export const LAYOUT_ROUTES: readonly Route[] = [createLayout, createLayoutVersion]

function documentOf(route: Route, ground: Ground, random: Random): unknown {
  if (LAYOUT_ROUTES.includes(route) && random.chance(0.7)) return layoutDocument(random)
  const { ids, slug } = ground.ours
  if (route.example !== undefined && random.chance(0.5)) return withRealIds(route.example, ground, random)
  return fromSchema(route.body as Schema, { random, ids, slug })
}

/** The example of the documentation, with ids and names that exist here. */
function withRealIds(example: unknown, ground: Ground, random: Random, name = ''): unknown {
  const { ids, slug } = ground.ours
  if (Array.isArray(example)) return example.map(item => withRealIds(item, ground, random, name))
  if (typeof example === 'object' && example !== null) {
    const kind = kindOf(name, ids)
    const members = Object.entries(example).map(([key, value]) => [
      // Some objects have ids as the names of their members, like the zones of a price list.
      kind && isUuid(key) ? random.pick(ids[kind]!) : key,
      withRealIds(value, ground, random, key),
    ])
    return Object.fromEntries(members)
  }
  if (typeof example !== 'string') return example
  if (name === 'organization') return slug
  if (name === 'slug') return `lab-${random.hex(12)}`
  if (name === 'email') return `${random.hex(12)}@lab.example`
  const kind = kindOf(name, ids)
  return kind && isUuid(example) ? random.pick(ids[kind]!) : example
}

export function layoutDocument(random: Random): object {
  const name = 'Hall'
  const importing = (format: string, document: object) => ({ name, import: { format, document } })
  return random.pick([
    () => ({ name, config: festival() }),
    () => ({ name, config: generateVenue({ kind: 'theatre', seats: 40, seed: random.below(1_000) }) }),
    () => ({ name, config: generateVenue({ kind: 'arena', seats: 60, standing: 50 }) }),
    () => importing('pretix', PRETIX_DOCUMENT),
    () => importing('pretix', PRETIX_DOCUMENT),
    () => importing('seatsio', SEATSIO_DOCUMENT),
    () => importing('seatsio', SEATSIO_FLOORS_DOCUMENT),
  ])()
}
