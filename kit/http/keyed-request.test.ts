import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hmac } from './keyed-request.ts'

const KEYS = fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }), fc.uuid())
const BODIES = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.uint8Array({ minLength: 4_090, maxLength: 4_100 }),
)

it('fingerprints are HMAC-SHA256, for every length of key and body: answers stored by older versions match', () => {
  fc.assert(
    fc.property(KEYS, BODIES, (key, bytes) => {
      const body = Buffer.from(bytes)
      expect(hmac(key, body)).toEqual(createHmac('sha256', key).update(body).digest())
    }),
  )
})

it('a fingerprint stays what it is when the next one is made', () => {
  const first = hmac('key', Buffer.from('body'))
  hmac('another key', Buffer.from('another body'))
  expect(first).toEqual(createHmac('sha256', 'key').update('body').digest())
})
