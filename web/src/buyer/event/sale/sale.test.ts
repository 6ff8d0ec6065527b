import { describe, expect, it } from 'vitest'
import { fullnessOf, isPastEvent, saleOf } from './sale.ts'

const at = (iso: string, width = 0) => ({ earliest: Date.parse(iso), latest: Date.parse(iso) + width })
const window = { sale_start: '2027-03-01T08:00:00.000Z', sales_end_at: '2027-03-10T18:00:00.000Z' }
const event = { status: 'published', ...window } as const

describe('the state of a sale', () => {
  it.each([
    ['2027-03-01T07:59:59.999Z', 'not_yet'],
    ['2027-03-01T08:00:00.000Z', 'open'],
    ['2027-03-10T17:59:59.999Z', 'open'],
    ['2027-03-10T18:00:00.000Z', 'closed'],
  ])('at %s it is %s', (iso, kind) => {
    expect(saleOf(event, at(iso)).kind).toBe(kind)
  })

  it('opens when it has certainly begun, and closes when it may have ended', () => {
    expect(saleOf(event, at('2027-03-01T07:59:59.900Z', 200)).kind).toBe('not_yet')
    expect(saleOf(event, at('2027-03-10T17:59:59.900Z', 200)).kind).toBe('closed')
  })

  it('says when it opens', () => {
    expect(saleOf(event, at('2027-02-01T00:00:00.000Z'))).toEqual({
      kind: 'not_yet',
      opensAt: Date.parse(window.sale_start),
    })
  })

  it.each([
    ['cancelled', 'cancelled'],
    ['completed', 'over'],
    ['archived', 'over'],
    ['draft', 'draft'],
  ] as const)('%s counts more than any window', (status, kind) => {
    expect(saleOf({ ...event, status }, at('2027-03-05T00:00:00.000Z')).kind).toBe(kind)
    expect(saleOf({ ...event, status }, null).kind).toBe(kind)
  })

  it('without a window no clock is needed; with one, nothing is claimed before the server has told its time', () => {
    expect(saleOf({ status: 'live', sale_start: null, sales_end_at: null }, null).kind).toBe('open')
    expect(saleOf(event, null).kind).toBe('unknown')
  })

  it.each([
    [{ available: 1, held: 9, sold: 0 }, 0, 'free'],
    [{ available: 0, held: 3, sold: 7 }, 0, 'carts'],
    [{ available: 0, held: 3, sold: 7 }, 2, 'carts'],
    // The buyer holds them: nothing comes back.
    [{ available: 0, held: 3, sold: 7 }, 3, 'free'],
    [{ available: 0, held: 0, sold: 10 }, 0, 'sold'],
    // Blocked by staff.
    [{ available: 0, held: 0, sold: 0 }, 0, 'free'],
  ] as const)('with %j, of which %i are mine, it is %s', (counts, mine, full) => {
    expect(fullnessOf(counts, mine)).toBe(full)
  })

  it('is not called full before its counts are known', () => {
    expect(fullnessOf(null, 0)).toBe('free')
  })

  it('is past when it has begun and is not sold any more, or is over', () => {
    const start = '2027-03-10T18:00:00.000Z'
    const show = { status: 'published', sale_start: null, starts_at: start, days: [] } as const
    const atStart = { ...show, sales_end_at: start }
    expect(isPastEvent(atStart, at('2027-03-10T17:00:00.000Z'))).toBe(false)
    expect(isPastEvent(atStart, at('2027-03-10T18:00:00.000Z'))).toBe(true)
    expect(isPastEvent(atStart, null)).toBe(false)
    expect(isPastEvent({ ...atStart, status: 'completed' }, null)).toBe(true)
    // Sales have closed an hour before: it is still to come.
    const early = { ...show, sales_end_at: '2027-03-10T17:00:00.000Z' }
    expect(isPastEvent(early, at('2027-03-10T17:30:00.000Z'))).toBe(false)
    // The second day is to come.
    const day = (date: string) => ({ date, name: null, starts_at: null, ends_at: null })
    const two = {
      ...show,
      days: [day('2027-03-10'), day('2027-03-11')],
      sales_end_at: '2027-03-11T18:00:00.000Z',
    }
    expect(isPastEvent(two, at('2027-03-11T17:00:00.000Z'))).toBe(false)
  })
})
