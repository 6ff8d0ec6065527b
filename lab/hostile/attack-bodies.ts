import type { Random } from '../random.ts'
import { type Attack, takesBody, takesNoBody } from './attack.ts'
import { type Draft, encodeJson, setBody, setHeader } from './draft.ts'
import { LAYOUT_ROUTES, layoutDocument } from './honest.ts'
import { LARGE_BODIES } from './large-bodies.ts'
import { isObject, mutate, otherType, read, Tree, write } from './mutate.ts'
import { ODD_KEYS, ODD_NUMBERS, ODD_RAW_TEXTS, ODD_TEXTS, PROTOTYPE_KEYS } from './odd-values.ts'

const MALFORMED = [
  ...[
    '',
    ' ',
    '{',
    '}',
    '[',
    ']',
    '{"a":}',
    '{"a" 1}',
    '{a:1}',
    "{'a':1}",
    '{"a":1,}',
    '[1,]',
    '{"a":1}{"b":2}',
  ],
  ...[
    'null',
    'true',
    '0',
    '""',
    '[]',
    '{}',
    'undefined',
    '\ufeff{}',
    '/**/{}',
    '{"a":01}',
    '\0',
    '{"a":"\0"}',
  ],
  ...[
    '{"a":"\n"}',
    '{"\\ud800":1}',
    '"\\u0000"',
    'a=b&c=d',
    '<xml/>',
    '--boundary\r\n',
    '{"a":1}\0',
    '(]',
    '[[[[',
  ],
]

const DEPTH = 100_000
const DEEP: readonly Buffer[] = [
  Buffer.from('['.repeat(DEPTH)),
  Buffer.from('['.repeat(DEPTH) + ']'.repeat(DEPTH)),
  Buffer.from(`${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`),
  Buffer.from(`${'[{"a":'.repeat(DEPTH / 2)}1${'}]'.repeat(DEPTH / 2)}`),
]

const BROKEN_UTF8 = [
  [0xff],
  [0xc3, 0x28],
  [0xed, 0xa0, 0x80],
  [0xf0, 0x9f, 0x98],
  [0xc0, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0x80],
]

const CONTENT_TYPES = [
  ...[
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=',
  ],
  ...[
    'application/json; charset=utf-16',
    'application/json; charset=',
    'application/json;;;',
    'application/jsonx',
  ],
  ...[
    'APPLICATION/JSON',
    'application/json, text/plain',
    'application/problem+json',
    '*/*',
    'application',
    ';',
    '/',
  ],
  ...[
    'application/json; charset="',
    '\xff',
    'x'.repeat(2_000),
    'application/json\t',
    'application/vnd.api+json',
  ],
]

/** Changes the document and writes it out again. */
function rewrite(draft: Draft, change: (tree: Tree) => void): void {
  const tree = new Tree(draft.document ?? {})
  change(tree)
  setBody(draft, encodeJson(tree.document))
}

function replaceAnywhere(random: Random, tree: Tree, value: unknown): void {
  const place = tree.pick(random, found => typeof found !== 'object') ?? tree.pick(random)!
  write(place, value)
}

export const BODY_ATTACKS: readonly Attack[] = [
  {
    name: 'body: as its schema says',
    weight: 16,
    applies: takesBody,
    apply() {},
  },
  {
    name: 'body: malformed JSON',
    weight: 5,
    applies: takesBody,
    apply(draft, random) {
      const honest = draft.body!
      const at = random.below(honest.length + 1)
      const ways: (() => Buffer)[] = [
        () => Buffer.from(random.pick(MALFORMED)),
        () => honest.subarray(0, at),
        () =>
          Buffer.concat([honest.subarray(0, at), Buffer.from(random.pick(MALFORMED)), honest.subarray(at)]),
        () => Buffer.concat([honest, honest]),
        () => {
          const flipped = Buffer.from(honest)
          if (flipped.length > 0) flipped[random.below(flipped.length)]! ^= 1 << random.below(8)
          return flipped
        },
      ]
      setBody(draft, random.pick(ways)())
    },
  },
  {
    name: 'body: wrong type',
    weight: 6,
    applies: takesBody,
    apply: (draft, random) =>
      rewrite(draft, tree => {
        const place = tree.pick(random)!
        write(place, otherType(random, read(place)))
      }),
  },
  {
    name: 'body: odd number',
    weight: 6,
    applies: takesBody,
    apply: (draft, random) =>
      rewrite(draft, tree => {
        const place = tree.pick(random, value => typeof value === 'number') ?? tree.pick(random)!
        write(place, random.pick(ODD_NUMBERS))
      }),
  },
  {
    name: 'body: odd text',
    weight: 8,
    applies: takesBody,
    apply: (draft, random) =>
      rewrite(draft, tree =>
        replaceAnywhere(
          random,
          tree,
          random.pick(random.pick<readonly unknown[]>([ODD_TEXTS, ODD_RAW_TEXTS])),
        ),
      ),
  },
  {
    name: 'body: odd key',
    weight: 3,
    applies: takesBody,
    apply: (draft, random) =>
      rewrite(draft, tree => {
        const target = tree.pick(random, isObject)
        const holder = (target ? read(target) : {}) as Record<string, unknown>
        write({ holder, key: random.pick(ODD_KEYS) }, random.pick(['x', null, 1, {}, []]))
      }),
  },
  {
    name: 'body: prototype key',
    weight: 5,
    applies: takesBody,
    apply: (draft, random) =>
      rewrite(draft, tree => {
        const target = tree.pick(random, isObject)
        const holder = (target ? read(target) : {}) as Record<string, unknown>
        const value = random.pick<unknown>([{ isAdmin: true }, { toString: 1 }, null, 'x', []])
        write({ holder, key: random.pick(PROTOTYPE_KEYS) }, value)
      }),
  },
  {
    name: 'body: mutated',
    weight: 14,
    applies: takesBody,
    apply: (draft, random) =>
      rewrite(draft, tree => {
        for (let count = random.between(1, 5); count > 0; count -= 1) mutate(random, tree)
      }),
  },
  {
    name: 'body: layout mutated',
    weight: 20,
    applies: route => LAYOUT_ROUTES.includes(route),
    apply: (draft, random) => {
      draft.document = layoutDocument(random)
      rewrite(draft, tree => {
        for (let count = random.pick([0, 1, 1, 2, 3, 8]); count > 0; count -= 1) mutate(random, tree)
      })
    },
  },
  {
    name: 'body: nested 100,000 deep',
    weight: 0.8,
    applies: takesBody,
    apply(draft, random) {
      draft.mayClose = true
      if (random.chance(0.3)) {
        const depth = random.between(55, 70)
        const nested = JSON.parse(`${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`) as unknown
        return rewrite(draft, tree => write(tree.pick(random)!, nested))
      }
      setBody(draft, random.pick(DEEP))
    },
  },
  {
    name: 'body: 2 MB',
    weight: 0.6,
    applies: takesBody,
    apply(draft, random) {
      draft.mayClose = true
      draft.framing = random.pick(['length', 'chunked'])
      setBody(draft, random.pick(LARGE_BODIES))
    },
  },
  {
    name: 'body: chunked',
    weight: 2,
    applies: takesBody,
    apply(draft) {
      draft.framing = 'chunked'
    },
  },
  {
    name: 'body: broken UTF-8',
    weight: 4,
    applies: takesBody,
    apply(draft, random) {
      const honest = draft.body!
      const quote = honest.indexOf('"', random.below(honest.length + 1))
      const at = quote === -1 ? honest.length : quote + 1
      setBody(
        draft,
        Buffer.concat([honest.subarray(0, at), Buffer.from(random.pick(BROKEN_UTF8)), honest.subarray(at)]),
      )
    },
  },
  {
    name: 'body: content type',
    weight: 4,
    applies: takesBody,
    apply(draft, random) {
      setHeader(draft, 'content-type', random.chance(0.15) ? null : random.pick(CONTENT_TYPES))
      if (random.chance(0.2)) draft.headers.push(['content-type', random.pick(CONTENT_TYPES)])
      if (random.chance(0.1)) setHeader(draft, 'content-encoding', random.pick(['gzip', 'br', 'x', '']))
    },
  },
  {
    name: 'body: none where one is needed',
    weight: 1,
    applies: takesBody,
    apply(draft, random) {
      draft.body = null
      if (random.chance(0.5)) setHeader(draft, 'content-type', null)
    },
  },
  {
    name: 'body: one where none is expected',
    weight: 6,
    applies: takesNoBody,
    apply(draft, random) {
      draft.framing = random.pick(['length', 'chunked'])
      setBody(draft, random.pick([...MALFORMED, '{"organization_id":"x"}', 'x'.repeat(1_000)]))
      if (random.chance(0.3)) setHeader(draft, 'content-type', random.pick([null, ...CONTENT_TYPES]))
      if (random.chance(0.05)) {
        draft.mayClose = true
        setBody(draft, random.pick([...LARGE_BODIES, ...DEEP]))
      }
    },
  },
  {
    name: 'body: wrong length',
    weight: 1.5,
    apply(draft, random) {
      const body = draft.body ?? Buffer.from('{"a":1}')
      draft.body = body
      draft.framing = 'none'
      draft.alone = true
      draft.mayClose = true
      const ways: (() => void)[] = [
        () => setHeader(draft, 'content-length', String(Math.max(0, body.length - random.between(1, 20)))),
        () => {
          draft.incomplete = true
          setHeader(draft, 'content-length', String(body.length + random.pick([1, 100, 1e6, 1e15])))
        },
        () =>
          setHeader(
            draft,
            'content-length',
            random.pick(['-1', 'abc', '1e3', '0x10', '', ' ', '99999999999999999999']),
          ),
        () => draft.headers.push(['content-length', String(body.length)], ['content-length', '1']),
        () => draft.headers.push(['content-length', String(body.length)], ['transfer-encoding', 'chunked']),
        () =>
          draft.headers.push([
            'transfer-encoding',
            random.pick(['gzip', 'chunked, chunked', 'identity', 'xchunked']),
          ]),
        () => {
          draft.incomplete = true
          draft.headers.push(['transfer-encoding', 'chunked'])
          const broken = [
            'zz\r\n',
            '-1\r\n',
            'ffffffffffffffffff\r\n',
            '5\r\nab',
            '3;x="\r\nabc\r\n',
            '2\r\nabcdef\r\n0\r\n\r\n',
          ]
          draft.body = Buffer.from(random.pick(broken))
        },
      ]
      random.pick(ways)()
    },
  },
]
