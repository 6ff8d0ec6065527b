import * as contract from '@voelgoed/contract/users'
import { mayManage } from '@voelgoed/core/access'
import { isEmail, normaliseEmail } from '@voelgoed/core/email'
import type { UserId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { Kit } from '../../module.ts'
import { findUser, insertUser, lockUser, type ManagedUser } from '../../people/tables/users.ts'
import { sendInvitation } from '../confirm-address.ts'
import { NO_EMAIL } from '../sign-in.ts'
import { managedUserAnswer, membershipOf } from './change-user.ts'

const ONLY_ADMINS: Refusal = {
  kind: 'forbidden',
  required: ['admin'],
  detail: 'Only an admin invites an admin.',
}

/**
 * Staff invite people. Their account is there at once and opens nothing: it has no password until the reader
 * of the mail has chosen one. An address that has an account keeps it: staff change its role instead.
 */
export function serveInvitations(router: Router, { database, clock, log }: Kit): void {
  const inviteNew = (call: Call<typeof contract.inviteUser> | Call<typeof contract.createUser>) => {
    const { role } = call.body
    return inTenant(database, call.principal.scope, call, async tx => {
      if (!mayManage(call.principal.user.role, { from: role })) return refuse(ONLY_ADMINS)
      const email = normaliseEmail(call.body.email)
      if (!isEmail(email)) return refuse(NO_EMAIL)
      const membership = membershipOf(null, call.body)
      if (!membership.ok) return membership
      const userId = uuidV7(clock.now()) as UserId
      // Staff say whose address it is, and only its reader can choose a password.
      const user = { userId, email, isEmailProven: true, role, ...membership.value }
      const made = await insertUser(tx, user, null)
      if (!made) return refuse({ kind: 'already_exists', field: 'email' })
      return invite(tx, call, (await findUser(tx, userId))!)
    })
  }
  router.serve(contract.inviteUser, call => inviteNew(call))
  router.serve(contract.createUser, call => inviteNew(call))

  router.serve(contract.inviteAgain, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const user = await lockUser(tx, call.params.user)
      if (!user) return refuse({ kind: 'user_not_found' })
      if (!mayManage(call.principal.user.role, { from: user.role })) return refuse(ONLY_ADMINS)
      if (!user.isInvited || user.isDisabled) {
        const status = user.isDisabled ? 'disabled' : 'active'
        return refuse({ kind: 'invalid_transition', status, allowed: [] })
      }
      return invite(tx, call, user)
    }),
  )

  async function invite(tx: TenantTx, call: Call, user: ManagedUser): Promise<Result<Answer, Refusal>> {
    const sent = await sendInvitation(tx, call.by, user, clock.now())
    if (!sent.ok) return sent
    log.info({ reqId: call.requestId, user_id: user.userId, role: user.role }, 'a person was invited')
    return ok({ status: 201, body: { data: managedUserAnswer(user) } })
  }
}
