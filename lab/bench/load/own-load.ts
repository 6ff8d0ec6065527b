import { monitorEventLoopDelay } from 'node:perf_hooks'

/** A process that makes load measures its own cost, so that it is not mistaken for what it measures. */
export interface OwnLoad {
  readonly seconds: number
  readonly cpuSeconds: number
  /** Timers fired so much later than they were due. */
  readonly delayP50Ms: number
  readonly delayP99Ms: number
  readonly delayMaxMs: number
}

const EVERY_MS = 10

/** From now until the returned function is called. */
export function watchOwnLoad(): () => OwnLoad {
  const delays = monitorEventLoopDelay({ resolution: EVERY_MS })
  delays.enable()
  const startedAt = performance.now()
  const before = process.cpuUsage()
  return () => {
    const cpu = process.cpuUsage(before)
    delays.disable()
    // It counts from one firing to the next, so without any delay it says what it was set to.
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - EVERY_MS) || 0
    return {
      seconds: (performance.now() - startedAt) / 1000,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
      delayP50Ms: late(delays.percentile(50)),
      delayP99Ms: late(delays.percentile(99)),
      delayMaxMs: late(delays.max),
    }
  }
}

/** Adds up what several processes used, and takes the worst delays that any of them had. */
export function togetherOf(loads: readonly OwnLoad[]): OwnLoad {
  const most = (figure: keyof OwnLoad) => Math.max(...loads.map(load => load[figure]))
  return {
    seconds: most('seconds'),
    cpuSeconds: loads.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    delayP50Ms: most('delayP50Ms'),
    delayP99Ms: most('delayP99Ms'),
    delayMaxMs: most('delayMaxMs'),
  }
}
