import { expect } from 'vitest'

export interface MetricFamily {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: readonly MetricSample[]
}

interface MetricSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads Prometheus' text format, and fails at a line that is none of it. */
export function parsePrometheusText(text: string): Map<string, MetricFamily> {
  const families = new Map<string, MetricFamily & { samples: MetricSample[] }>()
  let help: { name: string; text: string } | null = null
  let family: (MetricFamily & { samples: MetricSample[] }) | undefined
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      help = { name, text: rest }
    } else if (keyword === 'TYPE') {
      expect(help?.name, line).toBe(name)
      expect(families.has(name), line).toBe(false)
      expect(['counter', 'gauge', 'histogram', 'summary']).toContain(rest)
      family = { name, type: rest, help: help!.text, samples: [] }
      families.set(name, family)
    } else {
      const sample = parseSample(line)
      expect(sample.name.replace(suffixOf(family!.type), ''), line).toBe(family!.name)
      family!.samples.push(sample)
    }
  }
  return families
}

function parseSample(line: string): MetricSample {
  const [, name, labels = '', value] = /^([a-z_][\w:]*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? []
  expect(name, line).toBeDefined()
  const pairs = [...labels.matchAll(/([a-z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/gi)]
  expect(pairs.map(([pair]) => pair).join(''), line).toBe(labels)
  const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value)
  expect(value === 'Nan' || !Number.isNaN(number), line).toBe(true)
  return { name: name!, labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])), value: number }
}

function suffixOf(type: string): RegExp | string {
  if (type === 'histogram') return /_(bucket|sum|count)$/
  return type === 'summary' ? /_(sum|count)$/ : ''
}

/** The value of one series, `0` when there is none: `name` and labels as one writes them in a query. */
export function seriesValue(families: ReadonlyMap<string, MetricFamily>, query: string): number {
  const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(query)!
  const wanted = [...labels.matchAll(/(\w+)="([^"]*)"/g)]
  const samples = [...families.values()]
    .flatMap(family => family.samples)
    .filter(sample => sample.name === name && wanted.every(([, key, text]) => sample.labels[key!] === text))
  expect(samples.length, query).toBeLessThanOrEqual(1)
  return samples[0]?.value ?? 0
}
