import type { MembershipStatus, Role } from '@voelgoed/core/access'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

export interface Membership {
  readonly tier: string
  readonly status: MembershipStatus
}

export interface Member {
  readonly userId: string
  readonly role: Role
  readonly isEmailProven: boolean
  readonly membership: Membership | null
}

/** Accounts by their normalised addresses. Locked in one order, so that two imports wait for each other. */
export async function lockMembers(
  tx: TenantTx,
  emails: readonly string[],
  { forUpdate }: { readonly forUpdate: boolean },
): Promise<Map<string, Member>> {
  const rows = await tx.query<{
    id: string
    email_key: string
    role: Role
    is_email_proven: boolean
    membership_tier: string | null
    membership_status: MembershipStatus | null
  }>(
    `select id, email_key, role, email_proven_at is not null as is_email_proven, membership_tier, membership_status
     from users
     where organization_id = $1 and email_key is not null and email_key = any ($2::text[])
     order by id ${forUpdate ? 'for no key update' : ''}`,
    [emails],
  )
  return new Map(
    rows.map(row => {
      const { id, email_key, role, is_email_proven, membership_tier: tier, membership_status: status } = row
      const membership = tier === null || status === null ? null : { tier, status }
      return [email_key, { userId: id, role, isEmailProven: is_email_proven, membership }]
    }),
  )
}

export async function writeMemberships(
  tx: TenantTx,
  changes: readonly { readonly userId: string; readonly membership: Membership | null }[],
): Promise<void> {
  await tx.query(
    `update users u set membership_tier = c.tier, membership_status = c.status, updated_at = now()
     from unnest($2::uuid[], $3::text[], $4::membership_status[]) as c (id, tier, status)
     where u.organization_id = $1 and u.id = c.id`,
    [
      changes.map(change => change.userId),
      changes.map(change => change.membership?.tier ?? null),
      changes.map(change => change.membership?.status ?? null),
    ],
  )
}
