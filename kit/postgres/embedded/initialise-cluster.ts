import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { StartupError } from '../../base/startup-error.ts'
import type { Binaries } from './binaries.ts'
import type { DataDirectory } from './data-directory.ts'
import { SUPERUSER } from './ensure-database.ts'
import { removeLeftovers } from './remove-leftovers.ts'
import { pathFor, type RunAs } from './run-as.ts'
import { runProgram } from './run-program.ts'
import { isSystemError } from './system-error.ts'

/**
 * Makes `<dataDir>/postgres` with a new cluster and its password. All of it is made under another name and
 * then moved into place, so that a kill in the middle leaves a leftover and never half a cluster. When two
 * processes do this at once, the first to move wins, and the other goes on with the winner's.
 */
export async function initialiseCluster(
  dir: DataDirectory,
  binaries: Binaries,
  user: RunAs | undefined,
): Promise<void> {
  await removeLeftovers(dir.path, 'initdb-')
  const made = await mkdtemp(path.join(dir.path, `initdb-${process.pid}-`))
  try {
    const cluster = path.join(made, 'cluster')
    const passwordFile = path.join(made, 'password')
    await mkdir(cluster, { mode: 0o700 })
    await writePassword(passwordFile)
    if (user) {
      await chmod(made, 0o711)
      await chown(cluster, user.uid, user.gid)
      await chown(passwordFile, user.uid, user.gid)
    }
    await runInitdb(cluster, binaries, user)
    if (user) await chown(passwordFile, 0, 0) // only initdb had to read it
    await moveIntoPlace(made, dir)
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

async function runInitdb(cluster: string, binaries: Binaries, user: RunAs | undefined): Promise<void> {
  const seen = await pathFor(user, cluster)
  const args = [
    ...['--pgdata', seen],
    ...['--username', SUPERUSER],
    ...['--pwfile', `${seen}/../password`],
    // No client gets in without the password, not by a socket either.
    ...['--auth', 'scram-sha-256'],
    // Postgres's own C.UTF-8: by code point, the same on every machine, and safe from a change of the
    // system's sort order under our indexes.
    ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
    '--no-instructions',
  ]
  const run = await runProgram(binaries.initdb, args, { user, cwd: cluster, timeoutMs: 120_000 })
  if (run.ok) return
  const complaint = run.spawnError?.message ?? initdbComplaint(run.output)
  throw new StartupError(
    `Postgres could not create its data in ${path.dirname(path.dirname(cluster))}: ${complaint}`,
  )
}

/** Its error is followed by a word on what it removed. */
function initdbComplaint(output: string): string {
  const lines = output.split('\n').filter(line => line.trim() !== '')
  const complaint =
    lines.findLast(line => /\b(error|FATAL|PANIC):/.test(line)) ?? lines.at(-1) ?? 'no reason given'
  return complaint.trim()
}

async function writePassword(file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    // Fit for a URL as it is.
    await handle.writeFile(`${randomBytes(24).toString('base64url')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function moveIntoPlace(made: string, dir: DataDirectory): Promise<void> {
  await syncDirectory(made)
  try {
    await rename(made, dir.home)
  } catch (error) {
    if (!isSystemError(error, 'ENOTEMPTY', 'EEXIST')) throw error
    return // another process was faster
  }
  await syncDirectory(dir.path)
}

/** A move that the disk has not got would lose all that is committed until it has. */
async function syncDirectory(dir: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
