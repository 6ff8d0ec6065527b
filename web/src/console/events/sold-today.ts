import type { StaffSession } from '../kit/staff-session.svelte.ts'

const DAY_MS = 86_400_000

/** The beginning of the day where the reader is. */
export function midnight(): string {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  return day.toISOString()
}

/**
 * So many tickets of an event were sold when the day began. What is sold today is what is sold now without
 * them: a ticket that went back today is not among those of today, nor among those that are sold.
 */
export async function soldAtMidnight(
  session: Pick<StaffSession, 'call'>,
  event: string,
  signal: AbortSignal,
): Promise<number> {
  const to = midnight()
  const from = new Date(Date.parse(to) - DAY_MS).toISOString()
  const query = { from, to, step: '86400' }
  const route = 'GET /api/admin/events/:event/occupancy/history'
  const { data } = await session.call(route, { params: { event }, query, signal })
  // Without a point it was not on sale then.
  return data.points.at(-1)?.sold ?? 0
}
