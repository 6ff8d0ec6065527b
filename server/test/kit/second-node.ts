import { type Logger, pino } from 'pino'
import { systemClock } from '../../src/clock.ts'
import { parseConfig } from '../../src/config.ts'
import { type Node, startNode } from '../../src/node.ts'
import { ROOT_KEY } from './harness.ts'

export interface ListeningNode {
  readonly node: Node
  readonly url: string
  close(): Promise<void>
}

/** One more node on a database, in this process, listening on a port of its own. */
export async function startListeningNode(
  databaseUrl: string,
  env: Record<string, string> = {},
  { log = pino({ level: 'fatal' }), ...page }: { pageFolder?: string; log?: Logger } = {},
): Promise<ListeningNode> {
  const config = parseConfig({
    VOELGOED_WORKERS: '1',
    VOELGOED_ROOT_KEY: ROOT_KEY,
    VOELGOED_LIMITS: 'off',
    PORT: '0',
    ...(!env.STRIPE_SECRET_KEY && { VOELGOED_PAYMENTS: 'simulator' }),
    ...env,
  })
  const node = await startNode(config, databaseUrl, { log, clock: systemClock, ...page })
  return { node, url: await node.listen(), close: () => node.drain() }
}
