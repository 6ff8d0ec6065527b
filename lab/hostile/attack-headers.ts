import { paramNames, type Route } from '@voelgoed/contract/route'
import type { Random } from '../random.ts'
import type { Attack } from './attack.ts'
import { type Draft, setHeader } from './draft.ts'
import type { Ground } from './ground.ts'
import { authorization, goodToken, pathOf } from './honest.ts'

const HARMLESS_HEADERS: readonly [string, readonly string[]][] = [
  [
    'accept',
    ['*/*', 'text/html', '', ';;;', 'application/json;q=2', 'x'.repeat(3_000), 'application/octet-stream'],
  ],
  [
    'accept-encoding',
    ['', '*', 'br;q=0', 'gzip;q=1;q=0', 'zstd', ',,,', 'br, '.repeat(500), 'identity;q=0, *;q=0'],
  ],
  ['if-none-match', ['*', '""', 'W/""', '"x", "y"', '"', '"a"'.repeat(500), '\xff']],
  ['if-modified-since', ['yesterday', 'Thu, 01 Jan 1970 00:00:00 GMT']],
  ['range', ['bytes=0-', 'bytes=-1', 'bytes=9-0', 'bytes=0-0,1-1,2-2']],
  ['x-request-id', ['', 'x'.repeat(101), 'a b', '\xe9', '../..', '"', 'ok-1', '<x>', '%00']],
  ['x-forwarded-for', ['1.2.3.4', 'x', '::1, 10.0.0.1', '999.1.1.1', "1.1.1.1'; --"]],
  ['x-http-method-override', ['DELETE']],
  ['last-event-id', ['-1', '1e999', 'x', '9223372036854775808']],
  ['origin', ['null', 'https://evil.example', '\xff']],
  ['cookie', ['a=b', '=', ';;;', 'x'.repeat(4_000), '__proto__=1']],
  [
    'user-agent',
    ['', 'x'.repeat(5_000), '\xff\xfe', '\xed\xa0\x80', '\xf0\x9f\x98\x80'.repeat(100), '%00', "'; --"],
  ],
  ['host', ['', 'evil.example', 'a b', '\xff', 'localhost:99999', '[::1', 'x'.repeat(3_000)]],
  ['forwarded', ['for=1.2.3.4;proto=https', 'for="_']],
  ['te', ['trailers', 'chunked']],
]

const IDEMPOTENCY_KEYS = [
  ...[
    '',
    ' ',
    'x'.repeat(255),
    'x'.repeat(256),
    'x'.repeat(5_000),
    '\xff',
    '\xe9',
    '%00',
    'a, b',
    '"',
    "'; --",
    '0',
  ],
]

const BROKEN_LINES = [
  ...[
    'no colon',
    ': no name',
    'a b: c',
    'x\0y: z',
    'x: a\0b',
    'x: a\rb',
    'x: a\nb',
    ' folded',
    '\tfolded',
    'x : y',
  ],
  ...['\xff: y', 'x: \x01', 'x: \x7f', 'é: y', 'x: y\r', '(x): y', 'x[]: y', '{: }'],
]

export const HEADER_ATTACKS: readonly Attack[] = [
  {
    name: 'headers: odd values',
    weight: 7,
    apply(draft, random) {
      for (let count = random.between(1, 4); count > 0; count -= 1) {
        const [name, values] = random.pick(HARMLESS_HEADERS)
        setHeader(draft, name, random.pick(values))
      }
    },
  },
  {
    name: 'headers: expect, upgrade',
    weight: 0.7,
    apply(draft, random) {
      draft.alone = true
      draft.mayClose = true
      const ways: [string, string][][] = [
        [['expect', '100-continue']],
        [['expect', 'miracles']],
        [
          ['connection', 'Upgrade'],
          ['upgrade', 'websocket'],
        ],
        [
          ['connection', 'Upgrade, HTTP2-Settings'],
          ['upgrade', 'h2c'],
          ['http2-settings', ''],
        ],
        [['connection', 'close, keep-alive, x']],
      ]
      draft.headers.push(...random.pick(ways))
    },
  },
  {
    name: 'headers: duplicated',
    weight: 3,
    apply(draft, random) {
      const twice = random.pick(draft.headers)
      const again = random.pick([twice[1], '', 'x', 'Bearer x', 'application/json'])
      draft.headers.push([twice[0], again])
      draft.alone = twice[0] === 'host'
      draft.mayClose = draft.alone
    },
  },
  {
    name: 'headers: broken lines',
    weight: 1.5,
    apply(draft, random) {
      const line = random.pick(BROKEN_LINES)
      const colon = line.indexOf(':')
      draft.headers.splice(random.below(draft.headers.length + 1), 0, [
        colon === -1 ? line : line.slice(0, colon),
        colon === -1 ? '' : line.slice(colon + 1),
      ])
      draft.alone = true
      draft.mayClose = true
    },
  },
  {
    name: 'headers: very long or many',
    weight: 0.7,
    apply(draft, random) {
      draft.alone = true
      draft.mayClose = true
      const ways: (() => void)[] = [
        () => draft.headers.push(['x-long', 'x'.repeat(random.pick([8_000, 15_000, 20_000, 100_000]))]),
        () => draft.headers.push(['x'.repeat(random.pick([8_000, 20_000])), 'x']),
        () => {
          const many = random.pick([100, 500, 1_500, 3_000])
          for (let count = 0; count < many; count += 1) draft.headers.push([`x-${count}`, '1'])
        },
        () =>
          setHeader(draft, 'authorization', `Bearer ${'x'.repeat(random.pick([512, 513, 8_000, 20_000]))}`),
      ]
      random.pick(ways)()
    },
  },
  {
    name: 'headers: idempotency key',
    weight: 5,
    applies: route => route.idempotencyKey === true,
    apply(draft, random) {
      setHeader(draft, 'idempotency-key', random.pick(IDEMPOTENCY_KEYS))
      if (random.chance(0.2)) draft.headers.push(['idempotency-key', random.pick(IDEMPOTENCY_KEYS)])
    },
  },
]

function wrongTokens(good: string, ground: Ground, random: Random): (string | null)[] {
  // The organization and the secret are base64url, so each may hold an underscore of its own.
  const [, prefix = '', organization = '', secret = ''] =
    /^([^_]+)_(.{22})_(.+)$/.exec(ground.ours.tokens.admin) ?? []
  return [
    null,
    '',
    'Bearer',
    'Bearer ',
    'bearer  x',
    good,
    `Basic ${Buffer.from(`admin:${good}`).toString('base64')}`,
    `Token ${good}`,
    `Bearer ${good.slice(0, -1)}`,
    `Bearer ${good.slice(0, random.below(good.length))}`,
    `Bearer ${good}x`,
    `Bearer ${good} x`,
    `Bearer ${good}, Bearer ${good}`,
    `Bearer "${good}"`,
    `Bearer ${good.toUpperCase()}`,
    `Bearer ${prefix}_${organization}_${random.hex(43)}`,
    `Bearer ${prefix}_${random.hex(22)}_${secret}`,
    `Bearer ${prefix}_${organization}_`,
    `Bearer ${prefix}__${secret}`,
    `Bearer ${'A'.repeat(512)}`,
    `Bearer ${ground.signedOutToken}`,
    'Bearer null',
    'Bearer undefined',
    'Bearer __proto__',
    'Bearer \xff\xfe',
    'Bearer eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYWRtaW4ifQ.',
    "Bearer ' or 1=1; --",
  ]
}

const isClosed = (route: Route) => route.access !== 'public'
const isTenants = (route: Route) => isClosed(route) && route.access !== 'root'

function refuseToken(draft: Draft, value: string | null): void {
  setHeader(draft, 'authorization', value)
  draft.mustBeRefused = true
}

export const TOKEN_ATTACKS: readonly Attack[] = [
  {
    name: 'token: none, broken or of another scheme',
    weight: 5,
    applies: isClosed,
    apply(draft, random, ground) {
      const good = goodToken(draft.route, ground, random)!
      refuseToken(draft, random.pick(wrongTokens(good, ground, random).filter(value => !isGood(value, good))))
    },
  },
  {
    name: 'token: root key on a tenant route',
    weight: 1.5,
    applies: isTenants,
    apply: (draft, _random, ground) => refuseToken(draft, authorization(ground.rootKey)),
  },
  {
    name: 'token: tenant on a platform route',
    weight: 3,
    applies: route => route.access === 'root',
    apply: (draft, random, ground) =>
      refuseToken(draft, authorization(random.pick(Object.values(ground.ours.tokens)))),
  },
  {
    name: 'token: role that may not',
    weight: 2,
    applies: route => Array.isArray(route.access),
    apply: (draft, random, ground) => {
      const { access } = draft.route
      // Gates are open to scanners; to customers none of these routes is.
      const roles = (['customer', 'scanner'] as const).filter(role => !access.includes(role))
      refuseToken(draft, authorization(ground.ours.tokens[random.pick(roles)]))
    },
  },
  {
    name: "token: another organization's",
    weight: 3,
    applies: route => isTenants(route) && paramNames(route.path).length > 0,
    apply(draft, random, ground) {
      draft.path = pathOf(draft.route, ground.ours, random)
      refuseToken(draft, authorization(ground.neighbour.tokens.admin))
    },
  },
]

/** Cutting nothing off, or writing in upper case what is so already, breaks nothing. */
function isGood(value: string | null, good: string): boolean {
  return value === `Bearer ${good}`
}
