import type { PlatformTx, TenantTx } from './database.ts'

/** Who did it and from where: the same for every entry of one request. */
export interface AuditActor {
  readonly actor: 'user' | 'root' | 'anonymous' | 'system'
  readonly userId: string | null
  readonly ip: string | null
  readonly userAgent: string | null
  readonly requestId: string | null
}

export interface AuditEntry {
  /** `<noun>_<past participle>`, e.g. `venue_created`. */
  readonly action: string
  readonly entity?: { readonly type: string; readonly id: string }
  readonly changes?: Readonly<Record<string, unknown>>
}

export const SYSTEM_ACTOR: AuditActor = {
  actor: 'system',
  userId: null,
  ip: null,
  userAgent: null,
  requestId: null,
}

const APPEND = `insert into audit_log
  (organization_id, action, actor, user_id, ip, user_agent, request_id, entity_type, entity_id, changes)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

/** In the transaction of the change itself: an audited change without its entry can't exist. */
export async function appendAudit(tx: TenantTx, by: AuditActor, entry: AuditEntry): Promise<void> {
  await tx.query(APPEND, valuesOf(by, entry))
}

/** What the platform did to an organization stands in the log of that organization. */
export async function appendPlatformAudit(
  tx: PlatformTx,
  organizationId: string,
  by: AuditActor,
  entry: AuditEntry,
): Promise<void> {
  await tx.query(APPEND, [organizationId, ...valuesOf(by, entry)])
}

function valuesOf(by: AuditActor, entry: AuditEntry): unknown[] {
  return [
    entry.action,
    by.actor,
    by.userId,
    by.ip,
    by.userAgent,
    by.requestId,
    entry.entity?.type ?? null,
    entry.entity?.id ?? null,
    JSON.stringify(entry.changes ?? {}),
  ]
}

export interface AuditRow {
  id: string
  at: Date
  action: string
  actor: AuditActor['actor']
  user_id: string | null
  ip: string | null
  user_agent: string | null
  request_id: string | null
  entity_type: string | null
  entity_id: string | null
  changes: Record<string, unknown>
}

/** Newest first; `after` is the id of the last entry already seen. */
export async function listAudit(
  tx: TenantTx,
  filter: { action?: string; entityId?: string; userId?: string; after?: string; limit: number },
): Promise<AuditRow[]> {
  return tx.query(
    `select id, at, action, actor, user_id, host(ip) as ip, user_agent, request_id, entity_type, entity_id, changes
     from audit_log
     where organization_id = $1
       and ($2::text is null or action = $2)
       and ($3::uuid is null or entity_id = $3)
       and ($4::uuid is null or user_id = $4)
       and ($5::bigint is null or id < $5)
     order by id desc limit $6`,
    [
      filter.action ?? null,
      filter.entityId ?? null,
      filter.userId ?? null,
      filter.after ?? null,
      filter.limit,
    ],
  )
}
