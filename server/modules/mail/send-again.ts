import { MAX_RESENDS } from '@voelgoed/contract/mails'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { queueAgain } from './outbox.ts'
import { type MailRow, readMail } from './tables/mails.ts'

const A_DAY_SECONDS = 24 * 60 * 60

/** Queues a mail once more for staff, and writes it down. */
export async function sendAgain(
  tx: TenantTx,
  call: Call,
  mail: Parameters<typeof queueAgain>[1],
  to: string,
): Promise<Result<Answer, Refusal>> {
  const queued = await queueAgain(tx, mail, to, MAX_RESENDS)
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

export function mailAnswer(row: MailRow) {
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
