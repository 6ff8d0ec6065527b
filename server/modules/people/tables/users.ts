import { type MembershipStatus, membershipThatCounts, type Role } from '@voelgoed/core/access'
import { normaliseEmail } from '@voelgoed/core/email'
import type { UserId } from '@voelgoed/core/ids'
import type { User } from '@voelgoed/kit/http/principals'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { isUniqueViolation } from '@voelgoed/kit/postgres/violations'

/** A user as those who manage users see them: with the membership that was given, counted or not. */
export interface ManagedUser extends User {
  readonly isDisabled: boolean
  /** Has an address, and neither a password nor a link: they choose a password by mail. */
  readonly isInvited: boolean
  readonly hasSecondFactor: boolean
  /** Is a subject of an identity provider. */
  readonly isLinked: boolean
  readonly createdAt: Date
}

interface UserRow {
  id: UserId
  email: string | null
  is_email_proven: boolean
  role: Role
  membership_tier: string | null
  membership_status: MembershipStatus | null
}

export const PASSWORD_ISSUER = 'password'

/**
 * `null` when the email is taken in this organization. Returns the user as stored,
 * with the email's one spelling.
 */
export async function insertUser(
  tx: TenantTx,
  given: User,
  passwordHash: string | null,
): Promise<User | null> {
  const user = { ...given, email: given.email === null ? null : normaliseEmail(given.email) }
  try {
    await tx.query(
      `insert into users (organization_id, id, email, role, membership_tier, membership_status, email_proven_at)
       values ($1, $2, $3, $4, $5, $6, case when $7 then now() end)`,
      [
        user.userId,
        user.email,
        user.role,
        user.membershipTier,
        user.membershipStatus,
        user.email !== null && user.isEmailProven,
      ],
    )
    if (passwordHash !== null && user.email !== null) {
      await tx.query(
        `insert into credentials (organization_id, issuer, subject, user_id, secret_hash)
         values ($1, $2, $3, $4, $5)`,
        [PASSWORD_ISSUER, user.email, user.userId, passwordHash],
      )
    }
  } catch (error) {
    if (isUniqueViolation(error, 'users_email')) return null
    throw error
  }
  return user
}

export async function userByCredential(
  tx: TenantTx,
  issuer: string,
  subject: string,
): Promise<{ user: User; secretHash: string | null; isDisabled: boolean } | null> {
  const row = await tx.one<UserRow & { secret_hash: string | null; is_disabled: boolean }>(
    `select u.id, u.email, u.email_proven_at is not null as is_email_proven, u.role, u.membership_tier,
       u.membership_status, c.secret_hash,
       u.disabled_at is not null as is_disabled
     from credentials c
     join users u on u.organization_id = c.organization_id and u.id = c.user_id
     where c.organization_id = $1 and c.issuer = $2 and c.subject = $3`,
    [issuer, subject],
  )
  return row ? { user: toUser(row), secretHash: row.secret_hash, isDisabled: row.is_disabled } : null
}

/** Sessions that are open stay open. */
export async function replaceSecrets(
  tx: TenantTx,
  issuer: string,
  subjects: readonly string[],
  secretHash: string,
): Promise<void> {
  await tx.query(
    `update credentials set secret_hash = $4
     where organization_id = $1 and issuer = $2 and subject = any ($3::text[])`,
    [issuer, subjects, secretHash],
  )
}

/** Null: the user has no password. */
export async function readPassword(tx: TenantTx, userId: string): Promise<string | null> {
  const row = await tx.one<{ secret_hash: string | null }>(
    'select secret_hash from credentials where organization_id = $1 and issuer = $2 and user_id = $3',
    [PASSWORD_ISSUER, userId],
  )
  return row?.secret_hash ?? null
}

/** A person who was invited gets their first one. */
export async function writePassword(
  tx: TenantTx,
  { userId, email }: Pick<User, 'userId' | 'email'>,
  secretHash: string,
): Promise<void> {
  const changed = await tx.query(
    `update credentials set secret_hash = $4 where organization_id = $1 and issuer = $2 and user_id = $3
     returning 1`,
    [PASSWORD_ISSUER, userId, secretHash],
  )
  if (changed.length > 0 || email === null) return
  await tx.query(
    `insert into credentials (organization_id, issuer, subject, user_id, secret_hash)
     values ($1, $2, $3, $4, $5)`,
    [PASSWORD_ISSUER, normaliseEmail(email), userId, secretHash],
  )
}

/** It signs its owner in no longer. */
export async function forgetPassword(tx: TenantTx, userId: string): Promise<void> {
  await tx.query(
    'update credentials set secret_hash = null where organization_id = $1 and issuer = $2 and user_id = $3',
    [PASSWORD_ISSUER, userId],
  )
}

/** From now on the subject of this issuer is this user. False: it is linked already. */
export async function linkUser(
  tx: TenantTx,
  link: { readonly issuer: string; readonly subject: string; readonly userId: string },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into credentials (organization_id, issuer, subject, user_id) values ($1, $2, $3, $4)
     on conflict do nothing returning 1`,
    [link.issuer, link.subject, link.userId],
  )
  return rows.length > 0
}

/** Tells if the user is some subject of this issuer. */
export async function isLinked(tx: TenantTx, issuer: string, userId: string): Promise<boolean> {
  const row = await tx.one(
    'select 1 from credentials where organization_id = $1 and issuer = $2 and user_id = $3 limit 1',
    [issuer, userId],
  )
  return row !== undefined
}

/** The user is no subject of any issuer any more. Returns how many links went. */
export async function unlinkUser(tx: TenantTx, userId: string): Promise<number> {
  const rows = await tx.query(
    'delete from credentials where organization_id = $1 and user_id = $2 and issuer <> $3 returning 1',
    [userId, PASSWORD_ISSUER],
  )
  return rows.length
}

/**
 * Admins who can sign in, besides this one: by a link to the provider that the organization has now, or by
 * a password; where passwords are off, only with a second factor (`isPasswordOff`). Those who take an
 * admin's rights wait for each other here.
 */
export async function countOtherAdmins(tx: TenantTx, userId: string): Promise<number> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('admins of ' || $1::text, 0))`)
  const row = await tx.one<{ count: number }>(
    `select count(*)::int as count from users where organization_id = $1 and id <> $2 and role = 'admin'
       and email_key is not null and disabled_at is null and exists (
         select from credentials c left join identity_providers p on p.organization_id = $1
         where c.organization_id = $1 and c.user_id = users.id and case
           when c.issuer <> $3 then c.issuer = p.issuer
           else c.secret_hash is not null and (coalesce(p.password_sign_in, true) or exists (
             select from second_factors f where f.organization_id = $1 and f.user_id = users.id
               and f.confirmed_at is not null)) end)`,
    [userId, PASSWORD_ISSUER],
  )
  return row!.count
}

/** A password that was taken away leaves its row, and opens nothing. */
const HAS_WAY_IN = `exists (
    select from credentials c where c.organization_id = users.organization_id and c.user_id = users.id
      and (c.issuer <> '${PASSWORD_ISSUER}' or c.secret_hash is not null))`

const MANAGED = `id, email, email_proven_at is not null as is_email_proven, role, membership_tier, membership_status, disabled_at is not null as is_disabled, created_at,
  email is not null and not ${HAS_WAY_IN} as is_invited,
  exists (select from second_factors f where f.organization_id = users.organization_id and f.user_id = users.id
    and f.confirmed_at is not null) as has_second_factor,
  exists (select from credentials l where l.organization_id = users.organization_id and l.user_id = users.id
    and l.issuer <> '${PASSWORD_ISSUER}') as is_linked`

interface ManagedRow extends UserRow {
  is_disabled: boolean
  is_invited: boolean
  has_second_factor: boolean
  is_linked: boolean
  created_at: Date
}

/**
 * Its rights are what it was made with: it is deleted, not changed, and is no person to look up. Nor is one
 * who was erased.
 */
const NO_API_KEY = `erased_at is null and not exists (
  select from api_keys k where k.organization_id = users.organization_id and k.id = users.id)`

export async function lockUser(tx: TenantTx, id: string): Promise<ManagedUser | null> {
  const row = await tx.one<ManagedRow & Record<string, unknown>>(
    `select ${MANAGED} from users where organization_id = $1 and id = $2 and ${NO_API_KEY} for update`,
    [id],
  )
  return row ? toManagedUser(row) : null
}

/** By an address in its one spelling. */
export async function lockUserByEmail(tx: TenantTx, email: string): Promise<ManagedUser | null> {
  const row = await tx.one<ManagedRow & Record<string, unknown>>(
    `select ${MANAGED} from users where organization_id = $1 and email_key = $2 and ${NO_API_KEY} for update`,
    [email],
  )
  return row ? toManagedUser(row) : null
}

/** By an address in its one spelling. */
export async function findUserByEmail(tx: TenantTx, email: string): Promise<ManagedUser | null> {
  const row = await tx.one<ManagedRow & Record<string, unknown>>(
    `select ${MANAGED} from users where organization_id = $1 and email_key = $2 and ${NO_API_KEY}`,
    [email],
  )
  return row ? toManagedUser(row) : null
}

/** The beginning of a disabling that is there already stays, and so does that of a proof. */
export async function updateUser(tx: TenantTx, user: ManagedUser): Promise<void> {
  await tx.query(
    `update users set role = $3, membership_tier = $4, membership_status = $5, updated_at = now(),
       disabled_at = case when $6 then coalesce(disabled_at, now()) end,
       email_proven_at = case when $7 then coalesce(email_proven_at, now()) end
     where organization_id = $1 and id = $2`,
    [
      user.userId,
      user.role,
      user.membershipTier,
      user.membershipStatus,
      user.isDisabled,
      user.email !== null && user.isEmailProven,
    ],
  )
}

/** False: it was proven before, or there is no address. */
export async function noteEmailProven(tx: TenantTx, userId: string): Promise<boolean> {
  const rows = await tx.query(
    `update users set email_proven_at = now(), updated_at = now()
     where organization_id = $1 and id = $2 and email is not null and email_proven_at is null returning 1`,
    [userId],
  )
  return rows.length > 0
}

/**
 * The highest character there is: every address with this beginning comes
 * before the beginning followed by it.
 */
const AFTER_ALL = String.fromCodePoint(0x10ffff)

/**
 * People with an account by the beginning of their address, in the order of addresses.
 * `after` is a user's id.
 */
export async function listUsers(
  tx: TenantTx,
  filter: { emailBegins?: string; role?: Role; after?: string; limit: number },
): Promise<ManagedUser[]> {
  const begins = normaliseEmail(filter.emailBegins ?? '')
  const values = [begins, begins + AFTER_ALL, filter.after ?? null, filter.limit]
  const rows = await tx.query<ManagedRow & Record<string, unknown>>(
    `select ${MANAGED} from users
     where organization_id = $1 and email_key is not null and email_key >= $2 and email_key < $3
       and ($4::uuid is null or email_key > (
         select u.email_key from users u where u.organization_id = $1 and u.id = $4))
       ${filter.role === undefined ? '' : 'and role = $6::user_role'}
     order by email_key limit $5`,
    filter.role === undefined ? values : [...values, filter.role],
  )
  return rows.map(toManagedUser)
}

export async function findUser(tx: TenantTx, id: string): Promise<ManagedUser | null> {
  const row = await tx.one<ManagedRow & Record<string, unknown>>(
    `select ${MANAGED} from users where organization_id = $1 and id = $2 and ${NO_API_KEY}`,
    [id],
  )
  return row ? toManagedUser(row) : null
}

/** Reads what the rules may know of a buyer, an API key among them. */
export async function readPerson(tx: TenantTx, id: string): Promise<User | null> {
  const row = await tx.one<UserRow & Record<string, unknown>>(
    `select id, email, email_proven_at is not null as is_email_proven, role, membership_tier, membership_status
     from users where organization_id = $1 and id = $2`,
    [id],
  )
  return row ? toUser(row) : null
}

/**
 * Reads the names that people know them by: the address of an account, or the name of an API key. Guests have
 * none.
 */
export async function readUserNames(
  tx: TenantTx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.query<{ id: string; name: string }>(
    `select u.id, coalesce(u.email, k.name) as name from users u
     left join api_keys k on k.organization_id = $1 and k.id = u.id
     where u.organization_id = $1 and u.id = any ($2::uuid[]) and coalesce(u.email, k.name) is not null`,
    [ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

function toManagedUser(row: ManagedRow): ManagedUser {
  return {
    ...toUser(row),
    membershipTier: row.membership_tier,
    membershipStatus: row.membership_status,
    isDisabled: row.is_disabled,
    isInvited: row.is_invited,
    hasSecondFactor: row.has_second_factor,
    isLinked: row.is_linked,
    createdAt: row.created_at,
  }
}

export function toUser(row: UserRow): User {
  return asUser({
    userId: row.id,
    email: row.email,
    isEmailProven: row.is_email_proven,
    role: row.role,
    membershipTier: row.membership_tier,
    membershipStatus: row.membership_status,
  })
}

/** As the rules may know them, and as they see themselves. */
export function asUser({ userId, email, isEmailProven, role, ...membership }: User): User {
  return {
    userId,
    email,
    isEmailProven,
    role,
    ...membershipThatCounts({ email, isEmailProven, ...membership }),
  }
}
