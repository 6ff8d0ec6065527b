import type { TSchema } from 'typebox'
import type { Route } from './route.ts'

/** Ids that examples have in common: the venue of one is the venue of all. */
const EXAMPLE_IDS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'venue',
    'layout',
    'zone',
    'seat',
    'hold',
    'event',
    'user',
    'org',
    'command',
    'checkout',
    'entry',
    'ticket',
    'key',
    'order',
    'refund',
    'mail',
    'image',
  ].map((thing, index) => [thing, `0197a000-0000-7000-8000-${(index + 1).toString(16).padStart(12, '0')}`]),
)

/** Not signed by any key. */
const EXAMPLE_TOKEN = `AZegAAAAcACAAAAAAAAABgGXoAAAAHAAgAAAAAAAAAwAAAAB${'A'.repeat(86)}`

/**
 * This is what a member of an example holds: by `parent.name`, else by `name`. Where several are given, the
 * first that the schema allows.
 */
const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  'venue.id': [EXAMPLE_IDS.venue],
  'layout.id': [EXAMPLE_IDS.layout],
  'event.id': [EXAMPLE_IDS.event],
  'user.id': [EXAMPLE_IDS.user],
  'organization.id': [EXAMPLE_IDS.org],
  'audit.id': ['184467'],
  venue_id: [EXAMPLE_IDS.venue],
  layout_id: [EXAMPLE_IDS.layout],
  zone_id: [EXAMPLE_IDS.zone],
  seat_id: [EXAMPLE_IDS.seat],
  hold_id: [EXAMPLE_IDS.hold],
  event_id: [EXAMPLE_IDS.event],
  user_id: [EXAMPLE_IDS.user],
  actor_id: [EXAMPLE_IDS.user],
  entity_id: [EXAMPLE_IDS.event],
  command_id: [EXAMPLE_IDS.command],
  entry_id: [EXAMPLE_IDS.entry],
  ticket_id: [EXAMPLE_IDS.ticket],
  key_id: [EXAMPLE_IDS.key],
  order_id: [EXAMPLE_IDS.order],
  refund_id: [EXAMPLE_IDS.refund],
  'checkout.status': ['open'],
  'pay.status': ['paid'],
  attendee: ['Ben'],
  gateway: ['simulator'],
  late: [null],
  accept_alternatives: [false],
  mail_id: [EXAMPLE_IDS.mail],
  image_id: [EXAMPLE_IDS.image],
  logo_image_id: [EXAMPLE_IDS.image],
  cover_image_id: [EXAMPLE_IDS.image],
  'image.url': ['/karoo-stage/images/q83vEjRWeJCrze8SNFZ4kA/plain.jpg'],
  'mail.to': ['anna@example.org'],
  'mail.status': ['sent'],
  'mail.kind': ['order_paid'],
  attempts: [1],
  last_error: [null],
  resend_of: [null],
  due_at: ['2027-01-10T07:02:13.482Z'],
  ended_at: ['2027-01-10T07:02:14.105Z'],
  order_number: ['7KQ2M-XD4HT'],
  sold_by: [EXAMPLE_IDS.key],
  sold_by_name: ['Our shop'],
  user_name: ['anna@example.org'],
  reference: ['shop-2027-0042'],
  contact: [null],
  secret: ['EXAMPLE'],
  ticket_type: ['adult'],
  ticket_type_name: ['Adult'],
  amount: [45_000],
  refunded_amount: [0],
  tickets: [2],
  refunds: [[], 240_000],
  disputes: [[]],
  'order.status': ['paid'],
  'order.total': [45_000],
  'payments.status': ['captured'],
  'payments.method': ['external'],
  'tickets.status': ['valid'],
  entries: [0],
  'tickets.token': [`VG1.${EXAMPLE_TOKEN}`],
  'tickets.version': [1],
  key: ['vgk1_AZegAAAAcACAAAAAAAAAAQ_EXAMPLE'],
  public_key: ['MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE='],
  'ticket_keys.status': ['signing'],
  created_by: [EXAMPLE_IDS.user],
  last_used_at: ['2027-01-10T07:02:13.482Z'],
  added_by: [EXAMPLE_IDS.user],
  added_at: ['2027-01-05T09:12:44.310Z'],
  note: ['Sponsor'],
  added: [2],
  known: [1],
  guest: [{ email: 'carla@example.org' }],
  guests: [[null, { email: 'carla@example.org' }]],
  asks_for_guests: [true],
  'sources.url': ['/karoo-stage/images/q83vEjRWeJCrze8SNFZ4kA/480.webp'],
  'sources.width': [480],
  'plain.url': ['/karoo-stage/images/q83vEjRWeJCrze8SNFZ4kA/plain.jpg'],
  'plain.type': ['image/jpeg'],
  width: [1600],
  height: [1000],
  description: ['The prince comes home to a wedding too soon after a funeral.'],
  doors_at: ['2027-03-01T17:00:00.000Z'],
  'venue.name': ['Old Town Theatre'],
  'organization.name': ['Karoo Stage'],
  'event.name': ['Hamlet'],
  'layout.name': ['Main hall'],
  'categories.key': ['premium'],
  'categories.name': ['Premium'],
  'ticket_types.key': ['adult'],
  'ticket_types.name': ['Adult'],
  'ticket_types.amount': [80_000],
  'ticket_types.note': ['from 13'],
  'fees.name': ['Booking fee'],
  'fees.amount': [1_500],
  'tax.name': ['VAT'],
  'tax.amount': [10_630],
  'lines.label': ['Stalls, row A, seat 12, Adult'],
  'lines.category': ['premium'],
  'lines.ticket_type': ['adult'],
  'lines.quantity': [1],
  'lines.unit_amount': [80_000],
  'lines.amount': [80_000],
  colour: ['#7b3fa0'],
  percent: [15],
  price_from: [40_000],
  all_in_from: [81_500],
  not_priced: [[]],
  'zones.name': ['Stalls'],
  zone_name: ['Stalls'],
  block_name: ['Stalls'],
  'provider.name': ['Karoo Stage'],
  issuer: ['https://login.example.org'],
  client_id: ['seating'],
  email_domains: [['example.org']],
  role_for_new: ['support'],
  redirect_uri: ['https://tickets.example.org/karoo-stage/console/signed-in'],
  authorization_endpoint: ['https://login.example.org/authorize'],
  token_endpoint: ['https://login.example.org/token'],
  authorization_url: ['https://login.example.org/authorize?response_type=code&client_id=seating'],
  browser_secret: ['EXAMPLE'],
  slug: ['karoo-stage'],
  email: ['anna@example.org'],
  role: ['organizer'],
  token: ['vg1_AZegAAAAcACAAAAAAAAAAQ_EXAMPLE'],
  time_zone: ['Africa/Johannesburg'],
  locale: ['en-ZA'],
  currency: ['ZAR'],
  address: ['1 Church Street'],
  status: ['published', 'active', 'released', 'held', 'ok'],
  'seats.status': ['held'],
  'readyz.redis': ['off'],
  postgres: ['ok', 42],
  starts_at: ['2027-03-01T17:30:00.000Z'],
  sale_start: ['2027-01-10T07:00:00.000Z'],
  sale_end: ['2027-03-01T17:00:00.000Z'],
  sales_end_at: ['2027-03-01T17:00:00.000Z'],
  expires_at: ['2027-01-10T19:00:00.000Z'],
  created_at: ['2027-01-05T09:12:44.310Z'],
  updated_at: ['2027-01-05T09:12:44.310Z'],
  timestamp: ['2027-01-10T07:02:13.482Z'],
  at: ['2027-01-10T07:02:13.482Z'],
  held_until: ['2027-01-10T07:12:13.482Z'],
  held_until_unix: [1_799_565_133],
  expires_in_seconds: [600],
  hold_ttl_seconds: [600],
  message: ['Seat held for 10 minutes.'],
  seq: [42],
  version: [1],
  capacity: [400],
  total: [400],
  total_capacity: [400],
  seat_count: [400],
  available: [347],
  held: [12],
  sold: [37],
  blocked: [4],
  percent_available: [86.8],
  percent_held: [3],
  percent_sold: [9.3],
  row: ['A'],
  number: [12],
  seat_number: [12],
  label: ['A-12', null],
  category: ['standard', 'regular'],
  ordinal: [11],
  x: [11],
  y: [0],
  quantity: [2, 1],
  companion_seat_id: [null],
  membership_tier: [null],
  membership_status: [null],
  price_category: [null],
  pricing_rule_id: [null],
  checkout_id: [null, EXAMPLE_IDS.checkout],
  cart_token: [null],
  redis_count: [12, null],
  'seq.redis': [42],
  'epoch.hot': [1],
  'epoch.redis': [1],
  'epoch.postgres': [1],
  epoch: [1],
  count: [12],
  'age_ms.hot': [1_840],
  'age_ms.redis': [1_840],
  'age_ms.postgres': [1_840],
  'nodes.age_ms': [730],
  node_id: ['0197a000-0000-7000-8000-0000000000aa'],
  redis_copy: ['read'],
  from: ['2027-01-10T07:00:00.000Z'],
  to: ['2027-01-10T08:00:00.000Z'],
  step: ['60', 60],
  'seq.hot': [42],
  next: [null],
  warnings: [[]],
  skipped: [[]],
  stopped_by: [null],
  outlines: [[]],
  price_categories: [[]],
  seat_groups: [[]],
  allowed_roles: [[]],
  allowed_user_ids: [[]],
  blocked_seat_ids: [[]],
  disabled_zones: [[]],
  days: [[]],
  locked_fields: [[]],
  kind: ['seat_reserved'],
  action: ['event_published'],
  actor: ['user'],
  source: ['web'],
  entity_type: ['event'],
  ip: ['203.0.113.7'],
  user_agent: ['curl/8.5.0'],
  request_id: ['0197a000-0000-7000-8000-0000000000ff'],
  reason: ['admin_override', 'Camera position'],
  hot_count: [12],
  postgres_count: [12],
  event_name: ['Hamlet'],
  category_name: ['Premium'],
  orders: [19],
  returned: [3],
  taken: [34],
  gross: [3_015_500],
  net: [2_775_500],
  fees: [55_500],
  tax: [393_326],
  tax_unknown: [0],
  refunds_owed: [0],
  refunded_at_gateway: [0],
  disputes_lost: [0],
  returned_amount: [240_000],
  orders_without_amount: [0],
  events_left_out: [0],
  recorded_at: ['2027-03-01T17:04:13.482Z'],
  gate: ['North'],
  device_id: ['gate-north-1'],
  direction: ['in'],
  scanned_by: [EXAMPLE_IDS.user],
  scanned_by_email: ['gate@example.org'],
}

/** This is what one route says otherwise than the others, by `METHOD /path`. */
const SAID: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'POST /api/sessions/guest': { email: null, role: 'customer' },
  'POST /api/accounts': { email: 'ben@example.org', role: 'customer' },
  'POST /api/admin/venues/:venue/layouts': { status: 'draft', total_capacity: 303, seat_count: 3 },
  'PUT /api/admin/layouts/:layout': { version: 2, status: 'draft', total_capacity: 303, seat_count: 3 },
  'POST /api/admin/layouts/:layout/versions/:v/archive': { status: 'archived' },
  'POST /api/admin/events': { status: 'draft' },
  'POST /api/admin/events/:event/go-live': { status: 'live' },
  'POST /api/admin/events/:event/complete': { status: 'completed' },
  'POST /api/admin/events/:event/cancel': { status: 'cancelled' },
  'POST /api/admin/events/:event/archive': { status: 'archived' },
  'GET /api/admin/events/:event/whitelist': { email: 'carla@example.org' },
  'GET /api/events/:event/cart': { total: 81_500 },
  'POST /api/admin/events/:event/whitelist': { total: 3 },
  'POST /api/admin/events/:event/whitelist/import': { total: 3 },
  'DELETE /api/admin/events/:event/whitelist/:entry': { total: 2 },
  'POST /api/admin/orders/:order/refund': { status: 'refunded' },
  'POST /api/admin/orders/:order/resend': { status: 'queued' },
  'POST /api/admin/mails/:mail/resend': { status: 'queued' },
  'POST /api/admin/orders/:order/tickets/:ticket/reissue': { version: 2, token: `VG1.${EXAMPLE_TOKEN}` },
}

/** An answer of the route that its schema allows; undefined when the answer is no JSON. */
export function exampleAnswer(route: Route): { status: number; body: unknown } | undefined {
  const found = Object.entries(route.answers).find(([status, schema]) => schema && Number(status) < 300)
  if (!found) return undefined
  const [status, schema] = found
  const body = exampleOf(schema as Schema, {
    name: 'data',
    parent: subjectOf(route.path),
    sent: (route.example ?? {}) as Members,
    said: SAID[`${route.method} ${route.path}`] ?? {},
  })
  return { status: Number(status), body }
}

type Members = Readonly<Record<string, unknown>>

/** Describes what the schemas of this contract are made of. */
interface Schema extends TSchema {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  properties?: Record<string, Schema>
  items?: Schema
  pattern?: string
  format?: string
}

interface Place {
  readonly name: string
  readonly parent: string
  /** The body of the request: what it said of the subject comes back. */
  readonly sent: Members
  readonly said: Members
}

function exampleOf(schema: Schema, place: Place): unknown {
  const { name, parent, sent, said } = place
  if (name in said && allows(schema, said[name])) return said[name]
  if (isScalar(sent[name]) && allows(schema, sent[name])) return sent[name]
  const samples = SAMPLES[`${parent}.${name}`] ?? SAMPLES[name] ?? []
  const sample = samples.find(candidate => allows(schema, candidate))
  if (sample !== undefined) return sample
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return exampleOf(schema.anyOf.find(option => option.type !== 'null')!, place)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([member, inner]) => {
          // `data` is only a cover: what is in it belongs to the subject of the route.
          const isCover = member === 'data' || name === 'data'
          const within = isCover
            ? { parent, sent, said }
            : { parent: name, sent: {}, said: name === 'user' ? said : {} }
          return [member, exampleOf(inner, { name: member, ...within })]
        }),
      )
    case 'array':
      return [exampleOf(schema.items!, place)]
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'string':
      return stringOf(schema)
    case 'null':
      return null
    default:
      return {}
  }
}

function stringOf({ format, pattern }: Schema): string {
  if (format === 'date-time') return '2027-01-10T07:02:13.482Z'
  if (format === 'date') return '2027-03-01'
  return pattern?.includes('0-9a-fA-F') ? EXAMPLE_IDS.event! : 'text'
}

function allows(schema: Schema, value: unknown): boolean {
  if ('const' in schema) return schema.const === value
  if (schema.enum) return schema.enum.includes(value)
  if (schema.anyOf) return schema.anyOf.some(option => allows(option, value))
  switch (schema.type) {
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'object':
      return false
    default:
      return schema.type === undefined ? value !== null : typeof value === schema.type
  }
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** The thing a route is about: the last word of its path that is not an action. */
function subjectOf(path: string): string {
  const words = path.split('/').filter(word => word !== '' && !word.startsWith(':'))
  const known = words.findLast(word => word in SUBJECTS)
  return known ? SUBJECTS[known]! : words.at(-1)!
}

const SUBJECTS: Readonly<Record<string, string>> = {
  organizations: 'organization',
  organization: 'organization',
  users: 'user',
  venues: 'venue',
  layouts: 'layout',
  events: 'event',
  audit: 'audit',
  mails: 'mail',
  holds: 'hold',
  orders: 'order',
  readyz: 'readyz',
}
