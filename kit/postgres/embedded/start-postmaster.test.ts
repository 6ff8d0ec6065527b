import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findPackage, prepareBinaries } from './binaries.ts'
import { chooseFreePort } from './choose-port.ts'
import { defaultCopyPlaces } from './copy-binaries.ts'
import { openDataDirectory } from './data-directory.ts'
import { isRunning, SMALL, sharedDataDirectory, startForTest } from './embedded.fixture.ts'
import { lastComplaint } from './log-file.ts'
import { chooseUser } from './run-as.ts'
import { startPostmaster } from './start-postmaster.ts'
import { stopPostmaster } from './stop-postmaster.ts'

const shared = sharedDataDirectory()

describe('the port', () => {
  it('that another process took after we chose it is exchanged for another', async () => {
    const dataDir = await shared.path()
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => {
      taken.close()
    })
    await once(taken, 'listening')
    const ports = [(taken.address() as AddressInfo).port, await chooseFreePort()]
    const dir = await openDataDirectory(dataDir, '18')
    const user = await chooseUser(dir.cluster)
    const source = await findPackage({ platform: process.platform, arch: process.arch })
    const binaries = await prepareBinaries(source, user, defaultCopyPlaces(dir.path))

    const choosePort = async () => ports.shift()!
    const postmaster = await startPostmaster({ dir, binaries, user, settings: SMALL, choosePort })
    onTestFinished(() => postmaster.stop())
    expect(ports).toEqual([])
    expect(postmaster.port).not.toBe((taken.address() as AddressInfo).port)
  })
})

describe('a postmaster that does not stop', () => {
  it('because a session hangs gets stronger and stronger signals', async () => {
    const dataDir = await shared.path()
    const { url, pid } = await startForTest({ dataDir })
    const client = new Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    const backend = Number((await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid)
    process.kill(backend, 'SIGSTOP')

    const sent: string[] = []
    const hasStopped = await stopPostmaster(
      {
        signal: signal => {
          sent.push(signal)
          process.kill(pid, signal)
        },
        endsWithin: async patienceMs => {
          const hasEnded = async () => !(await isRunning(pid, dataDir))
          return patienceMs === 0 ? hasEnded() : waitUntil('it ends', hasEnded)
        },
      },
      [
        { signal: 'SIGINT', patienceMs: 0 },
        { signal: 'SIGQUIT', patienceMs: 0 },
        { signal: 'SIGKILL', patienceMs: 10_000 },
      ],
    )
    expect({ hasStopped, sent }).toEqual({ hasStopped: true, sent: ['SIGINT', 'SIGQUIT', 'SIGKILL'] })
    process.kill(backend, 'SIGKILL')
    await client.end().catch(() => {})
  })
})

describe('the complaint in a log', () => {
  it.each([
    [
      '2026-01-01 00:00:00.000 UTC [7] FATAL:  no luck\n2026-01-01 00:00:00.000 UTC [7] HINT:  try again\n',
      'FATAL: no luck',
    ],
    ['[1] PANIC:  broken\n[2] FATAL:  the database system is starting up\n', 'PANIC: broken'],
    [
      'postgres: error while loading shared libraries: libx.so\n\n',
      'postgres: error while loading shared libraries: libx.so',
    ],
    ['[1] LOG:  all is well\n', undefined],
    ['', undefined],
  ])('%j is %j', (log, complaint) => {
    expect(lastComplaint(log)).toBe(complaint)
  })
})
