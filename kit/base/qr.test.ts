import type { EventId, TicketId } from '@voelgoed/core/ids'
import { formatToken, ticketPayload } from '@voelgoed/core/tickets/token'
import { decodeSvg } from '@voelgoed/testing/read-qr'
import { describe, expect, it } from 'vitest'
import { qrSvg } from './qr.ts'

const token = (byte: number) =>
  formatToken(
    ticketPayload({
      eventId: '0197a000-0000-7000-8000-000000000006' as EventId,
      ticketId: '0197a000-0000-7000-8000-00000000000c' as TicketId,
      version: byte + 1,
    }),
    new Uint8Array(64).fill(byte),
  )

describe('the code of a ticket', () => {
  it('is read as the token by a decoder that knows nothing of us', () => {
    for (const byte of [0, 85, 170, 255]) expect(decodeSvg(qrSvg(token(byte)))).toBe(token(byte))
  })

  it('has a light border of four modules, and says its colours', () => {
    const svg = qrSvg(token(1))
    const [, side] = /viewBox="0 0 (\d+) \1"/.exec(svg)!
    expect(svg).toContain(`<path fill="#fff" d="M0 0h${side}v${side}H0z"/>`)
    const starts = [...svg.matchAll(/M(\d+) (\d+)h(\d+)v1/g)].map(match => match.slice(1).map(Number))
    expect(Math.min(...starts.map(([x, y]) => Math.min(x!, y!)))).toBe(4)
    expect(Math.max(...starts.map(([x, , length]) => x! + length!))).toBe(Number(side) - 4)
  })
})
