import type { Random } from '../random.ts'
import type { Attack } from './attack.ts'
import { type Draft, setHeader } from './draft.ts'

const SIGNATURES: readonly ((random: Random) => string | null)[] = [
  () => null,
  () => '',
  () => 't=1,v1=00',
  () => 't=,v1=',
  () => `t=1794873600,v1=${'0'.repeat(64)}`,
  () => `t=9e99,v1=${'f'.repeat(64)}`,
  () => `t=1,${'v1=0,'.repeat(1_500)}`,
  random => random.bytes(40).toString('base64'),
]

const JSON_TYPE = 'application/json'
/** Other types are refused before anything else is looked at. */
const OTHER_TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'image/png', 'x', '']

const BODIES: readonly ((random: Random) => Buffer)[] = [
  () => Buffer.alloc(0),
  random => random.bytes(random.between(1, 2_000)),
  () => Buffer.from('{"id":"evt_1","type":"payment.captured","data":{}}'),
  () => Buffer.from('{"__proto__":{"id":"evt_1"}}'),
  () => Buffer.from('['.repeat(100_000)),
  () => Buffer.from(`${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`),
  // As large as the route allows, and beyond.
  () => Buffer.alloc(256 * 1024, 'x'),
  () => Buffer.alloc(256 * 1024 + 1, 'x'),
  () => Buffer.alloc(1024 * 1024, 'x'),
]

/** News of the payment gateway that the gateway did not send. The route is not part of the contract. */
export const WEBHOOK_ATTACKS: readonly Attack[] = [
  {
    name: 'webhook: not of the gateway',
    weight: 1.5,
    apply(draft: Draft, random: Random) {
      draft.method = 'POST'
      draft.path = `/api/payments/${random.pick(['simulator', 'simulator', 'stripe', 'other'])}/webhook`
      draft.query = ''
      draft.body = random.pick(BODIES)(random)
      draft.framing = random.pick(['length', 'chunked'])
      setHeader(draft, 'content-type', random.chance(0.8) ? JSON_TYPE : random.pick(OTHER_TYPES))
      const signature = random.pick(SIGNATURES)(random)
      const name = random.pick(['simulator-signature', 'stripe-signature'])
      setHeader(draft, name, signature)
      // A body that is too large is answered before it was read.
      draft.alone = true
      draft.mayClose = true
      draft.mustBeRefused = true
    },
  },
]
