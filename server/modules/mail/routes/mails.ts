import * as contract from '@voelgoed/contract/mails'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { readPage, toPage } from '@voelgoed/kit/http/paging'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { Kit } from '../../module.ts'
import { mailAnswer, sendAgain } from '../send-again.ts'
import { listMails, queueKeptMails, readMail } from '../tables/mails.ts'

/** The outbox as staff see it. */
export function serveMails(router: Router, { database }: Kit, mails: { readonly canSend: boolean }): void {
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
      return sendAgain(tx, call, mail, mail.recipient)
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
}
