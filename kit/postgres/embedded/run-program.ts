import { spawn } from 'node:child_process'
import type { RunAs } from './run-as.ts'

/**
 * Postgres's programs get this as environment, in place of ours: PGDATA, PGOPTIONS, LD_LIBRARY_PATH or a
 * language in ours must not decide how it runs. On Windows they get ours, since nothing runs there without.
 */
export const CLEAN_ENVIRONMENT =
  process.platform === 'win32' ? undefined : { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' }

export interface ProgramRun {
  ok: boolean
  /** It wrote this to either stream: at most the last 64 kB are kept. */
  output: string
  /** It could not even be started. */
  spawnError?: NodeJS.ErrnoException
}

export async function runProgram(
  file: string,
  args: string[],
  options: { user: RunAs | undefined; cwd?: string; timeoutMs: number },
): Promise<ProgramRun> {
  const child = spawn(file, args, {
    cwd: options.cwd ?? '/',
    env: CLEAN_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    ...(options.user && { uid: options.user.uid, gid: options.user.gid }),
  })
  let output = ''
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-65_536)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  // Not spawn's own `timeout`: when the program can't be started, that keeps our process from ending until it
  // is over.
  const timeout = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs)
  const ended = new Promise<ProgramRun>(resolve => {
    child.once('error', spawnError => resolve({ ok: false, output, spawnError }))
    child.once('close', (code, signal) => {
      if (signal) output += `\n${file} was ended by ${signal}`
      resolve({ ok: code === 0, output })
    })
  })
  return ended.finally(() => clearTimeout(timeout))
}

export function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1)!.trim()
}
