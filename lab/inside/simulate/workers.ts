import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { PlanWishes } from './plan.ts'
import type { Order, Report } from './worker.ts'

/** Few enough that all workers end at about the same time, and enough that talking costs nothing. */
const SEEDS_AT_ONCE = 100

/** Runs seeds in several processes, until all have run or one has found something. */
export async function runInWorkers(
  options: { readonly firstSeed: number; readonly seeds: number; readonly workers: number },
  wishes: PlanWishes,
  heard: (report: Report) => void,
): Promise<void> {
  const end = options.firstSeed + options.seeds
  let next = options.firstSeed
  const work = async () => {
    const child = startWorker()
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`a worker of the simulator ended by itself (${code ?? signal})`)
    })
    const ask = async (order: Order): Promise<Report> => {
      child.send(order)
      const [report] = (await Promise.race([once(child, 'message'), ended])) as [Report]
      return report
    }
    try {
      while (next < end) {
        const order = { ...wishes, firstSeed: next, seeds: Math.min(SEEDS_AT_ONCE, end - next) }
        next += order.seeds
        const report = await ask(order)
        heard(report)
        if (report.failed) next = end
      }
    } finally {
      ended.catch(() => {})
      child.kill()
    }
  }
  await Promise.all(Array.from({ length: options.workers }, work))
}

function startWorker(): ChildProcess {
  const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  return fork(file('worker.ts'), { execArgv: ['--import', file('types-off.mjs')] })
}
