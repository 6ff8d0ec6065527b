import * as contract from '@voelgoed/contract/personal-data'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { type AuditActor, appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import type { Principals, SignedIn } from '@voelgoed/kit/http/principals'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { Kit } from '../module.ts'
import { readName, writeName } from '../people/tables/personal-data.ts'
import { findUser, lockUser, type ManagedUser, readPassword } from '../people/tables/users.ts'
import type { VerifyOwner } from '../sign-in/index.ts'
import type { ReleaseHolds } from '../sign-in/routes/change-user.ts'
import { type Erased, erasePerson } from './erase-person.ts'
import { exportPerson } from './export-person.ts'

export interface PersonalDataNeeds {
  readonly principals: Pick<Principals, 'forgetUser'>
  readonly verifyOwner: VerifyOwner
  readonly releaseHolds: ReleaseHolds
}

const NO_ACCOUNT: Refusal = {
  kind: 'forbidden',
  required: ['customer', 'scanner', 'support', 'organizer', 'admin'],
  detail: 'Guests and API keys have no account. Sign in to one.',
}
const STAFF_ASK: Refusal = {
  kind: 'forbidden',
  required: ['customer'],
  detail: 'The accounts of staff are deleted by another admin.',
}
const NOT_YOURSELF: Refusal = {
  kind: 'forbidden',
  required: ['admin'],
  detail: 'You can not erase yourself. Ask another admin.',
}

export function servePersonalData(
  router: Router,
  { database, clock, log }: Pick<Kit, 'database' | 'clock' | 'log'>,
  { principals, verifyOwner, releaseHolds }: PersonalDataNeeds,
): void {
  router.serve(contract.readAccount, async ({ principal }) => {
    if (!hasAccount(principal)) return refuse(NO_ACCOUNT)
    return database.tenant(principal.scope, async (tx): Promise<Result<Answer, Refusal>> => {
      const user = await findUser(tx, principal.user.userId)
      return user ? ok(await accountAnswer(tx, user)) : refuse({ kind: 'unauthorized' })
    })
  })

  router.serve(contract.changeAccount, async call => {
    const { principal } = call
    if (!hasAccount(principal)) return refuse(NO_ACCOUNT)
    const { userId } = principal.user
    return inTenant(database, principal.scope, call, async tx => {
      const user = await lockUser(tx, userId)
      if (!user) return refuse({ kind: 'unauthorized' })
      const name = call.body.name?.trim() ?? null
      if (name !== (await readName(tx, userId))) {
        await writeName(tx, userId, name)
        // The name itself is not noted: the log keeps its entries for longer than the account may live.
        await appendAudit(tx, call.by, {
          action: 'account_name_changed',
          entity: { type: 'user', id: userId },
        })
      }
      return ok(await accountAnswer(tx, user))
    })
  })

  router.serve(contract.exportMyData, async ({ principal, by }) => {
    if (!hasAccount(principal)) return refuse(NO_ACCOUNT)
    return exported(principal.scope, by, principal.user.userId)
  })

  router.serve(contract.exportDataOf, ({ principal, params, by }) =>
    exported(principal.scope, by, params.user.toLowerCase()),
  )

  router.serve(contract.eraseMyData, async call => {
    const { principal, addressKey } = call
    if (!hasAccount(principal)) return refuse(NO_ACCOUNT)
    if (principal.user.role !== 'customer') return refuse(STAFF_ASK)
    const { password, tickets_stay: ticketsStay = false } = call.body
    const owner = await verifyOwner(principal, { ...(password !== undefined && { password }), addressKey })
    if (!owner.ok) return owner
    return erase(call, principal.user.userId, { ticketsStay })
  })

  router.serve(contract.eraseDataOf, async call => {
    const userId = call.params.user.toLowerCase()
    if (userId === call.principal.user.userId) return refuse(NOT_YOURSELF)
    return erase(call, userId, { ticketsStay: call.query.tickets_stay === 'true' })
  })

  /** The audit notes who took the data of a person away. */
  function exported(scope: TenantScope, by: AuditActor, userId: string): Promise<Result<Answer, Refusal>> {
    return database.tenant(scope, async (tx): Promise<Result<Answer, Refusal>> => {
      const user = await findUser(tx, userId)
      if (!user) return refuse({ kind: 'user_not_found' })
      await appendAudit(tx, by, {
        action: 'person_exported',
        entity: { type: 'user', id: userId },
        changes: { by: by.userId === userId ? 'self' : 'staff' },
      })
      return ok({ status: 200, body: { data: await exportPerson(tx, user, clock.now()) } })
    })
  }

  async function erase(
    call: Call<typeof contract.eraseMyData | typeof contract.eraseDataOf>,
    userId: string,
    wish: { readonly ticketsStay: boolean },
  ): Promise<Result<Answer, Refusal>> {
    const { scope, user: asking } = call.principal
    let erased: Erased | null = null
    const result = await inTenant(database, scope, call, async tx => {
      const user = await lockUser(tx, userId)
      if (!user) return refuse({ kind: 'user_not_found' })
      const done = await erasePerson(tx, call.by, user, wish)
      if (!done.ok) return done
      erased = done.value
      return ok({ status: 200, body: null })
    })
    if (!result.ok || erased === null) return result
    const { orders, ticketsToCome, mails, sessionsEnded, holds } = erased as Erased
    // This node forgets before it answers; the others when they hear the announcement.
    principals.forgetUser(scope.organizationId, userId)
    const isSelf = asking.userId === userId
    const { places_released } = await releaseHolds(scope, {
      releaser: {
        actor: { person: isSelf ? null : asking, ip: null, source: isSelf ? 'system' : 'admin' },
        by: isSelf ? { ...call.by, ip: null, userAgent: null } : call.by,
      },
      holds,
      notes: 'The account of their buyer was deleted',
    })
    log.info({ user_id: userId, orders, mails, by: isSelf ? 'self' : 'staff' }, 'erased a person')
    const data = {
      orders,
      tickets_to_come: ticketsToCome,
      mails,
      sessions_ended: sessionsEnded,
      places_released,
    }
    return ok({ status: 200, body: { data } })
  }
}

function hasAccount({ user, isApiKey }: SignedIn): boolean {
  return user.email !== null && !isApiKey
}

async function accountAnswer(tx: TenantTx, user: ManagedUser) {
  const { userId, email, isEmailProven, createdAt } = user
  const data = {
    id: userId,
    email: email!,
    email_proven: isEmailProven,
    name: await readName(tx, userId),
    created_at: createdAt.toISOString(),
    has_password: (await readPassword(tx, userId)) !== null,
  }
  return { status: 200, body: { data } }
}
