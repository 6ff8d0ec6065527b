import cluster from 'node:cluster'
import { openLog } from '@voelgoed/kit/base/log'
import { giveUp, outliveTerminal, say } from '@voelgoed/kit/base/terminal'
import { whenParentEnds } from '@voelgoed/kit/base/when-parent-ends'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@voelgoed/kit/postgres/embedded/launch'
import type { Logger } from 'pino'
import { type Config, parseConfig } from './config.ts'
import type { Serving } from './keeper/serving.ts'

/** The first process: it looks after the embedded Postgres, the signals, and what stands behind the port. */
async function main(config: Config): Promise<void> {
  const log = openLog(config)
  let embedded: EmbeddedPostgres | null = null
  let stopping: Promise<void> | null = null
  const stop = (reason: string, exitCode: number, drainSeconds = 0) => {
    stopping ??= (async () => {
      log.info({ reason, drain_seconds: drainSeconds }, 'stopping')
      // In this order: requests in flight still need the database.
      await serving.stop(drainSeconds)
      await embedded?.stop()
      process.exit(exitCode)
    })().catch(error => {
      log.fatal({ err: error }, 'stopping failed')
      process.exit(1)
    })
    return stopping
  }
  const serving = await whatServes(config, log, reason => void stop(reason, 1))
  let askedAt: number | null = null
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (askedAt === null) {
        askedAt = performance.now()
        // A person who presses Ctrl-C has no balancer that must hear of it first.
        const seconds = signal === 'SIGINT' && process.stdout.isTTY ? 0 : config.drainSeconds
        if (seconds > 0 && !stopping) say(`Stopping in ${seconds} s; a second signal ends it at once.`)
        void stop(signal, 0, seconds)
      } else if (performance.now() - askedAt > SAME_SIGNAL_MS) serving.hurry()
    })
  }
  // A terminal that closes ends the server; elsewhere SIGHUP asks for new workers.
  if (serving.restart) {
    process.on('SIGHUP', () => (process.stdout.isTTY ? void stop('SIGHUP', 0) : serving.restart?.()))
  }
  if (config.startedByNpm) whenParentEnds(() => stop('npm ended', 0))

  try {
    if (config.databaseUrl === null) {
      say('Starting the embedded Postgres …')
      embedded = await startEmbeddedPostgres({
        dataDir: config.dataDir,
        settings: { max_connections: String(Math.max(100, mostConnections(config) + 20)) },
        onUnexpectedExit: description => {
          log.fatal({ description }, 'the embedded Postgres ended')
          void stop('the embedded Postgres ended', 1)
        },
      })
    }
    const { address, metricsAddress, guide } = await serving.start({
      url: config.databaseUrl ?? embedded!.url,
      isEmbedded: embedded !== null,
      requestLogin: embedded?.requestLogin ?? null,
    })
    for (const line of guide) say(line)
    if (!config.stripe && !config.simulatedCards) say(NO_PAYMENTS)
    if (config.simulatedCards) log.warn('simulated cards buy real tickets here, and are not charged')
    if (metricsAddress !== null) say(`Metrics at ${metricsAddress}`)
    say(`Ready at ${address}  (the API: ${address}/docs)`)
  } catch (error) {
    // A signal came while it started: what then fails is no reason to give up.
    if (stopping) return
    await serving.stop(0).catch(() => {})
    await embedded?.stop().catch(() => {})
    giveUp(error)
  }
}

/** Buyers would find it out first: what costs something can not be paid for on the page. */
const NO_PAYMENTS =
  "No payments are taken here: Stripe's keys are not set (docs/guide/payments.md). The box office and shops of your own sell."

/** One signal may come twice: from a supervisor or a terminal to all processes, and passed on by npm. */
const SAME_SIGNAL_MS = 1_000

/** Each loads what it needs and no more: a keeper never has the server's code in memory. */
async function whatServes(config: Config, log: Logger, fail: (reason: string) => void): Promise<Serving> {
  return config.workers === 1
    ? (await import('./keeper/single-node.ts')).singleNode(config, log)
    : new (await import('./keeper/keeper.ts')).Keeper(config, log, fail)
}

/** Counts all workers, and the one that is started before it replaces another. */
function mostConnections({ workers, databaseConnections }: Config): number {
  return (workers + 1) * (Math.ceil(1.5 * Math.floor(databaseConnections / workers)) + 3)
}

function readConfig(): Config {
  try {
    return parseConfig(process.env)
  } catch (error) {
    return giveUp(error)
  }
}

outliveTerminal()
if (cluster.isWorker) (await import('./keeper/worker.ts')).runWorker(readConfig())
else await main(readConfig())
