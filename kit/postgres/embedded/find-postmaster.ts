import { readFile, stat } from 'node:fs/promises'
import { isAlive } from './is-alive.ts'
import { runProgram } from './run-program.ts'
import { isSystemError } from './system-error.ts'

export interface RunningPostmaster {
  pid: number
  parentPid: number
  /** Undefined: we did not start it. */
  ownerPid: number | undefined
}

/**
 * Returns what a postmaster of ours carries in its command line, for all to see: who started it, and on which
 * cluster, by device and inode, since the path may be hidden (see `pathFor`) or change. Postgres lets
 * settings with a dot in their name be, whatever they say.
 */
export async function ownerSettings(cluster: string): Promise<Record<string, string>> {
  return { 'voelgoed.owner_pid': String(process.pid), 'voelgoed.cluster': await identityOf(cluster) }
}

/**
 * The process that started it is alive as long as it is its parent: when a process ends, even by kill -9, the
 * system gives its children to another one at that moment. So no lock file can be left behind,
 * and no pid mistaken.
 */
export function hasLivingOwner(postmaster: RunningPostmaster): boolean {
  return postmaster.parentPid === postmaster.ownerPid
}

/**
 * Is `pid` a postmaster on this very cluster? The system gives pids to new processes again,
 * most of all in containers.
 */
export async function findPostmaster(pid: number, cluster: string): Promise<RunningPostmaster | undefined> {
  // On Windows it is expensive to ask what a process is:
  // any process with the pid counts as a Postgres that is not ours.
  if (process.platform === 'win32') {
    return isAlive(pid) ? { pid, parentPid: 0, ownerPid: undefined } : undefined
  }
  const found = process.platform === 'linux' ? await readProc(pid) : await askPs(pid)
  if (found === undefined) return undefined
  const { parentPid, command } = found

  const identity = /\bvoelgoed\.cluster=(\S+)/.exec(command)?.[1]
  if (identity !== undefined) {
    if (identity !== (await identityOf(cluster))) return undefined
    return { pid, parentPid, ownerPid: Number(/\bvoelgoed\.owner_pid=(\d+)/.exec(command)?.[1]) }
  }
  // An operator may have started this one by hand. Postgres's other processes have titles like "postgres:
  // checkpointer".
  const isPostmaster = /(^|\/)postgres( -|\s*$)/.test(command)
  return isPostmaster && (await mayRunOn(pid, cluster, command))
    ? { pid, parentPid, ownerPid: undefined }
    : undefined
}

interface FoundProcess {
  parentPid: number
  /** Its arguments, separated by blanks. */
  command: string
}

/** These two files are for everybody to read. */
async function readProc(pid: number): Promise<FoundProcess | undefined> {
  try {
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    return { parentPid: Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]), command }
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ESRCH')) return undefined
    throw error
  }
}

/** For macOS. */
export async function askPs(pid: number): Promise<FoundProcess | undefined> {
  const args = ['-ww', '-o', 'ppid=', '-o', 'command=', '-p', String(pid)]
  const { output } = await runProgram('ps', args, { user: undefined, timeoutMs: 60_000 })
  const [, parentPid, command] = /^\s*(\d+)\s+(.*)$/m.exec(output) ?? []
  return command === undefined ? undefined : { parentPid: Number(parentPid), command }
}

/** All of Postgres's processes stay in their data directory. */
async function mayRunOn(pid: number, cluster: string, command: string): Promise<boolean> {
  if (process.platform !== 'linux') return command.includes(cluster)
  try {
    return (await identityOf(`/proc/${pid}/cwd`)) === (await identityOf(cluster))
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ESRCH')) return false
    // Root in a container may not look at another user's process: it is safer to take it for one.
    if (isSystemError(error, 'EACCES', 'EPERM')) return true
    throw error
  }
}

async function identityOf(dir: string): Promise<string> {
  const { dev, ino } = await stat(dir, { bigint: true })
  return `${dev}:${ino}`
}
