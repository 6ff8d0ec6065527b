import type { AnswerOf, BodyOf, ParamsOf, QueryOf, Route } from '@voelgoed/contract/route'
import type { RouteTable } from '@voelgoed/contract/routes'

/** A call by its method and path, as the documentation writes it: `'POST /api/events/:event/holds'`. */
export type RouteName = keyof RouteTable

type Named<N extends RouteName> = RouteTable[N] extends Route ? RouteTable[N] : never

/** The JSON document that a successful call answers with. */
export type Answer<N extends RouteName> = AnswerOf<Named<N>>

/** Describes what the answer carries in `data`. */
export type Data<N extends RouteName> = Answer<N> extends { data: infer D } ? D : never

export type Body<N extends RouteName> = BodyOf<Named<N>>

/**
 * Describes what a call needs: only the members that its route has, and none that may be left out must be
 * given.
 */
export type Input<N extends RouteName> = ParamsInput<N> & QueryInput<N> & BodyInput<N> & FileInput<N>

type ParamsInput<N extends RouteName> = keyof ParamsOf<Named<N>> extends never
  ? unknown
  : { readonly params: ParamsOf<Named<N>> }

type QueryInput<N extends RouteName> =
  Named<N> extends { query: object } ? { readonly query?: QueryOf<Named<N>> } : unknown

type BodyInput<N extends RouteName> =
  Named<N> extends { body: object }
    ? Named<N> extends { bodyOptional: true }
      ? { readonly body?: Body<N> }
      : { readonly body: Body<N> }
    : unknown

/** A file, as a field of a form gives it; its type is sent as it is. */
type FileInput<N extends RouteName> =
  Named<N> extends { bytesOf: readonly string[] } ? { readonly file: Blob } : unknown

type KeyedRoute = {
  [N in RouteName]: Named<N> extends { idempotencyKey: true } ? N : never
}[RouteName]

/**
 * Calls that take an Idempotency-Key: such a call may be sent again when its fate is unknown. The contract is
 * only types here, so the names stand here again; the compiler says when one is missing or too many.
 */
const KEYED: Readonly<Record<KeyedRoute, true>> = {
  'POST /api/platform/organizations': true,
  'POST /api/platform/organizations/:org/users': true,
  'POST /api/accounts': true,
  'POST /api/admin/invitations': true,
  'POST /api/admin/users': true,
  'POST /api/admin/users/:user/invite': true,
  'POST /api/admin/members/import': true,
  'POST /api/admin/api-keys': true,
  'POST /api/admin/ticket-keys/rotate': true,
  'POST /api/admin/images': true,
  'POST /api/admin/venues': true,
  'POST /api/admin/events/:event/copy': true,
  'POST /api/admin/events/:event/registry/reconcile': true,
  'POST /api/admin/venues/:venue/layouts': true,
  'PUT /api/admin/layouts/:layout': true,
  'POST /api/admin/events': true,
  'POST /api/admin/orders': true,
  'POST /api/checkouts': true,
  'POST /api/admin/orders/:order/refund': true,
  'POST /api/admin/orders/:order/move': true,
  'POST /api/admin/orders/:order/notes': true,
  'POST /api/admin/orders/:order/refund/retry': true,
  'POST /api/admin/orders/:order/refund/given-back': true,
  'POST /api/scans': true,
  'POST /api/admin/orders/:order/resend': true,
  'POST /api/orders/:order/resend': true,
  'POST /api/admin/mails/:mail/resend': true,
  'POST /api/admin/orders/:order/tickets/:ticket/reissue': true,
  'POST /api/scans/batch': true,
  'POST /api/admin/events/:event/whitelist': true,
  'POST /api/admin/events/:event/whitelist/import': true,
  'POST /api/events/:event/holds': true,
  'PATCH /api/holds/:hold': true,
  'POST /api/events/:event/seats/:seat/reserve': true,
}

export function takesIdempotencyKey(name: RouteName): boolean {
  return Object.hasOwn(KEYED, name)
}
