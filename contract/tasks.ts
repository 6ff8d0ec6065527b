import type { Area, Route } from './route.ts'
import { routes } from './routes.ts'

/**
 * People do this with the API, in the order in which they come to it; each task has its routes in that order.
 */
export interface Task {
  readonly name: string
  readonly about: string
  readonly routes: readonly Route[]
}

interface TaskPlan {
  readonly name: string
  readonly about: string
  /** `METHOD /path`. A route that no task names comes last in the task of its area. */
  readonly order: readonly string[]
  readonly area?: Area
}

const plans: readonly TaskPlan[] = [
  {
    name: 'Set up an organization',
    about: 'For the operator of the server, with the platform key: organizations, and their first users.',
    area: 'Platform',
    order: ['POST /api/platform/organizations', 'POST /api/platform/organizations/:org/users'],
  },
  {
    name: 'Sign in',
    about:
      'A session belongs to one organization. Staff sign in; buyers may also sign up or start as guests.',
    area: 'Sessions',
    order: [
      'POST /api/sessions',
      'GET /api/sessions/ways',
      'POST /api/sessions/provider',
      'POST /api/sessions/provider/finish',
      'POST /api/sessions/guest',
      'POST /api/accounts',
      'GET /api/session',
      'DELETE /api/session',
      'GET /api/sessions',
      'DELETE /api/sessions/:session',
      'DELETE /api/sessions',
      'POST /api/accounts/password',
      'POST /api/password-resets',
      'POST /api/password-resets/:reset_token',
      'POST /api/accounts/email-confirmations',
      'POST /api/accounts/email-confirmations/:reset_token',
      'GET /api/account',
      'PATCH /api/account',
      'GET /api/account/data',
      'POST /api/account/erasure',
    ],
  },
  {
    name: 'Let a server in',
    about:
      'A key is a bearer token that does not expire, for a server of yours: a web shop, a gate, a report.',
    order: ['POST /api/admin/api-keys', 'GET /api/admin/api-keys', 'DELETE /api/admin/api-keys/:key'],
  },
  {
    name: 'Prepare a venue',
    about: 'A venue has layouts; a layout has versions, which never change once they are saved.',
    order: [
      'GET /api/admin/organization',
      'PATCH /api/admin/organization',
      'PATCH /api/admin/organization/seller',
      'POST /api/admin/images',
      'GET /api/images/:image',
      'PUT /api/admin/organization/logo',
      'DELETE /api/admin/organization/logo',
      'PUT /api/admin/organization/cover',
      'DELETE /api/admin/organization/cover',
      'PUT /api/admin/organization/stripe-account',
      'POST /api/admin/venues',
      'GET /api/admin/venues',
      'PATCH /api/admin/venues/:venue',
      'POST /api/admin/venues/:venue/layouts',
      'GET /api/admin/venues/:venue/layouts',
      'GET /api/admin/layouts/:layout',
      'PUT /api/admin/layouts/:layout',
      'POST /api/admin/layouts/:layout/versions/:v/activate',
      'POST /api/admin/layouts/:layout/versions/:v/archive',
    ],
  },
  {
    name: 'Put an event on sale',
    about: 'An event begins as a draft on a layout version. The policy says what buyers may do.',
    order: [
      'GET /api/admin/policy',
      'PUT /api/admin/policy',
      'PATCH /api/admin/policy',
      'POST /api/admin/events',
      'GET /api/admin/events/:event',
      'GET /api/admin/events/:event/zones',
      'PATCH /api/admin/events/:event',
      'POST /api/admin/events/:event/copy',
      'DELETE /api/admin/events/:event',
      'PUT /api/admin/events/:event/image',
      'DELETE /api/admin/events/:event/image',
      'PUT /api/admin/events/:event/layout',
      'GET /api/admin/events/:event/prices',
      'PUT /api/admin/events/:event/prices',
      'GET /api/admin/events/:event/whitelist',
      'POST /api/admin/events/:event/whitelist',
      'POST /api/admin/events/:event/whitelist/import',
      'GET /api/admin/events/:event/whitelist/export',
      'DELETE /api/admin/events/:event/whitelist/:entry',
      'GET /api/admin/events/:event/readiness',
      'POST /api/admin/events/:event/publish',
      'POST /api/admin/events/:event/unpublish',
      'POST /api/admin/events/:event/go-live',
      'POST /api/admin/events/:event/complete',
      'POST /api/admin/events/:event/cancel',
      'POST /api/admin/events/:event/archive',
    ],
  },
  {
    name: 'Show an event',
    about: 'What a buyer sees: the hall once, what is taken now, and then every change as it happens.',
    order: [
      'GET /api/organization',
      'GET /api/organization/seller',
      'GET /api/events',
      'GET /api/events/:event',
      'GET /api/events/:event/prices',
      'GET /api/events/:event/layout',
      'GET /api/events/:event/map',
      'GET /api/events/:event/availability',
      'GET /api/events/:event/occupancy',
      'GET /api/events/:event/seats/:seat',
      'GET /api/events/:event/live',
      'POST /api/events/:event/live-token',
    ],
  },
  {
    name: 'Hold seats',
    about: 'A hold keeps a seat, or places in a zone without seats, for one buyer and for a time.',
    area: 'Buyers',
    order: [
      'POST /api/events/:event/seats/:seat/reserve',
      'POST /api/events/:event/holds',
      'GET /api/events/:event/cart',
      'GET /api/holds',
      'POST /api/holds/:hold/extend',
      'PATCH /api/holds/:hold',
      'DELETE /api/holds/:hold',
      'POST /api/holds/transfer',
    ],
  },
  {
    name: 'Bring guests',
    about:
      "Each place in a members' zone is for its buyer, or for a guest: a member, or a person on the event's whitelist.",
    order: [
      'GET /api/holds/:hold/guests',
      'PUT /api/holds/:hold/guests',
      'GET /api/tickets/:ticket/guest',
      'PUT /api/tickets/:ticket/guest',
    ],
  },
  {
    name: 'Pay',
    about: 'A checkout turns the holds of a buyer into tickets, with money that a payment gateway takes.',
    order: [
      'POST /api/checkouts',
      'GET /api/checkouts/:checkout',
      'POST /api/checkouts/:checkout/pay',
      'DELETE /api/checkouts/:checkout',
    ],
  },
  {
    name: 'Run the sale',
    about: 'For staff while an event is on sale: seats taken out of it, holds of buyers, users.',
    area: 'Administration',
    order: [
      'POST /api/admin/events/:event/seats/block',
      'POST /api/admin/events/:event/seats/unblock',
      'GET /api/admin/events/:event/holds',
      'GET /api/admin/holds',
      'POST /api/admin/seats/release',
      'POST /api/admin/events/:event/release',
    ],
  },
  {
    name: 'Sell',
    about:
      'Holds become tickets when the money is there. Platforms with a checkout of their own book the holds of their buyers; the box office sells what it holds.',
    order: [
      'POST /api/admin/orders',
      'GET /api/admin/orders',
      'GET /api/admin/orders.csv',
      'GET /api/admin/orders/:order',
      'PATCH /api/admin/orders/:order/contact',
      'GET /api/admin/orders/:order/notes',
      'POST /api/admin/orders/:order/notes',
      'POST /api/admin/orders/:order/refund',
      'POST /api/admin/orders/:order/move',
      'POST /api/admin/orders/:order/resend',
      'GET /api/admin/events/:event/refunds',
      'GET /api/admin/events/:event/refunds/orders',
      'POST /api/admin/events/:event/refunds/stop',
      'POST /api/admin/events/:event/refunds/resume',
      'POST /api/admin/orders/:order/refund/retry',
      'POST /api/admin/orders/:order/refund/given-back',
      'GET /api/orders',
      'GET /api/orders/:order',
      'GET /api/admin/mails',
      'POST /api/admin/mails/:mail/resend',
      'POST /api/admin/mails/send-kept',
    ],
  },
  {
    name: 'Issue tickets',
    about: 'A ticket is a signed text in a QR code. Each organization signs with keys of its own.',
    order: [
      'GET /api/tickets/:ticket/qr.svg',
      'GET /api/orders/:order/tickets.pdf',
      'GET /api/orders/:order/calendar.ics',
      'POST /api/admin/orders/:order/tickets/:ticket/reissue',
      'GET /api/admin/ticket-keys',
      'POST /api/admin/ticket-keys/rotate',
    ],
  },
  {
    name: 'Open the gates',
    about:
      'A ticket is shown at a gate, which asks whether it opens. Gates without a network work from a bundle and upload later.',
    order: [
      'POST /api/scans',
      'GET /api/scans/bundle',
      'POST /api/scans/batch',
      'GET /api/admin/events/:event/attendance',
      'GET /api/admin/events/:event/attendance/conflicts',
      'GET /api/admin/events/:event/scans',
    ],
  },
  {
    name: 'Look back',
    about: 'What happened, in order and complete, and whether all copies agree.',
    order: [
      'GET /api/admin/events/:event/journal',
      'GET /api/admin/audit',
      'GET /api/admin/events/:event/funnel',
      'GET /api/admin/events/:event/sales',
      'GET /api/admin/events/:event/sales/series',
      'GET /api/admin/events/:event/revenue',
      'GET /api/admin/sales',
      'GET /api/admin/revenue',
      'GET /api/admin/events/:event/occupancy/history',
      'GET /api/admin/events/:event/seat-use',
      'GET /api/admin/events/:event/registry',
      'POST /api/admin/events/:event/registry/reconcile',
    ],
  },
  {
    name: 'Run the server',
    about: 'Health, metrics, and this contract. They need no token: keep them from the public.',
    area: 'Running',
    order: ['GET /healthz', 'GET /readyz', 'GET /metrics', 'GET /openapi.json', 'GET /docs'],
  },
]

const placed = new Set(plans.flatMap(plan => plan.order))

export const tasks: readonly Task[] = plans.map(({ name, about, order, area }) => ({
  name,
  about,
  routes: [
    ...order.flatMap(wanted => routes.filter(route => nameOf(route) === wanted)),
    ...routes.filter(route => route.area === area && !placed.has(nameOf(route))),
  ],
}))

export function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`
}
