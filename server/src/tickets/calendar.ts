import type { EventDay } from '../postgres/tables/events.ts'
import type { OrderFacts } from './order-facts.ts'

/**
 * An order as entries for a calendar (RFC 5545): one for each day of the event, or one for its beginning.
 * Null: the event has no date yet. An order gives the same UIDs each time: a later file moves the entries.
 */
export function calendarEntry({ whole, event, venue }: OrderFacts): string | null {
  const times = timesOf(event.startsAt, event.days)
  if (times.length === 0) return null
  const { order, lines } = whole
  const seats = lines
    .filter(line => line.refund_id === null)
    .map(({ zone_name, row, seat_number }) =>
      row === null ? zone_name : `${zone_name} ${row}-${seat_number}`,
    )
  const isOff = event.status === 'cancelled' || seats.length === 0
  const entries = times.flatMap(({ id, name, properties }) => [
    'BEGIN:VEVENT',
    `UID:${order.id}-${id}@voelgoed`,
    `DTSTAMP:${utc(event.updatedAt)}`,
    ...properties,
    `SUMMARY:${escaped(name === null ? event.name : `${event.name}: ${name}`)}`,
    `LOCATION:${escaped(venue.address === null ? venue.name : `${venue.name}, ${venue.address}`)}`,
    `DESCRIPTION:${escaped([order.number, ...summed(seats)].join('\n'))}`,
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
