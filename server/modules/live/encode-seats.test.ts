import { randomUUID } from 'node:crypto'
import { SeatIds } from '@voelgoed/core/event/seat-ids'
import type { SeatId } from '@voelgoed/core/ids'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodeSeats, idsAsText, markAsMine } from './encode-seats.ts'

const STATUSES = ['available', 'held', 'sold', 'blocked']

it('writes what JSON.stringify would, and marks the seats of one buyer', () => {
  const hall = fc.array(
    fc.record({
      code: fc.integer({ min: 0, max: 3 }),
      zone: fc.integer({ min: 0, max: 2 }),
      mine: fc.boolean(),
      kept: fc.boolean(),
    }),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(hall, fc.constantFrom('[]', '[{"zone_id":"é"}]'), (seats, zones) => {
      const ids = seats.map(() => randomUUID() as string as SeatId)
      const packed = new Uint8Array(Math.ceil(seats.length / 4))
      for (const [ordinal, { code }] of seats.entries()) packed[ordinal >> 2]! |= code << ((ordinal & 3) * 2)
      const encoded = encodeSeats(
        { ids: idsAsText(new SeatIds(ids).packed()), zoneOf: Uint16Array.from(seats, ({ zone }) => zone) },
        {
          packed,
          kept: Uint32Array.from([...seats.keys()].filter(ordinal => seats[ordinal]!.kept)),
          leftOut: Uint8Array.of(0, 0, 1),
          head: '{"data":{"seq":7,"seats":[',
          tail: `],"zones":${zones}}}`,
        },
      )
      const expected = (statusOf: (seat: (typeof seats)[number]) => string) => {
        const listed = seats.flatMap((seat, ordinal) =>
          seat.code === 0 || seat.zone === 2 ? [] : [{ seat_id: ids[ordinal], status: statusOf(seat) }],
        )
        return JSON.stringify({ data: { seq: 7, seats: listed, zones: JSON.parse(zones) } })
      }
      const plain = ({ code, kept }: { code: number; kept: boolean }) =>
        kept && code === 3 ? 'reserved_companion' : STATUSES[code]!
      expect(Buffer.from(encoded.bytes).toString()).toBe(expected(plain))
      // Seats that are not held, or not listed, are left as they are: the buyer may have lost them by now.
      const mine = seats.flatMap((seat, ordinal) => (seat.mine ? [ordinal] : []))
      expect(markAsMine(encoded, mine).toString()).toBe(
        expected(seat => {
          if (seat.mine && seat.code === 1) return 'held_by_me'
          return seat.mine && seat.kept && seat.code === 3 ? 'available' : plain(seat)
        }),
      )
    }),
  )
})
