import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

/** Entries of the journal that are counted in one transaction: about 50 ms of work. */
const PAGE = 20_000
/** A command changes at most this many seats. */
const LONGEST_COMMAND = 2_000

/** The rows that have the entries from one seq to another, by the journal's primary key. */
function rowsBetween(from: string, to: string): string {
  return `first_seq <= ${to} and first_seq >= coalesce((select max(first_seq) from journal
    where organization_id = $1 and event_id = $2 and first_seq <= ${from}), 1)`
}

/**
 * Steps that come from the journal, in places, and `granted`, in requests. A move takes and sells other seats
 * for tickets that it makes void, which no other command does: those seats were neither asked nor paid for
 * again. All entries of a command are in one row of the journal: both are read whichever of them a page has.
 */
const STEPS = `
  with read as (
    select seq, kind, command_id, date_bin('15 minutes', at, timestamptz '2000-01-01 00:00Z') as quarter, body
    from journal_entries
    where organization_id = $1 and event_id = $2 and ${rowsBetween('$3 + 1', '$4')}),
  entries as (
    select kind, command_id, quarter, body from read
    where seq > $3 and seq <= $4 and not (kind in ('seat_reserved', 'seat_converted')
      and command_id in (select command_id from read where kind = 'ticket_voided')))
  select quarter,
    case kind when 'seat_reserved' then 'held' when 'seat_hold_extended' then 'extended' when 'seat_converted' then 'paid'
      when 'seat_hold_expired' then 'expired' else 'released' end as step,
    case kind when 'seat_released' then coalesce(body ->> 'reason', '') when 'hold_reduced' then kind else '' end as detail,
    sum(case kind when 'hold_reduced' then body ->> 'freed' else body ->> 'quantity' end::bigint)::bigint as count
  from entries
  where kind in ('seat_reserved', 'seat_hold_extended', 'seat_converted', 'seat_hold_expired', 'seat_released', 'hold_reduced')
  group by 1, 2, 3
  union all
  select quarter, 'granted', '', count(*) from (
    select min(quarter) as quarter from entries
    where kind = 'seat_reserved' and command_id not in (
      -- A command whose first seats were counted with the page before.
      select command_id from journal_entries where organization_id = $1 and event_id = $2
        and seq > $3 - ${LONGEST_COMMAND} and seq <= $3 and kind = 'seat_reserved'
        and ${rowsBetween(`$3 - ${LONGEST_COMMAND} + 1`, '$3')})
    group by command_id) as commands
  group by 1`

export interface UncountedEvent {
  readonly organizationId: OrganizationId
  readonly eventId: EventId
  readonly seq: number
}

/** Events whose journal has entries that are not in the funnel yet. */
export async function uncountedEvents(
  tx: PlatformTx,
  limit: number,
  except: readonly EventId[],
): Promise<UncountedEvent[]> {
  const rows = await tx.query<{ organization_id: OrganizationId; event_id: EventId; seq: number }>(
    `select l.organization_id, l.event_id, l.seq::float8 as seq from event_ledgers l
     left join funnel_cursors c on c.organization_id = l.organization_id and c.event_id = l.event_id
     where l.seq > coalesce(c.seq, 0) and l.event_id <> all($2::uuid[]) limit $1`,
    [limit, except],
  )
  return rows.map(row => ({ organizationId: row.organization_id, eventId: row.event_id, seq: row.seq }))
}

/**
 * Counts the next entries of an event's journal, and moves the cursor past them in the same transaction: each
 * entry is counted once, whatever crashes. Returns how many there were; 0 also when another node is at it.
 */
export async function countEntries(
  tx: TenantTx,
  eventId: string,
): Promise<{ readonly entries: number; readonly cursor: number }> {
  await tx.query(
    `insert into funnel_cursors (organization_id, event_id, seq) values ($1, $2, 0) on conflict do nothing`,
    [eventId],
  )
  const cursor = await tx.one<{ from: number; to: number }>(
    `select c.seq::float8 as "from", least(l.seq, c.seq + ${PAGE})::float8 as "to"
     from funnel_cursors c
     join event_ledgers l on l.organization_id = c.organization_id and l.event_id = c.event_id
     where c.organization_id = $1 and c.event_id = $2 for update of c skip locked`,
    [eventId],
  )
  if (!cursor || cursor.to === cursor.from) return { entries: 0, cursor: cursor?.to ?? 0 }
  await tx.query(
    `insert into funnel_counts as f (organization_id, event_id, quarter, step, detail, count)
     select $1, $2, quarter, step, detail, count from (${STEPS}) as steps order by quarter, step, detail
     on conflict (organization_id, event_id, quarter, step, detail) do update set count = f.count + excluded.count`,
    [eventId, cursor.from, cursor.to],
  )
  await tx.query('update funnel_cursors set seq = $3 where organization_id = $1 and event_id = $2', [
    eventId,
    cursor.to,
  ])
  return { entries: cursor.to - cursor.from, cursor: cursor.to }
}

export interface RefusedStep {
  readonly organizationId: string
  readonly eventId: string
  /** Milliseconds since 1970. */
  readonly quarter: number
  readonly code: string
  readonly attempts: number
}

/**
 * Sorted by key, so that two nodes never wait for each other in a circle. Of an event that is not there,
 * nothing is counted.
 */
export async function addRefusedSteps(tx: PlatformTx, steps: readonly RefusedStep[]): Promise<void> {
  await tx.query(
    `insert into funnel_counts as f (organization_id, event_id, quarter, step, detail, count)
     select s.organization_id, s.event_id, to_timestamp(s.quarter / 1000.0), 'refused', s.code, s.attempts
     from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::text[], $5::bigint[])
       as s (organization_id, event_id, quarter, code, attempts)
     where exists (select from events e where e.organization_id = s.organization_id and e.id = s.event_id)
     order by 1, 2, 3, 5
     on conflict (organization_id, event_id, quarter, step, detail) do update set count = f.count + excluded.count`,
    [
      steps.map(step => step.organizationId),
      steps.map(step => step.eventId),
      steps.map(step => step.quarter),
      steps.map(step => step.code),
      steps.map(step => step.attempts),
    ],
  )
}

export interface FunnelRow {
  /** A day of the venue, as 2026-06-01. */
  readonly day: string
  readonly step: 'granted' | 'refused' | 'held' | 'extended' | 'paid' | 'expired' | 'released'
  readonly detail: string
  readonly count: number
}

export interface Funnel {
  readonly timeZone: string
  readonly rows: readonly FunnelRow[]
  /** The journal is counted up to here. */
  readonly countedSeq: number
  readonly seq: number
}

/**
 * The funnel by days of the venue: the counts, and the entries of the journal that are not in them yet, of
 * which at most one page is read. To be read in one snapshot, or an entry may be in both or in neither.
 */
export async function readFunnel(
  tx: TenantTx,
  eventId: string,
  time: { from: string | undefined; to: string | undefined },
): Promise<Funnel> {
  const place = await tx.one<{ time_zone: string; cursor: number; seq: number }>(
    `select coalesce(v.time_zone, o.time_zone) as time_zone, coalesce(c.seq, 0)::float8 as cursor,
       coalesce(l.seq, 0)::float8 as seq
     from events e
     join venues v on v.organization_id = e.organization_id and v.id = e.venue_id
     join organizations o on o.id = e.organization_id
     left join event_ledgers l on l.organization_id = e.organization_id and l.event_id = e.id
     left join funnel_cursors c on c.organization_id = e.organization_id and c.event_id = e.id
     where e.organization_id = $1 and e.id = $2`,
    [eventId],
  )
  const { time_zone: timeZone, cursor, seq } = place!
  const countedSeq = Math.min(seq, cursor + PAGE)
  const rows = await tx.query<FunnelRow & Record<string, unknown>>(
    `select to_char(quarter at time zone $5, 'YYYY-MM-DD') as day, step, detail, sum(count)::float8 as count
     from (
       select quarter, step, detail, count from funnel_counts where organization_id = $1 and event_id = $2
       union all ${STEPS.replace('with read as', 'select * from (with read as')}) as tail) as counted
     where ($6::timestamptz is null or quarter >= date_bin('15 minutes', $6::timestamptz, timestamptz '2000-01-01 00:00Z'))
       and ($7::timestamptz is null or quarter < $7)
     group by 1, 2, 3 order by 1, 2, 3`,
    [eventId, cursor, countedSeq, timeZone, time.from ?? null, time.to ?? null],
  )
  return { timeZone, rows, countedSeq, seq }
}
