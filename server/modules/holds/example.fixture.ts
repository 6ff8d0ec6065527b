import type { Example } from '@voelgoed/testing/example'

/** A seat is held, another is blocked. */
export const example: Example = {
  needs: ['event'],
  async make(ask, ids) {
    const layout = await ask('customer', 'GET', `/api/events/${ids.event}/layout`)
    const [seat, , , companion] = layout.zones[0].seats
    const hold = await ask('customer', 'POST', `/api/events/${ids.event}/seats/${seat.seat_id}/reserve`)
    await ask('organizer', 'POST', `/api/admin/events/${ids.event}/seats/block`, {
      seat_ids: [companion.seat_id],
      reason: 'camera',
    })
    return { seat: seat.seat_id, hold: hold.hold_id }
  },
}
