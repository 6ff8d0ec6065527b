import type { Entry, EntryBody, EventRecord, HoldRow, SeatRow, Tables, TicketRow } from '../judge/record.ts'
import type { LabPostgres } from './lab-postgres.ts'
import type { LabEvent } from './site.ts'

const ms = (column: string) => `floor(extract(epoch from ${column}) * 1000)::float8`

/** Reads what the database has written down of the events, all of it at one moment. */
export async function collect(postgres: LabPostgres, events: readonly LabEvent[]): Promise<EventRecord[]> {
  const client = await postgres.connectSoon()
  try {
    await client.query('begin isolation level repeatable read read only')
    const records: EventRecord[] = []
    for (const { eventId, organizationId, plan } of events) {
      const read: Read = async text => (await client.query(text, [eventId])).rows
      const journal = await read<Omit<Entry, 'seq'> & { seq: string; body: EntryBody }>(
        `select seq, kind, command_id as command, actor_id as actor, ${ms('at')} as at, body
         from journal_entries where event_id = $1 order by seq`,
      )
      records.push({
        eventId,
        organizationId,
        plan,
        journal: journal.map(entry => ({ ...entry, seq: Number(entry.seq) })),
        tables: await readTables(read),
      })
    }
    await client.query('commit')
    return records
  } finally {
    await client.end()
  }
}

/** The tables alone, all of them at one moment. */
export async function collectTables(postgres: LabPostgres, { eventId }: LabEvent): Promise<Tables> {
  const client = await postgres.connectSoon()
  try {
    await client.query('begin isolation level repeatable read read only')
    return await readTables(async text => (await client.query(text, [eventId])).rows)
  } finally {
    await client.end()
  }
}

type Read = <R extends object>(text: string) => Promise<R[]>

async function readTables(read: Read): Promise<Tables> {
  const [ledger] = await read<{ seq: string; epoch: number; next: number | null }>(
    `select seq, epoch::float8 as epoch, ${ms('next_expiry')} as next from event_ledgers where event_id = $1`,
  )
  const holds = await read<HoldRow>(
    `select id, user_id as user, h.ordinal, coalesce(h.zone_index, z.zone_index) as zone, quantity, status,
       ${ms('held_until')} as "heldUntil", ${ms('cap_until')} as "capUntil", checkout_id as checkout,
       ${ms('ended_at')} as "endedAt", end_reason as "endReason"
     from (
       select hold_id as id, user_id, ordinal, null::int as zone_index, 1 as quantity, 'active' as status, held_until,
         cap_until, checkout_id, null::timestamptz as ended_at, null as end_reason
       from event_seats where event_id = $1 and status = 'held'
       union all
       select hold_id, user_id, null, zone_index, quantity, 'active', held_until, cap_until, checkout_id, null, null
       from place_holds where event_id = $1 and status = 'held'
       union all
       select id, user_id, ordinal, zone_index, quantity, status::text, held_until, cap_until, checkout_id, ended_at,
         end_reason::text
       from hold_history where event_id = $1) h
     left join (
       select first_ordinal, seat_count, (row_number() over (order by position) - 1)::int as zone_index
       from events e join zones using (organization_id, layout_id)
       where e.id = $1 and zones.version = e.layout_version) z
       on h.ordinal >= z.first_ordinal and h.ordinal < z.first_ordinal + z.seat_count`,
  )
  const seats = await read<SeatRow>(
    `select ordinal, status, hold_id as hold, ticket_id as ticket, version from event_seats where event_id = $1`,
  )
  const zones = await read<{ held: number; sold: number; blocked: number }>(
    'select held, sold, blocked from zone_counts where event_id = $1 order by zone_index',
  )
  const tickets = await read<TicketRow>(
    `select id, hold_id as hold, user_id as user, ordinal, zone_index as zone, checkout_id as checkout
     from tickets where event_id = $1`,
  )
  return {
    ...{ seq: Number(ledger!.seq), epoch: ledger!.epoch, nextExpiry: ledger!.next },
    ...{ holds, seats, zones, tickets },
  }
}

/** Reads the database's clock, and when that was by ours. */
export async function readClock(
  postgres: LabPostgres,
): Promise<{ from: number; to: number; database: number }[]> {
  const client = await postgres.connect()
  if (!client) return []
  try {
    const readings = []
    for (let times = 0; times < 5; times += 1) {
      const from = performance.now()
      const { rows } = await client.query(`select ${ms('clock_timestamp()')} as now`)
      readings.push({ from, to: performance.now(), database: rows[0].now as number })
    }
    return readings
  } catch {
    return []
  } finally {
    await client.end().catch(() => {})
  }
}
