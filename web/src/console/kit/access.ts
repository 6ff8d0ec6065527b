import type { RouteTable } from '@voelgoed/contract/routes'
import type { Role } from '@voelgoed/core/access'

/**
 * Lists who may call which of the console's routes. The contract is only types here, so the roles stand here
 * again; the compiler says when they differ from the contract's.
 */
const STAFF = ['support', 'organizer', 'admin'] as const
const EDITORS = ['organizer', 'admin'] as const
const ADMINS = ['admin'] as const

const ROLES = {
  'GET /api/admin/events/:event': STAFF,
  'POST /api/admin/events': EDITORS,
  'PATCH /api/admin/events/:event': EDITORS,
  'DELETE /api/admin/events/:event': EDITORS,
  'POST /api/admin/events/:event/copy': EDITORS,
  'GET /api/admin/events/:event/readiness': STAFF,
  'GET /api/admin/events/:event/zones': STAFF,
  'PUT /api/admin/events/:event/layout': EDITORS,
  'GET /api/admin/events/:event/prices': STAFF,
  'PUT /api/admin/events/:event/prices': EDITORS,
  'GET /api/admin/policy': STAFF,
  'PATCH /api/admin/policy': EDITORS,
  'GET /api/admin/events/:event/whitelist': STAFF,
  'POST /api/admin/events/:event/whitelist': EDITORS,
  'POST /api/admin/events/:event/whitelist/import': EDITORS,
  'DELETE /api/admin/events/:event/whitelist/:entry': EDITORS,
  'GET /api/admin/events/:event/attendance': STAFF,
  'GET /api/admin/events/:event/attendance/conflicts': STAFF,
  'GET /api/admin/events/:event/occupancy/history': STAFF,
  'GET /api/admin/events/:event/seat-use': STAFF,
  'GET /api/admin/events/:event/funnel': STAFF,
  'GET /api/admin/events/:event/sales': STAFF,
  'GET /api/admin/events/:event/sales/series': STAFF,
  'GET /api/admin/events/:event/revenue': EDITORS,
  'GET /api/admin/events/:event/scans': STAFF,
  'GET /api/admin/sales': STAFF,
  'GET /api/admin/revenue': EDITORS,
  'GET /api/admin/events/:event/registry': STAFF,
  'POST /api/admin/events/:event/registry/reconcile': EDITORS,
  'GET /api/admin/events/:event/refunds': EDITORS,
  'GET /api/admin/events/:event/refunds/orders': EDITORS,
  'POST /api/admin/events/:event/refunds/stop': EDITORS,
  'POST /api/admin/events/:event/refunds/resume': EDITORS,
  'POST /api/admin/events/:event/publish': EDITORS,
  'POST /api/admin/events/:event/unpublish': EDITORS,
  'POST /api/admin/events/:event/go-live': EDITORS,
  'POST /api/admin/events/:event/complete': EDITORS,
  'POST /api/admin/events/:event/cancel': EDITORS,
  'POST /api/admin/events/:event/archive': EDITORS,
  'POST /api/admin/events/:event/seats/block': EDITORS,
  'POST /api/admin/events/:event/seats/unblock': EDITORS,
  'GET /api/admin/events/:event/journal': STAFF,
  'GET /api/admin/events/:event/holds': STAFF,
  'POST /api/admin/events/:event/release': STAFF,
  'POST /api/admin/seats/release': STAFF,
  'GET /api/admin/holds': STAFF,
  'GET /api/admin/orders': STAFF,
  'GET /api/admin/orders.csv': EDITORS,
  'GET /api/admin/orders/:order': STAFF,
  'POST /api/admin/orders': EDITORS,
  'POST /api/admin/orders/:order/refund': EDITORS,
  'POST /api/admin/orders/:order/refund/retry': EDITORS,
  'POST /api/admin/orders/:order/refund/given-back': EDITORS,
  'POST /api/admin/orders/:order/move': STAFF,
  'POST /api/admin/orders/:order/resend': STAFF,
  'PATCH /api/admin/orders/:order/contact': STAFF,
  'GET /api/admin/orders/:order/notes': STAFF,
  'POST /api/admin/orders/:order/notes': STAFF,
  'POST /api/admin/orders/:order/tickets/:ticket/reissue': STAFF,
  'GET /api/admin/mails': STAFF,
  'GET /api/admin/audit': STAFF,
  'GET /api/admin/users': STAFF,
  'PATCH /api/admin/users/:user': EDITORS,
  'POST /api/admin/invitations': EDITORS,
  'POST /api/admin/members/import': EDITORS,
  'GET /api/admin/organization': STAFF,
  'GET /api/admin/venues': STAFF,
  'POST /api/admin/venues': EDITORS,
  'PATCH /api/admin/venues/:venue': EDITORS,
  'GET /api/admin/venues/:venue/layouts': STAFF,
  'POST /api/admin/venues/:venue/layouts': EDITORS,
  'GET /api/admin/layouts/:layout': STAFF,
  'PUT /api/admin/layouts/:layout': EDITORS,
  'POST /api/admin/layouts/:layout/versions/:v/activate': EDITORS,
  'POST /api/admin/layouts/:layout/versions/:v/archive': EDITORS,
  'PATCH /api/admin/organization': EDITORS,
  'PUT /api/admin/organization/logo': EDITORS,
  'PUT /api/admin/events/:event/image': EDITORS,
  'GET /api/admin/system': STAFF,
  'PUT /api/admin/organization/second-factor': ADMINS,
  'DELETE /api/admin/users/:user/second-factor': ADMINS,
  'DELETE /api/admin/users/:user/identity': ADMINS,
  'GET /api/admin/people/:user/data': ADMINS,
  'DELETE /api/admin/people/:user/data': ADMINS,
  'GET /api/admin/organization/identity-provider': ADMINS,
  'PUT /api/admin/organization/identity-provider': ADMINS,
  'DELETE /api/admin/organization/identity-provider': ADMINS,
  'PUT /api/admin/organization/stripe-account': ADMINS,
  'PATCH /api/admin/organization/seller': ADMINS,
  'GET /api/admin/api-keys': ADMINS,
  'POST /api/admin/api-keys': ADMINS,
  'DELETE /api/admin/api-keys/:key': ADMINS,
  'GET /api/admin/ticket-keys': EDITORS,
  'POST /api/admin/ticket-keys/rotate': ADMINS,
  'GET /api/admin/gateway-events': EDITORS,
  'POST /api/admin/mails/:mail/resend': STAFF,
  'POST /api/admin/mails/send-kept': ADMINS,
} as const satisfies { readonly [N in keyof RouteTable]?: RouteTable[N]['access'] }

export type ConsoleRoute = keyof typeof ROLES

export function may(role: Role, route: ConsoleRoute): boolean {
  return (ROLES[route] as readonly Role[]).includes(role)
}

/** Those whose work is here. Scanners have a page of their own, and buyers have the storefront. */
export function worksInConsole(role: Role): boolean {
  return (STAFF as readonly Role[]).includes(role)
}
