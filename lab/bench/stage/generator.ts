import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { programArguments } from '../../../scripts/build/programs.mjs'
import { ROOT } from '../../nemesis/lab-process.ts'
import type { Orders } from '../load/main.ts'

/** A process that makes load: one order after another. */
export class Generator {
  readonly #child: ChildProcess
  readonly #ended: Promise<never>
  #orders = 0

  constructor() {
    const execArgv = programArguments('bench-load')
    const program = execArgv.pop()!
    const child = fork(program, { cwd: ROOT, execArgv, serialization: 'advanced' })
    const onExit = () => child.kill('SIGKILL')
    process.once('exit', onExit)
    child.once('exit', () => process.off('exit', onExit))
    this.#child = child
    this.#ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`the load generator ended with ${code ?? signal}`)
    })
    this.#ended.catch(() => {})
  }

  get pid(): number {
    return this.#child.pid!
  }

  give<Kind extends keyof Orders>(
    kind: Kind,
    order: Orders[Kind]['order'],
    say: (line: string) => void = () => {},
  ): Promise<Orders[Kind]['figures']> {
    this.#orders += 1
    const id = this.#orders
    const answer = new Promise<Orders[Kind]['figures']>((resolve, reject) => {
      const onMessage = (told: { id: number; said?: string; figures?: unknown; error?: string }) => {
        if (told.id !== id) return
        if (told.said !== undefined) return say(told.said)
        this.#child.off('message', onMessage)
        if (told.error === undefined) resolve(told.figures as Orders[Kind]['figures'])
        else reject(new Error(told.error))
      }
      this.#child.on('message', onMessage)
      this.#child.send({ id, kind, order })
    })
    return Promise.race([answer, this.#ended])
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.disconnect()
    await exited
  }
}
