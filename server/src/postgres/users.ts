import type { MembershipStatus, Person, Role } from '@voelgoed/core/access'
import type { UserId } from '@voelgoed/core/ids'
import type { TenantTx } from './database.ts'
import { isUniqueViolation } from './violations.ts'

export interface User extends Person {
  /** Null for a guest. */
  readonly email: string | null
}

interface UserRow {
  id: UserId
  email: string | null
  role: Role
  membership_tier: string | null
  membership_status: MembershipStatus | null
}

export const PASSWORD_ISSUER = 'password'

/** `null` when the email is taken in this organization. */
export async function insertUser(
  tx: TenantTx,
  user: User,
  passwordHash: string | null,
): Promise<User | null> {
  try {
    await tx.query(
      `insert into users (organization_id, id, email, role, membership_tier, membership_status)
       values ($1, $2, $3, $4, $5, $6)`,
      [user.userId, user.email, user.role, user.membershipTier, user.membershipStatus],
    )
  } catch (error) {
    if (isUniqueViolation(error, 'users_email')) return null
    throw error
  }
  if (passwordHash !== null && user.email !== null) {
    await tx.query(
      `insert into credentials (organization_id, issuer, subject, user_id, secret_hash)
       values ($1, $2, $3, $4, $5)`,
      [PASSWORD_ISSUER, user.email.toLowerCase(), user.userId, passwordHash],
    )
  }
  return user
}

export async function userByCredential(
  tx: TenantTx,
  issuer: string,
  subject: string,
): Promise<{ user: User; secretHash: string | null } | null> {
  const row = await tx.one<UserRow & { secret_hash: string | null }>(
    `select u.id, u.email, u.role, u.membership_tier, u.membership_status, c.secret_hash
     from credentials c
     join users u on u.organization_id = c.organization_id and u.id = c.user_id
     where c.organization_id = $1 and c.issuer = $2 and c.subject = $3`,
    [issuer, subject],
  )
  return row ? { user: toUser(row), secretHash: row.secret_hash } : null
}

export async function lockUser(tx: TenantTx, id: string): Promise<User | null> {
  const row = await tx.one<UserRow>(
    `select id, email, role, membership_tier, membership_status from users
     where organization_id = $1 and id = $2 for update`,
    [id],
  )
  return row ? toUser(row) : null
}

export async function updateUser(tx: TenantTx, user: User): Promise<void> {
  await tx.query(
    `update users set role = $3, membership_tier = $4, membership_status = $5, updated_at = now()
     where organization_id = $1 and id = $2`,
    [user.userId, user.role, user.membershipTier, user.membershipStatus],
  )
}

export function toUser(row: UserRow): User {
  return {
    userId: row.id,
    email: row.email,
    role: row.role,
    membershipTier: row.membership_tier,
    membershipStatus: row.membership_status,
  }
}
