/**
 * The directions of imports (ARCHITECTURE.md). `npm run check:borders` fails when one points the wrong way.
 * Imports between modules are for scripts/rooms.test.ts, which reads their order from server/modules.ts.
 */
const only = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

module.exports = {
  forbidden: [
    only('no-cycles', 'A cycle has no order to read it in.', {}, { circular: true }),
    only(
      'core-is-pure',
      'core runs in the browser as well: it imports itself and pure libraries, nothing else.',
      { path: '^core/', pathNot: '\\.test\\.ts$|/test/' },
      { pathNot: '^core/|^contract/|^node_modules/(@noble/hashes|typebox)/' },
    ),
    only(
      'contract-knows-no-server',
      'The contract is data over the rules: clients, the server and the tests read it.',
      { path: '^contract/', pathNot: '\\.test\\.ts$' },
      { pathNot: '^(core|contract)/|^node_modules/typebox/' },
    ),
    only(
      'server-runs-without-client',
      'The server needs no client and no lab. Its tests use the client, the way an integrator does.',
      { path: '^(kit|engine|server)/', pathNot: '^server/test/|\\.test\\.ts$|\\.fixture\\.ts$' },
      { path: '^(client|web|lab|testing)/' },
    ),
    only(
      'tests-drive-no-lab',
      'The lab drives a server, and the tests of the server need no lab.',
      { path: '^(kit|engine|server|testing)/' },
      { path: '^(web|lab)/' },
    ),
    only(
      'lab-stays-outside',
      'The lab drives the server from outside. Only lab/simulate and lab/bench/inside run it in their own process.',
      { path: '^lab/', pathNot: '^lab/(simulate|bench/inside)/' },
      { path: '^(kit|engine|server|web)/|^lab/(simulate|bench/inside)/' },
    ),
    only(
      'client-needs-contract-only',
      'client → contract → core',
      { path: '^client/' },
      { path: '^(kit|engine|server|testing|web|lab)/' },
    ),
    only(
      'client-takes-types-only',
      'The contract is types to the client: its schemas would triple what a browser loads.',
      { path: '^client/' },
      { path: '^(core|contract)/', dependencyTypesNot: ['type-only'] },
    ),
    only(
      'web-needs-client',
      'web → client → contract → core. The tests of the page start the real server.',
      { path: '^web/', pathNot: '^web/test/' },
      { path: '^(kit|engine|server|testing|lab)/' },
    ),
    only(
      'pages-stand-apart',
      'Buyers, console, gate and embed share the kit and the map, and nothing else of the page.',
      { path: '^web/src/(buyer|console|gate|embed)/', pathNot: '\\.test\\.ts$' },
      { path: '^web/src/', pathNot: '^web/src/($1|kit|map)/' },
    ),
    only(
      'kit-knows-no-page',
      'The kit of the page is below its users.',
      { path: '^web/src/kit/', pathNot: '\\.test\\.ts$' },
      { path: '^web/src/(?!kit/|map/)' },
    ),
    only(
      'map-stands-alone',
      'The seat map is plain TypeScript: it knows neither the page around it nor the network.',
      { path: '^web/src/map/', pathNot: '\\.test\\.ts$' },
      { path: '^(client|web/src/(?!map/))|^node_modules/svelte/' },
    ),
    only(
      'kit-knows-no-seats',
      'Any server needs the kit: what it asks of events or people is a port.',
      { path: '^kit/', pathNot: '\\.test\\.ts$|\\.fixture\\.ts$' },
      { path: '^(engine|server)/' },
    ),
    only(
      'engine-knows-no-http',
      'The engine decides and commits: who asked, and over which wire, is not its business.',
      { path: '^engine/' },
      { path: '^kit/http/' },
    ),
    only(
      'engine-knows-no-module',
      'The engine asks its ports: modules implement them, and stand above it.',
      { path: '^engine/', pathNot: '\\.test\\.ts$' },
      { path: '^server/' },
    ),
    only(
      'http-only-above',
      'Only the server, its modules and their routes know kit/http.',
      { path: '^kit/(base|metrics|threads|jobs|redis|postgres|audit)/' },
      { path: '^kit/http/' },
    ),
    only(
      'drivers-in-one-place',
      'Each driver has one door: every call has a time limit there, and what it answers is one of ours.',
      {
        path: '^(kit|engine|server)/',
        pathNot:
          '\\.test\\.ts$|^server/test/|^kit/(postgres|redis)/|^server/modules/(payments|mail|images)/|^server/commands/',
      },
      { path: '^node_modules/(pg|ioredis|cockatiel|stripe|nodemailer|sharp)/' },
    ),
    only(
      'stripe-only-in-payments',
      'Only payments talks to Stripe.',
      { path: '^(kit|engine|server)/', pathNot: '^server/modules/payments/stripe/|\\.test\\.ts$' },
      { path: '^node_modules/stripe/' },
    ),
    only(
      'tests-are-leaves',
      'Nothing imports a test.',
      { pathNot: '^lab/|\\.test\\.ts$|/test/|^testing/|\\.fixture\\.ts$|^vitest' },
      { path: '\\.test\\.ts$|/test/|^testing/|\\.fixture\\.ts$' },
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
