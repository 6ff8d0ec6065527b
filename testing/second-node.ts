import { type Clock, systemClock } from '@voelgoed/kit/base/clock'
import type { Time } from '@voelgoed/kit/base/time'
import { type Logger, pino } from 'pino'
import { parseConfig } from '../server/config.ts'
import { type Node, startNode } from '../server/node.ts'
import { ROOT_KEY } from './harness.ts'
import { PATIENT, WITHIN_MS } from './wait-until.ts'

export interface ListeningNode {
  readonly node: Node
  readonly url: string
  close(): Promise<void>
}

/** One more node on a database, in this process, listening on a port of its own. */
export async function startListeningNode(
  databaseUrl: string,
  env: Record<string, string> = {},
  {
    log = pino({ level: 'fatal' }),
    ...options
  }: { pageFolder?: string; log?: Logger; time?: Time; clock?: Clock } = {},
): Promise<ListeningNode> {
  const config = parseConfig({
    VOELGOED_WORKERS: '1',
    VOELGOED_ROOT_KEY: ROOT_KEY,
    VOELGOED_LIMITS: 'off',
    ...PATIENT,
    PORT: '0',
    ...(!env.STRIPE_SECRET_KEY && { VOELGOED_PAYMENTS: 'simulator' }),
    ...env,
  })
  const node = await startNode(config, databaseUrl, {
    ...{ log, clock: systemClock, pagePatienceMs: WITHIN_MS },
    ...options,
  })
  return { node, url: await node.listen(), close: () => node.drain() }
}
