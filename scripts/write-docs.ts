/**
 * `npm run docs`: writes the parts of docs/ that follow from other files.
 * `scripts/docs.test.ts` checks that they are up to date.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BOOKS_MUTANTS } from '../lab/mutants/books.ts'
import { MUTANTS } from '../lab/mutants/mutants.ts'
import { SETTINGS } from '../server/modules/operations/settings.ts'
import { buildIfNeeded, programArguments } from './build/programs.mjs'
import { ROOT } from './build/sources.mjs'

const DECISIONS = 'docs/decisions/'
const DASHBOARD = 'docs/operate/grafana/dashboard.json'

/** The text of each page that follows from the source alone, by its path. */
export function generatedPages(): Record<string, string> {
  return {
    [`${DECISIONS}README.md`]: decisions(),
    'docs/mutants.md': mutants(),
    'docs/operate/settings.md': settings(),
  }
}

function settings(): string {
  const rows = SETTINGS.map(({ name, standard, meaning }) => `- \`${name}\` (${standard}): ${meaning}`)
  return `# Settings

Variables of the environment, each with its default. A value that can't be right stops the start with one line that names the variable. \`npm run fix\` writes this page from \`server/modules/operations/settings.ts\`.

${rows.join('\n')}
`
}

/** The list of metrics and alerts. `scrape`: a node with a Redis answers this at /metrics. */
export function metricsPage(scrape: string): string {
  const metrics = [...scrape.matchAll(/^# HELP (voelgoed_\w+) (.+)$/gm)]
    .map(([, name, help]) => `- \`${name}\`: ${help}`)
    .sort()
  const rules = readFileSync(join(ROOT, 'docs/operate/prometheus/alerts.yml'), 'utf8')
  const alerts = rules
    .split('- alert: ')
    .slice(1)
    .map(rule => {
      const [name] = rule.split('\n')
      const [, severity] = /severity: (\w+)/.exec(rule) ?? []
      const [, summary] = /summary: (?:(["'])(?=.*\1$))?(.+?)\1?$/m.exec(rule)?.slice(1) ?? []
      return `- \`${name}\` (${severity}): ${summary}`
    })
  return `# Metrics and alerts

\`npm run fix\` writes this page: metrics from what a node answers at \`/metrics\` (those of Redis are there only with \`REDIS_URL\`), alerts from [alerts.yml](prometheus/alerts.yml), where each says what to look at. [What to see in them](operating.md#metrics).

## Metrics

${metrics.join('\n')}

## Alerts

${alerts.join('\n')}
`
}

interface Panel {
  readonly id: number
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string }[]
}

/** The metrics of ours that no panel of the dashboard asks for. */
export function metricsWithoutPanel(scrape: string, panels: readonly Panel[]): string[] {
  const asked = panels.flatMap(panel => panel.targets ?? []).map(({ expr }) => expr)
  const names = [...scrape.matchAll(/^# HELP (voelgoed_\w+) /gm)].map(([, name]) => name!)
  return names.filter(name => !asked.some(expr => expr.includes(name)))
}

/** Adds a panel at the end for each metric that has none yet. People choose a better place for it. */
function withAllPanels(dashboard: { readonly panels: readonly Panel[] }, scrape: string): object {
  const panels = [...dashboard.panels]
  for (const name of metricsWithoutPanel(scrape, panels)) {
    const y = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h))
    const id = Math.max(...panels.map(panel => panel.id)) + 1
    panels.push({ ...panelOf(name, scrape), id, gridPos: { h: 8, w: 12, x: 0, y } })
  }
  return { ...dashboard, panels }
}

function panelOf(name: string, scrape: string) {
  const [, help = name] = new RegExp(`^# HELP ${name} (.+)$`, 'm').exec(scrape) ?? []
  const [, type] = new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(scrape) ?? []
  const [, sample = ''] = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, 'm').exec(scrape) ?? []
  const labels = [...sample.matchAll(/(\w+)="/g)].map(([, label]) => label!).filter(label => label !== 'le')
  const rate = (of: string) => `rate(${of}{instance=~"$instance"}[$__rate_interval])`
  const sum = (of: string, by: readonly string[]) =>
    `sum${by.length > 0 ? ` by (${by.join(', ')}) ` : ''}(${of})`
  const expr =
    type === 'histogram'
      ? `histogram_quantile(0.95, ${sum(rate(`${name}_bucket`), ['le', ...labels])})`
      : type === 'counter'
        ? sum(rate(name), labels)
        : `${name}{instance=~"$instance"}`
  const datasource = { type: 'prometheus', uid: `\${datasource}` }
  const told = type === 'gauge' ? ['instance', ...labels] : labels
  const legendFormat = told.map(label => `{{${label}}}`).join(' ')
  return {
    ...{ type: 'timeseries', title: help.split(/[,:;]/)[0]!, description: help, datasource },
    fieldConfig: {
      defaults: {
        unit: { counter: 'ops', histogram: 's' }[type!] ?? 'short',
        custom: { fillOpacity: 10, showPoints: 'never' },
      },
      overrides: [],
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: [{ refId: 'A', datasource, expr, legendFormat }],
  }
}

function decisions(): string {
  const rows = readdirSync(join(ROOT, DECISIONS))
    .filter(file => /^\d{3}-/.test(file))
    .sort()
    .map(file => {
      const [heading = ''] = readFileSync(join(ROOT, DECISIONS, file), 'utf8').split('\n')
      return `- [${heading.replace('# ', '')}](${file})`
    })
  return `# Decisions

What was decided, why, and the number that decided it. [Differences from the specification](differences-from-the-spec.md) stand on a page of their own. \`npm run fix\` writes this list.

${rows.join('\n')}
`
}

function mutants(): string {
  const rows = MUTANTS.map(
    ({ name, about, scenario }) => `- **${name}** (${scenario ?? 'simulator'}): ${about}`,
  )
  const books = BOOKS_MUTANTS.map(({ name, about }) => `- **${name}**: ${about}`)
  return `# Bugs that the fault test must catch

A test that has never found anything proves little. So the checkers are tried out on engines that are wrong on purpose:

\`\`\`sh
npm run faults -- --mutants                       # all of them, after the original
npm run faults -- --mutants --only 'ledger lock'  # those with this in their names
npm run faults -- --redis --mutants               # those of the warm tier
npm run faults -- checkout --mutants              # those of checkouts, by the books
npm run simulate -- --mutants                     # those whose code is real in the simulator
\`\`\`

A mutant is a few words of the source replaced in a copy (\`lab/mutants/\`); nodes run from the copy while a crowd plays its scenario. The original must be clean and each mutant found, with two more tries, because races depend on chance; else the command fails. Where a second guard stands behind the one that is gone, \`second\` in the source says whether the patch drops it too, or leaves it to turn the bug into a 500.

A bug that a test of the rule, the table or the route shows has no mutant. \`npm test\` checks that each patch still fits; \`npm run fix\` writes this page: each mutant with its scenario, and what the engine does wrong.

${rows.join('\n')}

By the books of \`npm run faults -- checkout --mutants\`:

${books.join('\n')}
`
}

/** Starts the server as its users do, with an empty database and a Redis that is out of reach. */
async function scrapeNode(): Promise<string> {
  await buildIfNeeded('server')
  const dataDir = mkdtempSync(join(tmpdir(), 'voelgoed-docs-'))
  const env = {
    ...process.env,
    ...{ PORT: '0', REDIS_URL: 'redis://127.0.0.1:1', VOELGOED_DEMO: '0', VOELGOED_WORKERS: '1' },
    ...{ VOELGOED_DATA_DIR: dataDir, VOELGOED_DRAIN_SECONDS: '0' },
  }
  const server = spawn(process.execPath, programArguments('main'), {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise<void>(resolve => server.on('exit', () => resolve()))
  try {
    let said = ''
    for await (const chunk of server.stdout) {
      said += chunk
      const [, address] = /Ready at (http:\S+)/.exec(said) ?? []
      if (address) return await (await fetch(`${address}/metrics`)).text()
    }
    throw new Error(`the server did not start: ${said}`)
  } finally {
    server.kill('SIGTERM')
    await ended
    rmSync(dataDir, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const scrape = await scrapeNode()
  const pages = { ...generatedPages(), 'docs/operate/metrics.md': metricsPage(scrape) }
  for (const [path, text] of Object.entries(pages)) writeFileSync(join(ROOT, path), text)
  const before = JSON.parse(readFileSync(join(ROOT, DASHBOARD), 'utf8'))
  writeFileSync(join(ROOT, DASHBOARD), JSON.stringify(withAllPanels(before, scrape), null, 2))
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome')
  execFileSync(process.execPath, [biome, 'format', '--write', DASHBOARD], { cwd: ROOT, stdio: 'ignore' })
}
