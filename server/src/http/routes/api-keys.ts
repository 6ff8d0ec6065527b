import * as contract from '@voelgoed/core/contract/api-keys'
import type { UserId } from '@voelgoed/core/ids'
import { ok, refuse } from '@voelgoed/core/result'
import { hashSecret, makeApiKey } from '../../accounts/tokens.ts'
import { announceUserChanged } from '../../postgres/announcements.ts'
import {
  type ApiKey,
  countApiKeys,
  endApiKey,
  insertApiKey,
  listApiKeys,
} from '../../postgres/tables/api-keys.ts'
import { appendAudit } from '../../postgres/tables/audit-log.ts'
import { insertUser } from '../../postgres/tables/users.ts'
import { uuidV7 } from '../../uuid-v7.ts'
import type { AppDeps } from '../deps.ts'
import { readPage, toPage } from '../paging.ts'
import type { Router } from '../serve.ts'
import { inTenant } from '../transactions.ts'

/** Bearer tokens for servers. Only admins get here: no key can make one with more rights than its own. */
export function serveApiKeys(
  router: Router,
  { database, clock, principals, log }: Pick<AppDeps, 'database' | 'clock' | 'principals' | 'log'>,
): void {
  router.serve(contract.createApiKey, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      if ((await countApiKeys(tx)) >= contract.MAX_API_KEYS) {
        return refuse({ kind: 'too_many_api_keys', limit: contract.MAX_API_KEYS })
      }
      const { name, role } = call.body
      const id = uuidV7(clock.now()) as UserId
      const key = makeApiKey(tx.organizationId)
      const membership = { membershipTier: null, membershipStatus: null }
      await insertUser(tx, { userId: id, email: null, isEmailProven: false, role, ...membership }, null)
      const createdBy = call.principal.user.userId
      const createdAt = await insertApiKey(tx, { id, name, tokenHash: hashSecret(key), createdBy })
      await appendAudit(tx, call.by, {
        action: 'api_key_created',
        entity: { type: 'api_key', id },
        changes: { name, role },
      })
      const data = { key_id: id, key, name, role, created_at: createdAt.toISOString() }
      return ok({ status: 201, body: { data } })
    }),
  )

  router.serve(contract.listApiKeys, async ({ principal, query }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const { after, limit } = page.value
    const keys = await database.tenant(principal.scope, tx =>
      listApiKeys(tx, { ...(after !== undefined && { after }), limit: limit + 1 }),
    )
    return ok({ status: 200, body: toPage(keys, limit, key => key.id, keyAnswer) })
  })

  router.serve(contract.deleteApiKey, async call => {
    const { scope } = call.principal
    const id = call.params.key
    const result = await inTenant(database, scope, call, async tx => {
      const ended = await endApiKey(tx, id)
      if (!ended) return refuse({ kind: 'not_found' })
      await announceUserChanged(tx, id)
      await appendAudit(tx, call.by, {
        action: 'api_key_deleted',
        entity: { type: 'api_key', id },
        changes: ended,
      })
      return ok({ status: 204, body: undefined })
    })
    if (!result.ok) return result
    // This node forgets before it answers; the others when they hear the announcement.
    principals.forgetUser(scope.organizationId, id)
    log.info(
      { organization_id: scope.organizationId, key_id: id, user_id: call.by.userId },
      'API key deleted',
    )
    return result
  })
}

function keyAnswer({ id, name, role, created_by, created_at, last_used_at }: ApiKey): object {
  return {
    key_id: id,
    name,
    role,
    created_by,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
  }
}
