import { BlockList, isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { isLoopback } from '@voelgoed/kit/base/loopback'
import { StartupError } from '@voelgoed/kit/base/startup-error'
import { type MailConfig, mailConfig } from './modules/mail/mail-config.ts'

/** Everything the environment decides, parsed once. No other file reads the environment. */
export interface Config {
  readonly host: string
  readonly port: number
  /** The port of /metrics; `null`: it is at `port`, with everything else. */
  readonly metricsPort: number | null
  readonly metricsHost: string
  /** A Postgres to use; `null` means the embedded one in `dataDir`. */
  readonly databaseUrl: string | null
  /** A Redis, or several nodes of a Cluster; empty: there is none. */
  readonly redisUrls: readonly string[]
  /** Nodes tell each other by it what has changed. */
  readonly bus: 'postgres' | 'redis'
  /** Processes behind the port; 1: this process alone, without a keeper. */
  readonly workers: number
  /** For the requests of all workers together. */
  readonly databaseConnections: number
  /** A request waits so long for one of them. */
  readonly connectSeconds: number
  readonly dataDir: string
  readonly rootKey: string | null
  readonly rateLimits: boolean
  /** Live streams that one network address may have open on this machine. */
  readonly streamsPerAddress: number
  /** Addresses or networks whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[]
  /** `null`: create demo data when the database is empty and embedded, and only this machine can reach it. */
  readonly demo: boolean | null
  /** Off: this node tidies nothing up. Correctness does not depend on it; tests show that. */
  readonly reaper: boolean
  /** For how long a node that is stopped goes on taking requests, until its balancer knows. */
  readonly drainSeconds: number
  /** For how many days rows are kept that no history needs. */
  readonly keep: {
    readonly refusalsDays: number
    readonly guestsDays: number
    readonly occupancyDays: number
    readonly mailsDays: number
  }
  /** So often the node holds the database against the invariants; 0: never. */
  readonly verifyHours: number
  readonly logLevel: LogLevel
  /** Where traces go; `null`: there are none, and nothing for them is loaded. */
  readonly tracing: { readonly endpoint: string; readonly serviceName: string } | null
  /** Where browsers reach the server, without a slash at the end; `null`: at the address it listens on. */
  readonly publicUrl: string | null
  /** Stripe takes the money; `null`: simulated cards are taken, or no payments. */
  readonly stripe: {
    readonly secretKey: string
    readonly publishableKey: string
    readonly webhookSecrets: readonly string[]
    readonly isLive: boolean
  } | null
  /** True: simulated cards buy tickets, for which no buyer is charged. */
  readonly simulatedCards: boolean
  /** The server that mails go out by; `null`: mails are kept. */
  readonly mail: MailConfig | null
  /** Orders of cancelled events that are refunded in a second, by all nodes together. */
  readonly refundsPerSecond: number
  /** For tests: the simulator fails by chance, as follows from this; `null`: it does not. */
  readonly simulatorSeed: number | null
  /** True: identity providers of organizations may be in private networks. */
  readonly privateProviders: boolean
  readonly startedByNpm: boolean
}

export type Environment = Readonly<Record<string, string | undefined>>

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
type LogLevel = (typeof LOG_LEVELS)[number]

/** More workers than this help only a machine that has Postgres elsewhere: there the operator says so. */
const STANDARD_WORKERS = 4
const CONNECTIONS_OF_ONE = 10
const CONNECTIONS_OF_EACH = 6
const FEWEST_CONNECTIONS = 2

export function parseConfig(env: Environment, cores = availableParallelism()): Config {
  const redisUrls = redisUrlsOf(env)
  const demo = oneOf(env, 'VOELGOED_DEMO', ['auto', '1', '0'], 'auto')
  const place = {
    host: env.HOST || '127.0.0.1',
    ...metrics(env),
    databaseUrl: postgresUrl(env),
    publicUrl: publicUrl(env),
    demo: { auto: null, '1': true, '0': false }[demo],
  }
  return {
    ...place,
    port: portOf(env),
    redisUrls,
    bus: bus(env, redisUrls),
    ...workersAndConnections(env, cores),
    connectSeconds: whole(env, 'VOELGOED_CONNECT_SECONDS', { from: 1, to: 600, standard: 3 }),
    dataDir: resolve(env.VOELGOED_DATA_DIR || '.data'),
    rootKey: rootKey(env),
    rateLimits: oneOf(env, 'VOELGOED_LIMITS', ['on', 'off'], 'on') === 'on',
    streamsPerAddress: whole(env, 'VOELGOED_STREAMS_PER_ADDRESS', { from: 1, to: 50_000, standard: 1_000 }),
    trustProxy: networks(env),
    reaper: oneOf(env, 'VOELGOED_REAPER', ['on', 'off'], 'on') === 'on',
    drainSeconds: whole(env, 'VOELGOED_DRAIN_SECONDS', { from: 0, to: 3_600, standard: 5 }),
    keep: {
      refusalsDays: whole(env, 'VOELGOED_KEEP_REFUSALS_DAYS', { from: 1, to: 3_650, standard: 30 }),
      guestsDays: whole(env, 'VOELGOED_KEEP_GUESTS_DAYS', { from: 1, to: 3_650, standard: 7 }),
      occupancyDays: whole(env, 'VOELGOED_KEEP_OCCUPANCY_DAYS', { from: 1, to: 3_650, standard: 90 }),
      mailsDays: whole(env, 'VOELGOED_KEEP_MAILS_DAYS', { from: 1, to: 3_650, standard: 90 }),
    },
    verifyHours: whole(env, 'VOELGOED_VERIFY_HOURS', { from: 0, to: 8_760, standard: 24 }),
    logLevel: oneOf(env, 'VOELGOED_LOG_LEVEL', LOG_LEVELS, 'info'),
    tracing: tracing(env),
    ...payments(env, place),
    mail: mailConfig({ url: env.SMTP_URL ?? '', from: env.MAIL_FROM ?? '' }),
    refundsPerSecond: whole(env, 'VOELGOED_REFUNDS_PER_SECOND', { from: 1, to: 100, standard: 10 }),
    simulatorSeed: simulatorSeed(env),
    privateProviders: oneOf(env, 'VOELGOED_PRIVATE_PROVIDERS', ['on', 'off'], 'off') === 'on',
    startedByNpm: env.npm_lifecycle_event === 'start',
  }
}

/** Each worker has connections of its own, so an operator who allows few of them gets few workers. */
function workersAndConnections(
  env: Environment,
  cores: number,
): Pick<Config, 'workers' | 'databaseConnections'> {
  const connections = (standard: number) =>
    whole(env, 'VOELGOED_DATABASE_CONNECTIONS', { from: FEWEST_CONNECTIONS, to: 1_000, standard })
  const most = Math.floor(connections(Number.POSITIVE_INFINITY) / FEWEST_CONNECTIONS)
  const workers = whole(env, 'VOELGOED_WORKERS', {
    from: 1,
    to: 64,
    standard: Math.min(cores, STANDARD_WORKERS, most),
  })
  if (workers > most) {
    throw new StartupError(
      `VOELGOED_DATABASE_CONNECTIONS must be at least ${FEWEST_CONNECTIONS * workers} for VOELGOED_WORKERS=${workers}`,
    )
  }
  return {
    workers,
    databaseConnections: connections(Math.max(CONNECTIONS_OF_ONE, CONNECTIONS_OF_EACH * workers)),
  }
}

function whole(
  env: Environment,
  name: string,
  { from, to, standard }: { from: number; to: number; standard: number },
): number {
  const text = env[name]
  if (text === undefined || text === '') return standard
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < from || value > to) {
    throw new StartupError(`${name} must be a whole number from ${from} to ${to}, not ${quote(text)}`)
  }
  return value
}

function oneOf<const Value extends string>(
  env: Environment,
  name: string,
  values: readonly Value[],
  standard: NoInfer<Value>,
): Value {
  const text = env[name]
  if (text === undefined || text === '') return standard
  const found = values.find(value => value === text)
  if (found === undefined) {
    throw new StartupError(`${name} must be one of ${values.join(', ')}, not ${quote(text)}`)
  }
  return found
}

function portOf(env: Environment): number {
  return whole(env, 'PORT', { from: 0, to: 65_535, standard: 3000 })
}

function metrics(env: Environment): Pick<Config, 'metricsPort' | 'metricsHost'> {
  const none = -1
  const port = whole(env, 'VOELGOED_METRICS_PORT', { from: 0, to: 65_535, standard: none })
  if (port === none && env.VOELGOED_METRICS_HOST) {
    throw new StartupError('VOELGOED_METRICS_HOST needs VOELGOED_METRICS_PORT as well')
  }
  if (port > 0 && port === portOf(env)) {
    throw new StartupError('VOELGOED_METRICS_PORT must be another than PORT')
  }
  return {
    metricsPort: port === none ? null : port,
    metricsHost: env.VOELGOED_METRICS_HOST || '127.0.0.1',
  }
}

function postgresUrl(env: Environment): string | null {
  const text = env.DATABASE_URL
  if (text === undefined || text === '') return null
  // Its value may hold a password: the message must not repeat it.
  if (!URL.canParse(text) || !/^postgres(ql)?:$/.test(new URL(text).protocol)) {
    throw new StartupError('DATABASE_URL must look like postgres://user:password@host:5432/database')
  }
  return text
}

function bus(env: Environment, redisUrls: readonly string[]): Config['bus'] {
  const standard = redisUrls.length > 0 ? 'redis' : 'postgres'
  const chosen = oneOf(env, 'VOELGOED_BUS', ['postgres', 'redis'], standard)
  if (chosen === 'redis' && redisUrls.length === 0) {
    throw new StartupError('VOELGOED_BUS=redis needs REDIS_URL')
  }
  return chosen
}

function redisUrlsOf(env: Environment): string[] {
  const urls = (env.REDIS_URL ?? '')
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
  for (const url of urls) {
    // Its value may hold a password: the message must not repeat it.
    if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol) || new URL(url).hostname === '') {
      throw new StartupError(
        'REDIS_URL must look like redis://user:password@host:6379, or list several nodes of a Cluster, with commas between',
      )
    }
  }
  return urls
}

function tracing(env: Environment): Config['tracing'] {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === undefined || endpoint === '') return null
  // Its value may hold a key: the message must not repeat it.
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw new StartupError('OTEL_EXPORTER_OTLP_ENDPOINT must look like http://collector:4318')
  }
  return { endpoint, serviceName: env.OTEL_SERVICE_NAME || 'voelgoed-seating' }
}

function publicUrl(env: Environment): string | null {
  const text = env.PUBLIC_URL
  if (text === undefined || text === '') return null
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new StartupError(`PUBLIC_URL must look like https://tickets.example.org, not ${quote(text)}`)
  }
  return url.origin
}

/**
 * A simulated card buys real tickets without being charged: such cards are taken where only this machine can
 * buy, and elsewhere if the operator says so.
 */
function payments(
  env: Environment,
  { host, databaseUrl, publicUrl, demo }: Pick<Config, 'host' | 'databaseUrl' | 'publicUrl' | 'demo'>,
): Pick<Config, 'stripe' | 'simulatedCards'> {
  const keys = stripe(env)
  const wanted = oneOf(env, 'VOELGOED_PAYMENTS', ['auto', 'simulator', 'none'], 'auto')
  if (keys && wanted !== 'auto') {
    throw new StartupError(`VOELGOED_PAYMENTS=${wanted} and Stripe's keys: set one of them`)
  }
  const isPrivate = isLoopback(host) && (publicUrl === null || isLoopback(hostOf(publicUrl)))
  const isDemo = databaseUrl === null && isPrivate && demo !== false
  return { stripe: keys, simulatedCards: !keys && (wanted === 'auto' ? isDemo : wanted === 'simulator') }
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '')
}

/** All of the variables or none: with half of them the server would take money and not learn of it. */
function stripe(env: Environment): Config['stripe'] {
  const secretKey = env.STRIPE_SECRET_KEY ?? ''
  const publishableKey = env.STRIPE_PUBLISHABLE_KEY ?? ''
  const webhookSecrets = (env.STRIPE_WEBHOOK_SECRET ?? '')
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
  const given = {
    STRIPE_SECRET_KEY: secretKey !== '',
    STRIPE_PUBLISHABLE_KEY: publishableKey !== '',
    STRIPE_WEBHOOK_SECRET: webhookSecrets.length > 0,
  }
  const names = Object.keys(given) as (keyof typeof given)[]
  const missing = names.filter(name => !given[name])
  if (missing.length === names.length) return null
  if (missing.length > 0) {
    const present = names.filter(name => given[name])
    throw new StartupError(
      `${present.join(' and ')} needs ${missing.join(' and ')} as well: set all three or none`,
    )
  }
  // Their values are secrets: the messages must not repeat them.
  const secret = /^[sr]k_(test|live)_[\w]+$/.exec(secretKey)
  if (!secret)
    throw new StartupError('STRIPE_SECRET_KEY must begin with sk_test_, sk_live_, rk_test_ or rk_live_')
  const publishable = /^pk_(test|live)_[\w]+$/.exec(publishableKey)
  if (!publishable) throw new StartupError('STRIPE_PUBLISHABLE_KEY must begin with pk_test_ or pk_live_')
  if (secret[1] !== publishable[1]) {
    throw new StartupError(
      'STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must both be of the test mode or both be live',
    )
  }
  if (!webhookSecrets.every(webhookSecret => /^whsec_[\w+/=]+$/.test(webhookSecret))) {
    throw new StartupError('STRIPE_WEBHOOK_SECRET must begin with whsec_; several have commas between')
  }
  return { secretKey, publishableKey, webhookSecrets, isLive: secret[1] === 'live' }
}

function simulatorSeed(env: Environment): number | null {
  const none = -1
  const seed = whole(env, 'VOELGOED_SIMULATOR_SEED', { from: 0, to: 2 ** 31, standard: none })
  return seed === none ? null : seed
}

function rootKey(env: Environment): string | null {
  const key = env.VOELGOED_ROOT_KEY
  if (key === undefined || key === '') return null
  if (key.length < 16 || key.length > 256 || /[^\x21-\x7e]/.test(key)) {
    throw new StartupError('VOELGOED_ROOT_KEY must have 16 to 256 printable characters, without spaces')
  }
  return key
}

function networks(env: Environment): string[] {
  const list = (env.VOELGOED_TRUST_PROXY ?? '').split(',').map(part => part.trim())
  const networks = list.filter(part => part !== '')
  for (const network of networks) {
    if (!isNetwork(network)) {
      throw new StartupError(
        `VOELGOED_TRUST_PROXY must list addresses or networks such as 10.0.0.0/8, not ${quote(network)}`,
      )
    }
  }
  return networks
}

function isNetwork(text: string): boolean {
  const [address, prefix, ...rest] = text.split('/')
  const family = isIP(address ?? '')
  if (family === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  if (!/^\d+$/.test(prefix)) return false
  try {
    new BlockList().addSubnet(address!, Number(prefix), family === 6 ? 'ipv6' : 'ipv4')
    return true
  } catch {
    return false
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
