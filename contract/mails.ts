import { Type } from 'typebox'
import { Data, DateTime, List, Nullable, Page, Strict, Uuid } from './common.ts'
import { route } from './route.ts'

export const MAIL_STATUSES = ['queued', 'sending', 'sent', 'kept', 'dead', 'unknown'] as const
const MAIL_KINDS = [
  'order_paid',
  'order_refunded',
  'order_moved',
  'password_reset',
  'password_changed',
  'invitation',
  'address_confirmation',
  'membership_confirmation',
] as const

/** A mail, and an order, is sent again so often in a day. */
export const MAX_RESENDS = 20

const MailStatus = Type.Enum([...MAIL_STATUSES], {
  description:
    '`kept`: no mail server is configured. `dead`: given up. `unknown`: it may have arrived; it is not sent again by itself',
})
const Mail = Strict({
  mail_id: Uuid,
  kind: Type.Enum([...MAIL_KINDS]),
  to: Type.String(),
  status: MailStatus,
  attempts: Type.Integer(),
  last_error: Nullable(Type.String({ description: 'The step, and the code of the mail server’s answer' })),
  order_id: Nullable(Type.String()),
  user_id: Nullable(Type.String()),
  resend_of: Nullable(Type.String({ description: 'The mail that staff sent again' })),
  created_at: DateTime,
  due_at: DateTime,
  ended_at: Nullable(Type.String()),
})

export const listMails = route({
  method: 'GET',
  path: '/api/admin/mails',
  summary: 'Mails to buyers and users, newest first. Their contents are not shown: links in them are secrets',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  query: Strict({ ...Page, status: Type.Optional(MailStatus), order_id: Type.Optional(Uuid) }),
  answers: { 200: List(Mail) },
})

export const resendMail = route({
  method: 'POST',
  path: '/api/admin/mails/:mail/resend',
  summary:
    'Send a mail again: as a new one, with a link of its own. Not while it waits to be sent, or is being sent',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  whileSuspended: true,
  answers: { 201: Data(Mail) },
  refusals: ['invalid_transition', 'rate_limited'],
  idempotencyKey: true,
})

export const resendOrder = route({
  method: 'POST',
  path: '/api/admin/orders/:order/resend',
  summary: 'Send the tickets of an order again, to the address of the order',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  whileSuspended: true,
  answers: { 201: Data(Mail) },
  refusals: ['invalid_transition', 'rate_limited'],
  idempotencyKey: true,
})

/** In one call. */
export const MAX_KEPT_MAILS = 1_000

export const sendKeptMails = route({
  method: 'POST',
  path: '/api/admin/mails/send-kept',
  summary:
    'Send mails that were kept while no mail server was configured, the oldest first: at most 1,000 in a call. Mails about passwords stay where they are',
  area: 'Administration',
  access: ['admin'],
  body: Strict({
    since: Type.Optional({ ...DateTime, description: 'Only mails that were made at this time, or later' }),
  }),
  bodyOptional: true,
  example: { since: '2027-03-01T00:00:00Z' },
  answers: {
    200: Data(
      Strict({ queued: Type.Integer(), left: Type.Integer({ description: 'Call again for these' }) }),
    ),
  },
  refusals: ['invalid_transition'],
})
