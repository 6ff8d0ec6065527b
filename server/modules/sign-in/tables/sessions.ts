import type { MembershipStatus, Role } from '@voelgoed/core/access'
import type { OrganizationId, UserId } from '@voelgoed/core/ids'
import type { Session } from '@voelgoed/kit/http/principals'
import { bytes } from '@voelgoed/kit/postgres/binary-arrays'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'
import { toUser } from '../../people/tables/users.ts'

/** The database's clock says when the session ends. Returns that moment, in milliseconds since 1970. */
export async function insertSession(
  tx: TenantTx,
  session: {
    readonly tokenHash: Buffer
    readonly userId: UserId
    readonly lifeSeconds: number
    readonly ip: string | null
    readonly userAgent: string | null
    /** The organization's identity provider opened it. */
    readonly byProvider: boolean
  },
): Promise<number> {
  const row = await tx.one<{ expires_at: Date }>(
    `insert into sessions (organization_id, token_hash, user_id, expires_at, ip, user_agent, by_provider)
     values ($1, $2, $3, now() + $4 * interval '1 second', $5, left($6, 500), $7)
     returning expires_at`,
    [
      session.tokenHash,
      session.userId,
      session.lifeSeconds,
      session.ip,
      session.userAgent,
      session.byProvider,
    ],
  )
  return row!.expires_at.getTime()
}

/**
 * Sessions and API keys, by the hash of their tokens, one character a byte. A disabled user has none,
 * also one that began at the same moment.
 *
 * Each token is looked up by itself (`limit 1`): as a join, Postgres goes through all sessions for each user
 * while it has no statistics of a young table, which is when the first sale of an installation begins.
 */
export async function findSessions(
  tx: TenantTx,
  tokenHashes: readonly string[],
): Promise<Map<string, Session>> {
  const rows = await tx.query<{
    token_hash: Buffer
    id: UserId
    email: string | null
    is_email_proven: boolean
    role: Role
    membership_tier: string | null
    membership_status: MembershipStatus | null
    expires_at: Date | null
    slug: string
    name: string
    suspended_at: Date | null
    suspended_reason: string | null
    needs_second_factor: boolean
  }>(
    `select s.token_hash, u.id, u.email, u.email_proven_at is not null as is_email_proven, u.role, u.membership_tier,
       u.membership_status, s.expires_at, o.slug, o.name,
       o.suspended_at, o.suspended_reason,
       o.staff_second_factor and s.expires_at is not null and u.role in ('support', 'organizer', 'admin')
         and not exists (select from second_factors f where f.organization_id = s.organization_id
           and f.user_id = s.user_id and f.confirmed_at is not null)
         and not (s.by_provider and exists (select from identity_providers p
           where p.organization_id = s.organization_id and p.is_strong)) as needs_second_factor
     from unnest($2::bytea[]) as asked (token_hash)
     cross join lateral (
       select organization_id, token_hash, user_id, expires_at, by_provider from sessions
       where organization_id = $1 and token_hash = asked.token_hash
       union all
       select organization_id, token_hash, id, null, false from api_keys
       where organization_id = $1 and token_hash = asked.token_hash and ended_at is null
       limit 1
     ) s
     cross join lateral (
       select id, email, email_proven_at, role, membership_tier, membership_status from users
       where organization_id = $1 and id = s.user_id and disabled_at is null limit 1
     ) u
     cross join lateral (
       select slug, name, suspended_at, suspended_reason, staff_second_factor from organizations where id = $1 limit 1
     ) o`,
    [bytes(tokenHashes, hash => Buffer.from(hash, 'latin1'))],
  )
  return new Map(
    rows.map(row => [
      row.token_hash.toString('latin1'),
      {
        user: toUser(row),
        expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
        isApiKey: row.expires_at === null,
        organization: { slug: row.slug, name: row.name },
        suspension: row.suspended_at && { since: row.suspended_at, reason: row.suspended_reason },
        needsSecondFactor: row.needs_second_factor,
      },
    ]),
  )
}

/** Tells if the identity provider opened the session, and not longer ago than this. */
export async function isFreshByProvider(tx: TenantTx, tokenHash: Buffer, seconds: number): Promise<boolean> {
  const row = await tx.one(
    `select 1 from sessions where organization_id = $1 and token_hash = $2 and by_provider
       and created_at > now() - make_interval(secs => $3)`,
    [tokenHash, seconds],
  )
  return row !== undefined
}

export async function deleteSession(tx: TenantTx, tokenHash: Buffer): Promise<void> {
  await tx.query('delete from sessions where organization_id = $1 and token_hash = $2', [tokenHash])
}

export async function deleteSessionsOf(
  tx: TenantTx,
  userId: string,
  exceptTokenHash: Buffer | null = null,
): Promise<number> {
  const rows = await tx.query(
    `delete from sessions where organization_id = $1 and user_id = $2 and token_hash is distinct from $3
     returning 1`,
    [userId, exceptTokenHash],
  )
  return rows.length
}

/** One of them, by the id that its owner sees. Returns the hash of its token; null: there is none. */
export async function deleteSessionById(tx: TenantTx, userId: string, id: string): Promise<Buffer | null> {
  const row = await tx.one<{ token_hash: Buffer }>(
    'delete from sessions where organization_id = $1 and user_id = $2 and id = $3 returning token_hash',
    [userId, id],
  )
  return row?.token_hash ?? null
}

export interface OpenSession {
  readonly id: string
  readonly token_hash: Buffer
  readonly ip: string | null
  readonly user_agent: string | null
  readonly created_at: Date
  readonly expires_at: Date
  /** Null: not written yet, or the user is a buyer. */
  readonly last_seen_at: Date | null
}

/** Lists the sessions that live, the newest first. */
export function listSessions(tx: TenantTx, userId: string, limit: number): Promise<OpenSession[]> {
  return tx.query<OpenSession & Record<string, unknown>>(
    `select id, token_hash, host(ip) as ip, user_agent, created_at, expires_at, last_seen_at from sessions
     where organization_id = $1 and user_id = $2 and expires_at > now() order by created_at desc, id limit $3`,
    [userId, limit],
  )
}

/** Notes the sessions that were used, of any organizations, in one statement. */
export async function noteSessionsSeen(
  tx: PlatformTx,
  seen: readonly { readonly organizationId: OrganizationId; readonly tokenHash: Buffer }[],
): Promise<void> {
  await tx.query(
    `update sessions s set last_seen_at = now() from unnest($1::uuid[], $2::bytea[]) as u (organization_id, token_hash)
     where s.organization_id = u.organization_id and s.token_hash = u.token_hash`,
    [seen.map(session => session.organizationId), seen.map(session => session.tokenHash)],
  )
}

/** Deletes in bounded bites, so that no sweep holds locks for long. Returns how many went. */
export async function sweepSessions(tx: PlatformTx, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from sessions where (organization_id, token_hash) in (
       select organization_id, token_hash from sessions where expires_at < now() limit $1)
     returning 1`,
    [limit],
  )
  return rows.length
}
