import { systemClock } from '@voelgoed/kit/base/clock'
import pg from 'pg'
import { insertJournal, insertOrders } from './many-orders.ts'

export interface LargeOrganization {
  readonly slug: string
  /** Without seats, and with room for all of them. */
  readonly eventId: string
  readonly orders: number
  readonly entries: number
  readonly people: number
}

/** Writes, as the owner, what years of sales leave behind in an organization of a running server. */
export async function fillOrganization(databaseUrl: string, large: LargeOrganization): Promise<void> {
  const owner = new pg.Client({ connectionString: databaseUrl })
  await owner.connect()
  try {
    const found = await owner.query('select id from organizations where slug = $1', [large.slug])
    const organizationId = found.rows[0].id as string
    const run = (text: string) => owner.query(text)
    await fill(run, organizationId, large)
  } finally {
    await owner.end()
  }
}

async function fill(
  run: (text: string) => Promise<pg.QueryResult>,
  organizationId: string,
  { eventId, orders, entries, people }: LargeOrganization,
): Promise<void> {
  const from = new Date(systemClock.now() - orders * 60_000)
  const own = `'${organizationId}'`
  await run(`insert into users (organization_id, id, email, role, created_at)
    select ${own}, md5('person ' || n)::uuid, 'person' || n || '@example.org', 'customer', now() - n * interval '1 minute'
    from generate_series(1, ${people}) n`)
  const buyer = `md5('person ' || (n % ${people} + 1))`
  await insertOrders(run, { organizationId, eventId, orders, from, buyer })
  const ledger = await run(`select seq::float8 as seq from event_ledgers where event_id = '${eventId}'`)
  await insertJournal(run, { organizationId, eventId, seq: ledger.rows[0].seq, entries, from })
  // All tickets are of one zone, as its counters and holds say; what was counted before is counted.
  await run(`
    set session_replication_role = replica;
    update tickets set zone_index = 0 where event_id = '${eventId}';
    update entries set zone_index = 0 where event_id = '${eventId}';
    insert into place_holds (organization_id, hold_id, event_id, zone_index, user_id, quantity, status, created_at, held_until,
        cap_until, checkout_id, source, last_seq)
      select organization_id, hold_id, event_id, 0, user_id, count(*), 'sold', created_at, created_at + interval '10 minutes',
        created_at + interval '30 minutes', checkout_id, 'web', 1
      from tickets where event_id = '${eventId}' and voided_at is null group by 1, 2, 3, 5, 8, 11;
    update zone_counts set sold = (select count(*) from tickets where event_id = '${eventId}' and voided_at is null)
      where event_id = '${eventId}';
    update event_ledgers l set tip = (
      select last_command from journal j where j.event_id = l.event_id order by first_seq desc limit 1)
      where event_id = '${eventId}';
    insert into funnel_cursors (organization_id, event_id, seq)
      select organization_id, event_id, seq from event_ledgers where event_id = '${eventId}'
      on conflict (organization_id, event_id) do update set seq = excluded.seq;
    insert into history_cursors (organization_id, event_id, seq)
      select organization_id, event_id, seq from event_ledgers where event_id = '${eventId}'
      on conflict (organization_id, event_id) do update set seq = excluded.seq;
    insert into funnel_counts (organization_id, event_id, quarter, step, detail, count)
      select ${own}, '${eventId}', date_bin('15 minutes', now(), '2026-01-01') - n * interval '15 minutes', step, '', 100
      from generate_series(0, 2879) n, unnest(array['granted', 'held', 'paid', 'expired']) step
      on conflict do nothing;
    insert into occupancy_snapshots (organization_id, event_id, at, status, available, held, sold, blocked, zones)
      select ${own}, '${eventId}', now() - n * interval '1 minute', 'published', 250000 - s.sold, 0, s.sold, 0,
        jsonb_build_array(jsonb_build_array(c.zone_id, 250000 - s.sold, 0, s.sold, 0))
      from zone_counts c, generate_series(1, 43200) n, lateral (select greatest(0, 200000 - n * 4) as sold) s
      where c.event_id = '${eventId}' on conflict do nothing;
    insert into audit_log (organization_id, at, action, actor, user_id, entity_type, entity_id, event_id, changes)
      select organization_id, created_at, 'order_sold', 'user', user_id, 'order', id, event_id,
        jsonb_build_object('order_number', number, 'tickets', 2) from orders where event_id = '${eventId}';
    insert into mails (organization_id, id, key, kind, recipient, data, order_id, status, attempts, due_at, created_at, ended_at)
      select organization_id, gen_random_uuid(), 'order_paid:' || id, 'order_paid', contact_email,
        jsonb_build_object('orderId', id), id, 'sent', 1, created_at, created_at, created_at
      from orders where event_id = '${eventId}';
    set session_replication_role = origin;
  `)
  await run('vacuum analyze')
}
