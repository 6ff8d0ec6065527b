import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { Client } from 'pg'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { programArguments } from '../../../scripts/build/programs.mjs'
import type { BinaryPackage } from './binary-package.ts'
import { findPostmaster } from './find-postmaster.ts'
import type { EmbeddedOptions, EmbeddedPostgres } from './launch.ts'
import { startEmbeddedPostgres } from './launch.ts'
import { readPostmasterPid } from './postmaster-pid.ts'
import { canReach, type RunAs } from './run-as.ts'
import { isSystemError } from './system-error.ts'

export const isRoot = process.getuid?.() === 0

/** Small enough to run several at a time. */
export const SMALL = { shared_buffers: '16MB', max_connections: '20' }

/** A directory that others can enter; it is gone after the test, and so is any Postgres in its `data`. */
export async function scratchDirectory(): Promise<string> {
  const dir = await realpath(await mkdtemp(path.join(os.tmpdir(), 'embedded-postgres-test-')))
  await chmod(dir, 0o755)
  onTestFinished(async () => {
    await killPostmasterOf(dataDirIn(dir))
    await rm(dir, { recursive: true, force: true, maxRetries: 50 })
  })
  return dir
}

export function dataDirIn(scratch: string): string {
  return path.join(scratch, 'data')
}

export function clusterOf(dataDir: string): string {
  return path.join(dataDir, 'postgres', 'cluster')
}

/**
 * One data directory, with a cluster, for all tests of a file that don't need a new one, since initdb takes
 * most of their time. Each test leaves it stopped.
 */
export function sharedDataDirectory(): { path(): Promise<string> } {
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'embedded-postgres-test-'))
    await chmod(dir, 0o755)
    dir = await realpath(dir)
    await (await startEmbeddedPostgres({ dataDir: dataDirIn(dir), settings: SMALL })).stop()
  })
  afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 50 }))
  return {
    path: async () => {
      onTestFinished(() => killPostmasterOf(dataDirIn(dir)))
      return dataDirIn(dir)
    },
  }
}

/** With owners and modes, and three times as fast as fs.cp. */
export async function copyTree(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to])
}

/** With few buffers, and stopped after the test whatever happens. */
export async function startForTest(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ ...options, settings: { ...SMALL, ...options.settings } })
  onTestFinished(() => postgres.stop())
  return postgres
}

export async function isRunning(pid: number, dataDir: string): Promise<boolean> {
  return (await findPostmaster(pid, clusterOf(dataDir))) !== undefined
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

export interface ChildRun {
  options: EmbeddedOptions
  source?: BinaryPackage
  copyPlaces?: string[]
  /** wait: until it is killed. exit: process.exit without stop(). idle: nothing, with nothing left to do. */
  after: 'wait' | 'exit' | 'idle' | 'stop'
  user?: RunAs
}

/** Another process of ours: it starts Postgres, and says how that went. */
export async function startInChild(
  run: ChildRun,
): Promise<{ child: ChildProcess; url: string; pid: number; error?: string }> {
  const child = spawnChild(run)
  const lines = createInterface({ input: child.stdout! })
  const ended = once(child, 'exit').then(() => {
    throw new Error('the child ended before it said anything')
  })
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string]
  lines.close()
  return { child, ...JSON.parse(line) }
}

export function spawnChild(run: ChildRun): ChildProcess {
  const options = { ...run.options, settings: { ...SMALL, ...run.options.settings } }
  const child = spawn(
    process.execPath,
    [...programArguments('test-postgres'), JSON.stringify({ ...run, options })],
    {
      cwd: path.dirname(fileURLToPath(import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true, // a group of its own, as a shell would give it
      ...(run.user && { uid: run.user.uid, gid: run.user.gid }),
    },
  )
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

export async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** A user who is not root: when we are, `nobody`; else ourselves, and nothing needs to change. */
export async function plainUser(): Promise<RunAs | undefined> {
  if (!isRoot) return undefined
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find(entry => entry.startsWith('nobody:'))
  const [name, , uid, gid] = line!.split(':')
  return { name: name!, uid: Number(uid), gid: Number(gid) }
}

export async function giveTo(user: RunAs | undefined, dir: string): Promise<void> {
  if (user) await chown(dir, user.uid, user.gid)
}

/** Can a plain user run our code at all? Not when root has it under a closed home. */
export async function canPlainUserReadUs(): Promise<boolean> {
  const user = await plainUser()
  return user === undefined || canReach(user, path.dirname(fileURLToPath(import.meta.url)))
}

/** Ends what a failed test leaves behind. */
async function killPostmasterOf(dataDir: string): Promise<void> {
  const pid = (await readPostmasterPid(clusterOf(dataDir)).catch(() => undefined))?.pid
  if (pid === undefined || !(await isRunning(pid, dataDir))) return
  try {
    process.kill(pid, 'SIGQUIT')
  } catch (error) {
    if (!isSystemError(error, 'ESRCH')) throw error
  }
  await waitUntil('Postgres has ended', async () => !(await isRunning(pid, dataDir)))
}
