import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@voelgoed/testing/free-port'
import { type ServerProcess, startProcess, temporaryFolder } from '@voelgoed/testing/process'
import { parsePrometheusText, seriesValue } from '@voelgoed/testing/prometheus-text'
import { createTestDatabase } from '@voelgoed/testing/test-database'
import { afterEach, describe, expect, it } from 'vitest'

const ROOT_KEY = 'root-key-of-the-tests'

const started: ServerProcess[] = []
const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const { child, exited } of started.splice(0)) {
    child.kill('SIGKILL')
    await exited()
  }
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder()
  cleanUps.push(remove)
  return path
}

/** On a database of its own. What it says does not reach us, so its port is chosen here. */
async function start(env: Record<string, string>, stderr?: number) {
  const database = await createTestDatabase()
  cleanUps.push(() => database.drop())
  const PORT = String(await freePort())
  const server = startProcess(
    { DATABASE_URL: database.url, VOELGOED_ROOT_KEY: ROOT_KEY, VOELGOED_LOG_LEVEL: 'info', PORT, ...env },
    { stderr },
  )
  started.push(server)
  return { server, url: `http://127.0.0.1:${PORT}` }
}

async function serves(url: string): Promise<void> {
  const ask = () =>
    fetch(`${url}/readyz`).then(
      answer => answer.status,
      () => null,
    )
  await expect.poll(ask).toBe(200)
}

async function lostLines(url: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${ROOT_KEY}` } })
  return seriesValue(parsePrometheusText(await answer.text()), 'voelgoed_log_lines_lost_total')
}

async function endsOnSigterm({ child, exited }: ServerProcess): Promise<void> {
  child.kill('SIGTERM')
  expect(await exited()).toBe(0)
}

describe.each(['1', '2'])('%s worker(s)', VOELGOED_WORKERS => {
  it('starts, serves and ends on SIGTERM when no process reads what it says', async () => {
    const { server, url } = await start({ VOELGOED_WORKERS })
    server.child.stdout!.destroy()
    server.child.stderr!.destroy()
    await serves(url)
    await expect.poll(() => lostLines(url)).toBeGreaterThan(0)
    await endsOnSigterm(server)
  })

  it('goes on and ends on SIGTERM when the disk with its log is full', async () => {
    const full = openSync('/dev/full', 'w')
    cleanUps.push(() => closeSync(full))
    const { server, url } = await start({ VOELGOED_WORKERS }, full)
    await server.ready()
    await serves(url)
    await endsOnSigterm(server)
  })

  it('goes on and ends on SIGTERM when the process that should read its log has stopped reading', async () => {
    const path = join(await folder(), 'pipe')
    execFileSync('mkfifo', [path])
    const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    cleanUps.push(() => closeSync(pipe))
    const writer = openSync(path, constants.O_WRONLY)
    fill(writer)
    const { server, url } = await start({ VOELGOED_WORKERS }, writer)
    closeSync(writer)
    await server.ready()
    await serves(url)
    await endsOnSigterm(server)
  })
})

/** Until it takes no more. */
function fill(pipe: number): void {
  const filler = openSync(`/proc/self/fd/${pipe}`, constants.O_WRONLY | constants.O_NONBLOCK)
  try {
    for (;;) writeSync(filler, Buffer.alloc(4_096))
  } catch (error) {
    expect(error).toMatchObject({ code: 'EAGAIN' })
  }
  closeSync(filler)
}

it('the embedded Postgres ends while no process reads the log: the server ends with code 1', async () => {
  const VOELGOED_DATA_DIR = join(await folder(), 'data')
  execFileSync('chmod', ['755', join(VOELGOED_DATA_DIR, '..')])
  const { server, url } = await start({ DATABASE_URL: '', VOELGOED_DATA_DIR, VOELGOED_DEMO: '0' })
  await server.ready()
  await serves(url)
  server.child.stdout!.destroy()
  server.child.stderr!.destroy()
  const pidFile = readFileSync(join(VOELGOED_DATA_DIR, 'postgres/cluster/postmaster.pid'), 'utf8')
  process.kill(Number(pidFile.split('\n')[0]), 'SIGQUIT')
  expect(await server.exited()).toBe(1)
})
