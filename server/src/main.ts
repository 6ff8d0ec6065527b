import { pino } from 'pino'
import { systemClock } from './clock.ts'
import { type Config, parseConfig } from './config.ts'
import { demoGuide, seedDemo } from './demo/seed.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres/launch.ts'
import { type Node, startNode } from './node.ts'
import { StartupError } from './startup-error.ts'

/** Says things to a person on standard output; logs go to standard error as JSON lines. */
function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/**
 * Lines leave together, a tenth of a second late at most; when no process reads them, some lines are dropped,
 * so that memory stays bounded.
 */
const LOG_BUFFER = { minLength: 4_096, periodicFlush: 100, maxLength: 16 * 1024 * 1024 }

async function main(): Promise<void> {
  const config = readConfig()
  const log = pino({ level: config.logLevel }, pino.destination({ fd: 2, sync: false, ...LOG_BUFFER }))

  let embedded: EmbeddedPostgres | null = null
  let node: Node | null = null
  let stopping: Promise<void> | null = null
  const stop = (reason: string, exitCode: number) => {
    stopping ??= (async () => {
      log.info({ reason }, 'stopping')
      // In this order: requests in flight still need the database.
      await node?.drain()
      await embedded?.stop()
      log.flush()
      process.exit(exitCode)
    })().catch(error => {
      log.fatal({ err: error }, 'stopping failed')
      process.exit(1)
    })
    return stopping
  }
  process.on('SIGTERM', () => stop('SIGTERM', 0))
  process.on('SIGINT', () => stop('SIGINT', 0))
  if (config.startedByNpm) whenParentEnds(() => stop('npm ended', 0))

  try {
    if (config.databaseUrl === null) {
      say('Starting the embedded Postgres …')
      embedded = await startEmbeddedPostgres({
        dataDir: config.dataDir,
        onUnexpectedExit: description => {
          log.fatal({ description }, 'the embedded Postgres ended')
          void stop('the embedded Postgres ended', 1)
        },
      })
    }
    node = await startNode(config, config.databaseUrl ?? embedded!.url, {
      log,
      clock: systemClock,
      ...(embedded && { requestLogin: embedded.requestLogin }),
      tellRootKey: key => say(`Platform key (shown this once): ${key}`),
    })
    // The demo says what it does in words; its requests need not be in the log as well.
    log.level = config.logLevel === 'info' ? 'warn' : config.logLevel
    const demo = await seedDemo(config, { ...node, embedded: embedded !== null, clock: systemClock, say })
    log.level = config.logLevel
    const address = await node.listen()
    if (demo) for (const line of demoGuide(address, demo)) say(line)
    say(`Ready at ${address}  (the API: ${address}/docs)`)
  } catch (error) {
    await node?.drain().catch(() => {})
    await embedded?.stop().catch(() => {})
    giveUp(error)
  }
}

/**
 * npm passes SIGTERM on to us (`exec` in package.json: a shell in between would keep it to itself), but when
 * npm is killed, or there was a shell after all, we are left behind.
 * That our parent has changed is all we see of it.
 */
function whenParentEnds(ended: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    ended()
  }, 200).unref()
}

function readConfig(): Config {
  try {
    return parseConfig(process.env)
  } catch (error) {
    return giveUp(error)
  }
}

/** One line for what an operator can put right; a stack only for what is our fault. */
function giveUp(error: unknown): never {
  const text =
    error instanceof StartupError
      ? error.message
      : `could not start: ${(error as Error).stack ?? String(error)}`
  process.stderr.write(`voelgoed: ${text}\n`)
  process.exit(1)
}

await main()
