import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import { openMetrics } from '@voelgoed/kit/metrics/metric-makers'
import { metricLines } from '@voelgoed/testing/metric-lines'
import { expect, it } from 'vitest'
import { createZoneMetrics } from './zone-metrics.ts'

it('zones of what can be bought are counted by their type, a disabled one is not', async () => {
  const zone = (zoneType: string, held: number, disabled = false) => ({
    settings: { zoneType, capacity: 10, disabled },
    held,
    sold: 2,
    blocked: 1,
  })
  const event = (status: string, ...zones: object[]) =>
    ({ state: { settings: { status }, zones } }) as unknown as CommittedView
  const makers = openMetrics(null)
  createZoneMetrics(makers.registry, () => [
    event('live', zone('vip_reserved', 3), zone('ga_standing', 0), zone('ga_standing', 1)),
    event('published', zone('vip_reserved', 0), zone('vip_reserved', 5, true)),
    event('completed', zone('vip_reserved', 7)),
  ])
  const lines = await metricLines(makers, 'voelgoed_zone_places')
  expect(lines.filter(line => line.includes('vip_reserved') || line.includes('ga_standing'))).toEqual([
    'voelgoed_zone_places{zone_type="ga_standing",state="free"} 13',
    'voelgoed_zone_places{zone_type="ga_standing",state="held"} 1',
    'voelgoed_zone_places{zone_type="ga_standing",state="sold"} 4',
    'voelgoed_zone_places{zone_type="ga_standing",state="blocked"} 2',
    'voelgoed_zone_places{zone_type="vip_reserved",state="free"} 11',
    'voelgoed_zone_places{zone_type="vip_reserved",state="held"} 3',
    'voelgoed_zone_places{zone_type="vip_reserved",state="sold"} 4',
    'voelgoed_zone_places{zone_type="vip_reserved",state="blocked"} 2',
  ])
})
