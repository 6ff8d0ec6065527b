import { CLOCK_WRONG } from '@voelgoed/core/entry/scan'
import type { Check } from '../check.ts'

/** Entries that are not listed as conflicts. */
const GOOD = `(select e.* from entries e where not exists (select from entry_conflicts c
    where c.organization_id = e.organization_id and c.entry_id = e.id and c.code <> '${CLOCK_WRONG}'))`

/** The first of the tickets that a line of an order had one after another, for each that was moved to. */
const FIRST_TICKETS = `(with recursive back as (
      select organization_id, to_ticket_id as ticket_id, from_ticket_id as first_id from ticket_moves
      union all
      select b.organization_id, b.ticket_id, m.from_ticket_id from back b
        join ticket_moves m on m.organization_id = b.organization_id and m.to_ticket_id = b.first_id)
    select b.* from back b where not exists (select from ticket_moves m
      where m.organization_id = b.organization_id and m.to_ticket_id = b.first_id))`

/** They judge who came in. A mistake of a gate without a network is listed, and is no violation. */
export const entryChecks: readonly Check[] = [
  {
    invariant: 22,
    name: 'a ticket is used as often as its admission says, a day, or the conflict is listed',
    over: 'entries',
    // The tickets that it was moved from and to are one with it.
    sql: `select organization_id, event_id, ticket_id, day, ins, outs, allowed
      from (select organization_id, event_id, coalesce(f.first_id, ticket_id) as ticket_id, day, count(*) filter (where direction = 'in') as ins,
          count(*) filter (where direction = 'out') as outs, max(entries_per_day) as allowed, bool_or(reentry) as reentry
        from ${GOOD} e left join ${FIRST_TICKETS} f using (organization_id, ticket_id) group by 1, 2, 3, 4) used
      where ins - case when reentry then outs else 0 end > allowed`,
  },
  {
    invariant: 22,
    name: 'a void ticket lets its holder in no more, or the conflict is listed',
    over: 'entries',
    // A refund that has begun before the entry may end after it.
    sql: `select e.organization_id, e.event_id, e.ticket_id, e.id as entry_id, e.at, t.voided_at
      from ${GOOD} e join tickets t on t.organization_id = e.organization_id and t.id = e.ticket_id
      where e.direction = 'in' and e.at > t.voided_at + interval '1 minute'`,
  },
  {
    invariant: 22,
    name: 'an entry is of the event and the zone of its ticket',
    over: 'entries',
    sql: `select e.organization_id, e.id as entry_id, e.ticket_id, e.event_id, e.zone_index
      from entries e left join tickets t on t.organization_id = e.organization_id and t.id = e.ticket_id
      where (t.event_id, t.zone_index) is distinct from (e.event_id, e.zone_index)`,
  },
  {
    invariant: 5,
    name: 'a zone counts those inside and the places it gave as its entries say',
    over: 'zone_days',
    sql: `select organization_id, event_id, zone_index, day, z.inside, e.inside as came, z.places_given, e.given
      from zone_days z left join (select organization_id, event_id, zone_index, day,
          count(*) filter (where direction = 'in') - count(*) filter (where direction = 'out') as inside,
          count(place) as given
        from entries group by 1, 2, 3, 4) e using (organization_id, event_id, zone_index, day)
      where z.places_given <> coalesce(e.given, 0) or (z.places_given = 0 and z.inside <> coalesce(e.inside, 0))`,
  },
  {
    invariant: 5,
    name: 'no exit waits for an entry that is known',
    over: 'entries',
    // From the exit on one person or more were inside, by one of the tickets, until now.
    sql: `with waiting as (select x.*, coalesce(f.first_id, ticket_id) as line
        from early_exits x left join ${FIRST_TICKETS} f using (organization_id, ticket_id)
        where not exists (select from entries e where e.organization_id = x.organization_id and e.id = x.id)),
      known as (select e.organization_id, e.ticket_id, e.day, e.at, coalesce(f.first_id, e.ticket_id) as line,
          sum(case direction when 'in' then 1 else -1 end) over (partition by organization_id, ticket_id, day
            order by at, direction, e.id) as inside
        from entries e left join ${FIRST_TICKETS} f using (organization_id, ticket_id))
      select w.organization_id, w.event_id, w.id as exit_id, k.ticket_id, k.day
      from waiting w join known k using (organization_id, line)
      group by w.organization_id, w.event_id, w.id, k.ticket_id, k.day
      having (array_agg(k.inside order by k.at desc, k.inside) filter (where k.at < w.at))[1] > 0
        and coalesce(min(k.inside) filter (where k.at >= w.at), 1) > 0`,
  },
]
