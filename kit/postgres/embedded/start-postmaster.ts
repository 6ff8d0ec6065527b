import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../base/startup-error.ts'
import type { Binaries } from './binaries.ts'
import { chooseFreePort } from './choose-port.ts'
import { clearTheWay } from './clear-the-way.ts'
import type { DataDirectory } from './data-directory.ts'
import { DEFAULT_SETTINGS } from './default-settings.ts'
import { ownerSettings } from './find-postmaster.ts'
import { lastComplaint, openLog, readLog } from './log-file.ts'
import { readPostmasterPid } from './postmaster-pid.ts'
import { pathFor, type RunAs } from './run-as.ts'
import { CLEAN_ENVIRONMENT } from './run-program.ts'
import { stopPostmaster } from './stop-postmaster.ts'

/** Recovery after a crash replays at most max_wal_size, 1 GB: well below a minute on a slow disk. */
const READY_WITHIN_MS = 120_000
/** For how long we try again when what is in the way is likely to go. */
const RETRY_FOR_MS = 20_000

export interface PostmasterSetup {
  dir: DataDirectory
  binaries: Binaries
  user: RunAs | undefined
  settings: Record<string, string>
  choosePort?: () => Promise<number>
}

export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** Resolves with why, when it has ended: because it was stopped, or for whatever reason. */
  readonly ended: Promise<string>
  /** Idempotent. */
  stop(): Promise<void>
}

/** Resolves when Postgres takes connections. */
export async function startPostmaster(setup: PostmasterSetup): Promise<Postmaster> {
  const choosePort = setup.choosePort ?? chooseFreePort
  const giveUpAt = Date.now() + RETRY_FOR_MS
  for (;;) {
    await clearTheWay(setup.dir)
    const attempt = await tryToStart(setup, await choosePort())
    if ('postmaster' in attempt) return attempt.postmaster
    if (!mayGoAway(attempt.log) || Date.now() > giveUpAt) {
      throw new StartupError(
        `Postgres did not start: ${lastComplaint(attempt.log) ?? attempt.reason} (its log is ${setup.dir.logFile})`,
      )
    }
    await delay(50)
  }
}

function mayGoAway(log: string): boolean {
  return (
    // Another process took the port before Postgres did: another port will do.
    log.includes('could not create any TCP/IP sockets') ||
    // The postmaster was killed, and its children are about to notice.
    log.includes('pre-existing shared memory block') ||
    // Another process started one meanwhile: clearTheWay says so at the next try.
    /lock file ".*postmaster\.pid"/.test(log)
  )
}

type Attempt = { postmaster: Postmaster } | { log: string; reason: string }

async function tryToStart(setup: PostmasterSetup, port: number): Promise<Attempt> {
  const { dir, binaries, user } = setup
  const settings = {
    ...(await ownerSettings(dir.cluster)),
    ...DEFAULT_SETTINGS,
    ...setup.settings,
    port: String(port),
    listen_addresses: '127.0.0.1',
    // A socket's path may have 107 bytes, which a data directory easily exceeds. No client needs one.
    unix_socket_directories: '',
  }
  const args = ['-D', await pathFor(user, dir.cluster)]
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)

  const log = await openLog(dir.logFile)
  let postmaster: Postmaster
  try {
    const child = spawn(binaries.postgres, args, {
      cwd: dir.cluster,
      env: CLEAN_ENVIRONMENT,
      // A file, not a pipe: Postgres must be able to write when we are gone.
      stdio: ['ignore', log.handle.fd, log.handle.fd],
      // A process group of its own: Ctrl-C in a terminal goes to the whole group, and Postgres has to stay
      // until what is in flight is done.
      detached: true,
      windowsHide: true,
      ...(user && { uid: user.uid, gid: user.gid }),
    })
    // At once: its end would go unnoticed if it came while we wait for something else.
    postmaster = superviseChild(child, port)
  } finally {
    await log.handle.close()
  }
  const reason = await whyNotReady(postmaster, dir.cluster).catch(async error => {
    await postmaster.stop()
    throw error
  })
  if (reason === undefined) return { postmaster }
  return { log: await readLog(dir.logFile, log.startsAt), reason }
}

/** Waits until it is ready. When it won't be, it has ended. */
async function whyNotReady(postmaster: Postmaster, cluster: string): Promise<string | undefined> {
  const end: { reason?: string } = {}
  postmaster.ended.then(reason => {
    end.reason = reason
  })
  const deadline = Date.now() + READY_WITHIN_MS
  while (end.reason === undefined) {
    const written = await readPostmasterPid(cluster)
    if (written?.pid === postmaster.pid && written.isReady) return undefined
    if (Date.now() > deadline) {
      await postmaster.stop()
      return `it was not ready within ${READY_WITHIN_MS / 1000} s`
    }
    await delay(5)
  }
  return end.reason
}

function superviseChild(child: ChildProcess, port: number): Postmaster {
  // We exit without stop(): it must not go on behind our back. After a kill -9 of ours it does, and the next
  // start finds it. (On Windows a signal is the end at once, from which the next start recovers.)
  const stopWithUs = () => child.kill('SIGINT')
  process.once('exit', stopWithUs)
  // It alone is no reason for our process to go on.
  child.unref()

  const ended = new Promise<string>(resolve => {
    // Also emitted when a signal can't be sent, which is not its end.
    child.on('error', error => child.pid === undefined && resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ? `killed by ${signal}` : `exit code ${code}`))
  }).finally(() => process.off('exit', stopWithUs))

  let stopping: Promise<void> | undefined
  const stop = async () => {
    child.ref()
    await stopPostmaster({
      signal: signal => child.kill(signal),
      endsWithin: ms => endsWithin(ended, ms),
    })
  }
  return {
    pid: child.pid ?? 0,
    port,
    ended,
    stop: () => {
      stopping ??= stop()
      return stopping
    },
  }
}

async function endsWithin(ended: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController()
  try {
    return await Promise.race([
      ended.then(() => true),
      delay(ms, false, { signal: waiting.signal }).catch(() => false),
    ])
  } finally {
    waiting.abort()
  }
}
