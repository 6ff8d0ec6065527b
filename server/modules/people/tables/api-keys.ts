import type { Role } from '@voelgoed/core/access'
import type { OrganizationId, UserId } from '@voelgoed/core/ids'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

export interface ApiKey {
  /** The id of its user as well. */
  readonly id: UserId
  readonly name: string
  readonly role: Role
  readonly created_by: UserId
  readonly created_at: Date
  readonly last_used_at: Date | null
}

/** Those who make keys of an organization wait for each other here, so that the limit of them holds. */
export async function countApiKeys(tx: TenantTx): Promise<number> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('API keys of ' || $1::text, 0))`)
  const row = await tx.one<{ count: number }>(
    'select count(*)::int as count from api_keys where organization_id = $1 and ended_at is null',
  )
  return row!.count
}

/** Its user must be there. Returns when it was made. */
export async function insertApiKey(
  tx: TenantTx,
  key: { id: UserId; name: string; tokenHash: Buffer; createdBy: UserId },
): Promise<Date> {
  const row = await tx.one<{ created_at: Date }>(
    `insert into api_keys (organization_id, id, name, token_hash, created_by)
     values ($1, $2, $3, $4, $5) returning created_at`,
    [key.id, key.name, key.tokenHash, key.createdBy],
  )
  return row!.created_at
}

/** Lists the keys that work. `after` is the id of a key. */
export function listApiKeys(
  tx: TenantTx,
  { after, limit }: { after?: string; limit: number },
): Promise<ApiKey[]> {
  return tx.query<ApiKey & Record<string, unknown>>(
    `select k.id, k.name, u.role, k.created_by, k.created_at, k.last_used_at
     from api_keys k join users u on u.organization_id = k.organization_id and u.id = k.id
     where k.organization_id = $1 and k.ended_at is null and ($2::uuid is null or k.id > $2)
     order by k.id limit $3`,
    [after ?? null, limit],
  )
}

/** Null: there is no such key, or it has ended already. */
export async function endApiKey(tx: TenantTx, id: string): Promise<{ name: string; role: Role } | null> {
  const ended = await tx.one<{ name: string }>(
    `update api_keys set ended_at = now()
     where organization_id = $1 and id = $2 and ended_at is null returning name`,
    [id],
  )
  if (!ended) return null
  const user = await tx.one<{ role: Role }>(
    `update users set disabled_at = now(), updated_at = now()
     where organization_id = $1 and id = $2 returning role`,
    [id],
  )
  return { name: ended.name, role: user!.role }
}

/** Notes the uses of keys of any organizations, in one statement. */
export async function noteKeyUses(
  tx: PlatformTx,
  uses: readonly { readonly organizationId: OrganizationId; readonly keyId: UserId }[],
): Promise<void> {
  await tx.query(
    `update api_keys k set last_used_at = now() from unnest($1::uuid[], $2::uuid[]) as u (organization_id, id)
     where k.organization_id = u.organization_id and k.id = u.id`,
    [uses.map(use => use.organizationId), uses.map(use => use.keyId)],
  )
}
