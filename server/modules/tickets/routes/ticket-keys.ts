import * as contract from '@voelgoed/contract/tickets'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import { announceTicketKeysChanged } from '@voelgoed/kit/postgres/announcements'
import type { Kit } from '../../module.ts'
import {
  countLiveTicketKeys,
  listTicketKeys,
  replaceTicketKey,
  type TicketKeyRow,
} from '../tables/ticket-keys.ts'
import type { TicketKeys } from '../ticket-keys.ts'

/** As many as verify, and some of the past. */
const LISTED = 100

/** The keys that sign the tickets of an organization. */
export function serveTicketKeys(router: Router, { database, log }: Kit, ticketKeys: TicketKeys): void {
  router.serve(contract.rotateTicketKeys, async call => {
    const { scope } = call.principal
    const retireOlder = call.body.retire_older ?? false
    const key = ticketKeys.make(scope)
    const result = await inTenant(database, scope, call, async tx => {
      if ((await countLiveTicketKeys(tx)) >= contract.MAX_TICKET_KEYS && !retireOlder) {
        return refuse({ kind: 'too_many_ticket_keys', limit: contract.MAX_TICKET_KEYS })
      }
      const { createdAt, replaced, retired } = await replaceTicketKey(tx, key, { retireOlder })
      await announceTicketKeysChanged(tx)
      await appendAudit(tx, call.by, {
        action: 'ticket_key_rotated',
        entity: { type: 'ticket_key', id: key.id },
        changes: { replaced, retired },
      })
      const row = { ...key, public_key: key.publicKey, created_at: createdAt }
      return ok({ status: 201, body: { data: keyAnswer({ ...row, replaced_at: null, retired_at: null }) } })
    })
    if (!result.ok) return result
    // This node forgets before it answers; the others when they hear the announcement.
    ticketKeys.forget(scope.organizationId)
    log.info(
      {
        organization_id: scope.organizationId,
        key_id: key.id,
        user_id: call.by.userId,
        retire_older: retireOlder,
      },
      'tickets are signed with a new key',
    )
    return result
  })

  router.serve(contract.listTicketKeys, async ({ principal }) => {
    const keys = await database.tenant(principal.scope, tx => listTicketKeys(tx, LISTED))
    return ok({ status: 200, body: { data: keys.map(keyAnswer) } })
  })
}

function keyAnswer({
  id,
  public_key,
  created_at,
  replaced_at,
  retired_at,
}: Omit<TicketKeyRow, 'sealed_private_key'>): object {
  return {
    key_id: id,
    public_key: public_key.toString('base64'),
    status: retired_at !== null ? 'retired' : replaced_at !== null ? 'verifying' : 'signing',
    created_at: created_at.toISOString(),
    replaced_at: replaced_at?.toISOString() ?? null,
    retired_at: retired_at?.toISOString() ?? null,
  }
}
