import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { StartupError } from '@voelgoed/kit/base/startup-error'
import { openDatabase, prepareDatabase } from '@voelgoed/kit/postgres/open'
import { type PoolerHabits, startFakePooler } from '@voelgoed/testing/fake-pooler'
import { freePort } from '@voelgoed/testing/free-port'
import { temporaryFolder } from '@voelgoed/testing/process'
import { findProgram } from '@voelgoed/testing/program'
import { parsePrometheusText, seriesValue } from '@voelgoed/testing/prometheus-text'
import { startListeningNode } from '@voelgoed/testing/second-node'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { WITHIN_MS, waitUntil } from '@voelgoed/testing/wait-until'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { onDatabase } from '../commands/on-database.ts'
import { MIGRATIONS } from '../database/migrations.ts'

const log = pino({ level: 'silent' })
const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  cleanUps.push(() => database.drop())
  return database
}

/** The sentence with which a node does not start. It waits so long for a connection, and for a message. */
async function refusalAt(url: string, connectSeconds = WITHIN_MS / 1_000): Promise<string> {
  const error = await prepareDatabase(url, MIGRATIONS, { requestLogin: null, connectSeconds }, log).then(
    () => expect.fail('it was prepared'),
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(StartupError)
  return (error as Error).message
}

/** For a message that does not come. */
const SOON_SECONDS = 10

async function behind(habits: PoolerHabits) {
  const database = await newDatabase()
  const pooler = await startFakePooler(database.url, habits)
  cleanUps.push(() => pooler.close())
  return { database, pooler, url: pooler.urlOf(database.url) }
}

describe('behind something that', () => {
  it('drops start-up options a node does not start, and names the pooler and the way out', async () => {
    const { url } = await behind({ dropsOptions: true })
    const message = await refusalAt(url)
    expect(message).toMatch(/^DATABASE_URL: .*PgBouncer.*row-level security would be off.*directly/)
    expect(message).toContain('statement_timeout is 0 instead of 14s')
  })

  it('refuses start-up options a node does not start, with one sentence', async () => {
    const { url } = await behind({ refusesOptions: true })
    expect(await refusalAt(url)).toMatch(/^DATABASE_URL leads to a pooler.*options.*Do not make it ignore/)
  })

  it('loses the messages between connections a node does not start', async () => {
    const { url } = await behind({ isDeaf: true })
    expect(await refusalAt(url, SOON_SECONDS)).toMatch(/^DATABASE_URL: a message.*transaction mode.*directly/)
  })

  it('drops start-up options, and only its workers meet: they do not start either', async () => {
    const { url } = await behind({ dropsOptions: true })
    const opening = openDatabase(url, { maxConnections: 2, requestLogin: null })
    await expect(opening).rejects.toThrow(/role is \w+ instead of voelgoed_app/)
    await expect(opening).rejects.toBeInstanceOf(StartupError)
  })

  it('drops start-up options commands do not run', async () => {
    const { url } = await behind({ dropsOptions: true })
    const running = onDatabase({ databaseUrl: url, dataDir: '/nowhere' }, async () => expect.fail('it ran'))
    await expect(running).rejects.toBeInstanceOf(StartupError)
  })
})

it('options that are dropped from some moment on: no such connection is used, and all is told', async () => {
  const { pooler, url } = await behind({})
  const node = await startListeningNode(url)
  cleanUps.push(() => node.close())
  const get = (path: string) => fetch(node.url + path)
  const guest = () =>
    fetch(`${node.url}/api/sessions/guest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"organization":"none"}',
    })
  expect((await guest()).status).toBe(404)
  expect((await get('/readyz')).status).toBe(200)

  pooler.habits.dropsOptions = true
  pooler.cut()
  await waitUntil('a request is refused', async () => (await guest()).status === 503)
  expect(await (await guest()).json()).toMatchObject({ code: 'database_unavailable' })
  const unready = await get('/readyz')
  expect([unready.status, await unready.json()]).toMatchObject([
    503,
    { postgres: 'down', reason: 'settings_dropped' },
  ])
  const metrics = parsePrometheusText(await (await get('/metrics')).text())
  expect(seriesValue(metrics, 'voelgoed_database_up')).toBe(0)
  expect(seriesValue(metrics, 'voelgoed_database_connections_refused_total')).toBeGreaterThan(0)

  pooler.habits.dropsOptions = false
  await waitUntil('it works again', async () => (await guest()).status === 404)
  expect((await get('/readyz')).status).toBe(200)
})

describe('an owner without any attribute', () => {
  it('sees no organization unless it says so, and the node works as ever', async () => {
    const admin = await newDatabase()
    const name = `owner_${randomUUID().slice(0, 8)}`
    await admin.sql(`create role ${name} login nosuperuser nobypassrls nocreaterole password 'of a test'`)
    await admin.sql(`grant voelgoed_app, voelgoed_platform to ${name}`)
    await admin.sql(`create database ${name} owner ${name}`)
    const ownerUrl = new URL(inject('postgresUrl'))
    ownerUrl.username = name
    ownerUrl.password = 'of a test'
    ownerUrl.pathname = `/${name}`
    const node = await startListeningNode(ownerUrl.href)
    cleanUps.push(async () => {
      await owner.end()
      await node.close()
      await admin.sql(`drop database ${name} with (force)`)
      await admin.sql(`drop role ${name}`)
    })
    const owner = new pg.Client({ connectionString: ownerUrl.href })
    await owner.connect()
    for (const slug of ['one', 'two']) {
      const made = await fetch(`${node.url}/api/platform/organizations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer root-key-of-the-tests' },
        body: JSON.stringify({ name: slug, slug }),
      })
      expect(made.status).toBe(201)
    }
    const slugs = async () =>
      (await owner.query<{ slug: string }>('select slug from organizations order by slug')).rows.map(
        ({ slug }) => slug,
      )
    expect(await slugs()).toEqual([])
    // As the work of a request on a connection that has lost its role.
    await owner.query(`set app.all_organizations = on`)
    const { rows } = await owner.query<{ id: string }>(`select id from organizations where slug = 'one'`)
    await owner.query(`reset app.all_organizations`)
    await owner.query(`select set_config('app.organization_id', $1, false)`, [rows[0]!.id])
    expect(await slugs()).toEqual(['one'])
    await owner.query(`reset app.organization_id`)
    // As migrations, commands and a dump do.
    await owner.query(`set app.all_organizations = on`)
    expect(await slugs()).toEqual(['one', 'two'])
    // The role of requests gains nothing by the setting.
    await owner.query('set role voelgoed_app')
    expect(await slugs()).toEqual([])
    // A dump that would silently lack rows stops instead.
    await owner.query('reset role; reset app.all_organizations; set row_security = off')
    await expect(slugs()).rejects.toThrow(/row-level security/)
  })
})

it('an owner that would see no rows to migrate does not migrate', async () => {
  const admin = await newDatabase()
  const name = `blind_${randomUUID().slice(0, 8)}`
  await admin.sql(`create role ${name} login noinherit password 'of a test'`)
  await admin.sql(`grant voelgoed_app, voelgoed_platform to ${name} with inherit false`)
  await admin.sql(`create database ${name} owner ${name}`)
  cleanUps.push(async () => {
    await admin.sql(`drop database ${name} with (force)`)
    await admin.sql(`drop role ${name}`)
  })
  const url = new URL(inject('postgresUrl'))
  url.username = name
  url.password = 'of a test'
  url.pathname = `/${name}`
  expect(await refusalAt(url.href)).toMatch(
    /^DATABASE_URL: .*does not inherit voelgoed_platform.*inherit true/,
  )
})

/** So that a first look finds nothing missing. */
const LIMITS =
  'set statement_timeout = 14000; set lock_timeout = 2000; set idle_in_transaction_session_timeout = 10000'
const pgBouncer = await findProgram(
  { name: 'pgbouncer', variable: 'VOELGOED_PGBOUNCER', packages: [], folder: 'sbin' },
  { mayFetch: false },
)

describe.skipIf(!pgBouncer)('behind PgBouncer', () => {
  const IGNORED = 'ignore_startup_parameters = options'
  it.each([
    ['session', 'its defaults', '', '', /leads to a pooler, which refuses/],
    ['session', 'options ignored', IGNORED, '', /drops the settings.*PgBouncer/],
    ['transaction', 'options ignored', IGNORED, '', /drops the settings.*PgBouncer/],
    ['transaction', 'the limits set by itself', IGNORED, LIMITS, /does not arrive.*transaction mode/],
  ])('in %s mode, with %s: a node does not start', async (mode, _what, settings, onConnect, pattern) => {
    const database = await newDatabase()
    const url = await startPgBouncer(database.url, { mode, settings, onConnect })
    expect(await refusalAt(url, SOON_SECONDS)).toMatch(pattern)
  })
})

async function startPgBouncer(
  databaseUrl: string,
  { mode, settings, onConnect }: { mode: string; settings: string; onConnect: string },
): Promise<string> {
  const target = new URL(databaseUrl)
  const port = await freePort()
  const folder = await temporaryFolder()
  cleanUps.push(() => folder.remove())
  const place = join(folder.path, 'pgbouncer')
  await mkdir(place)
  await writeFile(
    join(place, 'users'),
    `"${decodeURIComponent(target.username)}" "${decodeURIComponent(target.password)}"\n`,
  )
  await writeFile(
    join(place, 'ini'),
    `[databases]
* = host=${target.hostname} port=${target.port}${onConnect && ` connect_query='${onConnect}'`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(place, 'users')}
pool_mode = ${mode}
${settings}
`,
  )
  const asRoot = process.getuid?.() === 0
  spawnSync('chmod', ['-R', 'a+rX', folder.path])
  // It refuses to run as root.
  const bouncer: ChildProcess = spawn(pgBouncer!.path, [join(place, 'ini')], {
    stdio: 'ignore',
    ...(asRoot && { uid: 65_534, gid: 65_534 }),
  })
  cleanUps.push(async () => {
    const ended = once(bouncer, 'exit')
    bouncer.kill('SIGTERM')
    await ended
  })
  await waitUntil('PgBouncer listens', () => isOpen(port))
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  return url.href
}

function isOpen(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
