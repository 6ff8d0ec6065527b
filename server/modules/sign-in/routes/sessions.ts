import * as contract from '@voelgoed/contract/sessions'
import { mayManage } from '@voelgoed/core/access'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import type { Principals, SignedIn } from '@voelgoed/kit/http/principals'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import { announceTokenRevoked, announceUserChanged } from '@voelgoed/kit/postgres/announcements'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { Kit } from '../../module.ts'
import { findUser } from '../../people/tables/users.ts'
import { deleteSessionById, deleteSessionsOf, listSessions, type OpenSession } from '../tables/sessions.ts'

/** Serves the list of places where users are signed in, and ends sessions. */
export function serveSessions(router: Router, { database }: Kit, principals: Principals): void {
  router.serve(contract.listOwnSessions, async ({ principal }) => {
    const sessions = await database.tenant(principal.scope, tx =>
      listSessions(tx, principal.user.userId, contract.MAX_LISTED_SESSIONS),
    )
    return ok({ status: 200, body: { data: sessions.map(session => sessionAnswer(session, principal)) } })
  })

  router.serve(contract.endOwnSession, call => endOne(call, call.principal.user.userId, async () => null))

  router.serve(contract.endOtherSessions, async call => {
    const { scope, user, tokenHash } = call.principal
    const result = await inTenant(database, scope, call, async tx => {
      const ended = await deleteSessionsOf(tx, user.userId, tokenHash)
      if (ended > 0) {
        await announceUserChanged(tx, user.userId)
        await appendAudit(tx, call.by, {
          action: 'sessions_ended',
          entity: { type: 'user', id: user.userId },
          changes: { sessions_ended: ended },
        })
      }
      return ok({ status: 200, body: { data: { sessions_ended: ended } } })
    })
    // This node forgets before it answers; the others when they hear the announcement.
    if (result.ok) principals.forgetUser(scope.organizationId, user.userId)
    return result
  })

  router.serve(contract.listSessionsOf, async ({ principal, params }) =>
    database.tenant(principal.scope, async (tx): Promise<Result<Answer, Refusal>> => {
      const refusal = await mayNotManage(tx, principal, params.user)
      if (refusal) return refuse(refusal)
      const sessions = await listSessions(tx, params.user, contract.MAX_LISTED_SESSIONS)
      return ok({ status: 200, body: { data: sessions.map(session => sessionAnswer(session, principal)) } })
    }),
  )

  router.serve(contract.endSessionOf, call =>
    endOne(call, call.params.user, tx => mayNotManage(tx, call.principal, call.params.user)),
  )

  async function endOne(
    call: Call<typeof contract.endOwnSession | typeof contract.endSessionOf>,
    userId: string,
    judge: (tx: TenantTx) => Promise<Refusal | null>,
  ): Promise<Result<Answer, Refusal>> {
    let ended: Buffer | null = null
    const result = await inTenant(database, call.principal.scope, call, async tx => {
      const refusal = await judge(tx)
      if (refusal) return refuse(refusal)
      ended = await deleteSessionById(tx, userId, call.params.session)
      if (ended === null) return refuse({ kind: 'not_found' })
      await announceTokenRevoked(tx, ended)
      await appendAudit(tx, call.by, {
        action: 'session_ended',
        entity: { type: 'user', id: userId },
        changes: { session_id: call.params.session },
      })
      return ok({ status: 204, body: undefined })
    })
    if (result.ok && ended !== null) principals.forgetToken(ended)
    return result
  }
}

async function mayNotManage(tx: TenantTx, manager: SignedIn, userId: string): Promise<Refusal | null> {
  const user = await findUser(tx, userId)
  if (!user) return { kind: 'user_not_found' }
  return mayManage(manager.user.role, { from: user.role }) ? null : { kind: 'forbidden', required: ['admin'] }
}

function sessionAnswer(session: OpenSession, { tokenHash }: SignedIn): object {
  return {
    session_id: session.id,
    device: session.user_agent,
    address: session.ip,
    created_at: session.created_at.toISOString(),
    last_seen_at: session.last_seen_at?.toISOString() ?? null,
    expires_at: session.expires_at.toISOString(),
    current: session.token_hash.equals(tokenHash),
  }
}
