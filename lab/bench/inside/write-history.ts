import type { EventId } from '@voelgoed/core/ids'
import { assert } from '@voelgoed/core/result'
import { HoldHistory } from '../../../server/modules/holds/hold-history.ts'
import type { Ground } from './ground.ts'

const AT_ONCE = 250_000
const BUYERS = 100_000

/**
 * Writes the rows that the server would have written if buyers had held seats of this event one after another
 * and given each back before the next: the journal, the ended holds, and the seats with their versions. The
 * history covers the last thirty days until two hours ago, so that none of it counts against a buyer any
 * more. Buyers take seats in turn, and after the last comes the first again.
 */
export async function writeHistory(ground: Ground, eventId: string, holds: number): Promise<void> {
  if (holds === 0) return
  const organizationId = ground.scope.organizationId
  await ground.sql(PLAN, [organizationId, eventId])
  // With statistics: what Postgres takes for a handful of seats it would go through for each hold.
  await ground.sql('analyze plan')
  // Many rows at once: the ledger moves past all of them.
  await ground.sql('alter table journal disable trigger continues_the_journal')
  const history = new HoldHistory({ database: ground.node.database, onEnded: () => {} })
  // The cursor moves on with the rows below, from where the journal ends now.
  const caughtUp = await history.catchUp(ground.scope, eventId as EventId)
  assert(caughtUp.ok, 'the history of a new event is short')
  for (let from = 0; from < holds; from += AT_ONCE) {
    const to = Math.min(from + AT_ONCE, holds)
    await ground.sql(HOLDS_AND_JOURNAL, [organizationId, eventId, from, to, holds])
  }
  await ground.sql(SEATS, [organizationId, eventId, holds])
  await ground.sql('alter table journal enable trigger continues_the_journal')
  await ground.sql('drop table plan')
}

/** The table has the event's seats with their zones. */
const PLAN = `
  create temporary table plan as
  select s.ordinal, s.seat_id, z.position as zone_index, count(*) over ()::int as seats
  from events e
  join seats s on s.organization_id = e.organization_id and s.layout_id = e.layout_id and s.version = e.layout_version
  join zones z on z.organization_id = e.organization_id and z.layout_id = e.layout_id
    and z.version = e.layout_version and z.zone_id = s.zone_id
  where e.organization_id = $1 and e.id = $2`

const HOLDS_AND_JOURNAL = `
  with hall as materialized (select seats from plan limit 1),
  made as materialized (
    select n, p.ordinal, p.seat_id, p.zone_index, 2 * (n / hall.seats) + 1 as version,
      uuidv7(moment.at - clock_timestamp()) as id, md5('buyer ' || n % ${BUYERS})::uuid as user_id, moment.at,
      l.seq + 2 * (n - $3::int) + 1 as seq
    from hall
    cross join generate_series($3::int, $4::int - 1) as n
    cross join lateral (
      select date_trunc('milliseconds', now() - interval '30 days'
        + (interval '30 days' - interval '2 hours') * (n::float8 / $5::int)) as at) as moment
    cross join (select seq from event_ledgers where organization_id = $1 and event_id = $2) as l
    join plan p on p.ordinal = n % hall.seats),
  held as (
    insert into hold_history (organization_id, event_id, id, user_id, ordinal, zone_index, quantity, status,
      created_at, held_until, cap_until, source, ip, ended_at, end_reason, last_seq)
    select $1, $2, id, user_id, ordinal, zone_index, 1, 'cancelled', at, at + interval '2 hours',
      at + interval '125 minutes', 'web', '10.0.0.1', at + interval '1 millisecond', 'user_cancelled', seq + 1
    from made),
  moved as (
    update history_cursors set seq = seq + 2 * ($4::int - $3::int) where organization_id = $1 and event_id = $2),
  entries as (
    select seq, at, gen_random_uuid() as command, user_id,
      json_build_array(0, 0, 0, id, ordinal, version, zone_index, 1, 0, '10.0.0.1', null, 7200000, 7500000) as change
    from made
    union all
    select seq + 1, at + interval '1 millisecond', gen_random_uuid(), user_id,
      json_build_array(6, 0, seq, id, ordinal, version + 1, zone_index, 1, 'user_cancelled', null)
    from made),
  told as (
    insert into journal (organization_id, event_id, first_seq, last_seq, at, first_command, last_command, by_staff,
      encoding, packed)
    select $1, $2, seq, seq, at, command, command, false, 1, json_build_array(
      json_build_array(json_build_array(command, user_id, 'web')), json_build_array(change), json_build_array())
    from entries)
  update event_ledgers set seq = seq + 2 * ($4::int - $3::int), tip = (select command from entries order by seq desc limit 1)
  where organization_id = $1 and event_id = $2`

const SEATS = `
  insert into event_seats (organization_id, event_id, ordinal, status, version, version_before)
  select $1, $2, ordinal, 'available', 2 * (($3::int - 1 - ordinal) / seats + 1), 0 from plan where ordinal < $3::int`
