import { randomBytes } from 'node:crypto'
import { hashSecret } from '@voelgoed/kit/http/tokens'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { findEvent } from '../events/tables/events.ts'
import type { Letters, ReadLetter, Sender } from '../mail/letters.ts'
import { salutation } from '../mail/salutation.ts'
import type { MailRow } from '../mail/tables/mails.ts'
import type { OrderFacts } from '../mail/templates.ts'
import { writeOrderLink } from './tables/order-links.ts'
import { readOrder, type WholeOrder } from './tables/orders.ts'

/** Mails about orders. */
export const orderLetters: Pick<Letters, 'order_paid' | 'order_moved' | 'order_refunded'> = {
  order_paid: withTickets('order_paid'),
  order_moved: withTickets('order_moved'),
  async order_refunded(tx, mail, sender) {
    const order = await orderFacts(tx, mail, sender)
    const { cause, amount } = mail.data
    return order && { kind: 'order_refunded', order, cause, amount }
  },
}

function withTickets(kind: 'order_paid' | 'order_moved'): ReadLetter {
  return async (tx, mail, sender) => {
    const order = await orderFacts(tx, mail, sender)
    return order && order.tickets.length > 0 ? { kind, order } : null
  }
}

async function orderFacts(
  tx: TenantTx,
  mail: MailRow,
  { organization, publicUrl }: Sender,
): Promise<OrderFacts | null> {
  const whole = await readOrder(tx, mail.order_id!)
  // The buyer has corrected the address: what it opens is for the new one.
  if (!whole || whole.order.contact_email !== mail.recipient) return null
  const event = (await findEvent(tx, whole.order.event_id))!
  const secret = randomBytes(32).toString('base64url')
  await writeOrderLink(tx, { mailId: mail.id, orderId: whole.order.id, secretHash: hashSecret(secret) })
  return {
    organization: organization.name,
    name: salutation(whole.order.contact_name, whole.order.total),
    number: whole.order.number,
    event: event.name,
    venue: event.venueName,
    startsAt: event.startsAt,
    timeZone: event.timeZone,
    currency: whole.order.currency,
    total: whole.order.total,
    tickets: ticketsOf(whole),
    // After the #, so that no server on the way logs it.
    link: `${publicUrl}/${organization.slug}/orders/${whole.order.id}#secret=${secret}`,
  }
}

function ticketsOf({ lines }: WholeOrder): OrderFacts['tickets'] {
  return lines
    .filter(line => line.refund_id === null)
    .map(({ zone_name, row, seat_number, ticket_type, amount }) => ({
      zone: zone_name,
      seat: row === null ? null : { row, number: String(seat_number) },
      type: ticket_type,
      amount,
    }))
}
