import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventId, TicketId } from '../ids.ts'
import { fromBase64Url, toBase64Url } from './base64url.ts'
import { formatToken, MAX_VERSION, readToken, TOKEN_LENGTH, ticketPayload } from './token.ts'

const NAME = {
  eventId: '0197a000-0000-7000-8000-000000000006' as EventId,
  ticketId: '0197a000-0000-7000-8000-00000000000c' as TicketId,
  version: 3,
}
const SIGNATURE = Uint8Array.from({ length: 64 }, (_, index) => 255 - index)

describe('a token', () => {
  it('is VG1. and base64url of event, ticket, version and signature', () => {
    const token = formatToken(ticketPayload(NAME), SIGNATURE)
    expect(token).toHaveLength(TOKEN_LENGTH)
    const bytes = Buffer.from(token.slice(4), 'base64url')
    expect(bytes.toString('hex')).toBe(
      '0197a00000007000800000000000000' +
        '60197a000000070008000' +
        '00000000000c' +
        '00000003' +
        Buffer.from(SIGNATURE).toString('hex'),
    )
    expect(token.startsWith('VG1.')).toBe(true)
  })

  it('is read as it was written', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.uuid(),
        fc.integer({ min: 1, max: MAX_VERSION }),
        fc.uint8Array({ minLength: 64, maxLength: 64 }),
        (eventId, ticketId, version, signature) => {
          const name = { eventId: eventId as EventId, ticketId: ticketId as TicketId, version }
          const payload = ticketPayload(name)
          expect(readToken(formatToken(payload, signature))).toEqual({ ...name, payload, signature })
        },
      ),
    )
  })

  it('has one spelling: what else is like it is no token', () => {
    const token = formatToken(ticketPayload(NAME), SIGNATURE)
    const last = token.at(-1)!
    const beside = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const otherEnding = [...beside].filter(digit => digit !== last).map(digit => token.slice(0, -1) + digit)
    // Four bits of the last character belong to no byte: 3 of the 63 others are spellings of other bytes.
    expect(otherEnding.filter(text => readToken(text) !== null)).toHaveLength(3)
    for (const text of [
      '',
      'VG1.',
      token.toLowerCase(),
      token.replace('VG1.', 'VG2.'),
      token.slice(0, -1),
      `${token}A`,
      `${token.slice(0, -1)}=`,
      ` ${token.slice(1)}`,
      `${token.slice(0, 20)}+${token.slice(21)}`,
      `${token.slice(0, 20)}\u{1F3AB}${token.slice(22)}`,
    ]) {
      expect(readToken(text), text).toBeNull()
    }
  })

  it('has a version from 1 to what the table can hold', () => {
    const withVersion = (version: number) => formatToken(ticketPayload({ ...NAME, version }), SIGNATURE)
    expect(readToken(withVersion(0))).toBeNull()
    expect(readToken(withVersion(MAX_VERSION))).toMatchObject({ version: MAX_VERSION })
    expect(readToken(withVersion(MAX_VERSION + 1))).toBeNull()
  })
})

describe('base64url', () => {
  it('is what Node makes of the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
        const text = Buffer.from(bytes).toString('base64url')
        expect(toBase64Url(bytes)).toBe(text)
        expect(fromBase64Url(text)).toEqual(bytes)
      }),
    )
  })

  it('refuses what it would not write itself', () => {
    for (const text of ['A', 'AB', 'AAB', 'AA=', 'A+AA', 'AAAAA'])
      expect(fromBase64Url(text), text).toBeNull()
    expect(fromBase64Url('AA')).toEqual(new Uint8Array(1))
  })
})
