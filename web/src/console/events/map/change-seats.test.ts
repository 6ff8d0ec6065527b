import { expect, it } from 'vitest'
import { changePart } from './change-seats.ts'

/** The overlay of the event blocks these; what staff ask for is done as the server does it. */
function desk(overlay: readonly string[]) {
  const calls: string[] = []
  const call = async (route: string, { body }: { body?: { seat_ids: readonly string[] } }) => {
    calls.push(route)
    if (!body) return { data: { overrides: { blocked_seat_ids: overlay } } }
    const kept = body.seat_ids.filter(id => overlay.includes(id))
    return {
      data: { seats_changed: body.seat_ids.length - kept.length, blocked_by_overlay: kept.length, seq: 1 },
    }
  }
  const words = { map: { keptByOverlay: 'The layout blocks it.' } }
  const model = { seatIdOf: (ordinal: number) => `s${ordinal}`, labelOf: (ordinal: number) => `A-${ordinal}` }
  const work = { desk: { session: { call }, words }, at: { params: { event: 'e' } }, model, reason: 'x' }
  return { calls, work: work as unknown as Parameters<typeof changePart>[0] }
}

it('a seat that the overlay keeps blocked is not said to be unblocked', async () => {
  const { work } = desk(['s2', 's9'])
  expect(await changePart(work, [1, 2, 3], 'unblock')).toEqual({
    done: 2,
    skipped: [{ name: 'A-2', why: 'The layout blocks it.' }],
  })
})

it('asks for the overlay only where it keeps a seat', async () => {
  const { work, calls } = desk(['s9'])
  expect(await changePart(work, [1, 2], 'unblock')).toEqual({ done: 2, skipped: [] })
  expect(calls).toEqual(['POST /api/admin/events/:event/seats/unblock'])
})
