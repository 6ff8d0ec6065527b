/**
 * Rows of large organizations, written as the owner of the database: what millions of requests would have
 * left behind. Triggers are off meanwhile: nothing was held.
 */

/** Several statements in one text, on one connection. */
type RunSql = (text: string) => Promise<unknown>

export interface ManyOrders {
  readonly organizationId: string
  readonly eventId: string
  readonly orders: number
  /** The first one; one a minute. */
  readonly from: Date
  /** The buyer of order `n`, as SQL. */
  readonly buyer: string
}

/** Two tickets in each order, of which each tenth is given back in part and each hundredth whole. */
export async function insertOrders(run: RunSql, wanted: ManyOrders): Promise<void> {
  const { organizationId, eventId, orders, from, buyer } = wanted
  await run(`
    set session_replication_role = replica;
    create temporary table made as
      select n, gen_random_uuid() as id, gen_random_uuid() as refund_id, n % 100 = 0 as is_whole, n % 10 = 0 as is_part,
        gen_random_uuid() as hold_id, (${buyer})::uuid as buyer,
        timestamptz '${from.toISOString()}' + (n - 1) * interval '1 minute' as at,
        (array['page', 'embed', 'api', 'box_office'])[n % 4 + 1]::sales_channel as channel
      from generate_series(1, ${orders}) n;
    insert into orders (organization_id, id, event_id, number, user_id, status, currency, total, fees, tax, hold_ids,
        contact_name, contact_email, contact_email_key, secret_hash, channel, created_at)
      select '${organizationId}', id, '${eventId}', '${eventId.slice(-6)}' || lpad(n::text, 10, '0'), buyer,
        (case when is_whole then 'refunded' when is_part then 'partly_refunded' else 'paid' end)::order_status,
        'ZAR', 163000, 3000, 21261, array[hold_id], 'Buyer ' || n, 'buyer' || n || '@example.org',
        'buyer' || n || '@example.org', sha256('x'), channel, at from made;
    create temporary table sold as
      select made.*, place, gen_random_uuid() as ticket_id,
        is_whole or (is_part and place = 0) as is_void from made, generate_series(0, 1) place order by n;
    insert into tickets (organization_id, id, event_id, hold_id, user_id, zone_index, checkout_id, created_at, voided_at)
      select '${organizationId}', ticket_id, '${eventId}', hold_id, buyer, place, id, at,
        case when is_void then at + interval '1 day' end from sold;
    insert into order_lines (organization_id, order_id, ticket_id, position, amount, ticket_type, category, refund_id)
      select '${organizationId}', id, ticket_id, place, 80000, 'adult', 'gold',
        case when is_void then refund_id end from sold;
    insert into payments (organization_id, id, order_id, method, status, amount, recorded_by)
      select '${organizationId}', gen_random_uuid(), id, 'cash', 'captured', 163000, buyer from made;
    insert into refunds (organization_id, id, order_id, payment_id, amount, reason, recorded_by)
      select '${organizationId}', refund_id, id, id, case when is_whole then 163000 else 80000 end, 'ill', buyer
      from made where is_part or is_whole;
    insert into entries (organization_id, id, event_id, ticket_id, zone_index, direction, day, position, at, recorded_at,
        device_id, scanned_by, entries_per_day, reentry)
      select '${organizationId}', gen_random_uuid(), '${eventId}', ticket_id, place, 'in', '2026-05-01', 1, at, at, 'gate',
        buyer, 1, false from sold where not is_void;
    drop table made, sold;
    set session_replication_role = origin;
  `)
}

export interface LongJournal {
  readonly organizationId: string
  readonly eventId: string
  /** The seq of the event. */
  readonly seq: number
  readonly entries: number
  readonly from: Date
}

const ENTRIES_OF_ROW = 100

/** Holds of which most became tickets, in rows of the journal as batches write them; returns how many. */
export async function insertJournal(run: RunSql, wanted: LongJournal): Promise<number> {
  const { organizationId, eventId, seq, entries, from } = wanted
  const rows = Math.ceil(entries / ENTRIES_OF_ROW)
  await run(`
    set session_replication_role = replica;
    insert into journal (organization_id, event_id, first_seq, last_seq, at, first_command, last_command, by_staff,
        encoding, packed)
      select '${organizationId}', '${eventId}', ${seq} + (n - 1) * ${ENTRIES_OF_ROW} + 1, ${seq} + n * ${ENTRIES_OF_ROW},
        timestamptz '${from.toISOString()}' + n * interval '1 minute', gen_random_uuid(), gen_random_uuid(), false, 1, e.packed
      from generate_series(1, ${rows}) n, lateral (
        select jsonb_build_array(jsonb_agg(jsonb_build_array(md5(n || '-' || i), null, 'web') order by i),
          jsonb_agg(case
            when i <= 50 then jsonb_build_array(0, i - 1, 0, hold, null, null, 0, 1, 0, null, null, 1000, 301000)
            when i <= 90 then jsonb_build_array(7, i - 1, 0, hold, null, null, 0, 1, 0, null, '[]'::jsonb)
            else jsonb_build_array(5, i - 1, 0, hold, null, null, 0, 1) end order by i), '[]'::jsonb)::text as packed
        from (select i, gen_random_uuid() as hold from generate_series(1, ${ENTRIES_OF_ROW}) i) made) e;
    update event_ledgers set seq = seq + ${rows * ENTRIES_OF_ROW} where event_id = '${eventId}';
    set session_replication_role = origin;
  `)
  return rows
}
