const HOUR_MS = 3_600_000

/** Tickets an hour, over the snapshots given; null when they are less than an hour apart. */
export function paceOf(points: readonly { readonly at: string; readonly sold: number }[]): number | null {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return null
  const hours = (Date.parse(last.at) - Date.parse(first.at)) / HOUR_MS
  return hours < 1 ? null : Math.max(0, last.sold - first.sold) / hours
}
