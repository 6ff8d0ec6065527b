import type { TenantTx } from '@voelgoed/kit/postgres/database'

export interface NewTicketKey {
  readonly id: string
  /** SubjectPublicKeyInfo, as DER. */
  readonly publicKey: Buffer
  readonly sealedPrivateKey: Buffer
}

export interface TicketKeyRow {
  readonly id: string
  readonly public_key: Buffer
  readonly sealed_private_key: Buffer
  readonly created_at: Date
  readonly replaced_at: Date | null
  readonly retired_at: Date | null
}

/** Reads the keys that verify, the one that signs first. */
export function liveTicketKeys(tx: TenantTx): Promise<TicketKeyRow[]> {
  return tx.query<TicketKeyRow & Record<string, unknown>>(
    `select id, public_key, sealed_private_key, created_at, replaced_at, retired_at from ticket_keys
     where organization_id = $1 and retired_at is null order by replaced_at desc nulls first, id desc`,
  )
}

/** The newest first. */
export function listTicketKeys(tx: TenantTx, limit: number): Promise<TicketKeyRow[]> {
  return tx.query<TicketKeyRow & Record<string, unknown>>(
    `select id, public_key, sealed_private_key, created_at, replaced_at, retired_at from ticket_keys
     where organization_id = $1 order by created_at desc, id desc limit $2`,
    [limit],
  )
}

/** Those who make keys of an organization wait for each other: only one key may sign. */
async function lockTicketKeys(tx: TenantTx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('ticket keys of ' || $1::text, 0))`)
}

/** The first key of an organization. Another node may have made one at this moment: that one stays. */
export async function insertFirstTicketKey(tx: TenantTx, key: NewTicketKey): Promise<void> {
  await lockTicketKeys(tx)
  await tx.query(
    `insert into ticket_keys (organization_id, id, public_key, sealed_private_key) values ($1, $2, $3, $4)
     on conflict (organization_id) where replaced_at is null do nothing`,
    [key.id, key.publicKey, key.sealedPrivateKey],
  )
}

/** Counts the keys that verify. The count stays right until the transaction ends. */
export async function countLiveTicketKeys(tx: TenantTx): Promise<number> {
  await lockTicketKeys(tx)
  const row = await tx.one<{ count: number }>(
    'select count(*)::int as count from ticket_keys where organization_id = $1 and retired_at is null',
  )
  return row!.count
}

/** From now on `key` signs. Returns what became of the others. */
export async function replaceTicketKey(
  tx: TenantTx,
  key: NewTicketKey,
  options: { retireOlder: boolean },
): Promise<{ createdAt: Date; replaced: string[]; retired: string[] }> {
  const replaced = await tx.query<{ id: string }>(
    `update ticket_keys set replaced_at = clock_timestamp()
     where organization_id = $1 and replaced_at is null returning id`,
  )
  const retired = options.retireOlder
    ? await tx.query<{ id: string }>(
        `update ticket_keys set retired_at = clock_timestamp()
         where organization_id = $1 and retired_at is null returning id`,
      )
    : []
  const row = await tx.one<{ created_at: Date }>(
    `insert into ticket_keys (organization_id, id, public_key, sealed_private_key, created_at)
     values ($1, $2, $3, $4, clock_timestamp()) returning created_at`,
    [key.id, key.publicKey, key.sealedPrivateKey],
  )
  return {
    createdAt: row!.created_at,
    replaced: replaced.map(({ id }) => id),
    retired: retired.map(({ id }) => id),
  }
}
