import type { Refusal } from '@voelgoed/core/refusal'
import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'

const WATCHED_OUTCOMES = [
  'named',
  'guest_not_allowed',
  'guest_already_named',
  'guests_not_named',
] as const satisfies readonly ('named' | Refusal['kind'])[]

const WHITELIST_CHANGES = ['added', 'imported', 'removed'] as const

/** Guests of members, and whitelists of events. */
export function createGuestMetrics({ counter }: MetricMakers) {
  const namings = counter(
    'voelgoed_guest_namings_total',
    "Requests to name guests in members' zones, by outcome: named, or the reason of the refusal",
    ['outcome'],
  )
  const whitelist = counter(
    'voelgoed_whitelist_entries_total',
    'Entries of whitelists that were added one by one, imported from CSV, or removed',
    ['change'],
  )
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const outcome of WATCHED_OUTCOMES) namings.inc({ outcome }, 0)
  for (const change of WHITELIST_CHANGES) whitelist.inc({ change }, 0)

  return {
    named: (refusal: Refusal['kind'] | null) => namings.inc({ outcome: refusal ?? 'named' }),
    whitelistChanged: (change: (typeof WHITELIST_CHANGES)[number], entries: number) =>
      whitelist.inc({ change }, entries),
  }
}

export type GuestMetrics = ReturnType<typeof createGuestMetrics>
