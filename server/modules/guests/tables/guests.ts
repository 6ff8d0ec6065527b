import type { OrganizationId } from '@voelgoed/core/ids'
import type { PlatformTx } from '@voelgoed/kit/postgres/database'

/** A sweep of guests goes on after the guest it looked at last. */
export interface GuestCursor {
  readonly createdAt: string
  readonly organizationId: string
  readonly userId: string
}

export interface Guest {
  readonly organization_id: OrganizationId
  readonly id: string
}

/**
 * Looks at the next `limit` guests who came longer than `keepDays` ago, and returns those who can get no hold
 * any more and have none. A guest's session ends long before that and can't be started again, so a guest who
 * stays now stays for good: the next call goes on after the cursor that this one returns.
 */
export async function idleGuests(
  tx: PlatformTx,
  { keepDays, limit, cursor }: { keepDays: number; limit: number; cursor: GuestCursor | null },
): Promise<{ guests: Guest[]; cursor: GuestCursor | null; isLast: boolean }> {
  const guests = await tx.query<Guest & { created_at: string; is_idle: boolean }>(
    `select created_at::text, organization_id, id,
       not held_before
         and not exists (select from api_keys k where k.organization_id = u.organization_id and k.id = u.id)
         and not exists (select from sessions s
           where s.organization_id = u.organization_id and s.user_id = u.id and s.expires_at > now())
         and not exists (select from event_seats h
           where h.organization_id = u.organization_id and h.user_id = u.id and h.status = 'held')
         and not exists (select from place_holds h
           where h.organization_id = u.organization_id and h.user_id = u.id and h.status = 'held') as is_idle
     from users u
     where email is null and created_at < now() - make_interval(days => $1)
       and ($2::timestamptz is null or (created_at, organization_id, id) > ($2, $3::uuid, $4::uuid))
     order by created_at, organization_id, id limit $5`,
    [keepDays, cursor?.createdAt ?? null, cursor?.organizationId ?? null, cursor?.userId ?? null, limit],
  )
  const last = guests.at(-1)
  return {
    guests: guests.filter(guest => guest.is_idle),
    cursor: last
      ? { createdAt: last.created_at, organizationId: last.organization_id, userId: last.id }
      : cursor,
    isLast: guests.length < limit,
  }
}

/**
 * Deletes those who never held anything, with the audit entry that says they came. The history of ended holds
 * must have been caught up after the guests were found idle: then it has every hold that they ever had.
 */
export async function deleteGuests(tx: PlatformTx, guests: readonly Guest[]): Promise<number> {
  const deleted = await tx.query(
    `with gone as (
       delete from users u using unnest($1::uuid[], $2::uuid[]) as g (organization_id, id)
       where u.organization_id = g.organization_id and u.id = g.id and u.email is null and not u.held_before
         and not exists (select from sessions s
           where s.organization_id = u.organization_id and s.user_id = u.id and s.expires_at > now())
         and not exists (select from api_keys k where k.organization_id = u.organization_id and k.id = u.id)
         and not exists (select from hold_history h
           where h.organization_id = u.organization_id and h.user_id = u.id)
         -- Entries that stay must go on naming someone.
         and not exists (select from audit_log a where a.organization_id = u.organization_id and a.user_id = u.id
           and a.action not in ('seat_reserve_failed', 'sign_in_refused', 'guest_session_started'))
       returning u.organization_id, u.id),
     unmentioned as (
       delete from audit_log a using gone g
       where a.organization_id = g.organization_id and a.user_id = g.id and a.action = 'guest_session_started')
     select 1 from gone`,
    [guests.map(guest => guest.organization_id), guests.map(guest => guest.id)],
  )
  return deleted.length
}
