import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type ServerProcess, startProcess, temporaryFolder } from '@voelgoed/testing/process'
import { createTestDatabase } from '@voelgoed/testing/test-database'
import { PATIENT } from '@voelgoed/testing/wait-until'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'

/** Each test starts whole servers, some of them three, also on a machine that has other work. */

const started: ServerProcess[] = []
const cleanUps: (() => Promise<void>)[] = []

function start(env: Record<string, string>): ServerProcess {
  const server = startProcess(env)
  started.push(server)
  return server
}

async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder()
  cleanUps.push(remove)
  // The embedded Postgres may have to run as another user than we do.
  await chmod(path, 0o755)
  return path
}

afterEach(async () => {
  for (const server of started.splice(0)) {
    server.child.kill('SIGTERM')
    await server.exited()
  }
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

async function signInAs(url: string, email: string): Promise<string> {
  const response = await fetch(`${url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ organization: 'voelgoed', email, password: 'voelgoed-demo' }),
  })
  expect(response.status).toBe(201)
  const { data } = (await response.json()) as { data: { token: string } }
  return data.token
}

function expectOneLine(server: ServerProcess, pattern: RegExp): void {
  const lines = server.output.stderr.split('\n').filter(line => line !== '' && !line.startsWith('{'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^voelgoed: /)
  expect(lines[0]).toMatch(pattern)
}

describe('a newcomer', () => {
  it('brings its own Postgres and a demo; a second start, and one after kill -9, find everything again', async () => {
    const VOELGOED_DATA_DIR = join(await folder(), 'data')
    const first = start({ VOELGOED_DATA_DIR })
    const url = await first.ready()
    expect(first.output.stdout).toMatch(/Platform key \(shown this once\): vgroot_/)
    expect(first.output.stdout).toContain('admin@voelgoed.example')
    const token = await signInAs(url, 'buyer@voelgoed.example')
    const events = await fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` } })
    const { data } = (await events.json()) as { data: { name: string }[] }
    expect(data.map(event => event.name)).toEqual(['Somerstorm', 'Voelgoed Festival'])

    first.child.kill('SIGKILL')
    await first.exited()
    const second = start({ VOELGOED_DATA_DIR })
    const again = await second.ready()
    expect(second.output.stdout).not.toContain('Platform key')
    expect(second.output.stdout).toContain('admin@voelgoed.example')
    const me = await fetch(`${again}/api/session`, { headers: { authorization: `Bearer ${token}` } })
    expect(me.status).toBe(200)

    second.child.kill('SIGTERM')
    expect(await second.exited()).toBe(0)
    const third = start({ VOELGOED_DATA_DIR })
    await third.ready()
    expect(third.output.stderr).toBe('')
  })

  it('a data directory in use by another process: one line, exit code 1, and the other goes on', async () => {
    const VOELGOED_DATA_DIR = join(await folder(), 'data')
    const first = start({ VOELGOED_DATA_DIR, VOELGOED_DEMO: '0' })
    const url = await first.ready()
    const second = start({ VOELGOED_DATA_DIR, VOELGOED_DEMO: '0' })
    expect(await second.exited()).toBe(1)
    expectOneLine(second, new RegExp(String(first.child.pid)))
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
  })
})

describe('what an operator can put right: one clear line and exit code 1', () => {
  it('a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const database = await createTestDatabase()
    cleanUps.push(() => database.drop())
    const server = start({ DATABASE_URL: database.url, PORT: String(port) })
    expect(await server.exited()).toBe(1)
    expectOneLine(server, new RegExp(`PORT ${port} .*taken`))
    taken.close()
  })

  it('a data directory that can not be made', async () => {
    const file = join(await folder(), 'file')
    await writeFile(file, '')
    const server = start({ VOELGOED_DATA_DIR: join(file, 'data') })
    expect(await server.exited()).toBe(1)
    expectOneLine(server, /data/)
  })

  it('a data directory that belongs to something else', async () => {
    const path = join(await folder(), 'photos')
    await mkdir(path)
    await writeFile(join(path, 'holiday.jpg'), '')
    const server = start({ VOELGOED_DATA_DIR: path })
    expect(await server.exited()).toBe(1)
    expectOneLine(server, /photos/)
  })

  it('a Postgres that is not there; the password stays secret', async () => {
    const server = start({ DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/nothing' })
    expect(await server.exited()).toBe(1)
    expectOneLine(server, /DATABASE_URL.*127\.0\.0\.1:1/)
    expect(server.output.stderr).not.toContain('hunter2')
  })

  it('a database that a newer version has migrated', async () => {
    const database = await createTestDatabase()
    cleanUps.push(() => database.drop())
    await database.sql(`insert into schema_migrations (name, checksum) values ('9999_future.sql', 'x')`)
    const server = start({ DATABASE_URL: database.url })
    expect(await server.exited()).toBe(1)
    expectOneLine(server, /migrated by a newer version \(9999_future\.sql\)/)
  })

  it('a variable that is wrong', async () => {
    const server = start({ PORT: 'http' })
    expect(await server.exited()).toBe(1)
    expectOneLine(server, /PORT must be a whole number/)
  })
})

describe('signals to npm reach the server', () => {
  it('SIGTERM, and after another start SIGKILL', async () => {
    const VOELGOED_DATA_DIR = join(await folder(), 'data')
    const pidFile = join(VOELGOED_DATA_DIR, 'postgres/cluster/postmaster.pid')
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const npm = spawn('npm', ['start'], {
        cwd: new URL('../../', import.meta.url),
        env: {
          ...process.env,
          PORT: '0',
          VOELGOED_DATA_DIR,
          VOELGOED_DEMO: '0',
          DATABASE_URL: '',
          VOELGOED_DRAIN_SECONDS: '0',
          ...PATIENT,
        },
      })
      // Without npm the server ends by itself, also when the test has failed.
      onTestFinished(() => void npm.kill('SIGKILL'))
      let output = ''
      npm.stdout.on('data', chunk => {
        output += chunk
      })
      // The first of them may build the page before it starts.
      await expect.poll(() => output).toMatch(/Ready at/)
      expect(existsSync(pidFile)).toBe(true)
      npm.kill(signal)
      await once(npm, 'exit')
      // Asked nicely, npm waits for us; killed, it can't, and we notice a moment later.
      if (signal === 'SIGTERM') expect(existsSync(pidFile)).toBe(false)
      else await expect.poll(() => existsSync(pidFile)).toBe(false)
    }
  })
})

describe('several nodes on one Postgres', () => {
  it('start at the same moment on an empty database, and hear of each other’s sign-outs', async () => {
    const database = await createTestDatabase({ empty: true })
    cleanUps.push(() => database.drop())
    const env = {
      DATABASE_URL: database.url,
      VOELGOED_DEMO: '0',
      VOELGOED_ROOT_KEY: 'root-key-of-the-tests',
    }
    const nodes = [start(env), start(env), start(env)]
    const [a, b] = (await Promise.all(nodes.map(node => node.ready()))) as [string, string, string]
    const post = (url: string, body: object, token?: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
      })
    const created = await post(
      `${a}/api/platform/organizations`,
      { name: 'O', slug: 'o' },
      env.VOELGOED_ROOT_KEY,
    )
    expect(created.status).toBe(201)
    const guest = await post(`${b}/api/sessions/guest`, { organization: 'o' })
    const { data } = (await guest.json()) as { data: { token: string } }
    const authorization = { authorization: `Bearer ${data.token}` }
    const status = async (url: string) =>
      (await fetch(`${url}/api/session`, { headers: authorization })).status
    expect([await status(a), await status(b)]).toEqual([200, 200])
    await fetch(`${a}/api/session`, { method: 'DELETE', headers: authorization })
    expect(await status(a)).toBe(401)
    await expect.poll(() => status(b)).toBe(401)
  })
})

describe('draining', () => {
  it('finishes what is in flight, refuses what is new, and ends with code 0', async () => {
    const database = await createTestDatabase()
    cleanUps.push(() => database.drop())
    const server = start({ DATABASE_URL: database.url, VOELGOED_ROOT_KEY: 'root-key-of-the-tests' })
    const url = await server.ready()
    // Holds the request up inside the database, so that it is in flight for as long as we like.
    await database.sql('create table gate (open boolean)')
    await database.sql(`create function wait_at_gate() returns trigger language plpgsql as $$
      begin
        while not exists (select from gate) loop perform pg_sleep(0.01); end loop;
        return new;
      end $$`)
    await database.sql('grant select on gate to voelgoed_platform')
    await database.sql(
      'create trigger slow before insert on organizations for each row execute function wait_at_gate()',
    )
    const slow = fetch(`${url}/api/platform/organizations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer root-key-of-the-tests' },
      body: JSON.stringify({ name: 'Slow', slug: 'slow' }),
    })
    await expect
      .poll(() =>
        database.sql(
          `select 1 from pg_stat_activity where query like 'insert into organizations%' and state = 'active'`,
        ),
      )
      .toHaveLength(1)
    server.child.kill('SIGTERM')
    await expect
      .poll(() =>
        fetch(`${url}/healthz`).then(
          response => response.status,
          () => 'refused',
        ),
      )
      .toBe('refused')
    await database.sql('insert into gate values (true)')
    expect((await slow).status).toBe(201)
    expect(await server.exited()).toBe(0)
    // Its connection was closed after the answer: it did not take the bound, of which the log would tell.
    expect(server.output.stderr).toBe('')
  })
})

it('while Postgres is away: 503 with Retry-After within a bounded wait, then everything works again', async () => {
  const database = await createTestDatabase()
  cleanUps.push(() => database.drop())
  const server = start({ DATABASE_URL: database.url })
  const url = await server.ready()
  const [row] = await database.sql<{ name: string }>('select current_database() as name')
  const admin = await createTestDatabase()
  cleanUps.push(() => admin.drop())
  await admin.sql(`alter database ${row!.name} allow_connections false`)
  // A session that was just being let in is seen a moment later.
  await expect
    .poll(() =>
      admin.sql(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [row!.name]),
    )
    .toEqual([])
  const guest = () =>
    fetch(`${url}/api/sessions/guest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"organization":"x"}',
    })
  const away = await guest()
  expect(away.status).toBe(503)
  expect(away.headers.get('retry-after')).not.toBe(null)
  expect(await away.json()).toMatchObject({ code: 'database_unavailable', retryable: true })
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  await admin.sql(`alter database ${row!.name} allow_connections true`)
  await expect.poll(async () => (await guest()).status).toBe(404)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})
