import { MAX_INVITATIONS_A_DAY, MAX_INVITATIONS_OF_ONE } from '@voelgoed/contract/users'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { type AuditActor, appendAudit } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { announceUserChanged } from '@voelgoed/kit/postgres/announcements'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { queueMail } from '../mail/outbox.ts'
import { countInvitations } from '../mail/tables/mails.ts'
import { forgetPassword, type ManagedUser } from '../people/tables/users.ts'
import { endPasswordResets } from './tables/password-resets.ts'
import { deleteSessionsOf } from './tables/sessions.ts'

const A_DAY_SECONDS = 24 * 60 * 60

/**
 * Anyone may have signed up with an address, without a proof that it is theirs. Their password and their
 * sessions end, before the account gets rights that are meant for the owner of the address. Returns how many
 * sessions ended.
 */
export async function endWaysIn(tx: TenantTx, userId: string): Promise<number> {
  await forgetPassword(tx, userId)
  await endPasswordResets(tx, userId)
  const ended = await deleteSessionsOf(tx, userId)
  await announceUserChanged(tx, userId)
  return ended
}

/** Queues the mail by which its reader chooses the password of an account that has none. */
export async function sendInvitation(
  tx: TenantTx,
  by: AuditActor,
  user: ManagedUser,
  now: number,
): Promise<Result<null, Refusal>> {
  const sent = await countInvitations(tx, user.userId)
  if (sent.ofAll >= MAX_INVITATIONS_A_DAY || sent.ofUser >= MAX_INVITATIONS_OF_ONE) {
    return refuse({ kind: 'rate_limited', retryAfterSeconds: A_DAY_SECONDS })
  }
  await queueMail(tx, {
    kind: 'invitation',
    to: user.email!,
    locale: null,
    key: `invitation:${user.userId}:${uuidV7(now)}`,
    data: { userId: user.userId },
  })
  await appendAudit(tx, by, {
    action: 'user_invited',
    entity: { type: 'user', id: user.userId },
    changes: { role: user.role, membership_tier: user.membershipTier, again: sent.ofUser > 0 },
  })
  return ok(null)
}
