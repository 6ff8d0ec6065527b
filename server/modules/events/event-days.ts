import type { Refusal, RequestFault } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { EventDay } from './tables/events.ts'

type DayBody =
  | string
  | { date: string; name?: string | null; starts_at?: string | null; ends_at?: string | null }

/** The days of an event, in order, each once. A bare date is a day without times. */
export function readDays(bodies: readonly DayBody[]): Result<EventDay[], Refusal> {
  const errors: RequestFault[] = []
  const seen = new Set<string>()
  const days = bodies.map((body, index) => {
    const day = typeof body === 'string' ? { date: body } : body
    if (seen.has(day.date)) errors.push({ path: `/days/${index}`, message: `${day.date} is listed twice` })
    seen.add(day.date)
    const startsAt = day.starts_at ? new Date(day.starts_at) : null
    const endsAt = day.ends_at ? new Date(day.ends_at) : null
    if (startsAt && endsAt && startsAt >= endsAt) {
      errors.push({ path: `/days/${index}/ends_at`, message: 'must be later than starts_at' })
    }
    return {
      date: day.date,
      name: day.name ?? null,
      starts_at: startsAt?.toISOString() ?? null,
      ends_at: endsAt?.toISOString() ?? null,
    }
  })
  if (errors.length > 0) return refuse({ kind: 'invalid_request', errors })
  return ok(days.sort((a, b) => (a.date < b.date ? -1 : 1)))
}
