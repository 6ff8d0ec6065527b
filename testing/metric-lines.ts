import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'

/** Reads one metric as a scrape has it, without its comments. */
export async function metricLines({ registry }: MetricMakers, name: string): Promise<string[]> {
  const text = await registry.getSingleMetricAsString(name)
  return text.split('\n').filter(line => !line.startsWith('#'))
}
