import { normaliseEmail } from '@voelgoed/core/email'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { Call } from '@voelgoed/kit/http/call'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { hasMailedTickets } from '../mail/tables/mails.ts'
import { endOrderLinks } from '../orders/tables/order-links.ts'
import { writeOrderWords } from '../orders/tables/order-words.ts'
import type { WholeOrder } from '../orders/tables/orders.ts'
import { lockTickets, raiseTicketVersion } from '../tickets/tables/tickets.ts'
import { changeContact } from './tables/checkouts.ts'

export interface MendedContact {
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
}

/**
 * From now on the order's mails go to the new address, and staff find the order by what is written here.
 * `endsBefore`: who reads the address before may have the tickets, so its links end, and codes that no gate
 * has seen are replaced. Returns how many were. The order is locked.
 */
export async function mendContact(
  tx: TenantTx,
  call: Call,
  { order, lines }: WholeOrder,
  to: MendedContact,
  { by, endsBefore }: { readonly by: 'buyer' | 'staff'; readonly endsBefore: boolean },
): Promise<number> {
  const { id, event_id: eventId, number, contact_email: before } = order
  const emailKey = to.email === null ? null : normaliseEmail(to.email)
  await changeContact(tx, id, { ...to, emailKey })
  const mended = { contact_name: to.name, contact_email: to.email, contact_phone: to.phone }
  await writeOrderWords(tx, { ...order, ...mended }, lines)
  const isSamePerson = before !== null && normaliseEmail(before) === emailKey
  let reissued = 0
  if (endsBefore && !isSamePerson) {
    await endOrderLinks(tx, id)
    if (await hasMailedTickets(tx, id)) {
      const valid = lines.filter(line => line.refund_id === null).map(line => line.ticket_id)
      const used = new Set(await lockTickets(tx, valid))
      for (const ticketId of valid.filter(one => !used.has(one))) {
        if ((await raiseTicketVersion(tx, ticketId)) !== null) reissued += 1
      }
    }
  }
  await appendAudit(tx, call.by, {
    action: 'order_contact_changed',
    entity: { type: 'order', id },
    eventId,
    // A buyer's own addresses stand with the mails of the order, which do not stay for as long as this does.
    changes: {
      ...{ order_number: number, by, reissued },
      ...(by === 'staff' && changedOf(order, to)),
    },
  })
  return reissued
}

/** The members that are other than before, before and after. */
function changedOf(order: WholeOrder['order'], after: MendedContact) {
  const before = { name: order.contact_name, email: order.contact_email, phone: order.contact_phone }
  const keys = (['name', 'email', 'phone'] as const).filter(key => before[key] !== after[key])
  const only = (contact: MendedContact) => Object.fromEntries(keys.map(key => [key, contact[key]]))
  return { before: only(before), after: only(after) }
}
