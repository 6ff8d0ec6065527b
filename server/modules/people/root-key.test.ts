import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { EventId, TicketId } from '@voelgoed/core/ids'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { connectDatabase } from '@voelgoed/kit/postgres/database'
import { runningEmbeddedUrl } from '@voelgoed/kit/postgres/embedded/launch'
import { openDatabase, prepareDatabase } from '@voelgoed/kit/postgres/open'
import { type ServerProcess, startProcess, temporaryFolder } from '@voelgoed/testing/process'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { PATIENT, WITHIN_MS } from '@voelgoed/testing/wait-until'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { programArguments } from '../../../scripts/build/programs.mjs'
import { parseConfig } from '../../config.ts'
import { MIGRATIONS } from '../../database/migrations.ts'
import { type Node, startNode } from '../../node.ts'
import { replaceRootKey } from '../sign-in/root-key.ts'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  cleanUps.push(() => database.drop())
  return database
}

async function startOn(
  url: string,
  env: Record<string, string> = {},
): Promise<{ node: Node; told: string[] }> {
  const told: string[] = []
  const node = await startNode(parseConfig({ VOELGOED_WORKERS: '1', PORT: '0', ...PATIENT, ...env }), url, {
    log: pino({ level: 'fatal' }),
    clock: systemClock,
    tellRootKey: key => told.push(key),
  })
  cleanUps.push(() => node.drain())
  return { node, told }
}

/** 400: let in, and the body was refused. */
async function knock({ app }: Node, key: string): Promise<number> {
  const answer = await app.fastify.inject({
    method: 'POST',
    url: '/api/platform/organizations',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    payload: '{}',
  })
  return answer.statusCode
}

describe('the platform key', () => {
  it('is told as soon as it is stored, and only once', async () => {
    const database = await newDatabase()
    const first = await startOn(database.url)
    expect(first.told).toEqual([expect.stringMatching(/^vgroot_/)])
    expect(await knock(first.node, first.told[0]!)).toBe(400)
    const [key] = first.told as [string]
    const other = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`
    expect(await knock(first.node, other)).toBe(401)
    const second = await startOn(database.url)
    expect(second.told).toEqual([])
    expect(await knock(second.node, first.told[0]!)).toBe(400)
  })

  it('is made at the first start without VOELGOED_ROOT_KEY, also when others with it came before', async () => {
    const database = await newDatabase()
    const configured = await startOn(database.url, { VOELGOED_ROOT_KEY: 'a-key-of-the-operator' })
    expect(configured.told).toEqual([])
    const { node, told } = await startOn(database.url)
    expect(told).toHaveLength(1)
    expect(await knock(node, told[0]!)).toBe(400)
    expect(await knock(node, 'a-key-of-the-operator')).toBe(401)
    expect(await knock(configured.node, 'a-key-of-the-operator')).toBe(400)
  })

  it('can be replaced: the old one is dead on all nodes at once, and every organization can read of it', async () => {
    const database = await newDatabase()
    const [a, b] = [await startOn(database.url), await startOn(database.url)]
    const old = a.told[0]!
    const created = await a.node.app.fastify.inject({
      method: 'POST',
      url: '/api/platform/organizations',
      headers: { authorization: `Bearer ${old}`, 'content-type': 'application/json' },
      payload: JSON.stringify({ name: 'O', slug: 'o' }),
    })
    expect(created.statusCode).toBe(201)
    expect([await knock(a.node, old), await knock(b.node, old)]).toEqual([400, 400])
    const door = connectDatabase(database.url, { maxConnections: 2, connectSeconds: WITHIN_MS / 1_000 })
    cleanUps.push(() => door.close())
    const scope = TenantScope.of(created.json().data.id)
    const ticket = { eventId: randomUUID() as EventId, ticketId: randomUUID() as TicketId, version: 1 }
    const token = await a.node.ticketKeys.sign(scope, ticket)
    const fresh = (await replaceRootKey(door))!
    expect([await knock(a.node, old), await knock(b.node, old)]).toEqual([401, 401])
    expect([await knock(a.node, fresh), await knock(b.node, fresh)]).toEqual([400, 400])
    expect(
      await database.sql(`select actor, count(*)::int from audit_log
        where action = 'platform_key_replaced' group by actor`),
    ).toEqual([{ actor: 'system', count: 1 }])
    // It seals no key: tickets are signed and verified as before, also by a node that reads their key now.
    expect(await b.node.ticketKeys.verify(scope, token)).toEqual(ticket)
    expect(await b.node.ticketKeys.sign(scope, ticket)).toBe(token)
  })
})

function start(env: Record<string, string>): ServerProcess {
  const server = startProcess(env)
  cleanUps.push(async () => {
    server.child.kill('SIGTERM')
    await server.exited()
  })
  return server
}

async function runRootKey(
  env: Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, programArguments('root-key'), {
    cwd: new URL('../../../', import.meta.url),
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...PATIENT, ...env },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', chunk => {
    output.stdout += chunk
  })
  child.stderr.on('data', chunk => {
    output.stderr += chunk
  })
  const [code] = (await once(child, 'close')) as [number]
  return { code, ...output }
}

const keyIn = (text: string) => /Platform key .*: (vgroot_\S+)/.exec(text)?.[1] ?? null

async function knockAt(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/api/platform/organizations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{}',
  })
  return answer.status
}

describe('as a process', () => {
  it('a start that fails on a taken port has shown the key, and the key is good', async () => {
    const database = await newDatabase()
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    cleanUps.push(async () => taken.close())
    const { port } = taken.address() as AddressInfo
    const failed = start({ DATABASE_URL: database.url, PORT: String(port) })
    expect(await failed.exited()).toBe(1)
    const key = keyIn(failed.output.stdout)
    expect(key).not.toBe(null)
    const { node, told } = await startOn(database.url)
    expect(told).toEqual([])
    expect(await knock(node, key!)).toBe(400)
    const replaced = await runRootKey({ DATABASE_URL: database.url })
    expect(replaced).toMatchObject({ code: 0, stderr: '' })
    expect(await knock(node, key!)).toBe(401)
    expect(await knock(node, keyIn(replaced.stdout)!)).toBe(400)
    const refused = await runRootKey({
      DATABASE_URL: database.url,
      VOELGOED_ROOT_KEY: 'a-key-of-the-operator',
    })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('VOELGOED_ROOT_KEY is set') })
  })

  it('says that nodes with VOELGOED_ROOT_KEY keep theirs, and makes no key that would open nothing', async () => {
    const database = await newDatabase()
    const configured = await startOn(database.url, { VOELGOED_ROOT_KEY: 'a-key-of-the-operator' })
    const refused = await runRootKey({ DATABASE_URL: database.url })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/has no platform key: .* VOELGOED_ROOT_KEY/)
    const { node, told } = await startOn(database.url)
    expect(told).toHaveLength(1)
    const replaced = await runRootKey({ DATABASE_URL: database.url })
    expect(replaced.stdout).toContain('VOELGOED_ROOT_KEY set knows that key and no other')
    expect(await knock(node, keyIn(replaced.stdout)!)).toBe(400)
    expect(await knock(configured.node, keyIn(replaced.stdout)!)).toBe(401)
    expect(await knock(configured.node, 'a-key-of-the-operator')).toBe(400)
  })

  it('on a data directory: while the server runs and while it does not; requests are not the superuser', async () => {
    const { path, remove } = await temporaryFolder()
    cleanUps.push(remove)
    await chmod(path, 0o755)
    const VOELGOED_DATA_DIR = join(path, 'data')
    const none = await runRootKey({ VOELGOED_DATA_DIR })
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('no database') })

    // Reachable from elsewhere, so without the demo.
    const first = start({ VOELGOED_DATA_DIR, HOST: '0.0.0.0' })
    const url = (await first.ready()).replace('0.0.0.0', '127.0.0.1')
    const old = keyIn(first.output.stdout)!
    expect(first.output.stdout).not.toContain('Demo')
    const whileRunning = keyIn((await runRootKey({ VOELGOED_DATA_DIR })).stdout)!
    expect(await knockAt(url, old)).toBe(401)
    expect(await knockAt(url, whileRunning)).toBe(400)

    const owner = new pg.Client({ connectionString: (await runningEmbeddedUrl(VOELGOED_DATA_DIR))! })
    await owner.connect()
    const logins = await owner.query(`select distinct usename, usesuper from pg_stat_activity
      join pg_user using (usename) where application_name in ('voelgoed_app', 'voelgoed_platform', 'voelgoed_listen')`)
    await owner.end()
    expect(logins.rows).toEqual([{ usename: 'voelgoed_node', usesuper: false }])

    first.child.kill('SIGTERM')
    expect(await first.exited()).toBe(0)
    const stopped = await runRootKey({ VOELGOED_DATA_DIR })
    const whileStopped = keyIn(stopped.stdout)!
    const second = start({ VOELGOED_DATA_DIR, VOELGOED_DEMO: '0' })
    const again = await second.ready()
    expect(second.output.stdout).not.toContain('Platform key')
    expect(await knockAt(again, whileRunning)).toBe(401)
    expect(await knockAt(again, whileStopped)).toBe(400)
  })
})

const log = pino({ level: 'silent' })

describe('a login for requests', () => {
  it('is made on a database without one, and has no rights outside the two roles', async () => {
    const database = await newDatabase()
    const migrations = MIGRATIONS
    await prepareDatabase(database.url, migrations, { requestLogin: null, connectSeconds: 60 }, log)
    const requestLogin = { user: `node_${systemClock.now().toString(36)}`, password: 'one of a test' }
    for (const password of ['one of a test', 'another at the next start']) {
      const login = { ...requestLogin, password }
      await prepareDatabase(database.url, migrations, { requestLogin: login, connectSeconds: 60 }, log)
      const connections = { maxConnections: 2, connectSeconds: WITHIN_MS / 1_000 }
      const opened = await openDatabase(database.url, { ...connections, requestLogin: login })
      cleanUps.push(() => database.sql(`drop role if exists ${requestLogin.user}`))
      // An answer that takes longer than three seconds counts as none.
      await expect.poll(() => opened.database.ping()).toBe('ok')
      await opened.database.close()

      const client = new pg.Client({ connectionString: opened.requestUrl, options: '-c role=voelgoed_app' })
      await client.connect()
      await client.query('set role none')
      const { rows } = await client.query(
        `select current_user::text, rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = current_user`,
      )
      expect(rows).toEqual([
        { current_user: requestLogin.user, rolsuper: false, rolbypassrls: false, rolcreaterole: false },
      ])
      for (const statement of ['select from users', 'select from installation', 'set role postgres']) {
        await expect(client.query(statement)).rejects.toThrow(/permission denied|does not exist/)
      }
      await client.end()
    }
  })
})
