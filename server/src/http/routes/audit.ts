import * as contract from '@voelgoed/core/contract/audit'
import { ok } from '@voelgoed/core/result'
import { listAudit } from '../../postgres/audit-log.ts'
import type { AppDeps } from '../app.ts'
import { readPage, toPage } from '../paging.ts'
import type { Router } from '../serve.ts'

export function serveAudit(router: Router, { database }: Pick<AppDeps, 'database'>): void {
  router.serve(contract.listAudit, async ({ principal, query }) => {
    const page = readPage(query, text => /^\d{1,18}$/.test(text))
    if (!page.ok) return page
    const { after, limit } = page.value
    const rows = await database.tenant(principal.scope, tx =>
      listAudit(tx, {
        action: query.action,
        entityId: query.entity_id,
        userId: query.user_id,
        after,
        limit: limit + 1,
      }),
    )
    return ok({
      status: 200,
      body: toPage(
        rows,
        limit,
        row => row.id,
        row => ({ ...row, at: row.at.toISOString() }),
      ),
    })
  })
}
