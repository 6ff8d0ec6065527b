import { fork } from 'node:child_process'
import { programArguments } from '../../scripts/build/programs.mjs'
import { ROOT } from '../nemesis/lab-process.ts'

/** Others waited so long for an answer during a stretch of time. */
export interface Waits {
  readonly pings: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

export interface Stretch {
  readonly from: number
  readonly to: number
}

type Sample = readonly [at: number, ms: number]

const ENDS_WITHIN_MS = 10_000

/** Watches a server from outside until it is asked how long answers took in each stretch. */
export class StallWatch {
  readonly #child
  readonly #samples: Promise<readonly Sample[]>
  /** Once the process that pings has had its first answer. */
  readonly started: Promise<void>

  constructor(port: number) {
    const execArgv = programArguments('bench-ping')
    const child = fork(execArgv.pop()!, [String(port)], { cwd: ROOT, execArgv })
    this.#child = child
    const ended = new Promise<never>((_, reject) => {
      child.once('exit', code => reject(new Error(`The process that pings ended with ${code}`)))
    })
    ended.catch(() => {})
    const told = <T>(read: (message: unknown) => T | null) =>
      new Promise<T>(resolve => {
        child.on('message', message => {
          const found = read(message)
          if (found !== null) resolve(found)
        })
      })
    this.started = Promise.race([ended, told(message => (message === 'started' ? true : null))]).then(
      () => {},
    )
    this.#samples = Promise.race([
      ended,
      told(message => (Array.isArray(message) ? (message as Sample[]) : null)),
    ])
    this.started.catch(() => {})
    this.#samples.catch(() => {})
  }

  async end<Name extends string>(
    stretches: Readonly<Record<Name, Stretch>>,
  ): Promise<Readonly<Record<Name, Waits>>> {
    const bound = setTimeout(() => this.#child.kill('SIGKILL'), ENDS_WITHIN_MS)
    if (this.#child.connected) this.#child.send('end')
    const samples = await this.#samples.finally(() => clearTimeout(bound))
    const waits = Object.entries<Stretch>(stretches).map(([name, { from, to }]) => [
      name,
      summarize(samples.filter(([at, ms]) => at + ms >= from && at <= to).map(([, ms]) => ms)),
    ])
    return Object.fromEntries(waits)
  }
}

function summarize(ms: readonly number[]): Waits {
  const sorted = [...ms].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { pings: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
}

/** The clock of the stretches: the same in every process of a machine. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now()
}
