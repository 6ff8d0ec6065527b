import { describe, expect, it } from 'vitest'
import { calendarEntry } from './calendar.ts'
import type { OrderFacts } from './order-facts.ts'

interface Given {
  name?: string
  status?: string
  startsAt?: Date | null
  doorsAt?: Date | null
  timeZone?: string
  days?: object[]
  address?: string | null
  refund_id?: string | null
}

const facts = (given: Given = {}): OrderFacts => {
  const { refund_id = null, address = null, ...event } = given
  return {
    whole: {
      order: { id: '0197a000-0000-7000-8000-00000000000e', number: '7KQ2M-XD4HT' },
      lines: [
        { zone_name: 'Stalls', row: 'A', seat_number: 12, refund_id },
        { zone_name: 'Pit', row: null, seat_number: null, refund_id },
      ],
    },
    event: {
      name: 'Hamlet',
      status: 'published',
      timeZone: 'Africa/Johannesburg',
      startsAt: new Date('2027-03-01T17:30:00.000Z'),
      doorsAt: null,
      days: [],
      updatedAt: new Date('2027-01-10T07:02:13.482Z'),
      ...event,
    },
    venue: { name: 'Old Town Theatre', address },
  } as unknown as OrderFacts
}
const URL = 'https://tickets.example.org/old-town/orders/0197a000-0000-7000-8000-00000000000e'
const entry = (of: OrderFacts, language: 'en' | 'af' = 'en') => calendarEntry(of, { url: URL, language })
/** Lines as a calendar reads them. */
const linesOf = (text: string | null) => text!.replaceAll('\r\n ', '').split('\r\n')

describe('an order in a calendar', () => {
  it('is an entry at the beginning of the event, with the places', () => {
    expect(linesOf(entry(facts()))).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//VoelgoedEvents//Seating//EN',
      'CALSCALE:GREGORIAN',
      'BEGIN:VEVENT',
      'UID:0197a000-0000-7000-8000-00000000000e-start@voelgoed',
      'DTSTAMP:20270110T070213Z',
      'DTSTART:20270301T173000Z',
      'DTEND:20270301T203000Z',
      'SUMMARY:Hamlet',
      'LOCATION:Old Town Theatre',
      `DESCRIPTION:7KQ2M-XD4HT\\nStalls A-12\\nPit\\n${URL}`,
      `URL:${URL}`,
      'STATUS:CONFIRMED',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'DESCRIPTION:Hamlet',
      'TRIGGER:-PT3H',
      'END:VALARM',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ])
  })

  it('has an entry for each day, a whole day where no time is known', () => {
    const days = [
      {
        date: '2027-03-01',
        name: 'Opening',
        starts_at: '2027-03-01T07:00:00Z',
        ends_at: '2027-03-01T15:00:00Z',
      },
      { date: '2027-03-02', name: null, starts_at: null, ends_at: null },
    ]
    const lines = linesOf(entry(facts({ days })))
    expect(lines.filter(line => /^(DT(START|END)|SUMMARY|UID)/.test(line))).toEqual([
      'UID:0197a000-0000-7000-8000-00000000000e-2027-03-01@voelgoed',
      'DTSTART:20270301T070000Z',
      'DTEND:20270301T150000Z',
      'SUMMARY:Hamlet: Opening',
      'UID:0197a000-0000-7000-8000-00000000000e-2027-03-02@voelgoed',
      'DTSTART;VALUE=DATE:20270302',
      'SUMMARY:Hamlet',
    ])
  })

  it('begins when the event does, where its day says no time, with the doors', () => {
    const days = [{ date: '2027-03-01', name: null, starts_at: null, ends_at: null }]
    const doorsAt = new Date('2027-03-01T16:30:00Z')
    const lines = linesOf(entry(facts({ days, doorsAt }), 'af'))
    expect(lines).toContain('DTSTART:20270301T173000Z')
    expect(lines).toContain('DTEND:20270301T203000Z')
    expect(lines).toContain('TRIGGER:-PT3H')
    expect(lines.find(line => line.startsWith('DESCRIPTION:D'))).toMatch(
      /^DESCRIPTION:Deure open om 18:30\\n/,
    )
  })

  it.each([
    // The evening there is the next day in Greenwich, on both sides of the change of clocks.
    ['America/New_York', '2027-03-13', '2027-03-14T00:30:00Z', 'DTSTART:20270314T003000Z'],
    ['America/New_York', '2027-03-14', '2027-03-14T23:30:00Z', 'DTSTART:20270314T233000Z'],
    ['Pacific/Auckland', '2027-03-02', '2027-03-01T06:30:00Z', 'DTSTART;VALUE=DATE:20270302'],
    ['Pacific/Auckland', '2027-03-01', '2027-03-01T06:30:00Z', 'DTSTART:20270301T063000Z'],
  ])('in %s, the day %s begins at %s only if it is that day there', (timeZone, date, starts, line) => {
    const days = [{ date, name: null, starts_at: null, ends_at: null }]
    expect(linesOf(entry(facts({ timeZone, days, startsAt: new Date(starts) })))).toContain(line)
  })

  it('can not be broken out of by a name, and no line is longer than 75 octets', () => {
    const name = `A, B; C\\D\r\nEND:VEVENT\u0000 ${'žluťoučký '.repeat(20)}`
    const text = entry(facts({ name, address: 'Kerkstraat 1, Stellenbosch' }))!
    const lines = linesOf(text)
    expect(lines.filter(line => line === 'END:VEVENT')).toHaveLength(1)
    expect(lines).toContain('LOCATION:Old Town Theatre\\, Kerkstraat 1\\, Stellenbosch')
    expect(lines.find(line => line.startsWith('SUMMARY'))).toMatch(
      /^SUMMARY:A\\, B\\; C\\\\D\\nEND:VEVENT {2}žluť/,
    )
    expect(Math.max(...text.split('\r\n').map(line => Buffer.byteLength(line)))).toBeLessThanOrEqual(75)
  })

  it('is cancelled with the event, and with the last ticket; without a date there is none', () => {
    expect(entry(facts({ status: 'cancelled' }))).toContain('STATUS:CANCELLED')
    expect(entry(facts({ refund_id: 'a' }))).toContain('STATUS:CANCELLED')
    expect(entry(facts({ startsAt: null }))).toBeNull()
  })
})
