import type { Role } from '@voelgoed/core/access'
import type { Refusal } from '@voelgoed/core/refusal'
import type { Static, TObject, TSchema } from 'typebox'

/**
 * One route of the HTTP contract as data. The server binds a handler to it, the client calls it, OpenAPI and
 * the documentation pages are made from it, and tests walk the table of all of them.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters as `:name`. A parameter named `event` that is unknown is refused as `event_not_found`. */
  readonly path: string
  readonly summary: string
  readonly area: Area
  readonly access: Access
  readonly query?: TObject
  /** Members of the query that its example has, besides those that are required. */
  readonly exampleQuery?: readonly string[]
  readonly body?: TSchema
  /** The body is a file of one of these media types, and no JSON. */
  readonly bytesOf?: readonly string[]
  /** No body at all is as good as an empty object. */
  readonly bodyOptional?: boolean
  /** A body that is valid and does something sensible: shown in the documentation, used by tests. */
  readonly example?: unknown
  readonly answers: Readonly<Record<number, TSchema | null>>
  /** Beyond those that follow from access, parameters, query and body. */
  readonly refusals?: readonly Refusal['kind'][]
  readonly idempotencyKey?: boolean
  /** A short-lived token in the query will do, where headers can't be set. */
  readonly tokenInQuery?: boolean
  /** Left out: see `bodyLimitOf`. */
  readonly bodyLimitBytes?: number
  /** Pages of other sites may call it, like the routes of buyers: see `isForOtherSites`. */
  readonly otherSites?: boolean
  /** Works for staff who must set up a second factor first, and have not. */
  readonly withoutSecondFactor?: boolean
  /**
   * True: it works in an organization that the platform has suspended. Left out: a GET does, what changes
   * something does not.
   */
  readonly whileSuspended?: boolean
}

/** `public`: no token. `signed_in`: any role. `root`: the platform's key. Otherwise one of the roles. */
type Access = 'public' | 'signed_in' | 'root' | readonly Role[]

export type Area = 'Running' | 'Platform' | 'Sessions' | 'Buyers' | 'Administration'

export function route<const R extends Route>(definition: R): R {
  return definition
}

export type BodyOf<R extends Route> = R['body'] extends TSchema ? Static<R['body']> : undefined
export type QueryOf<R extends Route> = R['query'] extends TObject ? Static<R['query']> : Record<string, never>

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never
export type ParamsOf<R extends Route> = Record<ParamNames<R['path']>, string>

type SuccessSchema<R extends Route> = Extract<R['answers'][keyof R['answers']], TSchema>
/** Describes what a successful answer carries: the whole JSON document. */
export type AnswerOf<R extends Route> = Static<SuccessSchema<R>>

/** Every kind of refusal that a route can answer with: its own, and those that follow from its shape. */
export function refusalsOf(route: Route): Refusal['kind'][] {
  const kinds = new Set<Refusal['kind']>(route.refusals)
  if (route.access !== 'public') kinds.add('unauthorized')
  if (route.access === 'root' || Array.isArray(route.access)) kinds.add('forbidden')
  if (isClosedWhileSuspended(route)) kinds.add('organization_suspended')
  if (needsSecondFactor(route)) kinds.add('second_factor_needed')
  if (isForBuyers(route)) kinds.add('rate_limited')
  if (isForOtherSites(route)) kinds.add('forbidden')
  for (const name of paramNames(route.path)) kinds.add(notFoundKind(name))
  // Whatever is not valid HTTP is refused before any route is known.
  kinds.add('invalid_request')
  if (route.body || route.bytesOf) {
    kinds.add('payload_too_large')
    kinds.add('unsupported_media_type')
  }
  if (route.idempotencyKey) {
    kinds.add('idempotency_key_reused')
    kinds.add('idempotency_key_in_use')
  }
  if (route.area !== 'Running') {
    kinds.add('internal_error')
    kinds.add('busy')
    kinds.add('database_unavailable')
    if (route.method !== 'GET') kinds.add('outcome_unknown')
  }
  return [...kinds]
}

/** Pages of sites that an organization allows may call it. Passwords and staff stay on our own pages. */
export function isForOtherSites({ area, otherSites }: Route): boolean {
  return area === 'Buyers' || otherSites === true
}

/** Signed-in buyers may call it, so each of their sessions may do so only this often. */
function isForBuyers({ access }: Route): boolean {
  return access === 'signed_in' || (Array.isArray(access) && access.includes('customer'))
}

/** Staff whose organization asks for a second factor can not call it before they have one. */
export function needsSecondFactor({ access, withoutSecondFactor }: Route): boolean {
  return access !== 'public' && access !== 'root' && !withoutSecondFactor
}

/**
 * A suspended organization can be read, its people can sign in, and its gates admit those who have tickets;
 * it sells and changes nothing. The platform works on it as ever.
 */
export function isClosedWhileSuspended({ access, area, method, whileSuspended }: Route): boolean {
  if (access === 'root' || area === 'Running') return false
  return !(whileSuspended ?? method === 'GET')
}

const DEFAULT_BODY_BYTES = 256 * 1024
/** A caller without a session sends a name and a password. */
const PUBLIC_BODY_BYTES = 16 * 1024

/** The largest body that the server reads for a route. */
export function bodyLimitOf({ access, bodyLimitBytes }: Route): number {
  return bodyLimitBytes ?? (access === 'public' ? PUBLIC_BODY_BYTES : DEFAULT_BODY_BYTES)
}

export function paramNames(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(match => match[1]!)
}

/** A parameter's name says what it is the id of. */
export function notFoundKind(param: string): Refusal['kind'] {
  switch (param) {
    case 'org':
      return 'organization_not_found'
    case 'user':
      return 'user_not_found'
    case 'venue':
      return 'venue_not_found'
    case 'layout':
    case 'v':
      return 'layout_not_found'
    case 'event':
      return 'event_not_found'
    case 'seat':
      return 'seat_not_found'
    case 'hold':
      return 'hold_not_found'
    case 'order':
    case 'checkout':
      return 'order_not_found'
    case 'image':
      return 'image_not_found'
    case 'ticket':
      return 'ticket_not_found'
    default:
      return 'not_found'
  }
}
