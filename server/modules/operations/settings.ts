/**
 * A variable of the environment, for those who operate a node. `npm run fix` writes docs/operate/settings.md
 * from this table.
 */
export interface Setting {
  readonly name: string
  /** As a person reads it: `none`, or a rule where there is no single value. */
  readonly standard: string
  readonly meaning: string
}

/** All that config.ts reads, in the order in which an operator meets them. */
export const SETTINGS: readonly Setting[] = [
  setting('PORT', '3000', 'where the node listens; `0`: any free port'),
  setting('HOST', '127.0.0.1', 'the address it listens on. In a container: `0.0.0.0`'),
  setting(
    'DATABASE_URL',
    'none',
    'a Postgres (15 or newer). Without it: an embedded one in `VOELGOED_DATA_DIR`',
  ),
  setting(
    'REDIS_URL',
    'none',
    'a Redis (7.0 or newer), `redis://user:password@host:6379`, or several nodes of a Cluster with commas between; `rediss://` for TLS: [Redis](operating.md#redis)',
  ),
  setting(
    'VOELGOED_BUS',
    '`redis` with `REDIS_URL`, else `postgres`',
    'how nodes tell each other what changed: [several nodes](operating.md#several-nodes)',
  ),
  setting(
    'VOELGOED_WORKERS',
    'the cores, at most 4',
    'processes behind the port: [workers](operating.md#workers). `1`: one, without a keeper',
  ),
  setting(
    'VOELGOED_DATABASE_CONNECTIONS',
    '6 a worker, 10 at least',
    'connections for requests, shared by all workers; lanes have half as many of their own, and each worker three more',
  ),
  setting(
    'VOELGOED_CONNECT_SECONDS',
    '3',
    'how long a request waits for a connection to Postgres before it is answered with 503, and the start, which waits 5 at least',
  ),
  setting('VOELGOED_DATA_DIR', '`.data`', 'files of the embedded Postgres'),
  setting(
    'VOELGOED_ROOT_KEY',
    'random, printed once',
    "the platform's key, 16 to 256 characters: [the platform key](operating.md#the-platform-key)",
  ),
  setting(
    'VOELGOED_LIMITS',
    '`on`',
    '`off` lifts the limits by network address and the rate per session, for load tests; limits by policy stay',
  ),
  setting('VOELGOED_STREAMS_PER_ADDRESS', '1000', 'live streams of one network address on this machine'),
  setting(
    'VOELGOED_TRUST_PROXY',
    'none',
    'addresses or networks whose `X-Forwarded-For` is believed, with commas between',
  ),
  setting(
    'VOELGOED_DEMO',
    '`auto`',
    '`1` creates the demo, `0` does not; `auto`: when the database is empty and embedded, and `HOST` is loopback. Where other machines can reach it, its accounts have a random password, printed when it is made',
  ),
  setting(
    'VOELGOED_REAPER',
    '`on`',
    '`off`: this node tidies up no expired holds, and ends no holds and refunds no orders of cancelled events. One node that does is enough',
  ),
  setting(
    'VOELGOED_METRICS_PORT',
    'none',
    'a port for `/metrics` alone; `PORT` then answers it with 404. `0`: any free one, which the start prints',
  ),
  setting('VOELGOED_METRICS_HOST', '127.0.0.1', 'the address of that port'),
  setting(
    'VOELGOED_DRAIN_SECONDS',
    '5',
    'how long a node that is stopped goes on, until its balancer knows: [stopping](operating.md#stopping)',
  ),
  setting(
    'VOELGOED_KEEP_REFUSALS_DAYS',
    '30',
    'refused attempts and sign-ins: [retention](operating.md#retention)',
  ),
  setting('VOELGOED_KEEP_GUESTS_DAYS', '7', 'guests who never held anything'),
  setting('VOELGOED_KEEP_OCCUPANCY_DAYS', '90', 'snapshots of how full events were'),
  setting('VOELGOED_KEEP_MAILS_DAYS', '90', 'mails that were sent, kept or given up'),
  setting(
    'VOELGOED_VERIFY_HOURS',
    '24',
    'how often one node checks the database: [verify](operating.md#verify); `0`: never this node',
  ),
  setting('PUBLIC_URL', '`http://HOST:PORT`', 'where browsers reach the server: for links and redirects'),
  setting(
    'STRIPE_SECRET_KEY',
    'none',
    'all three of Stripe or none: [payments](../guide/payments.md#stripe)',
  ),
  setting('STRIPE_PUBLISHABLE_KEY', 'none', 'the same mode as the secret key'),
  setting('STRIPE_WEBHOOK_SECRET', 'none', 'of the endpoint; several with commas between'),
  setting(
    'VOELGOED_PAYMENTS',
    '`auto`',
    '`simulator`: simulated cards buy tickets; `none`: they do not; `auto`: with the embedded Postgres on loopback: [payments](../guide/payments.md#the-simulator)',
  ),
  setting(
    'SMTP_URL',
    'none',
    '`smtp://user:password@mail.example.org:587` or `smtps://…`. Without it mails are kept: [mail](mail.md)',
  ),
  setting('MAIL_FROM', 'none', '`Tickets <tickets@example.org>`; set it together with `SMTP_URL`'),
  setting(
    'VOELGOED_PRIVATE_PROVIDERS',
    '`off`',
    '`on`: identity providers may be in private networks, and without TLS on this machine. Leave it off where you do not know every admin: [signing in](../guide/sign-in.md)',
  ),
  setting(
    'VOELGOED_REFUNDS_PER_SECOND',
    '10',
    'orders of cancelled events refunded in a second, by all nodes: [payments](../guide/payments.md#cancelled-events)',
  ),
  setting(
    'VOELGOED_SIMULATOR_SEED',
    'none',
    'for tests: half of the calls to the simulator fail, as follows from it',
  ),
  setting('VOELGOED_LOG_LEVEL', '`info`', '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`'),
  setting('OTEL_EXPORTER_OTLP_ENDPOINT', 'none', 'an OpenTelemetry collector: [traces](operating.md#traces)'),
  setting('OTEL_SERVICE_NAME', '`voelgoed-seating`', 'the name that traces carry'),
]

function setting(name: string, standard: string, meaning: string): Setting {
  return { name, standard, meaning }
}
