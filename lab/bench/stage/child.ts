import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { programArguments } from '../../../scripts/build/programs.mjs'
import { cleanEnvironment } from '../../clean-environment.ts'
import { ROOT } from '../../nemesis/lab-process.ts'
import { withOpenFiles } from './open-files.ts'

const STOPPED_WITHIN_MS = 30_000

/** A program of the repository in a process of its own, that says something a line at a time. */
export interface Child {
  readonly pid: number
  /** The first line that `read` makes something of. Throws when the process ends before. */
  find<T>(read: (line: string) => T | null): Promise<T>
  /** A line for its standard input. */
  tell(line: string): void
  /** Closes its standard input, sends SIGTERM, waits, insists. */
  stop(): Promise<void>
}

export function startProgram(
  [name, ...args]: readonly [string, ...string[]],
  options: Pick<SpawnOptions, 'env'> & {
    stderr?: 'inherit' | number
    profile?: string | null
    /** More arguments of Node's own. */
    flags?: readonly string[]
    /** The checkout, if it is not this one; `npm run build` was run there. */
    folder?: string | null
  } = {},
): Child {
  const folder = options.folder ? resolve(options.folder) : ROOT
  const [program, all] = withOpenFiles(process.execPath, [
    ...startFlags(folder),
    ...(options.flags ?? []),
    ...profiling(options.profile),
    ...programArguments(name, folder),
    ...args,
  ])
  const child = spawn(program, all, {
    cwd: folder,
    env: { ...cleanEnvironment(), ...options.env },
    stdio: ['pipe', 'pipe', options.stderr ?? 'inherit'],
  })
  // However the lab ends, nothing of it may go on.
  const onExit = () => child.kill('SIGTERM')
  const onSignal = () => process.exit(130)
  process.once('exit', onExit)
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  child.once('exit', () => {
    process.off('exit', onExit)
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  })
  child.stdin!.on('error', () => {})
  const lines = createInterface({ input: child.stdout! })
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('close', code =>
      reject(new Error(`${[name, ...args].join(' ').slice(0, 200)} ended with ${code}`)),
    )
  })
  ended.catch(() => {})
  const findLine = <T>(read: (line: string) => T | null) =>
    new Promise<T>(resolve => {
      const onLine = (line: string) => {
        const found = read(line)
        if (found === null) return
        lines.off('line', onLine)
        resolve(found)
      }
      lines.on('line', onLine)
    })
  return {
    pid: child.pid!,
    find: read => Promise.race([findLine(read), ended]),
    tell: line => void child.stdin!.write(`${line}\n`),
    stop: () => stop(child),
  }
}

/** A profile of where the time goes, written when the process ends. */
function profiling(folder: string | null | undefined): string[] {
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`] : []
}

/** Node's own arguments in `npm start`: what is measured runs as it does in production. */
function startFlags(folder: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return /node (.*?) ?dist\/server\/main\.js/.exec(scripts.start)![1]!.split(' ').filter(Boolean)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.stdin!.end()
  child.kill('SIGTERM')
  const bound = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS)
  await exited
  clearTimeout(bound)
}
