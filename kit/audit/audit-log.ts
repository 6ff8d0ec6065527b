import type { PlatformTx, TenantTx } from '../postgres/database.ts'

/** Says who did it and from where: the same for every entry of one request. */
export interface AuditActor {
  readonly actor: 'user' | 'api_key' | 'root' | 'anonymous' | 'system'
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
  /** The event it is about, when that is not the entity. */
  readonly eventId?: string
  /** Seats, zones and holds that the entry is to be found by, besides its entity. */
  readonly subjects?: readonly string[]
}

export const SYSTEM_ACTOR: AuditActor = {
  actor: 'system',
  userId: null,
  ip: null,
  userAgent: null,
  requestId: null,
}

const APPEND = `insert into audit_log
  (organization_id, action, actor, user_id, ip, user_agent, request_id, entity_type, entity_id, changes,
   event_id, subjects)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

/** In the transaction of the change itself: an audited change without its entry can't exist. */
export async function appendAudit(tx: TenantTx, by: AuditActor, entry: AuditEntry): Promise<void> {
  await tx.query(APPEND, valuesOf(by, entry))
}

/** Many entries of one request, in one statement. They name no event. */
export async function appendAudits(
  tx: TenantTx,
  by: AuditActor,
  entries: readonly (AuditEntry & { readonly entity: { readonly type: string; readonly id: string } })[],
): Promise<void> {
  await tx.query(
    `insert into audit_log
       (organization_id, action, actor, user_id, ip, user_agent, request_id, entity_type, entity_id, changes)
     select $1, e.action, $2, $3, $4, $5, $6, e.entity_type, e.entity_id, e.changes
     from unnest($7::text[], $8::text[], $9::uuid[], $10::jsonb[]) as e (action, entity_type, entity_id, changes)`,
    [
      by.actor,
      by.userId,
      by.ip,
      by.userAgent,
      by.requestId,
      entries.map(entry => entry.action),
      entries.map(entry => entry.entity.type),
      entries.map(entry => entry.entity.id),
      entries.map(entry => JSON.stringify(entry.changes ?? {})),
    ],
  )
}

/** Writes what the platform did to an organization into the log of that organization. */
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
    entry.eventId ?? (entry.entity?.type === 'event' ? entry.entity.id : null),
    subjectsOf(entry),
  ]
}

/** So many seats and holds of one entry can be looked up. */
const MAX_SUBJECTS = 1_000

/** Returns what the entry says it names, and the holds and seats that its changes list. */
export function subjectsOf({ entity, subjects = [], changes = {} }: AuditEntry): string[] | null {
  const listed = [changes.hold_ids, changes.seat_ids].flatMap(ids =>
    Array.isArray(ids) ? (ids as string[]) : [],
  )
  const own = entity?.type === 'hold' || entity?.type === 'seat' ? [entity.id] : []
  const all = [...new Set([...own, ...subjects, ...listed])].slice(0, MAX_SUBJECTS)
  return all.length === 0 ? null : all
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
  event_id: string | null
  changes: Record<string, unknown>
}

export interface AuditFilter {
  readonly action?: string | undefined
  readonly entityId?: string | undefined
  readonly userId?: string | undefined
  readonly eventId?: string | undefined
  /** Seats and holds that the entry names or is about. */
  readonly subjects: readonly string[]
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly after?: string | undefined
  readonly limit: number
}

/**
 * Newest first; `after` is the id of the last entry already seen. With a time the order is that of times,
 * which the index on times gives; without one that of ids, which every other index gives.
 */
export async function listAudit(tx: TenantTx, filter: AuditFilter): Promise<AuditRow[]> {
  const values: unknown[] = []
  const conditions = ['organization_id = $1']
  const add = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return
    values.push(value)
    conditions.push(condition(`$${values.length + 1}`))
  }
  add(p => `action = ${p}`, filter.action)
  add(p => `entity_id = ${p}`, filter.entityId)
  add(p => `user_id = ${p}`, filter.userId)
  add(p => `event_id = ${p}`, filter.eventId)
  for (const subject of filter.subjects) {
    add(
      p => `id in (select entry_id from audit_subjects s where s.organization_id = $1 and s.subject = ${p})`,
      subject,
    )
  }
  add(p => `at >= ${p}`, filter.from)
  add(p => `at <= ${p}`, filter.to)
  const isByTime = filter.from !== undefined || filter.to !== undefined
  add(
    p =>
      isByTime
        ? `(at, id) < (select a.at, a.id from audit_log a where a.organization_id = $1 and a.id = ${p})`
        : `id < ${p}`,
    filter.after,
  )
  values.push(filter.limit)
  return tx.query(
    `select id, at, action, actor, user_id, host(ip) as ip, user_agent, request_id, entity_type, entity_id, event_id, changes
     from audit_log where ${conditions.join(' and ')}
     order by ${isByTime ? 'at desc, id desc' : 'id desc'} limit $${values.length + 1}`,
    values,
  )
}

/** Lists what a person did that was noted, the newest first. */
export function listAuditOf(
  tx: TenantTx,
  userId: string,
  limit: number,
): Promise<Pick<AuditRow, 'at' | 'action' | 'ip' | 'user_agent'>[]> {
  return tx.query<Pick<AuditRow, 'at' | 'action' | 'ip' | 'user_agent'> & Record<string, unknown>>(
    `select at, action, host(ip) as ip, user_agent from audit_log
     where organization_id = $1 and user_id = $2 order by id desc limit $3`,
    [userId, limit],
  )
}

/**
 * The entries of a person who was erased go on saying what was done and by which id, and forget from where.
 * Those of their tickets forget whose they were. A trigger refuses every other change.
 */
export async function forgetPerson(
  tx: TenantTx,
  userId: string,
  ticketIds: readonly string[],
): Promise<void> {
  await tx.query(
    `update audit_log set ip = null, user_agent = null
     where organization_id = $1 and user_id = $2 and (ip is not null or user_agent is not null)`,
    [userId],
  )
  await tx.query(
    `update audit_log set changes = changes - 'attendee'
     where organization_id = $1 and entity_id = any ($2::uuid[]) and changes ? 'attendee'`,
    [ticketIds],
  )
}
