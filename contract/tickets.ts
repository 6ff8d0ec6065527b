import { Type } from 'typebox'
import { Data, DateTime, Name, Nullable, QueryNumber, Strict, Uuid } from './common.ts'
import { route } from './route.ts'

/** So many keys of an organization verify tickets at once: a forged ticket costs a look at each of them. */
export const MAX_TICKET_KEYS = 16

const TicketKey = Strict({
  key_id: Uuid,
  public_key: Type.String({ description: 'Ed25519, SubjectPublicKeyInfo as DER, in base64' }),
  status: Type.Enum(['signing', 'verifying', 'retired'], {
    description: '`verifying`: it signs no more tickets, and those that it signed are good',
  }),
  created_at: DateTime,
  replaced_at: Nullable(DateTime),
  retired_at: Nullable(DateTime),
})

export const rotateTicketKeys = route({
  method: 'POST',
  path: '/api/admin/ticket-keys/rotate',
  summary:
    'Sign tickets with a new key from now on. Tickets on paper stay good, unless retire_older is true: then only tickets that are shown or printed from now on open a gate',
  area: 'Administration',
  access: ['admin'],
  body: Strict({
    retire_older: Type.Optional(
      Type.Boolean({ description: 'For a key that became known: every ticket it signed stops working' }),
    ),
  }),
  bodyOptional: true,
  example: {},
  answers: { 201: Data(TicketKey) },
  refusals: ['too_many_ticket_keys'],
  idempotencyKey: true,
})

export const listTicketKeys = route({
  method: 'GET',
  path: '/api/admin/ticket-keys',
  summary: 'The keys that sign and verify tickets, the newest first, with the last ones that were retired',
  area: 'Administration',
  access: ['organizer', 'admin'],
  answers: { 200: Data(Type.Array(TicketKey)) },
})

const Secret = { secret: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })) }

export const readTicketCode = route({
  method: 'GET',
  path: '/api/tickets/:ticket/qr.svg',
  summary:
    'The QR code of a ticket, as an SVG image: for its buyer, for staff, and with the secret of its order for any session of the organization',
  area: 'Buyers',
  access: 'signed_in',
  query: Strict(Secret),
  exampleQuery: ['secret'],
  answers: { 200: null },
  refusals: ['ticket_void'],
})

export const readTicketPdf = route({
  method: 'GET',
  path: '/api/orders/:order/tickets.pdf',
  summary:
    'The valid tickets of an order to print, one a page. An order of more than 100 comes in parts: the header Voelgoed-Parts says how many',
  area: 'Buyers',
  access: 'signed_in',
  query: Strict({
    ...Secret,
    language: Type.Optional(
      Type.Enum(['en', 'af'], { description: "Left out: the organization's language" }),
    ),
    part: Type.Optional(QueryNumber),
  }),
  exampleQuery: ['secret'],
  answers: { 200: null },
  refusals: ['ticket_not_found'],
})

export const readOrderCalendar = route({
  method: 'GET',
  path: '/api/orders/:order/calendar.ics',
  summary: 'The event of an order as an entry for a calendar (iCalendar). 404 while the event has no date',
  area: 'Buyers',
  access: 'signed_in',
  query: Strict(Secret),
  exampleQuery: ['secret'],
  answers: { 200: null },
  refusals: ['not_found'],
})

export const reissueTicket = route({
  method: 'POST',
  path: '/api/admin/orders/:order/tickets/:ticket/reissue',
  summary:
    'Issue a ticket again, with the next version: what was printed or shown of it before opens no gate any more. Its attendee can be named or changed with it',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  body: Strict({
    attendee: Type.Optional(Nullable(Name)),
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' })),
  }),
  bodyOptional: true,
  example: { attendee: 'Ben Botha', reason: 'Lost' },
  answers: {
    200: Data(
      Strict({
        ticket_id: Uuid,
        version: Type.Integer(),
        attendee: Nullable(Type.String()),
        token: Type.String({ description: 'What its QR code holds' }),
      }),
    ),
  },
  refusals: ['ticket_void'],
  idempotencyKey: true,
})
