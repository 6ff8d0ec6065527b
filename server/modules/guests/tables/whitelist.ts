import type { WhitelistRow } from '@voelgoed/core/guests/whitelist-csv'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

export interface WhitelistEntry {
  readonly id: string
  readonly email_key: string
  readonly note: string | null
  readonly added_by: string
  readonly added_at: Date
}

/**
 * Those who change the whitelist of an event wait for each other here, so that its limit holds. The event's
 * row stays open for rows that refer to it: the lane does not wait. False: there is no such event.
 */
export async function lockWhitelist(tx: TenantTx, eventId: string): Promise<boolean> {
  const row = await tx.one('select 1 from events where organization_id = $1 and id = $2 for no key update', [
    eventId,
  ])
  return row !== undefined
}

/** An address that is known keeps its entry; a note that is given replaces its note. */
export async function addWhitelistEntries(
  tx: TenantTx,
  eventId: string,
  rows: readonly WhitelistRow[],
  by: { readonly userId: string; readonly now: number },
): Promise<{ added: number; total: number }> {
  const before = await countWhitelist(tx, eventId)
  await tx.query(
    `insert into whitelist_entries as w (organization_id, event_id, id, email_key, note, added_by)
     select $1, $2, r.id, r.email_key, r.note, $6
     from unnest($3::uuid[], $4::text[], $5::text[]) as r (id, email_key, note)
     on conflict (organization_id, event_id, email_key) do update set note = excluded.note
     where excluded.note is not null and excluded.note is distinct from w.note`,
    [
      eventId,
      rows.map(() => uuidV7(by.now)),
      rows.map(row => row.email),
      rows.map(row => row.note),
      by.userId,
    ],
  )
  const total = await countWhitelist(tx, eventId)
  return { added: total - before, total }
}

/** The people on the list of one event come onto that of a new one. Resolves with their number. */
export async function copyWhitelist(
  tx: TenantTx,
  { from, to, by }: { readonly from: string; readonly to: string; readonly by: string },
): Promise<number> {
  const rows = await tx.query(
    `insert into whitelist_entries (organization_id, event_id, id, email_key, note, added_by)
     select $1, $3, time_ordered_id(), email_key, note, $4 from whitelist_entries
     where organization_id = $1 and event_id = $2
     returning 1`,
    [from, to, by],
  )
  return rows.length
}

export async function countWhitelist(tx: TenantTx, eventId: string): Promise<number> {
  const row = await tx.one<{ count: number }>(
    'select count(*)::int as count from whitelist_entries where organization_id = $1 and event_id = $2',
    [eventId],
  )
  return row!.count
}

/**
 * In the order of addresses. `after` is the id of an entry; `containing`: part of the address or the note.
 */
export async function listWhitelist(
  tx: TenantTx,
  eventId: string,
  filter: { readonly containing?: string; readonly after?: string; readonly limit: number },
): Promise<WhitelistEntry[]> {
  return tx.query<WhitelistEntry & Record<string, unknown>>(
    `select id, email_key, note, added_by, added_at from whitelist_entries
     where organization_id = $1 and event_id = $2
       and ($3::uuid is null or email_key > (
         select w.email_key from whitelist_entries w
         where w.organization_id = $1 and w.event_id = $2 and w.id = $3))
       and ($4::text is null or strpos(email_key, lower($4)) > 0 or strpos(lower(note), lower($4)) > 0)
     order by email_key limit $5`,
    [eventId, filter.after ?? null, filter.containing ?? null, filter.limit],
  )
}

/** False: the event has no such entry. */
export async function removeWhitelistEntry(tx: TenantTx, eventId: string, id: string): Promise<boolean> {
  const rows = await tx.query(
    `delete from whitelist_entries where organization_id = $1 and event_id = $2 and id = $3 returning 1`,
    [eventId, id],
  )
  return rows.length > 0
}

/**
 * A question is the id of an event and the id of a user after it. Those who are on the list are found: people
 * whose address is proven, because anyone can sign up with an address that is on it.
 */
export async function findOnWhitelists(
  tx: TenantTx,
  questions: readonly string[],
): Promise<ReadonlyMap<string, true>> {
  const rows = await tx.query<{ event_id: string; user_id: string }>(
    `select q.event_id, q.user_id from unnest($2::uuid[], $3::uuid[]) as q (event_id, user_id)
     join users u on u.organization_id = $1 and u.id = q.user_id and u.email_proven_at is not null
     join whitelist_entries w on w.organization_id = $1 and w.event_id = q.event_id and w.email_key = u.email_key`,
    [questions.map(question => question.slice(0, 36)), questions.map(question => question.slice(36))],
  )
  return new Map(rows.map(row => [row.event_id + row.user_id, true]))
}
