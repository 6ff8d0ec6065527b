import type { EventDays } from '@voelgoed/core/entry/event-day'
import { DEFAULT_ADMISSION, type Direction, judgeTicket } from '@voelgoed/core/entry/scan'
import type { EventStatus } from '@voelgoed/core/event/lifecycle'
import type { EventId } from '@voelgoed/core/ids'
import type { TicketName } from '@voelgoed/core/tickets/token'
import { type GateList, type KnownTicket, usesOf } from './gate-list.ts'
import type { ShownTicket, Verdict } from './verdict.ts'

export interface OfflineScan {
  /** Null: no key of the organization has signed it. */
  readonly token: TicketName | null
  readonly direction: Direction
  /** By the server's clock, as far as the device knows it. */
  readonly at: number
  readonly list: GateList
  readonly ticket: KnownTicket
}

export interface OfflineDecision {
  readonly verdict: Verdict
  /** The day of the event that the entry counts to; null: there is none. */
  readonly day: string | null
}

/**
 * Decides without the server, by the same rules. The device does not know how full zones are, nor who is a
 * member now: it lets these people in and says that a person has to look. A ticket that is not on its list
 * was sold after the list was made: the signature proves that, and it counts as one without a category.
 */
export function decideOffline({ token, direction, at, list, ticket }: OfflineScan): OfflineDecision {
  const common = { direction, at, isOffline: true }
  if (!token) {
    const nothing = { ticket: null, entered: null, validDays: [], live: null }
    return { verdict: { ...common, ...nothing, kind: 'refused', code: 'unknown_ticket' }, day: null }
  }
  const { event } = list
  const { place } = ticket
  const category = place?.category
  const judged = judgeTicket({
    direction,
    at,
    token,
    gateEventId: event.id as EventId,
    ticket: {
      // The event that the organization's key signed it for.
      eventId: token.eventId,
      // A version that the device has not heard of is newer than its list.
      version: Math.max(ticket.version, token.version),
      reissuedAt: ticket.reissuedAt,
      voidedAt: ticket.voidedAt,
    },
    event: {
      status: event.status as EventStatus,
      // The device has heard that it is, and not since when.
      cancelledAt: null,
      ...daysOf(list),
    },
    admission: (category !== undefined && list.admissions[category]) || DEFAULT_ADMISSION,
    uses: usesOf(ticket),
  })
  const shown = place && showPlace(place, list)
  if (!judged.ok) {
    const { code, entered = null, validDays = [] } = judged
    const refusal = { ticket: shown, code, entered, validDays, live: null }
    return { verdict: { ...common, ...refusal, kind: 'refused' }, day: null }
  }
  const { day } = judged
  const before = usesOf(ticket).find(use => use.day === day)?.ins ?? 0
  const asksForMember = place !== null && (list.zones[place.zone]?.asks_for_member ?? false)
  const look = direction === 'out' ? null : place === null ? 'not_listed' : asksForMember ? 'member' : null
  const entriesToday = before + (direction === 'in' ? 1 : 0)
  return { verdict: { ...common, kind: 'admitted', ticket: shown, entriesToday, live: null, look }, day }
}

export function daysOf({ event }: GateList): EventDays {
  return {
    timeZone: event.time_zone,
    startsAt: momentOf(event.starts_at),
    // A list that a device kept from before has neither.
    endsAt: momentOf(event.ends_at ?? null),
    doorsAt: momentOf(event.doors_at ?? null),
    days: event.days.map(({ date, starts_at, ends_at }) => {
      return { date, startsAt: momentOf(starts_at), endsAt: momentOf(ends_at) }
    }),
  }
}

function showPlace(place: NonNullable<KnownTicket['place']>, { zones, typeNames }: GateList): ShownTicket {
  const type = place.ticket_type ?? null
  return {
    zoneName: zones[place.zone]?.zone_name ?? '',
    row: place.row ?? null,
    seatNumber: place.seat_number ?? null,
    ticketType: type && (typeNames?.[type] ?? type),
    attendee: place.attendee ?? null,
    flags: place.flags ?? [],
  }
}

function momentOf(iso: string | null): number | null {
  return iso === null ? null : Date.parse(iso)
}
