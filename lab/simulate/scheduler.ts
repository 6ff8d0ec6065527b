import type { Time } from '@voelgoed/kit/base/time'
import { Random } from '../random.ts'

/** A process crashes and freezes as one: it is a node. Its tasks run only while it is alive and awake. */
export class Process {
  readonly name: string
  isAlive = true
  frozenUntil = 0

  constructor(name: string) {
    this.name = name
  }
}

/** One line of the story of a run. */
export interface Traced {
  readonly at: number
  readonly who: string
  readonly what: string
}

interface Task {
  at: number
  readonly tie: number
  readonly process: Process | null
  readonly label: string
  readonly run: () => void
  isCalledOff: boolean
}

/**
 * Virtual time. Everything that waits is a task; the seed decides when each is due, and so their order. No
 * task begins before all promises of the last one have settled, so a seed always gives the same run.
 */
export class Scheduler {
  /** Milliseconds since the beginning of the run. */
  now = 0
  steps = 0
  /** These tasks and notes came in this order. */
  readonly trace: Traced[] = []
  /** After each task of a process. */
  onTask: (process: Process) => void = () => {}
  readonly #random: Random
  readonly #tasks = new TaskHeap()
  /** The process whose task runs now. */
  running: Process | null = null

  constructor(seed: number) {
    this.#random = new Random(seed, 1)
  }

  /** Runs it so many milliseconds from now. Returns how to call that off. */
  schedule(ms: number, process: Process | null, label: string, run: () => void): () => void {
    const at = this.now + Math.max(0, ms)
    return this.#add({ at, tie: this.#random.next(), process, label, run, isCalledOff: false })
  }

  #add(task: Task): () => void {
    this.#tasks.push(task)
    return () => {
      task.isCalledOff = true
    }
  }

  sleep(ms: number, label: string): Promise<void> {
    return new Promise(resolve => this.schedule(ms, null, label, resolve))
  }

  /** A time that this process measures with a clock of its own, which may run too fast or too slow. */
  timeOf(process: Process, clock: { readonly origin: number; readonly rate: number }): Time {
    let last = { at: 0, tie: 0 }
    return {
      now: () => clock.origin + this.now * clock.rate,
      soon: run => {
        // Tasks of one process run in the order in which it asked for them, and anywhere among those of
        // others.
        const { now: at } = this
        const after = last.at === at ? last.tie : 0
        const tie = after + (1 - after) * this.#random.next()
        last = { at, tie }
        this.#add({ at, tie, process, label: 'next turn', run, isCalledOff: false })
      },
      after: (ms, run) => this.schedule(ms / clock.rate, process, 'timer', run),
      every: (ms, run) => {
        let callOff = () => {}
        const again = () => {
          callOff = this.schedule(ms / clock.rate, process, 'timer', () => {
            again()
            run()
          })
        }
        again()
        return () => callOff()
      },
    }
  }

  note(who: string, what: string): void {
    this.trace.push({ at: this.now, who, what })
  }

  /** Until nothing is left to run. False: that took more than so many steps. */
  run(most: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const step = () => {
        try {
          const task = this.#takeNext()
          if (!task || this.steps >= most) {
            resolve(!task)
            return
          }
          this.steps += 1
          this.now = task.at
          const { process: owner } = task
          this.note(owner?.name ?? '-', task.label)
          this.running = owner
          task.run()
          // A tick runs when no promise is left to settle: all that the task has set going has run by then.
          process.nextTick(() => {
            this.running = null
            if (owner) this.onTask(owner)
            void SETTLED.then(step)
          })
        } catch (error) {
          reject(error)
        }
      }
      void SETTLED.then(step)
    })
  }

  #takeNext(): Task | null {
    for (;;) {
      const task = this.#tasks.pop()
      if (!task) return null
      const { process } = task
      if (task.isCalledOff || process?.isAlive === false) continue
      if (!process || process.frozenUntil <= task.at) return task
      task.at = process.frozenUntil
      this.#tasks.push(task)
    }
  }
}

/** Its reactions run like those of any promise; queueMicrotask makes an object for each call besides. */
const SETTLED = Promise.resolve()

/** The first of many, by their time: a binary heap. */
class TaskHeap {
  readonly #heap: Task[] = []

  push(task: Task): void {
    const heap = this.#heap
    let index = heap.length
    heap.push(task)
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(task, heap[parent]!)) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = task
  }

  pop(): Task | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (!last || first === last) return first
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
      if (!isBefore(heap[child]!, last)) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = last
    return first
  }
}

function isBefore(a: Task, b: Task): boolean {
  return a.at < b.at || (a.at === b.at && a.tie < b.tie)
}
