import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { isSystemError } from './system-error.ts'

export interface PostmasterPid {
  /** Undefined: the file is being written, or a crash has left it empty. */
  pid: number | undefined
  /** Postgres sets it when it takes connections. */
  isReady: boolean
  port: number
  text: string
}

export function postmasterPidFile(cluster: string): string {
  return path.join(cluster, 'postmaster.pid')
}

/** Postgres's own lock on the data directory. It is left behind when the postmaster is killed. */
export async function readPostmasterPid(cluster: string): Promise<PostmasterPid | undefined> {
  let text: string
  try {
    text = await readFile(postmasterPidFile(cluster), 'utf8')
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined
    throw error
  }
  // Lines: pid, directory, start time, port, socket directory, address, shared memory, status. The status is
  // written last, padded with blanks.
  const lines = text.split('\n')
  const pid = Number(lines[0])
  return {
    pid: Number.isInteger(pid) && pid > 0 ? pid : undefined,
    isReady: lines[7]?.trim() === 'ready',
    port: Number(lines[3]),
    text,
  }
}
