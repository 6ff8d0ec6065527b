import { describe, expect, test } from 'vitest'
import { datesOf, type EventDays, eventDayAt } from './event-day.ts'

const event = (given: Partial<EventDays> = {}): EventDays => ({
  timeZone: 'Africa/Johannesburg',
  startsAt: null,
  days: [],
  ...given,
})
const day = (date: string, startsAt: string | null = null, endsAt: string | null = null) => ({
  date,
  startsAt: startsAt === null ? null : Date.parse(startsAt),
  endsAt: endsAt === null ? null : Date.parse(endsAt),
})
const festival = event({ days: [day('2027-03-05'), day('2027-03-06'), day('2027-03-12')] })
const on = (kind: string, date: string) => ({ kind, day: date })

test.each([
  [
    'the evening before in UTC is the day itself at the venue',
    festival,
    '2027-03-04T22:30:00Z',
    'day',
    '2027-03-05',
  ],
  ['noon', festival, '2027-03-05T10:00:00Z', 'day', '2027-03-05'],
  ['half past midnight belongs to the night', festival, '2027-03-05T22:30:00Z', 'day', '2027-03-05'],
  ['five in the morning is the next day', festival, '2027-03-06T03:00:00Z', 'day', '2027-03-06'],
  ['the night after the last day in a row', festival, '2027-03-06T23:00:00Z', 'day', '2027-03-06'],
  ['a day without a programme', festival, '2027-03-08T10:00:00Z', 'between', '2027-03-08'],
  ['the week before', festival, '2027-02-26T10:00:00Z', 'before', '2027-03-05'],
  ['the day after all', festival, '2027-03-13T10:00:00Z', 'after', '2027-03-13'],
] as const)('a festival of days without times: %s', (_, which, at, kind, date) => {
  expect(eventDayAt(which, Date.parse(at))).toEqual(on(kind, date))
})

describe('days with times', () => {
  const long = event({
    days: [
      day('2027-03-05', '2027-03-05T16:00:00Z', '2027-03-06T06:00:00Z'),
      day('2027-03-06', '2027-03-06T08:00:00Z', '2027-03-06T20:00:00Z'),
    ],
  })
  test.each([
    ['until the end that it says, also past five', '2027-03-06T05:30:00Z', '2027-03-05'],
    ['after that end the next day counts', '2027-03-06T06:00:00Z', '2027-03-06'],
    ['a day that is over is not the night’s', '2027-03-06T21:30:00Z', '2027-03-06'],
  ])('%s', (_, at, date) => {
    expect(eventDayAt(long, Date.parse(at)).day).toBe(date)
  })

  test('the day that is over leaves the night to no day', () => {
    expect(eventDayAt(long, Date.parse('2027-03-06T22:30:00Z'))).toEqual(on('after', '2027-03-07'))
  })

  test('what has begun today counts, also while yesterday goes on', () => {
    const overlapping = event({
      days: [
        day('2027-03-05', null, '2027-03-06T12:00:00Z'),
        day('2027-03-06', '2027-03-06T08:00:00Z', null),
      ],
    })
    expect(eventDayAt(overlapping, Date.parse('2027-03-06T07:59:00Z')).day).toBe('2027-03-05')
    expect(eventDayAt(overlapping, Date.parse('2027-03-06T08:00:00Z')).day).toBe('2027-03-06')
  })
})

describe('an event with a start and no days', () => {
  const show = event({ startsAt: Date.parse('2027-03-01T17:30:00Z') })
  const midnightShow = event({ startsAt: Date.parse('2027-03-01T22:30:00Z') })
  test.each([
    ['on its day', show, '2027-03-01T16:00:00Z', on('day', '2027-03-01')],
    ['after midnight', show, '2027-03-01T22:30:00Z', on('day', '2027-03-01')],
    ['the day before', show, '2027-02-28T16:00:00Z', on('before', '2027-03-01')],
    ['the day after', show, '2027-03-02T16:00:00Z', on('after', '2027-03-02')],
    [
      'a start after midnight: the evening before',
      midnightShow,
      '2027-03-01T21:00:00Z',
      on('day', '2027-03-02'),
    ],
    [
      'a start after midnight: the noon before',
      midnightShow,
      '2027-03-01T10:00:00Z',
      on('before', '2027-03-02'),
    ],
  ])('%s', (_, which, at, expected) => {
    expect(eventDayAt(which, Date.parse(at))).toEqual(expected)
  })
  test('its only date is that of the start, at the venue', () => {
    expect([datesOf(show), datesOf(midnightShow), datesOf(event())]).toEqual([
      ['2027-03-01'],
      ['2027-03-02'],
      [],
    ])
  })
})

test('an event without any date has every day, with its night', () => {
  expect(eventDayAt(event(), Date.parse('2027-03-01T22:30:00Z'))).toEqual(on('day', '2027-03-01'))
  expect(eventDayAt(event(), Date.parse('2027-03-02T03:00:00Z'))).toEqual(on('day', '2027-03-02'))
})

describe('days on which the clocks change', () => {
  const berlin = (...dates: string[]) =>
    event({ timeZone: 'Europe/Berlin', days: dates.map(date => day(date)) })
  test.each([
    // 28 March 2027: 02:00 becomes 03:00. The night ends at 05:00 of the wall clock, which is 03:00Z.
    ['spring: before five', berlin('2027-03-27', '2027-03-28'), '2027-03-28T02:59:59Z', '2027-03-27'],
    ['spring: from five', berlin('2027-03-27', '2027-03-28'), '2027-03-28T03:00:00Z', '2027-03-28'],
    ['spring: the evening is in summer time', berlin('2027-03-28'), '2027-03-28T21:59:00Z', '2027-03-28'],
    // 31 October 2027: 03:00 becomes 02:00. The hour after two comes twice; five is 04:00Z.
    [
      'autumn: two o’clock, the first time',
      berlin('2027-10-30', '2027-10-31'),
      '2027-10-31T00:30:00Z',
      '2027-10-30',
    ],
    [
      'autumn: two o’clock, the second time',
      berlin('2027-10-30', '2027-10-31'),
      '2027-10-31T01:30:00Z',
      '2027-10-30',
    ],
    ['autumn: before five', berlin('2027-10-30', '2027-10-31'), '2027-10-31T03:59:59Z', '2027-10-30'],
    ['autumn: from five', berlin('2027-10-30', '2027-10-31'), '2027-10-31T04:00:00Z', '2027-10-31'],
  ])('%s', (_, which, at, date) => {
    expect(eventDayAt(which, Date.parse(at))).toEqual(on('day', date))
  })

  test('a zone that left out a whole day', () => {
    // Samoa went from 29 to 31 December 2011.
    const samoa = event({ timeZone: 'Pacific/Apia', days: [day('2011-12-29'), day('2011-12-31')] })
    expect(eventDayAt(samoa, Date.parse('2011-12-30T09:30:00Z'))).toEqual(on('day', '2011-12-29'))
    expect(eventDayAt(samoa, Date.parse('2011-12-30T20:00:00Z'))).toEqual(on('day', '2011-12-31'))
  })
})

test('time zones without number are forgotten, and still right', () => {
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    expect(eventDayAt(event({ timeZone }), Date.parse('2027-03-01T12:00:00Z')).day).toMatch(
      /^2027-0[23]-\d\d$/,
    )
  }
  expect(eventDayAt(festival, Date.parse('2027-03-04T22:30:00Z')).day).toBe('2027-03-05')
})

describe('doors and an end that the event itself says', () => {
  const past = event({ startsAt: Date.parse('2027-03-05T22:30:00Z') })
  const kindAt = (which: EventDays, at: string) => eventDayAt(which, Date.parse(at)).kind

  test('a day after midnight begins when its doors open, four hours before its start without doors', () => {
    expect(kindAt(past, '2027-03-05T18:29:00Z')).toBe('before')
    expect(kindAt(past, '2027-03-05T18:30:00Z')).toBe('day')
    const late = { ...past, doorsAt: Date.parse('2027-03-05T21:30:00Z') }
    expect(kindAt(late, '2027-03-05T21:29:00Z')).toBe('before')
    expect(kindAt(late, '2027-03-05T21:30:00Z')).toBe('day')
    const early = { ...past, doorsAt: Date.parse('2027-03-05T16:00:00Z') }
    expect(kindAt(early, '2027-03-05T16:00:00Z')).toBe('day')
  })

  test('doors after the start are a mistake, and say nothing', () => {
    const wrong = { ...past, doorsAt: Date.parse('2027-03-05T23:30:00Z') }
    expect(kindAt(wrong, '2027-03-05T18:30:00Z')).toBe('day')
  })

  test('the doors of a later day open as long before its start as those of the first', () => {
    const two = event({
      startsAt: Date.parse('2027-03-05T17:00:00Z'),
      doorsAt: Date.parse('2027-03-05T16:00:00Z'),
      days: [
        day('2027-03-05', '2027-03-05T17:00:00Z', '2027-03-05T20:00:00Z'),
        day('2027-03-08', '2027-03-07T22:30:00Z'),
      ],
    })
    expect(kindAt(two, '2027-03-07T21:29:00Z')).toBe('between')
    expect(eventDayAt(two, Date.parse('2027-03-07T21:30:00Z'))).toEqual(on('day', '2027-03-08'))
  })

  test('the end lets people in past the night, and never ends the night sooner', () => {
    const rave = event({ startsAt: Date.parse('2027-03-05T20:00:00Z') })
    expect(kindAt(rave, '2027-03-06T03:30:00Z')).toBe('after')
    const long = { ...rave, endsAt: Date.parse('2027-03-06T06:00:00Z') }
    expect(eventDayAt(long, Date.parse('2027-03-06T05:59:00Z'))).toEqual(on('day', '2027-03-05'))
    expect(kindAt(long, '2027-03-06T06:00:00Z')).toBe('after')
    const short = { ...rave, endsAt: Date.parse('2027-03-05T21:00:00Z') }
    expect(eventDayAt(short, Date.parse('2027-03-06T02:59:00Z'))).toEqual(on('day', '2027-03-05'))
  })
})
