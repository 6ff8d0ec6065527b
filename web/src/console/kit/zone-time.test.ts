import { describe, expect, it } from 'vitest'
import { clockTime, momentOf } from './zone-time.ts'

describe('times at the venue', () => {
  it('go to a moment and back', () => {
    expect(momentOf('2027-03-01T19:30', 'Africa/Johannesburg')).toBe('2027-03-01T17:30:00.000Z')
    expect(clockTime('2027-03-01T17:30:00.000Z', 'Africa/Johannesburg')).toBe('2027-03-01T19:30')
    expect(momentOf('2027-07-01T19:30', 'America/New_York')).toBe('2027-07-01T23:30:00.000Z')
    expect(momentOf('2027-01-01T00:05', 'Pacific/Kiritimati')).toBe('2026-12-31T10:05:00.000Z')
  })

  it('that clocks skip are after the jump, and those that come twice are the first', () => {
    // Clocks go from 02:00 to 03:00 on 28 March, and from 03:00 to 02:00 on 31 October.
    expect(momentOf('2027-03-28T02:30', 'Europe/Berlin')).toBe('2027-03-28T01:30:00.000Z')
    expect(clockTime('2027-03-28T01:30:00.000Z', 'Europe/Berlin')).toBe('2027-03-28T03:30')
    expect(momentOf('2027-10-31T02:30', 'Europe/Berlin')).toBe('2027-10-31T00:30:00.000Z')
  })

  it('are none when the field is empty', () => {
    expect(momentOf('', 'Africa/Johannesburg')).toBeNull()
    expect(clockTime(null, 'Africa/Johannesburg')).toBe('')
  })
})
