import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { problemKinds } from '@voelgoed/contract/problems'
import { routes } from '@voelgoed/contract/routes'
import { startTestServer } from '@voelgoed/testing/harness'
import { type MetricFamily, parsePrometheusText } from '@voelgoed/testing/prometheus-text'
import { expectPromtool, hasPromtool } from '@voelgoed/testing/promtool'
import { beforeAll, describe, expect, it } from 'vitest'
import { metricsPage, metricsWithoutPanel } from '../../../scripts/write-docs.ts'
import { SETTINGS } from './settings.ts'

const ROOT = new URL('../../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8')

let families: ReadonlyMap<string, MetricFamily>
let operating: string
let scrape: string

beforeAll(async () => {
  operating = await read('docs/operate/operating.md')
  // With a Redis that is out of reach: what is measured of it is there all the same.
  const server = await startTestServer({ REDIS_URL: 'redis://127.0.0.1:1' })
  // Some values of labels are there once something has happened: people are made, and sign in.
  await server.organization()
  scrape = (await server.request('GET', '/metrics')).text
  families = parsePrometheusText(scrape)
  await server.close()
})

/** The code in the first column of the table under a heading. */
function firstColumn(heading: string): string[] {
  const section = operating.split(/^## /m).find(text => text.startsWith(`${heading}\n`))!
  const cells = [...section.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell]) => cell!)
  return cells.flatMap(cell => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!))
}

describe('docs/operate/operating.md', () => {
  it('has a page with every variable that the configuration reads, and no other', async () => {
    const config = await read('server/config.ts')
    const used = [...config.matchAll(/\benv\.([A-Z][A-Z_]+)|\(env, '([A-Z_]+)'/g)].map(([, a, b]) => a ?? b!)
    expect(used.length).toBeGreaterThan(10)
    expect(SETTINGS.map(({ name }) => name).sort()).toEqual([...new Set(used)].sort())
  })

  it('has a page of all metrics and alerts that is up to date: npm run fix writes it', async () => {
    expect(await read('docs/operate/metrics.md')).toBe(metricsPage(scrape))
  })

  it('names log lines that exist', async () => {
    const folders = ['kit/', 'engine/', 'server/'].map(folder => readAll(new URL(folder, ROOT)))
    const source = (await Promise.all(folders)).join('\n')
    const messages = firstColumn('Log')
    expect(messages.length).toBeGreaterThan(10)
    expect(messages.filter(message => !source.includes(`'${message}'`))).toEqual([])
  })

  it('names every log line that warns of something', async () => {
    const folders = ['kit/', 'engine/', 'server/'].map(folder => readAll(new URL(folder, ROOT)))
    const source = (await Promise.all(folders)).join('\n')
    const messages = firstColumn('Log')
    const warning = /\b[lL]og\??\.(?:warn|error|fatal)\((?:\{[^{}]*\},\s*)?'([^']+)'/g
    const warned = [...source.matchAll(warning)].map(([, message]) => message!)
    const failed = [...source.matchAll(/runFailed: '([^']+)'/g)].map(([, message]) => message!)
    expect(warned.length).toBeGreaterThan(30)
    expect([...warned, ...failed].filter(message => !messages.includes(message))).toEqual([])
  })
})

async function readAll(folder: URL): Promise<string> {
  const names = await readdir(folder, { recursive: true })
  const texts = names
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(name => readFile(new URL(name, folder), 'utf8'))
  return (await Promise.all(texts)).join('\n')
}

interface Rule {
  readonly alert: string
  readonly text: string
  readonly expr: string
}

/**
 * Reads as much YAML as the file has: a rule begins with `- alert:`, and its expression may go over lines.
 */
async function readRules(): Promise<Rule[]> {
  const text = (await read('docs/operate/prometheus/alerts.yml')).replace(/^\s*#.*\n/gm, '')
  return text
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map(rule => {
      const [, expr = ''] = /^ {8}expr: (?:>-\n)?([\s\S]*?)\n {8}\w/m.exec(rule) ?? []
      return { alert: rule.slice(0, rule.indexOf('\n')), text: rule, expr: expr.replace(/\s+/g, ' ') }
    })
}

/** Fails unless each metric, and each value that a label is compared with, can occur. */
function expectToExist(expr: string): void {
  const names = [...expr.replace(/"[^"]*"/g, '').matchAll(/\b(?:voelgoed|nodejs|process)_\w+/g)]
  expect(names.length, expr).toBeGreaterThan(0)
  for (const [name] of names) {
    const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''))
    expect(family, name).toBeDefined()
    expect(family!.type === 'histogram', name).toBe(/_(bucket|sum|count)$/.test(name))
  }
  for (const [, label, operator, value] of expr.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)) {
    const known = VALUES[label!]
    if (!known) {
      expect(['instance', 'status', 'pool']).toContain(label)
    } else if (operator!.endsWith('~')) {
      const pattern = new RegExp(`^(?:${value})$`)
      const alternatives = known().filter(text => pattern.test(text)).length
      expect(alternatives, `${label} ${value}`).toBeGreaterThanOrEqual(value!.split('|').length)
    } else {
      expect(known()).toContain(value)
    }
  }
}

const labelValues = (name: string, label: string) =>
  families.get(name)!.samples.flatMap(sample => sample.labels[label] ?? [])

const VALUES: Readonly<Record<string, () => string[]>> = {
  route: () => routes.map(route => route.path),
  method: () => routes.map(route => route.method),
  reason: () => Object.keys(problemKinds),
  kind: () => labelValues('voelgoed_changes_total', 'kind'),
  outcome: () => [
    ...labelValues('voelgoed_lane_batches_total', 'outcome'),
    ...labelValues('voelgoed_hold_releases_total', 'outcome'),
    ...labelValues('voelgoed_redis_calls_total', 'outcome'),
    ...labelValues('voelgoed_mails_total', 'outcome'),
    ...Object.keys(problemKinds),
  ],
  category: () => labelValues('voelgoed_seats_sold_total', 'category'),
  alone: () => labelValues('voelgoed_free_seats', 'alone'),
  share: () => labelValues('voelgoed_events_by_single_seats', 'share'),
  zone_type: () => labelValues('voelgoed_zone_places', 'zone_type'),
  state: () => labelValues('voelgoed_zone_places', 'state'),
  way: () => labelValues('voelgoed_sign_ins_total', 'way'),
  result: () => labelValues('voelgoed_gateway_news_total', 'result'),
  fault: () => labelValues('voelgoed_copies_found_total', 'fault'),
}

describe('docs/operate/prometheus/alerts.yml', () => {
  it('is made of whole rules with names of their own, on metrics that exist', async () => {
    const rules = await readRules()
    expect(rules.length).toBeGreaterThan(15)
    expect(new Set(rules.map(rule => rule.alert)).size).toBe(rules.length)
    for (const { alert, text, expr } of rules) {
      expect(text, alert).toMatch(/^ {10}severity: (critical|warning|info)$/m)
      expect(text, alert).toMatch(/^ {10}summary: .+$/m)
      expect(text, alert).toMatch(/^ {10}description: .+$/m)
      expectToExist(expr)
    }
  })

  it.runIf(hasPromtool)('promtool takes it, and the rules fire when they should', () => {
    expectPromtool(['check', 'rules', 'docs/operate/prometheus/alerts.yml'])
    expectPromtool(['check', 'config', 'docs/operate/prometheus/prometheus.yml'])
    expectPromtool(['test', 'rules', 'docs/operate/prometheus/alerts-test.yml'])
  })
})

describe('docs/operate/grafana/dashboard.json', () => {
  interface Panel {
    readonly id: number
    readonly title: string
    readonly type: string
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly datasource?: { readonly uid: string }
    readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[]
  }
  let panels: readonly Panel[]
  let expressions: readonly string[]

  beforeAll(async () => {
    const dashboard = JSON.parse(await read('docs/operate/grafana/dashboard.json'))
    expect(dashboard.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' })
    panels = dashboard.panels
    expressions = panels.flatMap(panel => panel.targets ?? []).map(target => target.expr)
  })

  it('asks for metrics that exist, and leaves none of ours out: npm run fix gives each a panel', () => {
    for (const expr of expressions) expectToExist(expr)
    expect(metricsWithoutPanel(scrape, panels)).toEqual([])
  })

  it('has panels that ask the chosen data source and do not lie on each other', () => {
    expect(new Set(panels.map(panel => panel.id)).size).toBe(panels.length)
    for (const panel of panels.filter(({ type }) => type !== 'row')) {
      for (const { uid } of [panel.datasource!, ...panel.targets!.map(target => target.datasource)]) {
        expect(uid).toMatch(/^\$\{datasource\}$/)
      }
    }
    const taken = new Set<string>()
    for (const { gridPos } of panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(x < 24 && !taken.has(`${x},${y}`)).toBe(true)
          taken.add(`${x},${y}`)
        }
      }
    }
  })

  it.runIf(hasPromtool)('promtool can read its expressions', () => {
    const rules = expressions.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }))
    const folder = mkdtempSync(join(tmpdir(), 'voelgoed-dashboard-'))
    // JSON is YAML.
    writeFileSync(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'panels', rules }] }))
    expectPromtool(['check', 'rules', join(folder, 'rules.yml')])
    rmSync(folder, { recursive: true })
  })
})
