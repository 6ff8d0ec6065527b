import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { deriveSeatId, type ZoneId } from './ids.ts'
import { sha1 } from './sha1.ts'

it('is what Node says, for messages of each length around the blocks', () => {
  for (let length = 0; length < 200; length += 1) {
    const message = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 0xff)
    expect(Buffer.from(sha1(message)).toString('hex')).toBe(createHash('sha1').update(message).digest('hex'))
  }
  expect(Buffer.from(sha1(new TextEncoder().encode('abc'))).toString('hex')).toBe(
    'a9993e364706816aba3e25717850c26c9cd0d89d',
  )
})

it('the id of a seat is a UUID of version 5', () => {
  const zone = '6ba7b810-9dad-11d1-80b4-00c04fd430c8' as ZoneId
  const hash = createHash('sha1')
    .update(Buffer.from(zone.replaceAll('-', ''), 'hex'))
    .update('seat\0Rij Ê-1')
  const hex = hash.digest('hex')
  const id = deriveSeatId(zone, 'Rij Ê-1')
  expect(id.replaceAll('-', '').slice(0, 12)).toBe(hex.slice(0, 12))
  expect(id[14]).toBe('5')
  expect(id.slice(15, 18)).toBe(hex.slice(13, 16))
})
