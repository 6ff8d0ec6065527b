import { METHODS } from 'node:http'
import { paramNames } from '@voelgoed/contract/route'
import type { Random } from '../random.ts'
import type { Attack } from './attack.ts'
import type { Draft } from './draft.ts'
import { ODD_URL_TEXTS, PROTOTYPE_KEYS } from './odd-values.ts'

/** Bytes that a request line may not hold: the parser decides where it ends. */
const RAW_BYTES = [
  '\0',
  ' ',
  '\t',
  '\x7f',
  '\xff',
  '\xc3\x28',
  '\xed\xa0\x80',
  '\r',
  '\n',
  '\x01',
  '\\',
  '"',
  '<',
  '^',
  '`',
  '|',
]

const WHOLE_PATHS = [
  ...[
    '',
    '/',
    '//',
    '*',
    '/api',
    '/api/',
    '/api//events',
    '/./healthz',
    '/../../../etc/passwd',
    '/%2e%2e/%2e%2e/x',
  ],
  ...[
    'http://127.0.0.1/healthz',
    'http://[::1',
    'http://',
    '//evil.example/healthz',
    '/healthz#x',
    '/healthz;a=b',
  ],
  ...[
    '/HEALTHZ',
    '/healthz/',
    '/docs/../healthz',
    '/api/admin',
    '/api/platform/organizations/',
    '/favicon.ico',
    '?',
  ],
  ...[
    '/api/sessions%2fguest',
    '/%61pi/events',
    'api/events',
    '/.env',
    '/.git/config',
    '/__proto__',
    '/constructor',
  ],
]

function replaceParam(draft: Draft, random: Random, value: string): void {
  const names = paramNames(draft.route.path)
  const wanted = random.pick(names)
  const segments = draft.route.path.split('/')
  const current = draft.path.split('/')
  draft.path = segments.map((segment, at) => (segment === `:${wanted}` ? value : current[at]!)).join('/')
}

export const ADDRESS_ATTACKS: readonly Attack[] = [
  {
    name: 'path: odd id',
    weight: 10,
    applies: route => route.path.includes(':'),
    apply: (draft, random) => replaceParam(draft, random, random.pick(ODD_URL_TEXTS)),
  },
  {
    name: 'path: odd',
    weight: 3,
    apply(draft, random) {
      const ways: (() => string)[] = [
        () => random.pick(WHOLE_PATHS),
        () => `${draft.path}/`,
        () => `${draft.path}/${random.pick(ODD_URL_TEXTS)}`,
        () => draft.path.replaceAll('/', '//'),
        () => draft.path.toUpperCase(),
        () => `${draft.path}${random.pick(ODD_URL_TEXTS)}`,
        () => `/${random.pick(ODD_URL_TEXTS)}${draft.path}`,
      ]
      draft.path = random.pick(ways)()
      draft.mustBeRefused = false
      if (!draft.path.startsWith('/') || draft.path === '') {
        draft.alone = true
        draft.mayClose = true
      }
    },
  },
  {
    name: 'path: raw bytes',
    weight: 1.5,
    apply(draft, random) {
      const at = random.below(draft.path.length + 1)
      draft.path = draft.path.slice(0, at) + random.pick(RAW_BYTES) + draft.path.slice(at)
      draft.alone = true
      draft.mayClose = true
    },
  },
  {
    name: 'path: very long',
    weight: 0.7,
    apply(draft, random) {
      const length = random.pick([5_000, 12_000, 20_000, 70_000])
      if (random.chance(0.5)) draft.path += `/${'x'.repeat(length)}`
      else draft.query = `after=${'x'.repeat(length)}`
      draft.alone = length > 10_000
      draft.mayClose = length > 10_000
      draft.mustBeRefused = false
    },
  },
  {
    name: 'query: odd',
    weight: 8,
    apply(draft, random) {
      const own = Object.keys(draft.route.query?.properties ?? {})
      const names = [...own, ...own, ...own, 'x', 'token', 'organization_id', ...PROTOTYPE_KEYS.slice(0, 3)]
      const name = random.pick(names)
      const value = random.pick(ODD_URL_TEXTS)
      const ways: (() => string)[] = [
        () => `${name}=${value}`,
        () => `${name}=${value}`,
        () => `${name}=${value}`,
        () => `${name}=1&${name}=2`,
        () => `${name}[]=1`,
        () => `${name}[a]=1&${name}[__proto__][x]=1`,
        () => name,
        () => `${name}=`,
        () => `=${value}`,
        () => `${value}=1`,
        () => '&&&===',
        () => '?',
        () => `${name}=${value}`.repeat(20),
        () => Array.from({ length: 1_000 }, (_, at) => `p${at}=${at}`).join('&'),
        () => `${name}=1&`.repeat(1_500),
      ]
      draft.query = random.pick(ways)()
    },
  },
  {
    name: 'query: raw bytes',
    weight: 1,
    apply(draft, random) {
      draft.query = `after=${random.pick(RAW_BYTES)}&limit=${random.pick(RAW_BYTES)}`
      draft.alone = true
      draft.mayClose = true
    },
  },
  {
    name: 'method: odd',
    weight: 4,
    apply(draft, random) {
      const strange = [
        'FOO',
        'get',
        'Post',
        'G3T',
        'A'.repeat(5_000),
        '',
        ' ',
        'GET\0',
        'PRI',
        '"GET"',
        'GET,POST',
      ]
      draft.method = random.chance(0.7) ? random.pick(METHODS) : random.pick(strange)
      draft.mustBeRefused = false
      if (!METHODS.includes(draft.method) || ['CONNECT', 'PRI'].includes(draft.method)) {
        draft.alone = true
        draft.mayClose = true
      }
    },
  },
]
