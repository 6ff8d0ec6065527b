import type { EventDay } from '../events/tables/events.ts'
import { daysWithStart } from './event-times.ts'
import type { OrderFacts } from './order-facts.ts'
import { TICKET_LOCALES, TICKET_WORDS, type TicketLanguage } from './ticket-words.ts'

/** An event, as far as a calendar shows it. */
export interface CalendarEvent {
  readonly name: string
  readonly status: string
  /** The venue is in this one. */
  readonly timeZone: string
  readonly startsAt: Date | null
  readonly doorsAt: Date | null
  readonly days: readonly EventDay[]
  readonly updatedAt: Date
  readonly venue: { readonly name: string; readonly address: string | null }
}

interface EntryOptions {
  /** The same each time: a later file moves the entries. */
  readonly uid: string
  readonly description: readonly string[]
  /** More is said of it there: the tickets, or the event. */
  readonly url: string
  readonly language: TicketLanguage
  readonly isOff: boolean
}

/** An order as entries for a calendar. Null: the event has no date yet. */
export function calendarEntry(
  { whole, event, venue }: OrderFacts,
  { url, language }: { readonly url: string; readonly language: TicketLanguage },
): string | null {
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
      url,
      language,
      isOff: event.status === 'cancelled' || seats.length === 0,
    },
  )
}

/** The same for an event that the reader may not have a ticket for. */
export function eventCalendar(
  event: CalendarEvent,
  { id, url, language }: { id: string; url: string; language: TicketLanguage },
): string | null {
  return calendarOf(event, { uid: id, description: [], url, language, isOff: event.status === 'cancelled' })
}

/** The entry takes so long in a calendar; its alarm rings ten minutes before. */
const SALE_LASTS_MS = 15 * 60_000

/** The moment at which its sale opens, for those who want to be there. Null: it is open from the start. */
export function openingCalendar(
  event: Pick<CalendarEvent, 'name' | 'updatedAt'> & { readonly saleStart: Date | null },
  { id, url, language }: { id: string; url: string; language: TicketLanguage },
): string | null {
  const { name, saleStart } = event
  if (saleStart === null) return null
  const summary = TICKET_WORDS[language].saleOpens(name)
  return fileOf([
    'BEGIN:VEVENT',
    `UID:${id}-sale@voelgoed`,
    `DTSTAMP:${utc(event.updatedAt)}`,
    `DTSTART:${utc(saleStart)}`,
    `DTEND:${utc(new Date(saleStart.getTime() + SALE_LASTS_MS))}`,
    `SUMMARY:${escaped(summary)}`,
    `DESCRIPTION:${url}`,
    `URL:${url}`,
    ...alarm(summary, 'PT10M'),
    'END:VEVENT',
  ])
}

/** Entries (RFC 5545): one for each day of the event, or one for its beginning. */
function calendarOf(
  event: CalendarEvent,
  { uid, description, url, language, isOff }: EntryOptions,
): string | null {
  const times = timesOf(event)
  if (times.length === 0) return null
  const { venue } = event
  const doors = doorsOf(event, language)
  const entries = times.flatMap(({ id, name, properties, isTimed }, index) => [
    'BEGIN:VEVENT',
    `UID:${uid}-${id}@voelgoed`,
    `DTSTAMP:${utc(event.updatedAt)}`,
    ...properties,
    `SUMMARY:${escaped(name === null ? event.name : `${event.name}: ${name}`)}`,
    `LOCATION:${escaped(venue.address === null ? venue.name : `${venue.name}, ${venue.address}`)}`,
    `DESCRIPTION:${escaped([...(index === 0 ? doors : []), ...description, url].join('\n'))}`,
    `URL:${url}`,
    `STATUS:${isOff ? 'CANCELLED' : 'CONFIRMED'}`,
    ...(isTimed && !isOff ? alarm(event.name, LEAVES_HOME) : []),
    'END:VEVENT',
  ])
  return fileOf(entries)
}

function fileOf(entries: readonly string[]): string {
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
  /** False: a whole day. */
  readonly isTimed: boolean
}

/** An event that does not say when it ends blocks an evening. */
const LASTS_MS = 3 * 3_600_000

function timesOf({ startsAt, days, timeZone }: CalendarEvent): EntryTime[] {
  const start = startsAt?.toISOString() ?? null
  const timed = (starts: string, ends: string | null) => ({
    isTimed: true,
    properties: [
      `DTSTART:${utc(new Date(starts))}`,
      `DTEND:${utc(ends === null ? new Date(Date.parse(starts) + LASTS_MS) : new Date(ends))}`,
    ],
  })
  if (days.length === 0) return start === null ? [] : [{ id: 'start', name: null, ...timed(start, null) }]
  return daysWithStart({ timeZone, startsAt: start, days }).map(({ date, name, starts_at, ends_at }) => ({
    id: date,
    name,
    ...(starts_at === null
      ? { isTimed: false, properties: [`DTSTART;VALUE=DATE:${date.replaceAll('-', '')}`] }
      : timed(starts_at, ends_at)),
  }))
}

function doorsOf({ doorsAt, timeZone }: CalendarEvent, language: TicketLanguage): string[] {
  if (doorsAt === null) return []
  const options = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const time = new Intl.DateTimeFormat(TICKET_LOCALES[language], options).format(doorsAt)
  return [TICKET_WORDS[language].doors(time)]
}

/** Three hours before: time to leave from home. */
const LEAVES_HOME = 'PT3H'

function alarm(name: string, before: string): string[] {
  return [
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    `DESCRIPTION:${escaped(name)}`,
    `TRIGGER:-${before}`,
    'END:VALARM',
  ]
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
