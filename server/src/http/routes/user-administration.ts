import * as contract from '@voelgoed/core/contract/users'
import { isUuid } from '@voelgoed/core/ids'
import { ok } from '@voelgoed/core/result'
import { findUser, listUsers } from '../../postgres/tables/users.ts'
import { readPage, toPage } from '../paging.ts'
import type { Router } from '../serve.ts'
import { changeUser, endSessionsOf, type ManagingDeps, managedUserAnswer } from './change-user.ts'

/** What staff do with the people of their organization. */
export function serveUserAdministration(router: Router, deps: ManagingDeps): void {
  const { database } = deps

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
}
