import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { programArguments } from '../../scripts/build/programs.mjs'
import { cleanEnvironment } from '../clean-environment.ts'

/** The repository: programs lie as deep in dist/ as this file in lab/. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const STOPPED_WITHIN_MS = 20_000
const KEPT_BYTES = 200_000

/** A program of the repository, or of a copy of it, in a process of its own, with a channel to it. */
export interface LabProcess {
  readonly child: ChildProcess
  /** The end of what it wrote to standard error. */
  readonly errors: string
  /** The next message that `read` makes something of. Rejects when the process ends before. */
  next<T>(read: (message: object) => T | null): Promise<T>
  /** Asks, waits, insists. */
  stop(): Promise<void>
}

export function startLabProcess(
  name: string,
  { args = [], env = {}, root = ROOT }: { args?: string[]; env?: Record<string, string>; root?: string } = {},
): LabProcess {
  const execArgv = programArguments(name, root)
  const program = execArgv.pop()!
  const child = fork(program, args, {
    cwd: root,
    execArgv,
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    // Ctrl-C in a terminal goes to the whole group: the lab ends its processes itself, in order.
    detached: true,
  })
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-KEPT_BYTES)
  })
  // However the lab ends, none of its processes may go on;
  // and the process that started Postgres must stop it.
  const onExit = () => {
    child.kill('SIGCONT')
    child.kill('SIGTERM')
  }
  process.once('exit', onExit)
  child.once('exit', () => process.off('exit', onExit))
  return {
    child,
    get errors() {
      return errors
    },
    next: read =>
      new Promise((resolve, reject) => {
        const onMessage = (message: object) => {
          const found = read(message)
          if (found === null) return
          child.off('message', onMessage)
          resolve(found)
        }
        child.on('message', onMessage)
        child.once('close', code => reject(new Error(`${name} ended with ${code}: ${errors.slice(-2_000)}`)))
      }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      const bound = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS)
      await exited
      clearTimeout(bound)
    },
  }
}
