import { execFile } from 'node:child_process'
import { access, readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../nemesis/lab-process.ts'
import type { FiguresOf, Reporter, TaskOptions } from '../stage/in-process.ts'
import FIRST_EDITION from './first-edition.sql?raw'
import type { Ground } from './ground.ts'

/** A quick run only shows that it works, and each client makes this many transactions. */
const FEW = 20

/**
 * The rows of the first edition without a lane: a transaction for each hold, by a program in C that does
 * nothing else.
 */
export async function measurePgbench(
  ground: Ground,
  options: TaskOptions<'pgbench'>,
  reporter: Reporter,
): Promise<FiguresOf<'pgbench'>> {
  const program = await findPgbench()
  if (program === null) return null
  const eventId = await ground.event(await ground.layout(options.seats))
  // Not from the lane: with the event in memory the node would wonder what others write.
  const rows = await ground.sql('select count(*) as zones from zone_counts where event_id = $1', [eventId])
  const zones = Number(rows[0]!.zones)
  await makeFirstEdition(ground, eventId)
  await ground.checkpoint()
  const { host, port, user, password, database } = partsOf(ground.databaseUrl)
  const organization = ground.scope.organizationId
  const variables = {
    n: 0,
    clients: options.clients,
    seed: ground.seed,
    zones,
    organization,
    event: eventId,
  }
  const script = options.counters ? 'hold-with-counters.sql' : 'hold-without-counters.sql'
  const args = [
    '--no-vacuum',
    '--protocol=prepared',
    `--client=${options.clients}`,
    '--jobs=2',
    options.seconds < 1 ? `--transactions=${FEW}` : `--time=${options.seconds}`,
    `--file=${join(ROOT, 'lab/bench/inside', script)}`,
    ...Object.entries(variables).map(([name, value]) => `--define=${name}=${value}`),
  ]
  const env = {
    PATH: process.env.PATH,
    PGHOST: host,
    PGPORT: port,
    PGUSER: user,
    PGPASSWORD: password,
    PGDATABASE: database,
    // As the server's own connections: the same role, under the same row-level security.
    PGOPTIONS: `-c role=voelgoed_app -c app.organization_id=${organization} -c search_path=first_edition,public`,
  }
  reporter.mark('begin')
  const { stdout } = await promisify(execFile)(program, args, { env })
  reporter.mark('end')
  await ground.sql('drop schema first_edition cascade')
  return readFigures(stdout)
}

/** Tables of the first edition, with the ledger and the counters of an event. */
async function makeFirstEdition(ground: Ground, eventId: string): Promise<void> {
  // Without values it is one transaction of many statements.
  await ground.sql(FIRST_EDITION)
  await ground.sql(
    `insert into first_edition.event_ledgers (organization_id, event_id)
     select organization_id, event_id from event_ledgers where event_id = $1`,
    [eventId],
  )
  // Seats beyond the hall's are asked for, too: they only have to differ.
  await ground.sql(
    `insert into first_edition.zone_counts (organization_id, event_id, zone_index, zone_id, capacity)
     select organization_id, event_id, zone_index, zone_id, 1000000000 from zone_counts where event_id = $1`,
    [eventId],
  )
}

/** On the path, or where Debian and its kin put it. */
async function findPgbench(): Promise<string | null> {
  const root = '/usr/lib/postgresql'
  const versions = (await readdir(root).catch(() => [])).sort((a, b) => Number(b) - Number(a))
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter).filter(folder => folder !== ''),
    ...versions.map(version => join(root, version, 'bin')),
  ]
  for (const folder of folders) {
    const program = join(folder, process.platform === 'win32' ? 'pgbench.exe' : 'pgbench')
    const isThere = await access(program).then(
      () => true,
      () => false,
    )
    if (isThere) return program
  }
  return null
}

function readFigures(text: string): FiguresOf<'pgbench'> {
  const read = (pattern: RegExp) => {
    const found = pattern.exec(text)?.[1]
    if (found === undefined) throw new Error(`pgbench said something unexpected:\n${text}`)
    return found
  }
  return {
    version: read(/^pgbench \(([\d.]+)/m),
    holds: Number(read(/number of transactions actually processed: (\d+)/)),
    perSecond: Number(read(/tps = ([\d.]+)/)),
    averageMs: Number(read(/latency average = ([\d.]+) ms/)),
  }
}

function partsOf(databaseUrl: string) {
  const url = new URL(databaseUrl)
  return {
    host: url.hostname,
    port: url.port,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
  }
}
