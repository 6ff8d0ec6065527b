import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { WITHIN_MS } from '@voelgoed/testing/wait-until'
import { programArguments } from '../scripts/build/programs.mjs'
import { cleanEnvironment } from './clean-environment.ts'
import { ROOT } from './nemesis/lab-process.ts'

/** The real server as a process of its own, on an empty embedded Postgres in a temporary directory. */
export interface SpawnedServer {
  readonly pid: number
  readonly port: number
  readonly url: string
  readonly rootKey: string
  /**
   * The server wrote these to standard error: log lines of level warn and above, and all that is no log line.
   */
  readonly complaints: readonly Complaint[]
  /** The server ended for this reason without being asked to. */
  readonly ended: string | null
  memory(): Memory | null
  /** Asks, waits, insists; then removes the directory. Idempotent. */
  stop(): Promise<void>
}

export interface Complaint {
  readonly level: 'warn' | 'error'
  readonly text: string
}

/** The server's own process has these; its Postgres is another one. */
export interface Memory {
  readonly rssBytes: number
  /** The most it ever had. */
  readonly peakBytes: number
}

const READY_WITHIN_MS = WITHIN_MS
/** The server itself gives requests 15 s to finish, and then stops its Postgres. */
const STOPPED_WITHIN_MS = 30_000
const KEPT_COMPLAINTS = 1_000

export async function spawnServer(): Promise<SpawnedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'voelgoed-lab-'))
  const dataDir = join(folder, 'data')
  const rootKey = 'root-key-of-the-lab'
  const child = spawn(process.execPath, programArguments('main'), {
    cwd: ROOT,
    env: serverEnvironment({ dataDir, rootKey }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const complaints: Complaint[] = []
  createInterface({ input: child.stderr }).on('line', line => {
    const complaint = readComplaint(line)
    if (complaint && complaints.length < KEPT_COMPLAINTS) complaints.push(complaint)
  })
  let ended: string | null = null
  let isStopping = false
  child.once('exit', (code, signal) => {
    if (!isStopping) ended = signal ? `killed by ${signal}` : `exit code ${code}`
  })

  let stopping: Promise<void> | undefined
  const stop = () => {
    isStopping = true
    stopping ??= end(child, dataDir).then(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    return stopping.finally(() => {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
      process.off('exit', onExit)
    })
  }
  const onSignal = () => void stop().finally(() => process.exit(130))
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  // Only when the lab itself breaks; the server then stops its Postgres, and the directory stays.
  const onExit = () => child.kill('SIGTERM')
  process.once('exit', onExit)

  try {
    const url = await readAddress(child)
    return {
      pid: child.pid!,
      port: Number(new URL(url).port),
      url,
      rootKey,
      complaints,
      get ended() {
        return ended
      },
      memory: () => readMemory(child.pid!),
      stop,
    }
  } catch (error) {
    await stop()
    const lines = complaints.map(({ text }) => text).join('\n')
    throw new Error(`The server did not start: ${(error as Error).message}\n${lines}`)
  }
}

function serverEnvironment({ dataDir, rootKey }: { dataDir: string; rootKey: string }): NodeJS.ProcessEnv {
  return {
    ...cleanEnvironment(),
    PORT: '0',
    VOELGOED_DATA_DIR: dataDir,
    VOELGOED_ROOT_KEY: rootKey,
    VOELGOED_DEMO: '0',
    VOELGOED_DRAIN_SECONDS: '0',
    VOELGOED_PAYMENTS: 'simulator',
    VOELGOED_WORKERS: '1',
    VOELGOED_LIMITS: 'off',
    // A machine that has no time for Postgres is not what these runs look for.
    VOELGOED_CONNECT_SECONDS: '120',
    VOELGOED_LOG_LEVEL: 'warn',
  }
}

function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const bound = setTimeout(
      () => reject(new Error(`it was not ready within ${READY_WITHIN_MS / 1000} s`)),
      READY_WITHIN_MS,
    )
    const fail = (message: string) => {
      clearTimeout(bound)
      reject(new Error(message))
    }
    child.once('error', error => fail(error.message))
    child.once('close', (code, signal) => fail(signal ? `killed by ${signal}` : `exit code ${code}`))
    createInterface({ input: child.stdout! }).on('line', line => {
      const match = /^Ready at (http:\S+)/.exec(line)
      if (!match) return
      clearTimeout(bound)
      resolve(match[1]!)
    })
  })
}

const WARN = 40
const ERROR = 50

function readComplaint(line: string): Complaint | null {
  try {
    const { level } = JSON.parse(line) as { level?: unknown }
    if (typeof level === 'number') {
      if (level < WARN) return null
      return { level: level < ERROR ? 'warn' : 'error', text: line }
    }
  } catch {
    // No log line: what Node writes when a process breaks, or what the server says when it can't start.
  }
  return { level: 'error', text: line }
}

/** Null where there is no /proc. */
export function readMemory(pid: number): Memory | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/status`, 'latin1')
  } catch {
    return null
  }
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1])
  const memory = { rssBytes: kilobytes('VmRSS') * 1024, peakBytes: kilobytes('VmHWM') * 1024 }
  return Number.isNaN(memory.rssBytes + memory.peakBytes) ? null : memory
}

async function end(child: ChildProcess, dataDir: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const exited = new Promise<boolean>(resolve => child.once('exit', () => resolve(true)))
    child.kill('SIGTERM')
    const bound = new AbortController()
    const late = delay(STOPPED_WITHIN_MS, false, { signal: bound.signal }).catch(() => false)
    const isGone = await Promise.race([exited, late])
    bound.abort()
    if (!isGone) {
      child.kill('SIGKILL')
      await exited
    }
  }
  await endOrphanedPostgres(dataDir)
}

/** A server that is killed leaves its Postgres behind. The directory is ours, so what runs on it is too. */
async function endOrphanedPostgres(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0])
  if (!Number.isInteger(pid) || pid <= 1) return
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    try {
      process.kill(pid, signal)
      for (let tries = 0; tries < 100; tries += 1) {
        process.kill(pid, 0)
        await delay(50)
      }
    } catch {
      return
    }
  }
}
