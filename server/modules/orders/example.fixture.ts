import type { Example } from '@voelgoed/testing/example'

/**
 * The organizer sells a seat, outside of the gateway. A mail tells the buyer, and support adds what it knows.
 */
export const example: Example = {
  needs: ['event', 'hold'],
  async make(ask, ids) {
    const layout = await ask('customer', 'GET', `/api/events/${ids.event}/layout`)
    const seat = layout.zones[0].seats[1].seat_id
    const hold = await ask('customer', 'POST', `/api/events/${ids.event}/seats/${seat}/reserve`)
    const order = await ask('organizer', 'POST', '/api/admin/orders', {
      event_id: ids.event,
      hold_ids: [hold.hold_id],
      method: 'external',
      allow_stranding: true,
      contact: { email: 'buyer@example.org' },
    })
    const url = `/api/admin/orders/${order.order_id}`
    await ask('support', 'PATCH', `${url}/contact`, { phone: '082 555 0147' })
    await ask('support', 'POST', `${url}/notes`, { note: 'Prefers an aisle' })
    const [mail] = await ask('organizer', 'GET', `/api/admin/mails?order_id=${order.order_id}`)
    return {
      order: order.order_id,
      secret: order.secret,
      ticket: order.tickets[0].ticket_id,
      mail: mail.mail_id,
    }
  },
}
