import { systemClock } from '@voelgoed/kit/base/clock'
import { openLog } from '@voelgoed/kit/base/log'
import { OwnAddressLimits } from '@voelgoed/kit/http/address-limits'
import type { Config } from '../config.ts'
import { type Demo, demoGuide } from '../demo/seed.ts'
import { seedQuietly } from '../demo/seed-quietly.ts'
import { type Node, startNode } from '../node.ts'
import type { Figures, KeeperCalls, WorkerCalls } from './calls.ts'
import { Channel, type Message } from './channel.ts'
import { firstSteps } from './first-steps.ts'
import { SharedAddressLimits } from './shared-address-limits.ts'

/** More than the keeper waits for the workers. */
const METRICS_MS = 7_000

/** One of several processes behind one port: a node that does what its keeper says (see keeper.ts). */
export function runWorker(config: Config): void {
  // The keeper is gone: nothing would look after this process.
  process.once('disconnect', () => process.exit(1))
  // A terminal sends these to the keeper and to its workers; the keeper then says what is to be done.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  let starting: Promise<Node> | null = null
  let log = openLog(config)
  let demo: Demo | null = null

  const figures = async (): Promise<Figures> => {
    const node = await starting
    const all = (await node?.metrics.registry.getMetricsAsJSON()) ?? []
    // JSON has no NaN: Node says it of delays when it has seen none yet.
    return all.map(figure => ({
      ...figure,
      values: figure.values.map(value => (Number.isFinite(value.value) ? value : { ...value, value: 0 })),
    }))
  }
  const keeper: Channel<WorkerCalls, KeeperCalls> = new Channel(send, {
    async begin({ number, count, seedsDemo, database }) {
      log = openLog(config, number)
      const { url, isEmbedded, requestLogin } = database
      const addressLimits = new SharedAddressLimits(new OwnAddressLimits(systemClock), keeper)
      const readMetrics = () => keeper.askWithin(METRICS_MS, 'metrics')
      const worker = { number, count, addressLimits, readMetrics }
      starting = startNode(config, url, { log, clock: systemClock, requestLogin, worker })
      const node = await starting
      if (!seedsDemo) return
      const say = (line: string) => keeper.tell('say', line)
      demo = await seedQuietly(config, log, { ...node, embedded: isEmbedded, say })
    },
    async listen() {
      const node = await starting!
      const address = await node.listen()
      return { address, guide: demo ? demoGuide(address, demo) : await firstSteps(node.database) }
    },
    takeJobs: () => void starting?.then(node => node.takeJobs()),
    async leave(why, drainSeconds) {
      try {
        const node = await starting
        await node?.drain(why, drainSeconds)
        keeper.tell('lastFigures', await figures())
        process.disconnect()
        process.exit(0)
      } catch (error) {
        log.fatal({ err: error }, 'stopping failed')
        process.exit(1)
      }
    },
    hurry: () => void starting?.then(node => node.hurry()),
    figures,
  })
  process.on('message', (message: Message) => keeper.heard(message))
  keeper.tell('loaded')
}

function send(message: Message): void {
  // The keeper may be gone; then this process ends by itself.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
