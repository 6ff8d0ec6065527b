import { EVENT_ACTIONS, EVENT_STATUSES, type EventAction } from '@voelgoed/core/event/lifecycle'
import { DEFAULT_POLICY } from '@voelgoed/core/policy'
import { Type } from 'typebox'
import { Data, DateTime, List, Name, Nullable, Page, Strict, Uuid } from './common.ts'
import { Image, ImageId } from './images.ts'
import { AccessModeName, ZoneTypeName } from './layouts.ts'
import { route } from './route.ts'

const editors = ['organizer', 'admin'] as const
const readers = ['support', 'organizer', 'admin'] as const

const limit = (options: { minimum: number; maximum: number }) => Nullable(Type.Integer(options))

const policyFields = {
  allow_reserved_seating: Type.Boolean(),
  allow_ga_seating: Type.Boolean(),
  allow_hybrid_ga_reserved: Type.Boolean(),
  allow_vip_zones: Type.Boolean(),
  allowed_access_modes: Type.Array(AccessModeName, { maxItems: 4, uniqueItems: true }),
  enforce_accessibility_rules: Type.Boolean(),
  companion_release_occupancy_threshold: Type.Integer({ minimum: 0, maximum: 100 }),
  max_wheelchair_seats_per_booking: limit({ minimum: 0, maximum: 10_000 }),
  accessibility_audit_enabled: Type.Boolean(),
  max_seats_per_booking: limit({ minimum: 1, maximum: 10_000 }),
  orphan_avoidance_strict: Type.Boolean(),
  group_adjacency_strict: Type.Boolean(),
  max_group_split: limit({ minimum: 0, maximum: 1_000 }),
  prefer_clustering_over_selection: Type.Boolean(),
  default_hold_ttl_seconds: Type.Integer({ minimum: 1, maximum: 7_200 }),
  max_holds_per_user: limit({ minimum: 0, maximum: 1_000_000 }),
  max_holds_per_ip: limit({ minimum: 0, maximum: 1_000_000 }),
  holds_per_window: limit({ minimum: 0, maximum: 1_000_000 }),
  hold_window_seconds: Type.Integer({ minimum: 1, maximum: 86_400 }),
  release_on_declined_payment: Type.Boolean(),
}
const FieldName = Type.Enum(Object.keys(policyFields) as (keyof typeof policyFields)[])
const FieldNames = Type.Array(FieldName, { maxItems: 100 })

const PolicyAnswer = Strict({ ...policyFields, locked_fields: Type.Array(FieldName) })
const PolicyBody = Type.Partial(Strict({ ...policyFields, locked_fields: FieldNames }), {
  additionalProperties: false,
})
const SeatingOverridesBody = Type.Partial(Strict(policyFields), { additionalProperties: false })

const ZoneIds = Type.Array(Uuid, { maxItems: 2_000 })

const OverlayBody = Strict({
  blocked_seat_ids: Type.Optional(Type.Array(Uuid, { maxItems: 250_000 })),
  disabled_zones: Type.Optional(ZoneIds),
  zone_overrides: Type.Optional(
    Type.Record(
      Uuid,
      Strict({
        name: Type.Optional(Name),
        zone_type: Type.Optional(ZoneTypeName),
        capacity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
        access_mode: Type.Optional(AccessModeName),
        membership_tier: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 100 }))),
        allowed_roles: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
        allowed_user_ids: Type.Optional(Type.Array(Uuid, { maxItems: 10_000 })),
      }),
      { additionalProperties: false },
    ),
  ),
  pricing_zones: Type.Optional(
    Type.Record(Uuid, Strict({ pricing_rule_id: Type.String({ minLength: 1, maxLength: 200 }) }), {
      additionalProperties: false,
    }),
  ),
})

const OverlayAnswer = Strict({
  blocked_seat_ids: Type.Array(Uuid),
  disabled_zones: Type.Array(Uuid),
  zone_overrides: Type.Record(Type.String(), Type.Unknown()),
  pricing_zones: Type.Record(Type.String(), Type.Unknown()),
})

const EventStatusName = Type.Enum([...EVENT_STATUSES])

export const CalendarDay = Type.String({ format: 'date', maxLength: 10, description: 'YYYY-MM-DD' })
const Day = Strict({
  date: CalendarDay,
  name: Type.Optional(Nullable(Name)),
  starts_at: Type.Optional(Nullable(DateTime)),
  ends_at: Type.Optional(Nullable(DateTime)),
})
const DaysBody = Type.Array(Type.Union([CalendarDay, Day]), { maxItems: 100 })

const eventAnswer = {
  id: Uuid,
  name: Type.String(),
  status: EventStatusName,
  sale_start: Nullable(DateTime),
  sale_end: Nullable(DateTime),
  sales_end_at: Nullable(
    Type.String({
      format: 'date-time',
      maxLength: 40,
      description:
        'When sales end: `sale_end`, else when the event begins, or the last of its days. null: only when it is completed',
    }),
  ),
  starts_at: Nullable(DateTime),
  doors_at: Nullable(DateTime),
  image: Nullable(Image),
  image_id: Nullable(Uuid),
  image_url: Nullable(Type.String({ description: 'Of `image` as one file that every program can show' })),
  sold_out: Type.Boolean({ description: 'No place is free, and none is held that could become free' }),
  sales_paused: Type.Optional(
    Type.Boolean({
      description:
        'true: the platform has suspended the organization, and nothing is sold. Left out for staff where they change events',
    }),
  ),
  days: Type.Array(
    Strict({
      date: Type.String(),
      name: Nullable(Type.String()),
      starts_at: Nullable(DateTime),
      ends_at: Nullable(DateTime),
    }),
  ),
  venue: Strict({ id: Uuid, name: Type.String() }),
  time_zone: Type.String({ description: "The venue's time zone (IANA): show the event's times in it" }),
  layout: Strict({ id: Uuid, version: Type.Integer() }),
  currency: Nullable(Type.String({ description: 'ISO 4217; null: the event has no prices' })),
  price_from: Nullable(
    Type.Integer({
      description:
        'The lowest amount of its ticket types, in minor units, without fees and tax on top. What buyers pay: all_in_from',
    }),
  ),
  all_in_from: Nullable(
    Type.Integer({
      description:
        'What has to be paid for the cheapest place, as the first type of its category, in minor units: with the fees of a ticket and tax on top. Fees of the order come once for all its tickets',
    }),
  ),
  hold_ttl_seconds: Type.Integer(),
  max_seats_per_booking: Nullable(
    Type.Integer({ description: 'Seats and places that one buyer has at once; null: no limit' }),
  ),
  seating: Strict(
    {
      prefer_best_available: Type.Boolean({
        description: 'Show the search for the best seats first, and choosing on the map second',
      }),
      group_adjacency_strict: Type.Boolean({
        description: 'Best available seats are side by side unless the buyer says that they need not be',
      }),
    },
    { description: 'What a page for buyers needs to know of the policy' },
  ),
}
const EventAnswer = Strict(eventAnswer)

const description = {
  description: Nullable(Type.String({ description: 'Plain text; a blank line parts paragraphs' })),
}

const AdminEventAnswer = Strict({
  ...eventAnswer,
  ...description,
  overrides: OverlayAnswer,
  revision: Type.Integer({ description: 'Of the overlay: what If-Match asks for when it is replaced' }),
  blocked_by_hand: Type.Array(Uuid, {
    description: 'Seats that staff blocked, besides those of the overlay',
  }),
  seating_overrides: Type.Partial(Strict(policyFields), { additionalProperties: false }),
  effective_policy: Strict(policyFields),
  allowed_actions: Type.Array(Type.Enum([...EVENT_ACTIONS])),
  created_at: DateTime,
  updated_at: DateTime,
})

const eventFields = {
  description: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 5_000,
        pattern: '\\S',
        description: 'Plain text of at most 5,000 characters; a blank line parts paragraphs',
      }),
    ),
  ),
  image_id: ImageId,
  doors_at: Type.Optional(Nullable(DateTime)),
  sale_start: Type.Optional(Nullable(DateTime)),
  sale_end: Type.Optional(Nullable(DateTime)),
  starts_at: Type.Optional(Nullable(DateTime)),
  days: Type.Optional(DaysBody),
  seating_overrides: Type.Optional(SeatingOverridesBody),
}

export const listEvents = route({
  method: 'GET',
  path: '/api/events',
  summary: 'Events on sale, and cancelled ones until they are archived, oldest first. Staff see all of them',
  area: 'Buyers',
  access: 'signed_in',
  query: Strict(Page),
  answers: { 200: List(EventAnswer) },
})

export const readEvent = route({
  method: 'GET',
  path: '/api/events/:event',
  summary: 'One event. Drafts exist for staff only',
  area: 'Buyers',
  access: 'signed_in',
  answers: { 200: Data(Strict({ ...eventAnswer, ...description })) },
})

export const readPolicy = route({
  method: 'GET',
  path: '/api/admin/policy',
  summary: "The organization's seating policy",
  area: 'Administration',
  access: readers,
  answers: { 200: Data(PolicyAnswer) },
})

export const replacePolicy = route({
  method: 'PUT',
  path: '/api/admin/policy',
  summary:
    'Replace the seating policy. Members left out get their default; null means no limit. Locks, and what is locked, ' +
    'are for role admin: for others they stay as they are when left out',
  area: 'Administration',
  access: editors,
  body: PolicyBody,
  example: { ...DEFAULT_POLICY, allow_vip_zones: true, locked_fields: ['enforce_accessibility_rules'] },
  answers: { 200: Data(PolicyAnswer) },
})

export const changePolicy = route({
  method: 'PATCH',
  path: '/api/admin/policy',
  summary:
    'Change some members of the seating policy and leave the others as they are, so that no change of a colleague ' +
    'is undone; null means no limit. Locks, and what is locked, are for role admin',
  area: 'Administration',
  access: editors,
  body: Type.Partial(Strict({ ...policyFields, lock: FieldNames, unlock: FieldNames }), {
    additionalProperties: false,
  }),
  example: { default_hold_ttl_seconds: 480, lock: ['enforce_accessibility_rules'] },
  answers: { 200: Data(PolicyAnswer) },
})

export const createEvent = route({
  method: 'POST',
  path: '/api/admin/events',
  summary: 'Create an event as a draft. Without layout_version: the newest active one',
  area: 'Administration',
  access: editors,
  body: Strict({
    name: Name,
    venue_id: Uuid,
    layout_id: Uuid,
    layout_version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e9 })),
    overrides: Type.Optional(OverlayBody),
    ...eventFields,
  }),
  example: {
    name: 'Hamlet',
    venue_id: '0197a000-0000-7000-8000-000000000001',
    layout_id: '0197a000-0000-7000-8000-000000000002',
    starts_at: '2027-03-01T19:30:00Z',
  },
  answers: { 201: Data(AdminEventAnswer) },
  refusals: [
    'venue_not_found',
    'layout_not_found',
    'image_not_found',
    'layout_invalid',
    'invalid_transition',
  ],
  idempotencyKey: true,
  bodyLimitBytes: 16 * 1024 * 1024,
})

export const readAdminEvent = route({
  method: 'GET',
  path: '/api/admin/events/:event',
  summary: 'One event with its overlay, its overrides and the policy it runs by',
  area: 'Administration',
  access: readers,
  answers: { 200: Data(AdminEventAnswer) },
})

export const listEventZones = route({
  method: 'GET',
  path: '/api/admin/events/:event/zones',
  summary:
    'The zones of the layout as this event has them, closed ones too. What the event changes of them is in its overlay',
  area: 'Administration',
  access: readers,
  answers: {
    200: Data(
      Type.Array(
        Strict({
          zone_id: Uuid,
          name: Type.String(),
          zone_type: ZoneTypeName,
          seat_count: Type.Integer({ minimum: 0, description: '0: places without seats' }),
          capacity: Type.Integer(),
          access_mode: AccessModeName,
          membership_tier: Nullable(Type.String()),
          allowed_roles: Type.Array(Type.String()),
          disabled: Type.Boolean({ description: 'Closed: not offered by this event' }),
          changed: Type.Boolean({ description: 'The event has overrides for it' }),
          has_chairs: Type.Boolean({ description: 'In the layout: the event may run it without them' }),
        }),
      ),
    ),
  },
})

export const updateEvent = route({
  method: 'PATCH',
  path: '/api/admin/events/:event',
  summary: 'Change an event. Its layout version is frozen once it is on sale',
  area: 'Administration',
  access: editors,
  body: Strict({
    name: Type.Optional(Name),
    venue_id: Type.Optional(Uuid),
    layout_id: Type.Optional(Uuid),
    layout_version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e9 })),
    ...eventFields,
    seating_changes: Type.Optional(
      Strict(
        {
          set: Type.Optional(SeatingOverridesBody),
          reset: Type.Optional(FieldNames),
        },
        {
          description:
            'Some of the overrides: those to set, and those to take from the policy again. The others stay as they ' +
            'are, whereas seating_overrides replaces all of them. Give one of the two',
        },
      ),
    ),
  }),
  example: { name: 'Hamlet, last night' },
  answers: { 200: Data(AdminEventAnswer) },
  refusals: [
    'venue_not_found',
    'layout_not_found',
    'image_not_found',
    'layout_frozen',
    'layout_invalid',
    'invalid_transition',
  ],
})

const transition = (action: EventAction, summary: string) =>
  route({
    method: 'POST',
    path: `/api/admin/events/:event/${action}`,
    summary,
    area: 'Administration',
    access: editors,
    answers: { 200: Data(AdminEventAnswer) },
    refusals: ['invalid_transition', 'layout_invalid'],
  })

export const publishEvent = transition('publish', 'Put a draft on sale: freezes its layout version')
export const goLive = transition(
  'go-live',
  'The event has begun; it stays on sale while its sale window is open',
)
export const completeEvent = transition('complete', 'The event is over')
export const cancelEvent = transition(
  'cancel',
  'Call the event off. Its holds end, and its paid orders are refunded: GET …/refunds shows how far that is',
)
export const archiveEvent = transition(
  'archive',
  'Put a completed or cancelled event away. A cancelled one waits until its refunds have ended, or are stopped',
)

export const replaceOverlay = route({
  method: 'PUT',
  path: '/api/admin/events/:event/layout',
  summary:
    "Replace the event's overlay on its layout. Members left out are emptied. If-Match takes the revision that was " +
    'read, and is needed once the event is on sale. Seats that staff blocked by hand stay blocked',
  area: 'Administration',
  access: editors,
  body: Strict({ overrides: OverlayBody }),
  example: { overrides: { blocked_seat_ids: [], disabled_zones: [], zone_overrides: {}, pricing_zones: {} } },
  answers: { 200: Data(AdminEventAnswer) },
  refusals: [
    'layout_frozen',
    'layout_invalid',
    'invalid_transition',
    'seat_not_available',
    'precondition_required',
    'precondition_failed',
  ],
  bodyLimitBytes: 16 * 1024 * 1024,
})
