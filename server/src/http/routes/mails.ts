import * as contract from '@voelgoed/core/contract/mails'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { queueAgain } from '../../mail/outbox.ts'
import type { TenantTx } from '../../postgres/database.ts'
import { appendAudit } from '../../postgres/tables/audit-log.ts'
import { listMails, type MailRow, queueKeptMails, readMail } from '../../postgres/tables/mails.ts'
import { readOrder } from '../../postgres/tables/orders.ts'
import type { Answer, Call } from '../call.ts'
import type { AppDeps } from '../deps.ts'
import { readPage, toPage } from '../paging.ts'
import type { Router } from '../serve.ts'
import { inTenant } from '../transactions.ts'

const A_DAY_SECONDS = 24 * 60 * 60

/** The outbox as staff see it. */
export function serveMails(router: Router, { database, mails }: Pick<AppDeps, 'database' | 'mails'>): void {
  router.serve(contract.listMails, async ({ principal, query }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const { after, limit } = page.value
    const filter = { status: query.status ?? null, orderId: query.order_id?.toLowerCase() ?? null }
    const rows = await database.tenant(principal.scope, tx =>
      listMails(tx, { ...filter, after: after ?? null, limit: limit + 1 }),
    )
    return ok({ status: 200, body: toPage(rows, limit, row => row.id, mailAnswer) })
  })

  router.serve(contract.resendMail, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const mail = await readMail(tx, call.params.mail)
      if (!mail) return refuse({ kind: 'not_found' })
      if (mail.ended_at === null) {
        return refuse({ kind: 'invalid_transition', status: mail.status, allowed: [] })
      }
      return again(tx, call, mail, mail.recipient)
    }),
  )

  router.serve(contract.resendOrder, call =>
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
      return again(tx, call, mail, contact_email)
    }),
  )

  router.serve(contract.sendKeptMails, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      if (!mails.canSend) {
        const detail = 'No mail server is configured: set SMTP_URL and MAIL_FROM first.'
        return refuse({ kind: 'invalid_transition', status: 'kept', allowed: [], detail })
      }
      const since = call.body?.since === undefined ? null : new Date(call.body.since)
      const done = await queueKeptMails(tx, { since, limit: contract.MAX_KEPT_MAILS })
      if (done.queued > 0) await appendAudit(tx, call.by, { action: 'kept_mails_sent', changes: done })
      return ok({ status: 200, body: { data: done } })
    }),
  )

  async function again(
    tx: TenantTx,
    call: Call,
    mail: Parameters<typeof queueAgain>[1],
    to: string,
  ): Promise<Result<Answer, Refusal>> {
    const queued = await queueAgain(tx, mail, to, contract.MAX_RESENDS)
    if (queued === null) return refuse({ kind: 'rate_limited', retryAfterSeconds: A_DAY_SECONDS })
    await appendAudit(tx, call.by, {
      action: 'mail_resent',
      entity: { type: 'mail', id: queued },
      changes: {
        kind: mail.kind,
        order_id: mail.order_id,
        user_id: mail.user_id,
        resend_of: mail.id ?? null,
      },
    })
    return ok({ status: 201, body: { data: mailAnswer((await readMail(tx, queued))!) } })
  }
}

function mailAnswer(row: MailRow) {
  return {
    mail_id: row.id,
    kind: row.kind,
    to: row.recipient,
    status: row.status,
    attempts: row.attempts,
    last_error: row.last_error,
    order_id: row.order_id,
    user_id: row.user_id,
    resend_of: row.resend_of,
    created_at: row.created_at.toISOString(),
    due_at: row.due_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  }
}
