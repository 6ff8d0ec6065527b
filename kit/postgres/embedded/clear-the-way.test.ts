import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findPackage, prepareBinaries } from './binaries.ts'
import { chooseFreePort } from './choose-port.ts'
import { defaultCopyPlaces } from './copy-binaries.ts'
import { openDataDirectory } from './data-directory.ts'
import { clusterOf, query, scratchDirectory, sharedDataDirectory, startForTest } from './embedded.fixture.ts'
import { askPs, findPostmaster } from './find-postmaster.ts'
import { readPostmasterPid } from './postmaster-pid.ts'
import { chooseUser, pathFor } from './run-as.ts'

const shared = sharedDataDirectory()
// macOS has it, and needs it; some small Linux images don't.
const hasPs = (await askPs(process.pid)) !== undefined

describe('a postmaster.pid', () => {
  it('whose pid another process has by now does not keep Postgres from starting', async () => {
    const dataDir = await shared.path()
    const first = await startForTest({ dataDir })
    const pidFile = path.join(clusterOf(dataDir), 'postmaster.pid')
    const written = await readFile(pidFile, 'utf8')
    await first.stop()

    // Postgres is misled only by a process of its own user. In the same directory, as a shell may be.
    const { uid, gid } = await stat(clusterOf(dataDir))
    const stranger = spawn('sleep', ['60'], { cwd: clusterOf(dataDir), uid, gid })
    onTestFinished(() => {
      stranger.kill()
    })
    await once(stranger, 'spawn')
    await writeFile(pidFile, written.replace(/^\d+/, String(stranger.pid)))

    const second = await startForTest({ dataDir })
    expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(stranger.exitCode).toBeNull()
  })

  it('that a crash left behind, or half of one, is no obstacle', async () => {
    const dataDir = await shared.path()
    const pidFile = path.join(clusterOf(dataDir), 'postmaster.pid')
    await writeFile(pidFile, '999999999\n/elsewhere\n1\n5432\n')
    const second = await startForTest({ dataDir })
    expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await second.stop()
    await writeFile(pidFile, '')
    const third = await startForTest({ dataDir })
    expect(await query(third.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })
})

describe('a running postmaster', () => {
  it('is known by its cluster, its parent and its owner', async () => {
    const elsewhere = await scratchDirectory()
    const dataDir = await shared.path()
    const { pid } = await startForTest({ dataDir })

    const expected = { pid, parentPid: process.pid, ownerPid: process.pid }
    expect(await findPostmaster(pid, clusterOf(dataDir))).toEqual(expected)
    expect(await findPostmaster(pid, elsewhere)).toBeUndefined()
    expect(await findPostmaster(process.pid, clusterOf(dataDir))).toBeUndefined()
    expect(await findPostmaster(999_999_999, clusterOf(dataDir))).toBeUndefined()
  })

  it.runIf(hasPs)('is known to ps', async () => {
    const { pid } = await startForTest({ dataDir: await shared.path() })
    const found = await askPs(pid)
    expect(found?.parentPid).toBe(process.pid)
    expect(found?.command).toContain(`-c voelgoed.owner_pid=${process.pid} -c voelgoed.cluster=`)
    expect(await askPs(999_999_999)).toBeUndefined()
  })

  it('that an operator started by hand is refused and left alone', async () => {
    const dataDir = await shared.path()
    const dir = await openDataDirectory(dataDir, '18')
    const user = await chooseUser(dir.cluster)
    const source = await findPackage({ platform: process.platform, arch: process.arch })
    const { postgres } = await prepareBinaries(source, user, defaultCopyPlaces(dir.path))
    const args = ['-D', await pathFor(user, dir.cluster), '-c', 'unix_socket_directories=']
    args.push('-c', `port=${await chooseFreePort()}`, '-c', 'listen_addresses=127.0.0.1')
    const byHand = spawn(postgres, args, {
      cwd: dir.cluster,
      stdio: 'ignore',
      uid: user?.uid,
      gid: user?.gid,
    })
    onTestFinished(async () => {
      const ended = once(byHand, 'exit')
      byHand.kill('SIGINT')
      await ended
    })
    await waitUntil('it is ready', async () => (await readPostmasterPid(dir.cluster))?.isReady)

    await expect(startForTest({ dataDir })).rejects.toThrow(
      `A Postgres that we did not start, process ${byHand.pid}, is using ${dir.cluster}: stop it`,
    )
    expect(byHand.exitCode).toBeNull()
  })
})
