import * as contract from '@voelgoed/contract/api-keys'
import type { UserId } from '@voelgoed/core/ids'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { readPage, toPage } from '@voelgoed/kit/http/paging'
import type { Principals } from '@voelgoed/kit/http/principals'
import type { Router } from '@voelgoed/kit/http/serve'
import { hashSecret, makeApiKey } from '@voelgoed/kit/http/tokens'
import { inTenant } from '@voelgoed/kit/http/transactions'
import { announceUserChanged } from '@voelgoed/kit/postgres/announcements'
import type { Kit } from '../../module.ts'
import { type ApiKey, countApiKeys, endApiKey, insertApiKey, listApiKeys } from '../tables/api-keys.ts'
import { insertUser } from '../tables/users.ts'

/** Bearer tokens for servers. Only admins get here: no key can make one with more rights than its own. */
export function serveApiKeys(
  router: Router,
  { database, clock, log }: Kit,
  principals: Pick<Principals, 'forgetUser'>,
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
