import { DIRECTIONS, SCAN_CODES } from '@voelgoed/core/entry/scan'
import { Type } from 'typebox'
import { Cursor, Data, DateTime, List, Nullable, Page, QueryNumber, Strict, Uuid } from './common.ts'
import { CalendarDay } from './events.ts'
import { Admission } from './prices.ts'
import { route } from './route.ts'

const gatekeepers = ['scanner', 'support', 'organizer', 'admin'] as const
const readers = ['support', 'organizer', 'admin'] as const

/** A device keeps a few of these in a minute without a network. Larger uploads are several. */
export const MAX_SCANS_OF_BATCH = 500
/** News of a bundle's page. */
export const MAX_NEWS = 10_000
export const DEFAULT_NEWS = 2_000

const Token = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'What the QR code of the ticket holds',
})
const Gate = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', description: 'What people call it' })
const DeviceId = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })
const ScanId = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: "The device's own name for the scan: repeating it gives the same answer",
})
const DirectionName = Type.Enum([...DIRECTIONS])
const GateEvent = Type.Optional(
  Type.String({
    ...Uuid,
    description: 'The event that the gate is for: tickets of others are `wrong_event`',
  }),
)
const Code = Nullable(
  Type.Enum([...SCAN_CODES], { description: 'Why the ticket does not open the gate; null: it does' }),
)
const Result = Type.Enum(['admitted', 'refused'])
const SeatNumber = Type.Union([Type.Integer(), Type.String()])

const TOKEN_EXAMPLE = `VG1.${'AZegAAAAcACAAAAAAAAABgGXoAAAAHAAgAAAAAAAAAwAAAAB'.padEnd(134, 'A')}`

export const scan = route({
  method: 'POST',
  path: '/api/scans',
  summary:
    'A ticket is shown at a gate: does it open? Of two gates at one instant one lets its holder in. A refusal is an answer like any other: 200, with its code. An exit whose entry is not known is refused as not inside, and counts when a gate without a network tells of the entry',
  area: 'Administration',
  access: gatekeepers,
  whileSuspended: true,
  body: Strict({
    token: Token,
    gate: Type.Optional(Gate),
    direction: Type.Optional(DirectionName),
    device_id: DeviceId,
    scan_id: Type.Optional(ScanId),
    event_id: GateEvent,
  }),
  example: { token: TOKEN_EXAMPLE, gate: 'North', device_id: 'gate-north-1', scan_id: 'gate-north-1/4711' },
  answers: {
    200: Data(
      Strict({
        result: Result,
        code: Code,
        direction: DirectionName,
        ticket: Nullable(
          Strict({
            ticket_id: Uuid,
            event_id: Uuid,
            zone_id: Uuid,
            zone_name: Type.String(),
            seat_id: Nullable(Uuid),
            row: Nullable(Type.String()),
            seat_number: Nullable(
              Type.Union([Type.Integer(), Type.String()], {
                description: 'Of its seat, or of the place that the entry gave',
              }),
            ),
            ticket_type: Nullable(Type.String()),
            ticket_type_name: Nullable(Type.String({ description: 'As the list of prices calls it now' })),
            attendee: Nullable(Type.String()),
            flags: Type.Array(Type.Enum(['wheelchair', 'companion_reserved'])),
          }),
        ),
        entries_today: Type.Integer({
          description: 'How often the ticket let its holder in today, this time included',
        }),
        live: Nullable(
          Strict(
            { zone_id: Uuid, inside: Type.Integer(), capacity: Type.Integer() },
            { description: 'People in the standing zone of the ticket, today' },
          ),
        ),
        entry_id: Nullable(Uuid),
        day: Nullable(Type.String({ description: 'The day of the event that the entry counts to' })),
        entered: Nullable(
          Strict(
            { at: DateTime, gate: Nullable(Type.String()) },
            { description: 'Of `already_entered`: when and where' },
          ),
        ),
        valid_days: Nullable(
          Type.Array(Type.String(), { description: 'Of `too_early` and `not_valid_today`' }),
        ),
      }),
    ),
  },
  idempotencyKey: true,
})

export const uploadScans = route({
  method: 'POST',
  path: '/api/scans/batch',
  summary:
    'What a gate without a network has let in and out: each is judged as it was when it was made. An exit counts for an entry before it, in whatever order they are uploaded. What turned out wrong is listed as a conflict. A scan that can not have been made at its time counts at the time of the upload, and is listed as clock_wrong. Repeating it adds nothing',
  area: 'Administration',
  access: gatekeepers,
  whileSuspended: true,
  body: Strict({
    device_id: DeviceId,
    event_id: GateEvent,
    sent_at: Type.Optional(
      Type.String({
        ...DateTime,
        description:
          "The device's own time as it sends this: by how much its clock is wrong, which the times of its scans are corrected by",
      }),
    ),
    scans: Type.Array(
      Strict({
        scan_id: ScanId,
        token: Token,
        gate: Type.Optional(Gate),
        direction: Type.Optional(DirectionName),
        at: DateTime,
      }),
      { minItems: 1, maxItems: MAX_SCANS_OF_BATCH },
    ),
  }),
  example: {
    device_id: 'gate-north-1',
    scans: [{ scan_id: 'gate-north-1/4712', token: TOKEN_EXAMPLE, at: '2027-03-01T17:12:00.000Z' }],
  },
  answers: {
    200: Data(
      Strict({
        admitted: Type.Integer(),
        refused: Type.Integer({
          description: 'Should not have been let through, or are exits that wait for their entry',
        }),
        scans: Type.Array(
          Strict({ scan_id: Type.String(), result: Result, code: Code, entry_id: Nullable(Uuid) }),
        ),
      }),
    ),
  },
  idempotencyKey: true,
})

export const readBundle = route({
  method: 'GET',
  path: '/api/scans/bundle',
  summary:
    'What a gate needs to work without a network: the keys that sign tickets, and by page which tickets are void or replaced and which were used; with tickets=true also the tickets themselves. since: what the answer before said; news may come twice',
  area: 'Administration',
  access: gatekeepers,
  query: Strict({
    event_id: Uuid,
    since: Type.Optional(Cursor),
    limit: Type.Optional(QueryNumber),
    tickets: Type.Optional(Type.Enum(['true', 'false'])),
  }),
  answers: {
    200: Data(
      Strict({
        event: Strict({
          id: Uuid,
          name: Type.String(),
          status: Type.String(),
          time_zone: Type.String(),
          starts_at: Nullable(DateTime),
          ends_at: Nullable(DateTime),
          doors_at: Nullable(DateTime),
          days: Type.Array(
            Strict({
              date: Type.String(),
              name: Nullable(Type.String()),
              starts_at: Nullable(DateTime),
              ends_at: Nullable(DateTime),
            }),
          ),
        }),
        public_keys: Type.Array(
          Strict({
            key_id: Type.String(),
            public_key: Type.String({ description: 'Ed25519, SubjectPublicKeyInfo as DER in base64' }),
          }),
        ),
        void: Type.Array(Strict({ ticket_id: Uuid, at: DateTime })),
        replaced: Type.Array(
          Strict({
            ticket_id: Uuid,
            version: Type.Integer({ description: 'The one that is valid' }),
            at: DateTime,
          }),
        ),
        entries: Type.Array(
          Strict({
            entry_id: Uuid,
            ticket_id: Uuid,
            direction: DirectionName,
            day: Type.String(),
            at: DateTime,
            gate: Nullable(Type.String()),
            moved_ticket_ids: Type.Optional(
              Type.Array(Uuid, {
                description:
                  'Other tickets that the entry counts for as well: staff moved this one to another seat, or to this one',
              }),
            ),
          }),
        ),
        zones: Type.Array(
          Strict({
            zone_id: Uuid,
            zone_name: Type.String(),
            asks_for_member: Type.Boolean({
              description: 'The gate asks whether the person is a member; only the server knows',
            }),
          }),
          { description: 'With tickets=true: all of them, in every answer' },
        ),
        admissions: Type.Record(Type.String(), Admission, {
          description: 'By category; without: all days, once a day, no re-entry. With tickets=true',
        }),
        ticket_type_names: Type.Record(Type.String(), Type.String(), {
          description: 'By the key of the ticket type. With tickets=true',
        }),
        tickets: Type.Array(
          Strict({
            ticket_id: Uuid,
            zone: Type.Integer({ description: 'Which of `zones`, from 0' }),
            category: Type.Optional(Type.String({ description: 'Which of `admissions`' })),
            row: Type.Optional(Type.String()),
            seat_number: Type.Optional(SeatNumber),
            ticket_type: Type.Optional(Type.String()),
            attendee: Type.Optional(Type.String()),
            flags: Type.Optional(Type.Array(Type.Enum(['wheelchair', 'companion_reserved']))),
          }),
          { description: 'With tickets=true: sold since the answer before' },
        ),
        suspended: Type.Boolean({
          description:
            'The platform has suspended the organization: it sells nothing, and its gates admit as ever',
        }),
        timestamp: DateTime,
        since: Type.String({ description: 'For the next request' }),
        is_complete: Type.Boolean({ description: 'false: there is more, ask again at once' }),
      }),
    ),
  },
  refusals: ['event_not_found'],
})

const counts = {
  entries: Type.Integer(),
  exits: Type.Integer(),
  tickets: Type.Integer({
    description:
      'That let their holder in at least once. A ticket and those that it was moved from and to count as one',
  }),
}

export const readAttendance = route({
  method: 'GET',
  path: '/api/admin/events/:event/attendance',
  summary: 'Who came: by day, zone, gate and hour of the venue’s clock',
  area: 'Administration',
  access: readers,
  answers: {
    200: Data(
      Strict({
        event_id: Uuid,
        time_zone: Type.String(),
        valid_tickets: Type.Integer(),
        conflicts: Type.Integer({
          description: 'Entries that should not have been, or whose time is not known: the list has them',
        }),
        days: Type.Array(Strict({ day: CalendarDay, ...counts })),
        zones: Type.Array(
          Strict({
            day: CalendarDay,
            zone_id: Uuid,
            zone_name: Type.String(),
            valid_tickets: Type.Integer(),
            ...counts,
          }),
        ),
        gates: Type.Array(Strict({ gate: Nullable(Type.String()), ...counts })),
        hours: Type.Array(Strict({ from: DateTime, ...counts })),
      }),
    ),
  },
})

export const listEntryConflicts = route({
  method: 'GET',
  path: '/api/admin/events/:event/attendance/conflicts',
  summary: 'Entries that should not have been, in the order in which they were found',
  area: 'Administration',
  access: readers,
  query: Strict(Page),
  answers: {
    200: List(
      Strict({
        conflict_id: Uuid,
        code: Type.String({
          description:
            'What the gate would have said; or clock_wrong: the clock of the device was, and the entry counts at the time of its upload',
        }),
        found_at: DateTime,
        entry_id: Uuid,
        ticket_id: Uuid,
        zone_id: Uuid,
        zone_name: Type.String(),
        seat_id: Nullable(Uuid),
        row: Nullable(Type.String()),
        seat_number: Nullable(SeatNumber),
        day: CalendarDay,
        at: DateTime,
        gate: Nullable(Type.String()),
        device_id: Type.String(),
        scanned_by: Uuid,
        first: Strict(
          { at: DateTime, gate: Nullable(Type.String()) },
          { description: 'The first entry of the ticket on that day' },
        ),
      }),
    ),
  },
})

export const listScans = route({
  method: 'GET',
  path: '/api/admin/events/:event/scans',
  summary:
    'Tickets that opened a gate, the last first, in the order in which the server heard of them. What a gate refused is not listed',
  area: 'Administration',
  access: readers,
  query: Strict(Page),
  answers: {
    200: List(
      Strict({
        entry_id: Uuid,
        ticket_id: Uuid,
        direction: DirectionName,
        zone_id: Uuid,
        zone_name: Type.String(),
        seat_id: Nullable(Uuid),
        row: Nullable(Type.String()),
        seat_number: Nullable(SeatNumber),
        attendee: Nullable(Type.String()),
        day: CalendarDay,
        at: Type.String({ ...DateTime, description: 'When the ticket was shown' }),
        recorded_at: Type.String({ ...DateTime, description: 'When the server heard of it' }),
        gate: Nullable(Type.String()),
        device_id: Type.String(),
        scanned_by: Uuid,
        scanned_by_email: Nullable(Type.String()),
      }),
    ),
  },
})
