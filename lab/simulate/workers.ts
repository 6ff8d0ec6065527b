import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { programArguments } from '../../scripts/build/programs.mjs'
import type { PlanWishes } from './plan.ts'
import type { Order, Report } from './run-order.ts'

/** Few enough that all workers end at about the same time, and enough that talking costs nothing. */
const SEEDS_AT_ONCE = 100

/** Runs seeds in several processes, until all have run or one has found something. */
export async function runInWorkers(
  options: { readonly firstSeed: number; readonly seeds: number; readonly workers: number },
  wishes: PlanWishes,
  /** All seeds before `doneBefore` have run. */
  heard: (report: Report, doneBefore: number) => void,
): Promise<void> {
  const end = options.firstSeed + options.seeds
  let next = options.firstSeed
  const underWay = new Set<number>()
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
        underWay.add(order.firstSeed)
        const report = await ask(order)
        underWay.delete(order.firstSeed)
        heard(report, Math.min(next, ...underWay))
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
  // There is a worker for each core: none needs threads of its own. A run leaves nothing behind, so that a
  // collection that comes seldom finds little that is still alive.
  const execArgv = ['--single-threaded', '--min-semi-space-size=16', '--max-semi-space-size=32']
  const started = programArguments('simulate-worker')
  return fork(started.pop()!, { execArgv: [...execArgv, ...started] })
}
