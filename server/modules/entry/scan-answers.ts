import { COMPANION, WHEELCHAIR } from '@voelgoed/core/event/state'
import { hasGuests } from '@voelgoed/core/guests/guest-rule'
import type { TicketId } from '@voelgoed/core/ids'
import { categoryOf } from '@voelgoed/core/prices/price-list'
import type { EventHall } from '@voelgoed/engine/view/hot-event'
import type { Event } from '../events/tables/events.ts'
import { placeOf } from '../holds/price-holds.ts'
import type { ScanHall, Scanned } from './scan-ticket.ts'
import type { AttendanceRow, ConflictRow, GateNews, LastScan, ListedTicket } from './tables/entry-reports.ts'

/** Answers with what the gate shows. */
export function scanAnswer(hall: ScanHall, direction: 'in' | 'out', scanned: Scanned) {
  const { code, ticket, entry, entriesToday, inside, entered, validDays } = scanned
  const zone = ticket && hall.zones[ticket.zone_index]!
  return {
    result: code === null ? 'admitted' : 'refused',
    code,
    direction,
    ticket: ticket && {
      ticket_id: ticket.ticket_id,
      event_id: ticket.event_id,
      ...placeAnswer(hall, ticket, scanned.place),
      ticket_type: ticket.ticket_type,
      ticket_type_name: ticket.ticket_type && (namesOfTypes(hall.list)[ticket.ticket_type] ?? null),
      attendee: ticket.attendee,
      flags: flagsOf(hall, ticket.ordinal),
    },
    entries_today: entriesToday,
    live: zone && inside !== null ? { zone_id: zone.zoneId, inside, capacity: zone.capacity } : null,
    entry_id: entry?.id ?? null,
    day: entry?.day ?? null,
    entered: entered && { at: new Date(entered.at).toISOString(), gate: entered.gate },
    valid_days: validDays,
  }
}

/** A token that no key of the organization has signed. */
export function unknownTicketAnswer(direction: 'in' | 'out') {
  return {
    result: 'refused',
    code: 'unknown_ticket',
    direction,
    ticket: null,
    entries_today: 0,
    live: null,
    entry_id: null,
    day: null,
    entered: null,
    valid_days: null,
  }
}

function placeAnswer(
  { zones, seats }: EventHall,
  { zone_index, ordinal }: { zone_index: number; ordinal: number | null },
  place: number | null = null,
) {
  const zone = zones[zone_index]!
  return {
    zone_id: zone.zoneId,
    zone_name: zone.name,
    seat_id: ordinal === null ? null : seats.map.seatIds.at(ordinal),
    row: ordinal === null ? null : (seats.rows.at(ordinal) ?? null),
    seat_number: ordinal === null ? place : (seats.numbers.at(ordinal) ?? null),
  }
}

/** By key. Categories that share a key call it the same, or the first of them is read. */
function namesOfTypes(list: ScanHall['list']): Readonly<Record<string, string>> {
  const types = (list?.categories ?? []).flatMap(category => category.ticket_types)
  return Object.fromEntries(types.reverse().map(({ key, name }) => [key, name]))
}

function flagsOf({ seats }: EventHall, ordinal: number | null): string[] {
  const category = ordinal === null ? null : seats.map.category[ordinal]
  if (category === WHEELCHAIR) return ['wheelchair']
  return category === COMPANION ? ['companion_reserved'] : []
}

export function bundleAnswer(
  event: Event,
  keys: readonly { readonly keyId: string; readonly publicKeySpki: Buffer }[],
  news: readonly GateNews[],
  moved: ReadonlyMap<TicketId, readonly TicketId[]>,
) {
  const of = (kind: GateNews['kind']) => news.filter(each => each.kind === kind)
  return {
    event: {
      id: event.id,
      name: event.name,
      status: event.status,
      time_zone: event.timeZone,
      starts_at: event.startsAt?.toISOString() ?? null,
      ends_at: event.endsAt?.toISOString() ?? null,
      doors_at: event.doorsAt?.toISOString() ?? null,
      days: event.days,
    },
    public_keys: keys.map(({ keyId, publicKeySpki }) => {
      return { key_id: keyId, public_key: publicKeySpki.toString('base64') }
    }),
    void: of('void').map(({ ticket_id, at }) => ({ ticket_id, at: at.toISOString() })),
    replaced: of('replaced').map(({ ticket_id, version, at }) => ({
      ticket_id,
      version,
      at: at.toISOString(),
    })),
    entries: news
      .filter(({ kind }) => kind === 'in' || kind === 'out')
      .map(({ id, ticket_id, kind, day, at, gate }) => ({
        ...{ entry_id: id, ticket_id, direction: kind, day, at: at.toISOString(), gate },
        ...(moved.has(ticket_id) && { moved_ticket_ids: moved.get(ticket_id) }),
      })),
  }
}

/** The tickets of a bundle. Members that would say nothing are left out: there may be 200,000 tickets. */
export function soldAnswer(hall: ScanHall | null, sold: readonly ListedTicket[]) {
  if (!hall) return { zones: [], admissions: {}, ticket_type_names: {}, tickets: [] }
  const { zones, seats, list } = hall
  return {
    zones: zones.map(zone => {
      return { zone_id: zone.zoneId, zone_name: zone.name, asks_for_member: hasGuests(zone) }
    }),
    admissions: list?.admission ?? {},
    ticket_type_names: namesOfTypes(list),
    tickets: sold.map(({ id, zone_index, ordinal, ticket_type, attendee }) => {
      const category = list && categoryOf(list, placeOf(hall, ordinal, zone_index))
      const row = ordinal === null ? undefined : seats.rows.at(ordinal)
      const number = ordinal === null ? undefined : seats.numbers.at(ordinal)
      const flags = flagsOf(hall, ordinal)
      return {
        ticket_id: id,
        zone: zone_index,
        ...(category && Object.hasOwn(list.admission, category.key) && { category: category.key }),
        ...(row !== undefined && row !== null && { row }),
        ...(number !== undefined && number !== null && { seat_number: number }),
        ...(ticket_type !== null && { ticket_type }),
        ...(attendee !== null && { attendee }),
        ...(flags.length > 0 && { flags }),
      }
    }),
  }
}

export function attendanceAnswer(
  event: Event,
  { zones }: Pick<EventHall, 'zones'>,
  found: {
    rows: readonly AttendanceRow[]
    validTickets: ReadonlyMap<number, number>
    conflicts: number
  },
) {
  const { rows, validTickets, conflicts } = found
  const of = (what: AttendanceRow['what']) => rows.filter(row => row.what === what)
  const counts = ({ entries, exits, tickets }: AttendanceRow) => ({ entries, exits, tickets })
  return {
    event_id: event.id,
    time_zone: event.timeZone,
    valid_tickets: [...validTickets.values()].reduce((sum, count) => sum + count, 0),
    conflicts,
    days: of('day').map(row => ({ day: row.day, ...counts(row) })),
    zones: of('zone').map(row => ({
      day: row.day,
      zone_id: zones[row.zone_index!]!.zoneId,
      zone_name: zones[row.zone_index!]!.name,
      valid_tickets: validTickets.get(row.zone_index!) ?? 0,
      ...counts(row),
    })),
    gates: of('gate').map(row => ({ gate: row.gate, ...counts(row) })),
    hours: of('hour').map(row => ({ from: row.hour!.toISOString(), ...counts(row) })),
  }
}

export function conflictAnswer(hall: EventHall, row: ConflictRow) {
  return {
    conflict_id: row.id,
    code: row.code,
    found_at: row.found_at.toISOString(),
    entry_id: row.entry_id,
    ticket_id: row.ticket_id,
    ...placeAnswer(hall, row),
    day: row.day,
    at: row.at.toISOString(),
    gate: row.gate,
    device_id: row.device_id,
    scanned_by: row.scanned_by,
    first: { at: row.first_at.toISOString(), gate: row.first_gate },
  }
}

export function lastScanAnswer(hall: EventHall, row: LastScan) {
  return {
    entry_id: row.id,
    ticket_id: row.ticket_id,
    direction: row.direction,
    ...placeAnswer(hall, row, row.place),
    attendee: row.attendee,
    day: row.day,
    at: row.at.toISOString(),
    recorded_at: row.recorded_at.toISOString(),
    gate: row.gate,
    device_id: row.device_id,
    scanned_by: row.scanned_by,
    scanned_by_email: row.scanned_by_email,
  }
}
