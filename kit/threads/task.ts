import { parentPort, type Transferable, workerData } from 'node:worker_threads'

/** A thread does this with each message; undefined: there is no answer to this one. */
export type Task = (message: never) => unknown

/** An answer whose buffers go over to the thread that asked, instead of being copied. */
export class Handed {
  readonly answer: unknown
  readonly buffers: readonly Transferable[]

  constructor(answer: unknown, arrays: readonly ArrayBufferView[]) {
    this.answer = answer
    this.buffers = arrays.map(({ buffer }) => buffer as ArrayBuffer)
  }
}

/** The other end of thread.ts: the thread loads its own task and no other. */
export async function runTask(tasks: Readonly<Record<string, () => Promise<Task>>>): Promise<void> {
  const task = (await tasks[workerData as string]!()) as (message: unknown) => unknown
  parentPort!.on('message', async message => {
    const answer = await task(message)
    if (answer instanceof Handed) parentPort!.postMessage(answer.answer, answer.buffers)
    else if (answer !== undefined) parentPort!.postMessage(answer)
  })
}
