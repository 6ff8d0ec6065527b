import type { Logger } from 'pino'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { demoGuide } from './demo/seed.ts'
import { seedQuietly } from './demo/seed-quietly.ts'
import { type Node, startNode } from './node.ts'
import type { Serving } from './serving.ts'
import { say, tellRootKey } from './terminal.ts'

/** `VOELGOED_WORKERS=1`: one node, in this process. */
export function singleNode(config: Config, log: Logger): Serving {
  let node: Node | null = null
  return {
    async start({ url, isEmbedded, requestLogin }) {
      node = await startNode(config, url, { log, clock: systemClock, requestLogin, tellRootKey })
      const demo = await seedQuietly(config, log, { ...node, embedded: isEmbedded, say })
      const address = await node.listen()
      return { address, guide: demo ? demoGuide(address, demo) : [] }
    },
    async stop(drainSeconds) {
      await node?.drain('stopping', drainSeconds)
    },
    hurry() {
      node?.hurry()
    },
  }
}
