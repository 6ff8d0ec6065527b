import { describe, expect, it } from 'vitest'
import { type EventTimes, shiftTimes } from './shift-times.ts'

const at = (iso: string) => Date.parse(iso)
const iso = (time: number | null) => time && new Date(time).toISOString()
const evening: EventTimes = {
  startsAt: at('2027-03-20T18:30:00Z'),
  endsAt: at('2027-03-20T21:00:00Z'),
  doorsAt: at('2027-03-20T18:00:00Z'),
  saleStart: at('2027-02-20T08:00:00Z'),
  saleEnd: null,
  days: [],
}

describe('the times of a copied event', () => {
  it('keep their distance on the clocks of the venue, also when those change in between', () => {
    const shifted = shiftTimes(evening, at('2027-04-03T17:30:00Z'), 'Europe/Berlin')
    expect([iso(shifted.doorsAt), iso(shifted.endsAt), iso(shifted.saleStart), shifted.saleEnd]).toEqual([
      '2027-04-03T17:00:00.000Z',
      '2027-04-03T20:00:00.000Z',
      '2027-03-06T08:00:00.000Z',
      null,
    ])
  })

  it('move with the days, and say which day became which', () => {
    const days = [
      { date: '2027-03-20', name: 'Friday', starts_at: null, ends_at: '2027-03-20T21:00:00.000Z' },
      { date: '2027-03-22', name: null, starts_at: '2027-03-22T09:00:00.000Z', ends_at: null },
    ]
    const shifted = shiftTimes({ ...evening, days }, at('2027-05-01T18:30:00Z'), 'Africa/Johannesburg')
    expect(shifted.days).toEqual([
      { date: '2027-05-01', name: 'Friday', starts_at: null, ends_at: '2027-05-01T21:00:00.000Z' },
      { date: '2027-05-03', name: null, starts_at: '2027-05-03T09:00:00.000Z', ends_at: null },
    ])
    expect([...shifted.dates]).toEqual([
      ['2027-03-20', '2027-05-01'],
      ['2027-03-22', '2027-05-03'],
    ])
  })

  it('an evening in Johannesburg that is a day later in UTC moves by its own date', () => {
    const late = { ...evening, startsAt: at('2027-03-20T22:30:00Z'), endsAt: null, doorsAt: null }
    const days = [{ date: '2027-03-21', name: null, starts_at: null, ends_at: null }]
    const shifted = shiftTimes({ ...late, days }, at('2027-03-22T22:30:00Z'), 'Africa/Johannesburg')
    expect(shifted.days.map(({ date }) => date)).toEqual(['2027-03-23'])
  })

  it('without a start there are none, and days without times move by their date', () => {
    expect(shiftTimes(evening, null, 'UTC')).toMatchObject({ startsAt: null, doorsAt: null, days: [] })
    const days = ['2027-03-20', '2027-03-21'].map(date => ({
      date,
      name: null,
      starts_at: null,
      ends_at: null,
    }))
    const none = { ...evening, startsAt: null, endsAt: null, doorsAt: null }
    const shifted = shiftTimes({ ...none, days }, at('2027-04-10T18:00:00Z'), 'UTC')
    expect(shifted.days.map(({ date }) => date)).toEqual(['2027-04-10', '2027-04-11'])
    // Its sales had no start to keep a distance from.
    expect(shifted.saleStart).toBeNull()
  })
})
