import { systemClock } from '@voelgoed/kit/base/clock'
import { say, tellRootKey } from '@voelgoed/kit/base/terminal'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { demoGuide } from '../demo/seed.ts'
import { seedQuietly } from '../demo/seed-quietly.ts'
import { type Node, startNode } from '../node.ts'
import { firstSteps } from './first-steps.ts'
import { MetricsServer } from './metrics-server.ts'
import type { Serving } from './serving.ts'

/** `VOELGOED_WORKERS=1`: one node, in this process. */
export function singleNode(config: Config, log: Logger): Serving {
  let node: Node | null = null
  let metrics: MetricsServer | null = null
  return {
    async start({ url, isEmbedded, requestLogin }) {
      node = await startNode(config, url, { log, clock: systemClock, requestLogin, tellRootKey })
      const demo = await seedQuietly(config, log, { ...node, embedded: isEmbedded, say })
      const { registry } = node.metrics
      metrics = await MetricsServer.start(config, () => registry.metrics())
      const address = await node.listen()
      const guide = demo ? demoGuide(address, demo) : await firstSteps(node.database)
      return { address, metricsAddress: metrics?.address ?? null, guide }
    },
    async stop(drainSeconds) {
      await node?.drain('stopping', drainSeconds)
      await metrics?.stop()
    },
    hurry() {
      node?.hurry()
    },
  }
}
