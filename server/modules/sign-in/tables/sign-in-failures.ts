import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

/** A sign-in is for this account, by a hash of its address, and comes from this network address. */
export interface Target {
  readonly subjectHash: Buffer
  readonly addressKey: string
}

export interface AttemptLimits {
  readonly windowSeconds: number
  /** Failures from one address in a window; then this address waits until the window ends. */
  readonly perAddress: number
  /** So many failures from all addresses in a window make no address wait. */
  readonly freePerAccount: number
  /** The longest that a new address waits between two tries of anyone. */
  readonly maxDelaySeconds: number
}

export type Attempt =
  | { readonly allowed: true; readonly failures: number }
  | { readonly allowed: false; readonly waitSeconds: number }

/**
 * Counts an attempt as a failure before it is made, so that many at once can't all slip under a limit. What
 * is refused is not counted: an address that is locked out can't slow anyone else down. The rows of the
 * address and the account stay locked until the transaction ends, in this order.
 */
export async function countAttempt(
  tx: TenantTx,
  { subjectHash, addressKey }: Target,
  limits: AttemptLimits,
): Promise<Attempt> {
  const { windowSeconds } = limits
  const address = await tx.one<{ failures: number; wait: number }>(
    `insert into sign_in_address_failures as f (organization_id, subject_hash, address_key, failures, window_ends_at)
     values ($1, $2, $3, 0, now() + make_interval(secs => $4))
     on conflict (organization_id, subject_hash, address_key) do update set
       failures = case when f.window_ends_at > now() then f.failures else 0 end,
       window_ends_at = case when f.window_ends_at > now() then f.window_ends_at else excluded.window_ends_at end
     returning failures, ceil(extract(epoch from window_ends_at - now()))::int as wait`,
    [subjectHash, addressKey, windowSeconds],
  )
  if (address!.failures >= limits.perAddress) return { allowed: false, waitSeconds: address!.wait }
  const account = await tx.one<{ failures: number; wait: number; is_known: boolean }>(
    `insert into sign_in_failures as f (organization_id, subject_hash, failures, window_ends_at)
     values ($1, $2, 0, now() + make_interval(secs => $4))
     on conflict (organization_id, subject_hash) do update set
       failures = case when f.window_ends_at > now() then f.failures else 0 end,
       window_ends_at = case when f.window_ends_at > now() then f.window_ends_at else excluded.window_ends_at end
     -- By the clock, not by now(): one that waited for the row may have begun before the one that had it.
     returning failures, ceil(extract(epoch from next_try_at - clock_timestamp()))::int as wait,
       exists (select from sign_in_addresses a
         where a.organization_id = $1 and a.subject_hash = $2 and a.address_key = $3) as is_known`,
    [subjectHash, addressKey, windowSeconds],
  )
  const failures = account!.failures + 1
  if (account!.wait > 0 && !account!.is_known) return { allowed: false, waitSeconds: account!.wait }
  const beyond = failures - limits.freePerAccount
  const delaySeconds = beyond < 0 ? 0 : Math.min(2 ** beyond, limits.maxDelaySeconds)
  await tx.query(
    `with counted as (
       update sign_in_address_failures set failures = failures + 1
       where organization_id = $1 and subject_hash = $2 and address_key = $3)
     update sign_in_failures set failures = failures + 1, next_try_at = now() + make_interval(secs => $4)
     where organization_id = $1 and subject_hash = $2`,
    [subjectHash, addressKey, delaySeconds],
  )
  return { allowed: true, failures }
}

/** Tells if this account was signed in to from this address before. */
export async function isKnownAddress(tx: TenantTx, { subjectHash, addressKey }: Target): Promise<boolean> {
  const row = await tx.one(
    `select from sign_in_addresses where organization_id = $1 and subject_hash = $2 and address_key = $3`,
    [subjectHash, addressKey],
  )
  return row !== undefined
}

/** So many addresses of an account are remembered: a home, an office, some telephones. */
const ADDRESSES = 20

/**
 * The address may try from now on, whatever others do, and starts to count from zero. The attempt was no
 * failure after all, so the account takes it back. Locks are taken as in `countAttempt`.
 */
export async function rememberSignIn(
  tx: TenantTx,
  { subjectHash, addressKey }: Target,
  limits: AttemptLimits,
): Promise<void> {
  // One statement after another: Postgres takes the parts behind `with` in an order of its own.
  await Promise.all([
    tx.query(
      `delete from sign_in_address_failures
       where organization_id = $1 and subject_hash = $2 and address_key = $3`,
      [subjectHash, addressKey],
    ),
    forgiveAccount(tx, subjectHash, limits),
    tx.query(
      `insert into sign_in_addresses (organization_id, subject_hash, address_key) values ($1, $2, $3)
       on conflict (organization_id, subject_hash, address_key) do update set last_at = now()`,
      [subjectHash, addressKey],
    ),
  ])
  await tx.query(
    `delete from sign_in_addresses where organization_id = $1 and subject_hash = $2 and address_key in (
       select address_key from sign_in_addresses where organization_id = $1 and subject_hash = $2
       order by last_at desc offset $3)`,
    [subjectHash, ADDRESSES],
  )
}

/** The password was never looked at, because too many others were being checked: that was no wrong one. */
export async function takeAttemptBack(
  tx: TenantTx,
  { subjectHash, addressKey }: Target,
  limits: AttemptLimits,
): Promise<void> {
  await Promise.all([
    tx.query(
      `update sign_in_address_failures set failures = greatest(failures - 1, 0)
       where organization_id = $1 and subject_hash = $2 and address_key = $3`,
      [subjectHash, addressKey],
    ),
    forgiveAccount(tx, subjectHash, limits),
  ])
}

/** With so few failures left, no address waits any more: the attempt that is taken back made it wait. */
async function forgiveAccount(tx: TenantTx, subjectHash: Buffer, limits: AttemptLimits): Promise<void> {
  await tx.query(
    `update sign_in_failures set
       failures = greatest(failures - 1, 0),
       next_try_at = case when failures - 1 < $3 then now() else next_try_at end
     where organization_id = $1 and subject_hash = $2`,
    [subjectHash, limits.freePerAccount],
  )
}

/** An address that was not used for so long is a new one. */
const REMEMBERED_DAYS = 180

const SWEEPS = {
  sign_in_failures: ['subject_hash', 'window_ends_at < now()'],
  sign_in_address_failures: ['subject_hash, address_key', 'window_ends_at < now()'],
  sign_in_addresses: ['subject_hash, address_key', `last_at < now() - interval '${REMEMBERED_DAYS} days'`],
} as const

/**
 * Deletes in bounded batches; a row that was renewed while the sweep waited for it stays. Returns how many
 * rows went.
 */
export async function sweepSignIns(
  tx: PlatformTx,
  table: keyof typeof SWEEPS,
  limit: number,
): Promise<number> {
  const [key, isOver] = SWEEPS[table]
  const rows = await tx.query(
    `delete from ${table} where ${isOver} and (organization_id, ${key}) in (
       select organization_id, ${key} from ${table} where ${isOver} limit $1)
     returning 1`,
    [limit],
  )
  return rows.length
}
