import type { EventDay } from '../postgres/tables/events.ts'
import type { OrderFacts } from './order-facts.ts'

/** An event, as far as a calendar shows it. */
export interface CalendarEvent {
  readonly name: string
  readonly status: string
  readonly startsAt: Date | null
  readonly days: readonly EventDay[]
  readonly updatedAt: Date
  readonly venue: { readonly name: string; readonly address: string | null }
}

interface EntryOptions {
  /** The same each time: a later file moves the entries. */
  readonly uid: string
  readonly description: readonly string[]
  /** Where more is said of it. */
  readonly url?: string
  readonly isOff: boolean
}

/** An order as entries for a calendar. Null: the event has no date yet. */
export function calendarEntry({ whole, event, venue }: OrderFacts): string | null {
  const { order, lines } = whole
  const seats = lines
    .filter(line => line.refund_id === null)
    .map(({ zone_name, row, seat_number }) =>
      row === null ? zone_name : `${zone_name} ${row}-${seat_number}`,
    )
  return calendarOf(
    { ...event, venue },
    {
      uid: order.id,
      description: [order.number, ...summed(seats)],
      isOff: event.status === 'cancelled' || seats.length === 0,
    },
  )
}

/** The same for an event that the reader may not have a ticket for. */
export function eventCalendar(event: CalendarEvent, { id, url }: { id: string; url: string }): string | null {
  return calendarOf(event, { uid: id, description: [url], url, isOff: event.status === 'cancelled' })
}

/** Entries (RFC 5545): one for each day of the event, or one for its beginning. */
function calendarOf(event: CalendarEvent, { uid, description, url, isOff }: EntryOptions): string | null {
  const times = timesOf(event.startsAt, event.days)
  if (times.length === 0) return null
  const { venue } = event
  const entries = times.flatMap(({ id, name, properties }) => [
    'BEGIN:VEVENT',
    `UID:${uid}-${id}@voelgoed`,
    `DTSTAMP:${utc(event.updatedAt)}`,
    ...properties,
    `SUMMARY:${escaped(name === null ? event.name : `${event.name}: ${name}`)}`,
    `LOCATION:${escaped(venue.address === null ? venue.name : `${venue.name}, ${venue.address}`)}`,
    `DESCRIPTION:${escaped(description.join('\n'))}`,
    ...(url === undefined ? [] : [`URL:${url}`]),
    `STATUS:${isOff ? 'CANCELLED' : 'CONFIRMED'}`,
    'END:VEVENT',
  ])
  const all = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//VoelgoedEvents//Seating//EN',
    'CALSCALE:GREGORIAN',
    ...entries,
    'END:VCALENDAR',
  ]
  return all.map(line => `${folded(line)}\r\n`).join('')
}

interface EntryTime {
  readonly id: string
  readonly name: string | null
  readonly properties: readonly string[]
}

function timesOf(startsAt: Date | null, days: readonly EventDay[]): EntryTime[] {
  if (days.length === 0) {
    return startsAt === null ? [] : [{ id: 'start', name: null, properties: [`DTSTART:${utc(startsAt)}`] }]
  }
  return days.map(({ date, name, starts_at, ends_at }) => ({
    id: date,
    name,
    properties:
      starts_at === null
        ? [`DTSTART;VALUE=DATE:${date.replaceAll('-', '')}`]
        : [
            `DTSTART:${utc(new Date(starts_at))}`,
            ...(ends_at === null ? [] : [`DTEND:${utc(new Date(ends_at))}`]),
          ],
  }))
}

const MAX_SEATS = 20

function summed(seats: readonly string[]): string[] {
  return seats.length <= MAX_SEATS
    ? [...seats]
    : [...seats.slice(0, MAX_SEATS), `+ ${seats.length - MAX_SEATS}`]
}

function utc(at: Date): string {
  return `${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
}

function escaped(text: string): string {
  return text
    .replaceAll(/[\\;,]/g, character => `\\${character}`)
    .replaceAll(/\r\n|\r|\n/g, '\\n')
    .replaceAll(/\p{Cc}/gu, ' ')
}

const MAX_OCTETS = 75

/** A line has at most 75 octets, and no character is cut in two. */
function folded(line: string): string {
  let text = ''
  let octets = 0
  for (const character of line) {
    const more = Buffer.byteLength(character)
    if (octets + more > MAX_OCTETS) {
      text += '\r\n '
      octets = 1
    }
    text += character
    octets += more
  }
  return text
}
