import { describe, expect, it } from 'vitest'
import { eventTimes } from './event-times.ts'

const at = { timeZone: 'Africa/Johannesburg', startsAt: '2027-03-01T22:30:00.000Z', days: [] }
const day = (date: string, times: object = {}) => ({
  date,
  name: null,
  starts_at: null,
  ends_at: null,
  ...times,
})

describe('the time on a ticket', () => {
  it("is that of the venue's clock, in the buyer's language", () => {
    expect(eventTimes('en', at)).toEqual([
      expect.stringMatching(/^Tuesday.*2 March 2027.*00:30.*(SAST|GMT\+2)$/),
    ])
    expect(eventTimes('af', at)).toEqual([
      expect.stringMatching(/^Dinsdag.*2 Maart 2027.*00:30.*(SAST|GMT\+2)$/),
    ])
    const inNewYork = eventTimes('en', { ...at, timeZone: 'America/New_York' })
    expect(inNewYork).toEqual([expect.stringMatching(/^Monday.*1 March 2027.*17:30/)])
  })

  it('is that of the event on its first day, where that says none', () => {
    const days = [day('2027-03-02'), day('2027-03-03')]
    expect(eventTimes('en', { ...at, days })).toEqual([
      expect.stringMatching(/2 March 2027.*00:30/),
      expect.not.stringMatching(/:30/),
    ])
    expect(eventTimes('en', { ...at, days: [day('2027-03-05')] })).toEqual([expect.not.stringMatching(/:30/)])
  })

  it('has a line for each day, with its name and its end if they are known', () => {
    const days = [
      day('2027-03-01', {
        name: 'Opening',
        starts_at: '2027-03-01T07:00:00Z',
        ends_at: '2027-03-01T15:00:00Z',
      }),
      day('2027-03-02'),
    ]
    const [first, second] = eventTimes('en', { ...at, timeZone: 'Pacific/Auckland', days })
    expect(first).toMatch(/^Opening: Monday.*1 March 2027.*20:00.* – 04:00$/)
    // A date of the calendar is the same everywhere.
    expect(second).toMatch(/^Tuesday.*2 March 2027$/)
  })

  it('says how many days are left out, and when none is known', () => {
    const days = ['01', '02', '03', '04', '05', '06'].map(number => day(`2027-03-${number}`))
    expect(eventTimes('en', { ...at, days })).toHaveLength(4)
    expect(eventTimes('en', { ...at, days }).at(-1)).toBe('and 3 more days')
    expect(eventTimes('af', { ...at, startsAt: null })).toEqual(['Die datum word nog aangekondig.'])
  })
})
