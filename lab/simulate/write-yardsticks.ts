/**
 * `npm run yardsticks -- FOLDER`: writes down all that moving code must leave as it is, one file for each
 * subject, so that `diff -r` of two folders says what differs. No line names a path of the source.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from '@voelgoed/kit/base/clock'
import { startEmbeddedPostgres } from '@voelgoed/kit/postgres/embedded/launch'
import pg from 'pg'
import { pino } from 'pino'
import ts from 'typescript'
import { parseConfig } from '../../server/config.ts'
import { buildOpenApi } from '../../server/modules/operations/openapi.ts'
import { startNode } from '../../server/node.ts'
import { ROOT } from '../nemesis/lab-process.ts'
import { describeSchema } from './describe-schema.ts'
import { planWith } from './plan.ts'
import { fingerprintOf } from './report.ts'
import { simulate } from './run.ts'

const SEEDS = 200
const SERVER = ['kit', 'engine', 'server']
const LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])

const folder = process.argv[2]
if (folder === undefined) {
  process.stderr.write('npm run yardsticks -- FOLDER: the folder to write into\n')
  process.exit(2)
}
await mkdir(folder, { recursive: true })
await keep('openapi.json', JSON.stringify(buildOpenApi(), null, 1))
await keep('log-messages.txt', lines(await logMessages()))
await keep('tests.txt', lines(await testNames()))
await keep('simulator.txt', lines(await fingerprints()))
await keep('page.txt', lines(await pageSizes()))
const { catalogue, metrics } = await askNode()
await keep('database.sql', catalogue)
await keep('metrics.txt', lines(metrics))

async function keep(name: string, text: string): Promise<void> {
  await writeFile(join(folder!, name), text)
  process.stdout.write(`${name}: ${text.split('\n').length - 1} lines\n`)
}

function lines(all: readonly string[]): string {
  return all.map(line => `${line}\n`).join('')
}

/** The level and the text of each line that the server can log: the first text in a call of a logger. */
async function logMessages(): Promise<string[]> {
  const messages = new Set<string>()
  for (const root of SERVER) {
    for (const file of await readdir(join(ROOT, root), { recursive: true })) {
      if (!file.endsWith('.ts') || /\.test\.ts$|^test\/|node_modules/.test(file)) continue
      const text = await readFile(join(ROOT, root, file), 'utf8')
      const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext)
      const visit = (node: ts.Node): void => {
        if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
          const level = node.expression.name.text
          const logger = node.expression.expression.getText(source)
          if (LEVELS.has(level) && /log$/i.test(logger)) {
            for (const argument of node.arguments.slice(0, 2)) {
              for (const said of textsOf(argument, source)) messages.add(`${level} ${said}`)
            }
          }
        }
        ts.forEachChild(node, visit)
      }
      visit(source)
    }
  }
  return [...messages].sort()
}

function textsOf(node: ts.Node, source: ts.SourceFile): string[] {
  if (ts.isStringLiteral(node)) return [node.text]
  if (ts.isTemplateLiteral(node)) return [node.getText(source)]
  if (ts.isConditionalExpression(node)) {
    return [...textsOf(node.whenTrue, source), ...textsOf(node.whenFalse, source)]
  }
  return []
}

/** Names without their files: a test may move, and keeps its name. */
async function testNames(): Promise<string[]> {
  const list = join(await mkdtemp(join(tmpdir(), 'yardsticks-')), 'tests.json')
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  await promisify(execFile)(process.execPath, [vitest, 'list', `--json=${list}`], {
    cwd: ROOT,
    maxBuffer: 1 << 28,
  })
  const tests: { readonly name: string }[] = JSON.parse(await readFile(list, 'utf8'))
  return tests.map(({ name }) => name).sort()
}

async function fingerprints(): Promise<string[]> {
  const told: string[] = []
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const run = await simulate(planWith(seed, {}))
    told.push(`${seed} ${fingerprintOf(run)} ${run.endsAs} ${run.findings.length}`)
  }
  return told
}

/** The bytes of each file of the page, without the hash in its name: any change of a text moves that. */
async function pageSizes(): Promise<string[]> {
  await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: ROOT })
  const dist = join(ROOT, 'web/dist')
  const sizes: string[] = []
  for (const file of await readdir(dist, { recursive: true })) {
    const { size } = await stat(join(dist, file))
    if (extname(file) !== '') sizes.push(`${file.replace(/-[\w-]{8}(?=\.)/, '')} ${size}`)
  }
  return sizes.sort()
}

async function askNode(): Promise<{ catalogue: string; metrics: string[] }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'yardsticks-'))
  const postgres = await startEmbeddedPostgres({
    dataDir: join(dataDir, 'data'),
    settings: { fsync: 'off' },
  })
  try {
    // With a Redis that is out of reach: what is measured of it is there all the same.
    const settings = { VOELGOED_WORKERS: '1', PORT: '0', REDIS_URL: 'redis://127.0.0.1:1' }
    const node = await startNode(parseConfig(settings), postgres.url, {
      log: pino({ level: 'silent' }),
      clock: systemClock,
    })
    const { body } = await node.app.fastify.inject({ method: 'GET', url: '/metrics' })
    const metrics = familiesIn(body)
    const owner = new pg.Client({ connectionString: postgres.url })
    await owner.connect()
    const catalogue = `${await describeSchema(owner)}${lines(await rightsAndOptions(owner))}`
    await owner.end()
    await node.drain()
    return { catalogue, metrics }
  } finally {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Each metric of ours with its type, its labels and its sentence. */
function familiesIn(text: string): string[] {
  const labels = new Map<string, Set<string>>()
  for (const [, name, pairs] of text.matchAll(/^(voelgoed_\w+)(?:\{(.*)\})? /gm)) {
    const known = labels.get(name!) ?? new Set()
    labels.set(name!, known)
    for (const [, label] of (pairs ?? '').matchAll(/(\w+)="/g)) known.add(label!)
  }
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]))
  const helps = text.matchAll(/^# HELP (voelgoed_\w+) (.+)$/gm)
  return [...helps]
    .map(([, name, help]) => {
      const all = ['', '_bucket', '_sum', '_count'].flatMap(end => [...(labels.get(`${name}${end}`) ?? [])])
      return `${name} ${types.get(name)} ${[...new Set(all)].sort().join(',')} ${help}`
    })
    .sort()
}

/** describeSchema leaves these out, and a database that lacks one of them is another. */
async function rightsAndOptions(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query<{ line: string }>(`
    with granted as (
      select format('%s %s', relkind, relname) as thing, relacl as acl, reloptions as options, reltoastrelid
      from pg_class where relnamespace = 'public'::regnamespace
      union all
      select format('function %s', oid::regprocedure), proacl, null, null
      from pg_proc where pronamespace = 'public'::regnamespace
      union all
      select format('schema %s', nspname), nspacl, null, null from pg_namespace where nspname = 'public'
      union all
      select format('default %s', defaclobjtype), defaclacl, null, null from pg_default_acl)
    select format('-- %s: %s %s %s', thing,
      (select string_agg(entry::text, ' ' order by entry::text) from unnest(acl) as entry),
      options, (select reloptions from pg_class where oid = reltoastrelid)) as line
    from granted order by thing`)
  return rows.map(({ line }) => line)
}
