import * as mailContract from '@voelgoed/contract/mails'
import * as contract from '@voelgoed/contract/orders'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { languagesOf } from '@voelgoed/kit/http/languages-of'
import type { Router } from '@voelgoed/kit/http/serve'
import { tooMany } from '@voelgoed/kit/http/too-many'
import { inTenant } from '@voelgoed/kit/http/transactions'
import { queueAgain } from '../../mail/outbox.ts'
import { sendAgain } from '../../mail/send-again.ts'
import { countBuyersMails } from '../../mail/tables/mails.ts'
import type { Kit } from '../../module.ts'
import { isBuyer } from '../../orders/find-order.ts'
import { changedOrderAnswer } from '../../orders/order-answers.ts'
import { readOrderMail } from '../../orders/read-order-mail.ts'
import { readOrder } from '../../orders/tables/orders.ts'
import { mendContact } from '../mend-contact.ts'

const A_DAY_SECONDS = 24 * 60 * 60

interface Needs {
  readonly mails: { readonly canSend: boolean }
  readonly onReissued: () => void
}

/** Buyers and staff have tickets sent again, and mend an address that was mistyped. */
export function serveOrderMail(
  router: Router,
  { database, http, log }: Pick<Kit, 'database' | 'http' | 'log'>,
  { mails, onReissued }: Needs,
): void {
  router.serve(mailContract.resendOrder, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const found = await readOrder(tx, call.params.order)
      if (!found) return refuse({ kind: 'order_not_found' })
      const { id, status, contact_email } = found.order
      if (contact_email === null || !found.lines.some(line => line.refund_id === null)) {
        const detail =
          contact_email === null ? 'The order has no e-mail address.' : 'It has no valid tickets.'
        return refuse({ kind: 'invalid_transition', status, allowed: [], detail })
      }
      const mail = { kind: 'order_paid', locale: null, data: { orderId: id }, order_id: id, user_id: null }
      return sendAgain(tx, call, mail, contact_email)
    }),
  )

  router.serve(contract.sendMyOrder, async call => {
    const refusal = await tooMany(http, 'order_mail', call.addressKey)
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
      if (to !== before) {
        const { contact_name: name, contact_phone: phone } = found.order
        const mended = { name, email: to, phone }
        reissued = await mendContact(tx, call, found, mended, { by: 'buyer', endsBefore: true })
      }
      const locale = languagesOf(call)
      const mail = { kind: 'order_paid', locale, data: { orderId }, order_id: orderId, user_id: null }
      const queued = await queueAgain(tx, mail, to, mailContract.MAX_RESENDS, 'buyer')
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
      for (let ticket = 0; ticket < reissued; ticket += 1) onReissued()
      log.info({ order_id: orderId, user_id: user.userId, reissued }, 'sent an order to its buyer again')
    }
    return result
  })

  router.serve(contract.changeOrderContact, async call => {
    const { scope } = call.principal
    const orderId = call.params.order
    const { send_tickets: isSent = false, ...given } = call.body
    let reissued = 0
    const result = await inTenant(database, scope, call, async tx => {
      reissued = 0
      const found = await readOrder(tx, orderId, { lock: true })
      if (!found) return refuse({ kind: 'order_not_found' })
      const { status, contact_name, contact_email, contact_phone } = found.order
      const before = { name: contact_name, email: contact_email, phone: contact_phone }
      const after = { ...before, ...given }
      const isValid = found.lines.some(line => line.refund_id === null)
      if (isSent && (after.email === null || !isValid)) {
        const detail = after.email === null ? 'The order has no e-mail address.' : 'It has no valid tickets.'
        return refuse({ kind: 'invalid_transition', status, allowed: [], detail })
      }
      const isOther = (['name', 'email', 'phone'] as const).some(key => before[key] !== after[key])
      if (isOther) {
        reissued = await mendContact(tx, call, found, after, { by: 'staff', endsBefore: isSent })
      }
      if (isSent) {
        const mail = { kind: 'order_paid', locale: null, data: { orderId }, order_id: orderId, user_id: null }
        const sent = await sendAgain(tx, call, mail, after.email!)
        if (!sent.ok) return sent
      }
      const changed = (await readOrder(tx, orderId))!
      const mail = await readOrderMail(tx, changed, mails)
      return ok({ status: 200, body: { data: { order: changedOrderAnswer(changed), mail, reissued } } })
    })
    if (result.ok) {
      for (let ticket = 0; ticket < reissued; ticket += 1) onReissued()
      log.info({ order_id: orderId, user_id: call.by.userId, reissued }, 'mended the contact of an order')
    }
    return result
  })
}
