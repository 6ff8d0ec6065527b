import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programArguments } from '../scripts/build/programs.mjs'
import { PATIENT } from './wait-until.ts'

const ROOT = new URL('../', import.meta.url).pathname

/** The product as a process of its own. */
export interface ServerProcess {
  readonly child: ChildProcess
  readonly output: { stdout: string; stderr: string }
  /** The address, once it has said that it is ready. */
  ready(): Promise<string>
  exited(): Promise<number | NodeJS.Signals>
}

interface ProcessOptions {
  /** A file or pipe to write to instead of ours. */
  readonly stderr?: number | undefined
}

export function startProcess(env: Record<string, string>, { stderr }: ProcessOptions = {}): ServerProcess {
  const child = spawn(process.execPath, programArguments('main'), {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      PORT: '0',
      // Several workers are slower to start, and one is what most tests are about.
      VOELGOED_WORKERS: '1',
      VOELGOED_LOG_LEVEL: 'warn',
      // No test waits for a balancer that is not there.
      VOELGOED_DRAIN_SECONDS: '0',
      ...PATIENT,
      ...env,
    },
    stdio: ['ignore', 'pipe', stderr ?? 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  const heard = () => {
    for (const listener of listeners) listener()
  }
  child.stdout!.on('data', chunk => {
    output.stdout += chunk
    heard()
  })
  child.stderr?.on('data', chunk => {
    output.stderr += chunk
    heard()
  })
  const exit = new Promise<number | NodeJS.Signals>(resolve => {
    // Not at 'exit': its last words may still be in the pipes then.
    child.on('close', (code, signal) => resolve(code ?? signal!))
  })
  return {
    child,
    output,
    ready: () =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = /Ready at (http:\S+)/.exec(output.stdout)
          if (match) resolve(match[1]!)
        }
        listeners.add(look)
        look()
        void exit.then(code => reject(new Error(`ended with ${code}: ${output.stderr || output.stdout}`)))
      }),
    exited: () => exit,
  }
}

export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'voelgoed-start-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}
