import * as platform from '@voelgoed/contract/accounts'
import * as contract from '@voelgoed/contract/users'
import { isEmail, normaliseEmail } from '@voelgoed/core/email'
import { isUuid, type UserId } from '@voelgoed/core/ids'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { readPage, toPage } from '@voelgoed/kit/http/paging'
import type { User } from '@voelgoed/kit/http/principals'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { Kit } from '../../module.ts'
import { scopeOfOrganization } from '../../people/tables/organizations.ts'
import { findUser, insertUser, listUsers } from '../../people/tables/users.ts'
import type { Passwords } from '../passwords.ts'
import { NO_EMAIL } from '../sign-in.ts'
import { userAnswer } from './accounts.ts'
import {
  changeUser,
  endSessionsOf,
  type ManagingDeps,
  managedUserAnswer,
  membershipOf,
} from './change-user.ts'

interface Needs extends Pick<ManagingDeps, 'principals' | 'releaseHolds'> {
  readonly passwords: Passwords
}

/** Staff manage the people of their organization, and the platform those of any. */
export function serveUserAdministration(
  router: Router,
  { database, clock }: Kit,
  { passwords, ...needs }: Needs,
): void {
  const deps: ManagingDeps = { database, clock, ...needs }

  router.serve(contract.listUsers, async ({ principal, query }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const { after, limit } = page.value
    const users = await database.tenant(principal.scope, async tx => {
      if (query.query === undefined || !isUuid(query.query.toLowerCase())) {
        return listUsers(tx, {
          ...(query.query !== undefined && { emailBegins: query.query }),
          ...(query.role !== undefined && { role: query.role }),
          ...(after !== undefined && { after }),
          limit: limit + 1,
        })
      }
      const user = await findUser(tx, query.query.toLowerCase())
      return user && (query.role === undefined || query.role === user.role) ? [user] : []
    })
    return ok({ status: 200, body: toPage(users, limit, user => user.userId, managedUserAnswer) })
  })

  router.serve(contract.changeUser, call =>
    changeUser(
      deps,
      { scope: call.principal.scope, call, manager: call.principal },
      call.params.user,
      call.body,
    ),
  )

  router.serve(contract.endSessions, call =>
    endSessionsOf(deps, { scope: call.principal.scope, call, manager: call.principal }, call.params.user),
  )

  router.serve(platform.createUser, async call => {
    const scope = await findScope(call.params.org)
    if (!scope) return refuse({ kind: 'organization_not_found' })
    const { password, role } = call.body
    const email = normaliseEmail(call.body.email)
    if (!isEmail(email)) return refuse(NO_EMAIL)
    const membership = membershipOf(null, call.body)
    if (!membership.ok) return membership
    const passwordHash = await passwords.hash(password)
    if (passwordHash === null) return refuse({ kind: 'busy', retryAfterSeconds: 1 })
    return inTenant(database, scope, call, async tx => {
      const userId = uuidV7(clock.now()) as UserId
      // The platform knows whose address it is: it gives them their password.
      const user: User = { userId, email, isEmailProven: true, role, ...membership.value }
      if (!(await insertUser(tx, user, passwordHash)))
        return refuse({ kind: 'already_exists', field: 'email' })
      await appendAudit(tx, call.by, {
        action: 'user_created',
        entity: { type: 'user', id: user.userId },
        changes: { role, ...membership.value },
      })
      return ok({ status: 201, body: { data: userAnswer(user) } })
    })
  })

  router.serve(platform.updateUser, async call => {
    const scope = await findScope(call.params.org)
    if (!scope) return refuse({ kind: 'organization_not_found' })
    return changeUser(deps, { scope, call, manager: null }, call.params.user, call.body)
  })

  function findScope(organizationId: string): Promise<TenantScope | null> {
    return database.platform('administer organizations', tx => scopeOfOrganization(tx, organizationId))
  }
}
