import type { TenantTx } from '@voelgoed/kit/postgres/database'

export interface SecondFactorRow {
  readonly sealed_secret: Buffer
  readonly confirmed_at: Date | null
  readonly last_step: number
  /** Wrong codes in the window that runs now. */
  readonly failures: number
  /** Until that window ends. */
  readonly wait_seconds: number
  /** By the database's clock, since 1970. */
  readonly seconds: number
}

/** Locked until the end of the transaction: of two requests with one code, one is first. */
export async function lockSecondFactor(tx: TenantTx, userId: string): Promise<SecondFactorRow | null> {
  const row = await tx.one<SecondFactorRow & Record<string, unknown>>(
    `select sealed_secret, confirmed_at, last_step::float8 as last_step,
       case when window_ends_at > now() then failures else 0 end as failures,
       greatest(ceil(extract(epoch from window_ends_at - now())), 0)::int as wait_seconds,
       extract(epoch from clock_timestamp())::float8 as seconds
     from second_factors where organization_id = $1 and user_id = $2 for update`,
    [userId],
  )
  return row ?? null
}

export interface SecondFactorState {
  readonly confirmed_at: Date | null
  readonly codes_left: number
  readonly is_required: boolean
}

export async function readSecondFactor(tx: TenantTx, userId: string): Promise<SecondFactorState> {
  return (await tx.one<SecondFactorState & Record<string, unknown>>(
    `select f.confirmed_at, o.staff_second_factor as is_required,
       (select count(*)::int from recovery_codes c
        where c.organization_id = $1 and c.user_id = $2 and c.used_at is null) as codes_left
     from organizations o left join second_factors f on f.organization_id = o.id and f.user_id = $2
     where o.id = $1`,
    [userId],
  ))!
}

/** A secret that its owner has not confirmed replaces another such one. */
export async function writePendingFactor(tx: TenantTx, userId: string, sealedSecret: Buffer): Promise<void> {
  await tx.query(
    `insert into second_factors as f (organization_id, user_id, sealed_secret) values ($1, $2, $3)
     on conflict (organization_id, user_id) do update set sealed_secret = excluded.sealed_secret, created_at = now()
     where f.confirmed_at is null`,
    [userId, sealedSecret],
  )
}

export async function noteCodeTaken(tx: TenantTx, userId: string, step: number | null): Promise<void> {
  await tx.query(
    `update second_factors set last_step = greatest(last_step, coalesce($3, 0)), failures = 0,
       confirmed_at = coalesce(confirmed_at, now())
     where organization_id = $1 and user_id = $2`,
    [userId, step],
  )
}

export async function noteWrongCode(tx: TenantTx, userId: string, windowSeconds: number): Promise<void> {
  await tx.query(
    `update second_factors set
       failures = case when window_ends_at > now() then failures + 1 else 1 end,
       window_ends_at = case when window_ends_at > now() then window_ends_at else now() + make_interval(secs => $3) end
     where organization_id = $1 and user_id = $2`,
    [userId, windowSeconds],
  )
}

/** False: there is no such code, or it was used before. */
export async function useRecoveryCode(tx: TenantTx, userId: string, codeHash: Buffer): Promise<boolean> {
  const rows = await tx.query(
    `update recovery_codes set used_at = now()
     where organization_id = $1 and user_id = $2 and code_hash = $3 and used_at is null returning 1`,
    [userId, codeHash],
  )
  return rows.length > 0
}

export async function replaceRecoveryCodes(
  tx: TenantTx,
  userId: string,
  codeHashes: readonly Buffer[],
): Promise<void> {
  await tx.query('delete from recovery_codes where organization_id = $1 and user_id = $2', [userId])
  await tx.query(
    `insert into recovery_codes (organization_id, user_id, code_hash)
     select $1, $2, hash from unnest($3::bytea[]) as hash`,
    [userId, codeHashes],
  )
}

/** With its recovery codes. False: there is none. */
export async function deleteSecondFactor(tx: TenantTx, userId: string): Promise<boolean> {
  const rows = await tx.query(
    'delete from second_factors where organization_id = $1 and user_id = $2 returning 1',
    [userId],
  )
  return rows.length > 0
}

export async function requireSecondFactor(tx: TenantTx, isRequired: boolean): Promise<void> {
  await tx.query('update organizations set staff_second_factor = $2 where id = $1', [isRequired])
}
