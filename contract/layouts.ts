import {
  ACCESS_MODES,
  GROUP_TYPES,
  LAYOUT_LIMITS,
  SEAT_CATEGORIES,
  ZONE_TYPES,
} from '@voelgoed/core/layout/model'
import { SEAT_NUMBERS } from '@voelgoed/core/layout/seat-number'
import { Type } from 'typebox'
import {
  Data,
  DateTime,
  Fault,
  List,
  Name,
  Nullable,
  Page,
  QueryNumber,
  Strict,
  TimeZone,
  Uuid,
} from './common.ts'
import { route } from './route.ts'

const editors = ['organizer', 'admin'] as const
const readers = ['support', 'organizer', 'admin'] as const

export const ZoneTypeName = Type.Enum([...ZONE_TYPES])
export const AccessModeName = Type.Enum([...ACCESS_MODES])

/**
 * JSON can say 1e999, which reads as infinity. The schema lets any value through here, so that the layout's
 * own validation can name every such place at once.
 */
const Coordinate = Type.Unsafe<number>(Type.Unknown({ description: 'A finite number' }))
const PointInput = Strict({ x: Coordinate, y: Coordinate })
const PointAnswer = Strict({ x: Type.Number(), y: Type.Number() })

/**
 * The pattern reads no more of a name than it allows: one that reads to the end, like `^.*$`,
 * overflows its stack.
 */
const Metadata = Type.Record(Type.String({ pattern: '^[^]{0,100}$' }), Type.Unknown(), {
  description: `Anything you like, up to ${LAYOUT_LIMITS.metadataBytes} bytes of JSON`,
})
const SeatNumber = Type.Union([
  Type.Integer(SEAT_NUMBERS),
  Type.String({ maxLength: LAYOUT_LIMITS.labelLength }),
])
const Label = Type.String({ maxLength: LAYOUT_LIMITS.labelLength })
const Level = Type.String({
  maxLength: LAYOUT_LIMITS.labelLength,
  description:
    'The floor it is on. Maps show one floor at a time, in the order in which zones name them; left out: with every floor',
})
const Texts = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })
const UserIds = Type.Array(Uuid, { maxItems: LAYOUT_LIMITS.allowedUsers })

const SeatInput = Strict({
  seat_id: Type.Optional(Uuid),
  label: Type.Optional(Label),
  row: Label,
  number: SeatNumber,
  category: Type.Optional(Type.Enum([...SEAT_CATEGORIES])),
  price_category: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
  coordinates: Type.Optional(Nullable(PointInput)),
  companion_seat_label: Type.Optional(Nullable(Label)),
  companion_seat_labels: Type.Optional(
    Type.Array(Label, {
      maxItems: LAYOUT_LIMITS.companionsPerPlace,
      description: 'Of a wheelchair place with several companion seats: their labels',
    }),
  ),
  aisle_after: Type.Optional(
    Type.Boolean({
      description:
        'Whether there is an aisle between this seat and the next one of its row. Left out: the distance of the two tells',
    }),
  ),
})

const ZoneInput = Strict({
  zone_id: Type.Optional(Uuid),
  name: Name,
  zone_type: ZoneTypeName,
  capacity: Type.Optional(Type.Integer({ minimum: -1e9, maximum: 1e9 })),
  access_mode: Type.Optional(AccessModeName),
  membership_tier: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
  allowed_roles: Type.Optional(Nullable(Texts)),
  allowed_user_ids: Type.Optional(Nullable(UserIds)),
  metadata: Type.Optional(Metadata),
  outline: Type.Optional(Nullable(Type.Array(PointInput, { maxItems: LAYOUT_LIMITS.pointsPerOutline }))),
  level: Type.Optional(Nullable(Level)),
  seats: Type.Optional(Type.Array(SeatInput)),
})

const SeatGroupInput = Strict({
  group_id: Type.Optional(Uuid),
  group_type: Type.Enum([...GROUP_TYPES]),
  name: Type.Optional(Nullable(Type.String({ maxLength: 200 }))),
  seat_ids: Type.Optional(Type.Array(Uuid, { maxItems: LAYOUT_LIMITS.seatsPerGroup })),
  seats: Type.Optional(
    Type.Array(Strict({ zone: Type.String({ maxLength: 200 }), label: Label }), {
      maxItems: LAYOUT_LIMITS.seatsPerGroup,
    }),
  ),
  metadata: Type.Optional(Metadata),
})

const PriceCategoryInput = Strict({
  key: Type.String({ maxLength: 100 }),
  label: Type.Optional(Type.String({ maxLength: 200 })),
  color: Type.Optional(Nullable(Type.String({ maxLength: LAYOUT_LIMITS.labelLength }))),
})

const OutlineKind = Type.Enum(['stage', 'shape', 'text'])

/** People write this, and it is exported again. */
export const LayoutConfigSchema = Strict({
  zones: Type.Array(ZoneInput, { maxItems: LAYOUT_LIMITS.zones }),
  seat_groups: Type.Optional(Type.Array(SeatGroupInput, { maxItems: LAYOUT_LIMITS.groups })),
  price_categories: Type.Optional(
    Type.Array(PriceCategoryInput, { maxItems: LAYOUT_LIMITS.priceCategories }),
  ),
  focal_point: Type.Optional(Nullable(PointInput)),
  outlines: Type.Optional(
    Type.Array(
      Strict({
        kind: OutlineKind,
        label: Type.Optional(Nullable(Type.String({ maxLength: 200 }))),
        points: Type.Array(PointInput, { maxItems: LAYOUT_LIMITS.pointsPerOutline }),
        level: Type.Optional(Nullable(Level)),
      }),
      { maxItems: LAYOUT_LIMITS.outlines },
    ),
  ),
})

const Import = Strict({
  format: Type.Enum(['pretix', 'seatsio']),
  document: Type.Unknown({ description: 'The document as the other system exports it' }),
})

/** `name` may be left out when a new version keeps it. */
const fromConfig = { config: LayoutConfigSchema }
const fromImport = { import: Import }
const description = Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 2_000 })))
export const NewLayoutBody = Type.Union([
  Strict({ name: Name, description, ...fromConfig }),
  Strict({ name: Name, description, ...fromImport }),
])
export const NewVersionBody = Type.Union([
  Strict({ name: Type.Optional(Name), description, ...fromConfig }),
  Strict({ name: Type.Optional(Name), description, ...fromImport }),
])

const exampleConfig = {
  zones: [
    {
      name: 'Stalls',
      zone_type: 'reserved_seating',
      seats: [
        { row: 'A', number: 1, coordinates: { x: 10, y: 10 }, aisle_after: true },
        {
          row: 'A',
          number: 2,
          category: 'wheelchair',
          coordinates: { x: 11, y: 10 },
          companion_seat_label: 'A-3',
        },
        { row: 'A', number: 3, category: 'companion', coordinates: { x: 12, y: 10 } },
      ],
    },
    { name: 'Pit', zone_type: 'ga_standing', capacity: 300 },
  ],
}

/** 250,000 seats with everything on them fit in. */
const LAYOUT_BODY_BYTES = 96 * 1024 * 1024

const VersionStatus = Type.Enum(['draft', 'active', 'archived'])

const SavedVersion = Strict({
  layout_id: Uuid,
  version: Type.Integer(),
  status: VersionStatus,
  total_capacity: Type.Integer(),
  seat_count: Type.Integer(),
  warnings: Type.Array(Fault),
})

const VenueAnswer = Strict({
  id: Uuid,
  name: Type.String(),
  time_zone: Type.String({ description: "The venue's own, or the organization's" }),
  address: Nullable(Type.String()),
  created_at: DateTime,
})

const venueFields = {
  time_zone: Type.Optional(Nullable(TimeZone)),
  address: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 500 }))),
}

const VersionSummary = Strict({
  version: Type.Integer(),
  status: VersionStatus,
  total_capacity: Type.Integer(),
  seat_count: Type.Integer(),
  created_at: DateTime,
})

export const createVenue = route({
  method: 'POST',
  path: '/api/admin/venues',
  summary: 'Create a venue',
  area: 'Administration',
  access: editors,
  body: Strict({ name: Name, ...venueFields }),
  example: { name: 'Old Town Theatre', time_zone: 'Africa/Johannesburg' },
  answers: { 201: Data(VenueAnswer) },
  idempotencyKey: true,
})

export const updateVenue = route({
  method: 'PATCH',
  path: '/api/admin/venues/:venue',
  summary: "Change a venue. time_zone: null makes it follow the organization's",
  area: 'Administration',
  access: editors,
  body: Strict({ name: Type.Optional(Name), ...venueFields }),
  example: { address: '1 Church Street' },
  answers: { 200: Data(VenueAnswer) },
})

export const listVenues = route({
  method: 'GET',
  path: '/api/admin/venues',
  summary: 'Venues, in the order of their creation',
  area: 'Administration',
  access: readers,
  query: Strict(Page),
  answers: { 200: List(VenueAnswer) },
})

export const createLayout = route({
  method: 'POST',
  path: '/api/admin/venues/:venue/layouts',
  summary: 'Create a layout of a venue, version 1, as a draft: from a config, or by import',
  area: 'Administration',
  access: editors,
  body: NewLayoutBody,
  example: { name: 'Main hall', config: exampleConfig },
  answers: { 201: Data(SavedVersion) },
  refusals: ['layout_invalid'],
  idempotencyKey: true,
  bodyLimitBytes: LAYOUT_BODY_BYTES,
})

export const listLayouts = route({
  method: 'GET',
  path: '/api/admin/venues/:venue/layouts',
  summary: 'Layouts of a venue with their versions',
  area: 'Administration',
  access: readers,
  query: Strict(Page),
  answers: {
    200: List(
      Strict({
        layout_id: Uuid,
        name: Type.String(),
        description: Nullable(Type.String()),
        created_at: DateTime,
        updated_at: DateTime,
        versions: Type.Array(VersionSummary),
      }),
    ),
  },
})

export const readLayout = route({
  method: 'GET',
  path: '/api/admin/layouts/:layout',
  summary:
    'A version of a layout, the latest unless asked otherwise, in the form in which it can be sent again',
  area: 'Administration',
  access: readers,
  query: Strict({ version: Type.Optional(QueryNumber) }),
  answers: {
    200: Data(
      Strict({
        layout_id: Uuid,
        venue_id: Uuid,
        name: Type.String(),
        description: Nullable(Type.String()),
        version: Type.Integer(),
        status: VersionStatus,
        total_capacity: Type.Integer(),
        seat_count: Type.Integer(),
        created_at: DateTime,
        updated_at: DateTime,
        config: LayoutConfigSchema,
      }),
    ),
    304: null,
  },
})

export const createLayoutVersion = route({
  method: 'PUT',
  path: '/api/admin/layouts/:layout',
  summary: 'Save the next version of a layout, as a draft. Versions are never changed',
  area: 'Administration',
  access: editors,
  body: NewVersionBody,
  example: { config: exampleConfig },
  answers: { 201: Data(SavedVersion) },
  refusals: ['layout_invalid'],
  idempotencyKey: true,
  bodyLimitBytes: LAYOUT_BODY_BYTES,
})

const VersionState = Data(Strict({ layout_id: Uuid, version: Type.Integer(), status: VersionStatus }))

export const activateLayoutVersion = route({
  method: 'POST',
  path: '/api/admin/layouts/:layout/versions/:v/activate',
  summary: 'Make a version available to events',
  area: 'Administration',
  access: editors,
  answers: { 200: VersionState },
  refusals: ['invalid_transition'],
})

export const archiveLayoutVersion = route({
  method: 'POST',
  path: '/api/admin/layouts/:layout/versions/:v/archive',
  summary: 'Retire a version that no open event uses',
  area: 'Administration',
  access: editors,
  answers: { 200: VersionState },
  refusals: ['invalid_transition', 'layout_in_use'],
})

const SeatAnswer = Strict({
  seat_id: Uuid,
  label: Type.String(),
  row: Type.String(),
  number: Type.Union([Type.Integer(), Type.String()]),
  category: Type.Enum([...SEAT_CATEGORIES]),
  ordinal: Type.Integer(),
  coordinates: PointAnswer,
  /**
   * For a companion seat this is its wheelchair place; for a wheelchair place the first of its companion
   * seats.
   */
  companion_seat_id: Nullable(Uuid),
  price_category: Nullable(Type.String()),
  aisle_after: Type.Optional(
    Type.Boolean({
      description: 'As the layout says it. Left out: the distance to the next seat of the row tells',
    }),
  ),
})

const ZoneAnswer = Strict({
  zone_id: Uuid,
  name: Type.String(),
  zone_type: ZoneTypeName,
  capacity: Type.Integer(),
  access_mode: AccessModeName,
  membership_tier: Nullable(Type.String()),
  allowed_roles: Type.Array(Type.String()),
  pricing_rule_id: Nullable(Type.String()),
  rank: Type.Optional(
    Type.Number({
      description: "The zone's metadata.rank: of a lower one, all seats are better. Left out: 0",
    }),
  ),
  level: Type.Optional(Level),
  seats: Type.Array(SeatAnswer),
})

const SeatGroupAnswer = Strict({
  group_type: Type.Enum([...GROUP_TYPES]),
  sell: Type.Optional(
    Type.Literal('whole', { description: 'All of these seats are sold together, or none' }),
  ),
  ordinals: Type.Array(Type.Integer()),
})

const OutlineAnswer = Strict({
  kind: Type.Enum(['zone', 'stage', 'shape', 'text']),
  zone_id: Nullable(Uuid),
  label: Nullable(Type.String()),
  points: Type.Array(PointAnswer),
  level: Type.Optional(Level),
})

export const readEventLayout = route({
  method: 'GET',
  path: '/api/events/:event/layout',
  summary: "The event's layout with its overlay applied. Immutable per version: strong ETag, compressed",
  area: 'Buyers',
  access: 'signed_in',
  answers: {
    200: Data(
      Strict({
        layout_id: Uuid,
        version: Type.Integer(),
        zones: Type.Array(ZoneAnswer),
        seat_groups: Type.Optional(
          Type.Array(SeatGroupAnswer, {
            description: 'Groups that are sold as a whole, and blocks for families',
          }),
        ),
        focal_point: Type.Optional(PointAnswer),
        outlines: Type.Optional(Type.Array(OutlineAnswer)),
        price_categories: Type.Array(
          Strict({ key: Type.String(), label: Type.String(), color: Nullable(Type.String()) }),
        ),
      }),
    ),
    304: null,
  },
})

export const readEventMap = route({
  method: 'GET',
  path: '/api/events/:event/map',
  summary:
    "The event's layout for a screen, as application/octet-stream: a header in JSON and columns of seats, about half a byte a seat when compressed (docs/map-format.md). Immutable per version: strong ETag, compressed",
  area: 'Buyers',
  access: 'signed_in',
  answers: { 200: null, 304: null },
})
