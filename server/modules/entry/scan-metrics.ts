import { SCAN_CODES, type ScanCode } from '@voelgoed/core/entry/scan'
import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'

/** `live`: the person waits at the gate. `upload`: a gate without a network has let them through before. */
type Way = 'live' | 'upload'

/** Tickets at the gates. */
export function createScanMetrics({ counter, histogram }: MetricMakers) {
  const scans = counter(
    'voelgoed_scans_total',
    'Tickets that were shown at gates, by way (live, or upload of what a gate did without a network), result and code; code none: admitted',
    ['way', 'result', 'code'],
  )
  const seconds = histogram(
    'voelgoed_scan_seconds',
    'From the request of a gate to the verdict, live scans',
    [],
  )
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const way of ['live', 'upload']) {
    scans.inc({ way, result: 'admitted', code: 'none' }, 0)
    for (const code of SCAN_CODES) scans.inc({ way, result: 'refused', code }, 0)
  }
  return {
    scanned(way: Way, code: ScanCode | null): void {
      scans.inc({ way, result: code === null ? 'admitted' : 'refused', code: code ?? 'none' })
    },
    took: (ms: number) => seconds.observe(ms / 1000),
  }
}

export type ScanMetrics = ReturnType<typeof createScanMetrics>
