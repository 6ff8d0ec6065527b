import { Refused } from '@voelgoed/client'
import { expect, it } from 'vitest'
import { lastStory, type StoryQuery } from './last-story.ts'
import { type JournalEntry, seatAt } from './story.ts'

const NOW = Date.UTC(2027, 2, 1, 20)
const MINUTE = 60_000
const MOST_HOLDS = 200

const entry = (kind: string, at: number) =>
  ({ kind, at: new Date(at).toISOString(), user_email: 'anna@example.org' }) as JournalEntry

/** A seat that was held for half a minute at each of these moments, as the server tells of it. */
function heldAt(moments: readonly number[], { pageSize = 1_000 } = {}) {
  const asked: StoryQuery[] = []
  const read = async (query: StoryQuery) => {
    asked.push(query)
    const from = query.from === undefined ? -Infinity : Date.parse(query.from)
    const to = query.to === undefined ? Infinity : Date.parse(query.to)
    const lived = moments.filter(at => at <= to && at + MINUTE / 2 >= from)
    if (lived.length > MOST_HOLDS) {
      throw new Refused(
        { title: 'no', status: 400, code: 'invalid_request', detail: 'no', retryable: false, errors: [] },
        null,
      )
    }
    const all = lived.flatMap(at => [entry('seat_reserved', at), entry('seat_released', at + MINUTE / 2)])
    const start = Number(query.after_seq ?? 0)
    const end = start + pageSize
    return { data: all.slice(start, end), next: end < all.length ? String(end) : null }
  }
  return { read, asked }
}

const every = (count: number, step: number, last = NOW) =>
  Array.from({ length: count }, (_, index) => last - (count - index) * step)

it('is all that happened, page by page', async () => {
  const { read, asked } = heldAt(every(150, MINUTE), { pageSize: 100 })
  const { entries, since } = await lastStory(read, { until: null, now: NOW })
  expect([entries.length, since]).toEqual([300, null])
  expect(asked.map(({ after_seq }) => after_seq)).toEqual([undefined, '100', '200'])
})

it('of a seat with more holds than the server tells of at once, is the last part', async () => {
  const moments = every(5_000, MINUTE)
  const { entries, since } = await lastStory(heldAt(moments).read, { until: null, now: NOW })
  expect(entries.at(-2)!.at).toBe(new Date(moments.at(-1)!).toISOString())
  expect(since).toBeLessThanOrEqual(Date.parse(entries[0]!.at) + MINUTE)
  expect(entries.length).toBeGreaterThan(MOST_HOLDS / 2)
})

it('tells who had it at a moment long ago', async () => {
  const moments = every(5_000, MINUTE)
  const then = moments[700]! + 1_000
  const { entries } = await lastStory(heldAt(moments).read, { until: then, now: NOW })
  expect(seatAt(entries, then)).toEqual({ kind: 'held', who: 'anna@example.org' })
  expect(seatAt(entries, then + MINUTE / 2)).toEqual({ kind: 'free' })
})

it('has what happened after it was asked for', async () => {
  const moments = every(5_000, MINUTE)
  const { entries } = await lastStory(heldAt(moments).read, { until: null, now: NOW - 30 * MINUTE })
  expect(entries.at(-2)!.at).toBe(new Date(moments.at(-1)!).toISOString())
})

it('passes over a long time in which nothing happened', async () => {
  const moments = every(5_000, MINUTE, NOW - 30 * 1_440 * MINUTE)
  const { entries } = await lastStory(heldAt(moments).read, { until: null, now: NOW })
  expect(entries.at(-2)!.at).toBe(new Date(moments.at(-1)!).toISOString())
})
