import { MAX_RESENDS } from '@voelgoed/core/contract/mails'
import * as contract from '@voelgoed/core/contract/orders'
import { normaliseEmail } from '@voelgoed/core/email'
import { ok, refuse } from '@voelgoed/core/result'
import { queueAgain } from '../../mail/outbox.ts'
import type { TenantTx } from '../../postgres/database.ts'
import { appendAudit } from '../../postgres/tables/audit-log.ts'
import { changeContact } from '../../postgres/tables/checkouts.ts'
import { countBuyersMails, hasMailedTickets, readTicketMail } from '../../postgres/tables/mails.ts'
import { endOrderLinks } from '../../postgres/tables/order-links.ts'
import { readOrder, type WholeOrder } from '../../postgres/tables/orders.ts'
import { lockTickets, raiseTicketVersion } from '../../postgres/tables/tickets.ts'
import type { Call } from '../call.ts'
import type { AppDeps } from '../deps.ts'
import { isBuyer } from '../find-order.ts'
import { languagesOf } from '../languages-of.ts'
import type { Router } from '../serve.ts'
import { tooMany } from '../too-many.ts'
import { inTenant } from '../transactions.ts'

const A_DAY_SECONDS = 24 * 60 * 60

type OrderMailDeps = Pick<AppDeps, 'database' | 'mails' | 'metrics' | 'config' | 'addressLimits' | 'log'>

/** Buyers have their tickets sent again, and mend the address they mistyped. */
export function serveOrderMail(router: Router, deps: OrderMailDeps): void {
  const { database, mails, metrics, log } = deps

  router.serve(contract.sendMyOrder, async call => {
    const refusal = await tooMany(deps, 'order_mail', call.addressKey)
    if (refusal) return refuse(refusal)
    const { scope, user } = call.principal
    const orderId = call.params.order
    let reissued = 0
    const result = await inTenant(database, scope, call, async tx => {
      reissued = 0
      const found = await readOrder(tx, orderId, { lock: true })
      // A secret is not enough: a friend who was sent the link does not decide where the tickets go.
      if (!found || !isBuyer(found, user)) return refuse({ kind: 'order_not_found' })
      const { status, contact_email: before } = found.order
      const to = call.body?.email?.trim() ?? before
      if (to === null || !found.lines.some(line => line.refund_id === null)) {
        const detail = to === null ? 'The order has no e-mail address: send one.' : 'It has no valid tickets.'
        return refuse({ kind: 'invalid_transition', status, allowed: [], detail })
      }
      const { ofOrder, ofBuyer } = await countBuyersMails(tx, { orderId, userId: user.userId })
      const isTooMany = ofOrder >= contract.MAX_MAILS_OF_ORDER || ofBuyer >= contract.MAX_MAILS_OF_BUYER
      if (isTooMany) return refuse({ kind: 'rate_limited', retryAfterSeconds: A_DAY_SECONDS })
      if (to !== before) reissued = await correctAddress(tx, call, found, to)
      const locale = languagesOf(call)
      const mail = { kind: 'order_paid', locale, data: { orderId }, order_id: orderId, user_id: null }
      const queued = await queueAgain(tx, mail, to, MAX_RESENDS, 'buyer')
      if (queued === null) return refuse({ kind: 'rate_limited', retryAfterSeconds: A_DAY_SECONDS })
      await appendAudit(tx, call.by, {
        action: 'mail_resent',
        entity: { type: 'mail', id: queued },
        eventId: found.order.event_id,
        changes: { kind: mail.kind, order_id: orderId, by: 'buyer' },
      })
      const data = { mail: await readOrderMail(tx, (await readOrder(tx, orderId))!, mails), reissued }
      return ok({ status: 201, body: { data } })
    })
    if (result.ok) {
      for (let ticket = 0; ticket < reissued; ticket += 1) metrics.tickets.reissued()
      log.info({ order_id: orderId, user_id: user.userId, reissued }, 'sent an order to its buyer again')
    }
    return result
  })
}

/**
 * From now on the order's mails go to `to`. Who reads the address before may have the tickets: its links end,
 * and codes that no gate has seen are replaced. Returns how many.
 */
async function correctAddress(
  tx: TenantTx,
  call: Call,
  { order, lines }: WholeOrder,
  to: string,
): Promise<number> {
  const { id, event_id: eventId, number, contact_name: name, contact_email: before } = order
  await changeContact(tx, id, { name, email: to, emailKey: normaliseEmail(to) })
  const isSamePerson = before !== null && normaliseEmail(before) === normaliseEmail(to)
  let reissued = 0
  if (!isSamePerson) {
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
    // The addresses stand with the mails of the order, which do not stay for as long as this does.
    changes: { order_number: number, by: 'buyer', reissued },
  })
  return reissued
}

/** Says where an order's tickets were sent. Null: it has no address. */
export async function readOrderMail(
  tx: TenantTx,
  { order: { id, contact_email: to } }: WholeOrder,
  { canSend }: AppDeps['mails'],
) {
  if (to === null) return null
  const mail = await readTicketMail(tx, id, to)
  // It is put aside in a moment: nothing can send it.
  const status = mail?.status === 'queued' && !canSend ? 'kept' : (mail?.status ?? null)
  return { to, status, ended_at: mail?.ended_at?.toISOString() ?? null }
}
