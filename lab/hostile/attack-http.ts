import type { Random } from '../random.ts'
import type { Attack } from './attack.ts'
import { type Draft, encode } from './draft.ts'

const NO_HTTP: readonly ((random: Random) => Buffer)[] = [
  random => random.bytes(random.between(1, 300)),
  () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
  () => Buffer.from('SSH-2.0-OpenSSH_9.0\r\n'),
  () => Buffer.from('\r\n\r\n\r\n\r\n'),
  () => Buffer.from('GET /healthz\r\n\r\n'),
  () => Buffer.from('GET /healthz HTTP/0.9\r\n\r\n'),
  () => Buffer.from('GET /healthz HTTP/9.9\r\nhost: x\r\n\r\n'),
  () => Buffer.from('GET /healthz HTTP/1.1\r\n\r\n'),
  () => Buffer.from('GET  /healthz  HTTP/1.1\r\nhost: x\r\n\r\n'),
  () => Buffer.from('GET /healthz HTTP/1.1\nhost: x\n\n'),
  () => Buffer.from('GET /healthz http/1.1\r\nhost: x\r\n\r\n'),
  () => Buffer.from('\0GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'),
  () => Buffer.alloc(70_000, 'A'),
  () => Buffer.alloc(70_000, 0),
  () => Buffer.from('{"a":1}'),
]

export const HTTP_ATTACKS: readonly Attack[] = [
  {
    name: 'http: not HTTP at all',
    weight: 1,
    apply(draft, random) {
      broken(draft, random.pick(NO_HTTP)(random))
      draft.incomplete = true
    },
  },
  {
    name: 'http: cut off',
    weight: 1.5,
    apply(draft, random) {
      const whole = Buffer.concat(encode(draft))
      broken(draft, whole.subarray(0, random.below(whole.length)))
      draft.incomplete = true
    },
  },
  {
    name: 'http: a byte changed',
    weight: 1.5,
    apply(draft, random) {
      const bytes = Buffer.concat(encode(draft))
      const head = bytes.indexOf('\r\n\r\n')
      bytes[random.below(head)] = random.below(256)
      broken(draft, bytes)
      draft.incomplete = true
    },
  },
  {
    name: 'http: smuggled and pipelined',
    weight: 1,
    apply(draft, random) {
      const one = Buffer.concat(encode(draft))
      const ways: (() => Buffer)[] = [
        () => Buffer.concat([one, one, one]),
        () => Buffer.concat(Array.from({ length: 30 }, () => one)),
        () => Buffer.concat([one, random.bytes(50)]),
        () => {
          const inner = 'GET /api/session HTTP/1.1\r\nhost: x\r\n\r\n'
          const both = `POST /api/sessions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`
          return Buffer.from(
            `${both}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
          )
        },
      ]
      broken(draft, random.pick(ways)())
    },
  },
]

function broken(draft: Draft, bytes: Buffer): void {
  draft.raw = bytes
  draft.alone = true
  draft.mayClose = true
  draft.mustBeRefused = false
}
