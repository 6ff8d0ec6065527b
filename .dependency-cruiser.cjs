/**
 * The directions of imports (ARCHITECTURE.md). `npm run check:borders` fails when one points the wrong way.
 */
const only = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

module.exports = {
  forbidden: [
    only('no-cycles', 'A cycle has no order to read it in.', {}, { circular: true }),
    only(
      'core-is-pure',
      'core runs in the browser as well: it imports itself and pure libraries, nothing else.',
      { path: '^core/', pathNot: '\\.test\\.ts$|/test/' },
      { pathNot: '^core/|^node_modules/(@noble/hashes|typebox)/' },
    ),
    only(
      'server-needs-core-only',
      'server → core. Its tests also use the client, the way an integrator does, the proxy that harms connections, our own Redis, and programs of others.',
      { path: '^server/' },
      { path: '^(web|lab)/', pathNot: '^lab/(faults/postgres-proxy\\.ts$|program\\.ts$|redis/)' },
    ),
    only(
      'server-runs-without-client',
      'server → core',
      { path: '^server/', pathNot: '^server/test/' },
      { path: '^(client|lab)/' },
    ),
    only(
      'lab-stays-outside',
      'The lab drives the server from outside. Only lab/inside runs the server in its own process.',
      { path: '^lab/', pathNot: '^lab/inside/' },
      { path: '^(server|web)/|^lab/inside/' },
    ),
    only('client-needs-core-only', 'client → core', { path: '^client/' }, { path: '^(server|web|lab)/' }),
    only(
      'client-takes-types-only',
      'The contract is types to the client: its schemas would triple what a browser loads.',
      { path: '^client/' },
      { path: '^core/', dependencyTypesNot: ['type-only'] },
    ),
    only(
      'web-needs-client',
      'web → client → core. The tests of the page start the real server.',
      { path: '^web/', pathNot: '^web/test/' },
      { path: '^(server|lab)/' },
    ),
    only(
      'map-stands-alone',
      'The seat map is plain TypeScript: it knows neither the page around it nor the network.',
      { path: '^web/src/map/', pathNot: '\\.test\\.ts$' },
      { path: '^(client|web/src/(?!map/))|^node_modules/svelte/' },
    ),
    only(
      'sql-at-the-bottom',
      'postgres/ knows nothing of what is above it.',
      { path: '^server/src/postgres/', pathNot: '\\.test\\.ts$' },
      {
        path: '^server/src/(http|jobs|live|lane|events|audit|availability|accounts|layouts|warm|redis|registry|payments|mail|tickets|images|demo)/',
      },
    ),
    only(
      'redis-at-the-bottom',
      'redis/ knows nothing of what is above it, and nothing else talks to the client.',
      { path: '^server/src/redis/', pathNot: '\\.test\\.ts$' },
      {
        path: '^server/src/(http|jobs|live|lane|events|audit|availability|accounts|layouts|warm|postgres|registry|payments|tickets|demo)/',
      },
    ),
    only(
      'redis-only-in-redis',
      'Only redis/ talks to Redis: every command has a time-out and goes through the breaker.',
      { path: '^server/src/', pathNot: '^server/src/redis/|\\.test\\.ts$' },
      { path: '^node_modules/(ioredis|cockatiel)/' },
    ),
    only(
      'no-http-below',
      'What is below http/ does not know it; main and demo wire it.',
      {
        path: '^server/src/(accounts|layouts|lane|events|audit|availability|warm|redis|registry|jobs|live|payments|mail|tickets|images)/',
      },
      { path: '^server/src/http/' },
    ),
    only(
      'registry-on-top-of-copies',
      'The registry compares what lane/ and warm/ keep: they do not know it, nor does it know its callers.',
      { path: '^server/src/(accounts|layouts|lane|events|audit|availability|warm|live)/' },
      { path: '^server/src/(registry|jobs)/' },
    ),
    only(
      'siblings',
      'http imports live, whose readers it lets in. Beyond that http, jobs and live do not import each other.',
      { path: '^server/src/(http|jobs|live)/' },
      { path: '^server/src/(http|jobs)/', pathNot: '^server/src/$1/' },
    ),
    only(
      'payments-stand-alone',
      'The gateways know no orders, no seats and no jobs: who uses them comes from outside.',
      { path: '^server/src/payments/', pathNot: '\\.test\\.ts$' },
      {
        path: '^server/src/(jobs|live|lane|events|audit|availability|accounts|layouts|warm|redis|registry|demo)/',
      },
    ),
    only(
      'stripe-only-in-payments',
      'Only payments/stripe talks to Stripe: every call has a time limit, and what it answers is one of ours.',
      { path: '^server/src/', pathNot: '^server/src/payments/stripe/|\\.test\\.ts$' },
      { path: '^node_modules/stripe/' },
    ),
    only(
      'mail-is-below-what-queues-it',
      'mail/ knows no lanes and no jobs: what a mail tells of is read from Postgres when it is sent.',
      { path: '^server/src/mail/', pathNot: '\\.test\\.ts$' },
      { path: '^server/src/(jobs|live|lane|events|audit|availability|layouts|warm|redis|registry|demo)/' },
    ),
    only(
      'smtp-only-in-mail',
      'Only mail/ talks to the mail server: it knows which failures had no effect.',
      { path: '^server/src/', pathNot: '^server/src/mail/|\\.test\\.ts$' },
      { path: '^node_modules/nodemailer/' },
    ),
    only(
      'sharp-only-in-images',
      'Only images/ reads pictures: in a thread of its own, with bounds, and where the package loads.',
      { path: '^server/src/', pathNot: '^server/src/images/|\\.test\\.ts$' },
      { path: '^node_modules/sharp/' },
    ),
    only(
      'sql-only-in-postgres',
      'Only postgres/ and embedded-postgres/ talk to the driver.',
      { path: '^server/src/', pathNot: '^server/src/(embedded-)?postgres/' },
      { path: '^node_modules/pg/' },
    ),
    only(
      'tests-are-leaves',
      'Nothing imports a test.',
      { pathNot: '\\.test\\.ts$|/test/|\\.fixture\\.ts$|^vitest' },
      { path: '\\.test\\.ts$|/test/|\\.fixture\\.ts$' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^web/dist' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.svelte'],
    },
  },
}
