import { describe, expect, it } from 'vitest'
import { lastStartOf, salesEnd } from './sale-window.ts'

const at = (iso: string) => Date.parse(iso)
const day = (date: string, starts_at: string | null = null) => ({ date, starts_at })

describe('sales end', () => {
  it('when the organizer says, else when the event begins, else with the event', () => {
    expect(salesEnd({ saleEnd: 5, lastStart: 3 })).toBe(5)
    expect(salesEnd({ saleEnd: 2, lastStart: 3 })).toBe(2)
    expect(salesEnd({ saleEnd: null, lastStart: 3 })).toBe(3)
    expect(salesEnd({ saleEnd: null, lastStart: null })).toBe(null)
  })

  const evening = '2027-03-01T17:30:00Z'
  it.each([
    ['of an event without days: its start', evening, [], evening],
    ['without any date: never', null, [], null],
    ['of one day: the start of the event', evening, [day('2027-03-01')], evening],
    [
      'of one day: its own start',
      evening,
      [day('2027-03-01', '2027-03-01T18:00:00Z')],
      '2027-03-01T18:00:00Z',
    ],
    [
      'of several days: the start of the last',
      evening,
      [day('2027-03-01'), day('2027-03-02', '2027-03-02T08:00:00Z')],
      '2027-03-02T08:00:00Z',
    ],
    [
      'of several days without times: the last, at the hour of the first',
      evening,
      [day('2027-03-01'), day('2027-03-03')],
      '2027-03-03T17:30:00Z',
    ],
    // In the last time zone of the world the day ends then.
    ['of dates alone: when the last is over everywhere', null, [day('2027-03-01')], '2027-03-02T12:00:00Z'],
  ])('%s', (_, startsAt, days, end) => {
    const found = lastStartOf({ startsAt: startsAt === null ? null : at(startsAt), days })
    expect(found).toBe(end === null ? null : at(end))
  })
})
