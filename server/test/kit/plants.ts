import type pg from 'pg'

/** Plants as the owner. `unpacked` has the journal as entries, which are packed again afterwards. */
export async function plantIn(client: pg.ClientBase, plant: string): Promise<void> {
  const isOfEntries = plant.includes('unpacked')
  if (isOfEntries)
    await client.query('create temporary table unpacked on commit drop as select * from journal_entries')
  await client.query(plant)
  if (!isOfEntries) return
  await client.query('delete from journal')
  await client.query(
    `insert into journal (organization_id, event_id, first_seq, last_seq, at, first_command, last_command, by_staff, encoding,
       packed)
     select organization_id, event_id, seq, seq, at, command_id, command_id, false, 0,
       json_build_array(json_build_object('kind', kind, 'command', command_id, 'actor', actor_id, 'source', source,
         'previous', previous, 'body', body))
     from unpacked`,
  )
}

/**
 * A planted violation for each check, by its name: statements as the owner that go around everything that
 * guards the tables. Each plant must be found by the very check it is for; others may find it as well.
 */
export const PLANTS: Readonly<Record<string, string>> = {
  'a seat has one live hold or one valid ticket, not more': `
    insert into seat_holds (organization_id, id, event_id, user_id, ordinal, seat_id, zone_index, quantity, created_at,
      held_until, cap_until, source)
    select organization_id, gen_random_uuid(), event_id, user_id, ordinal, seat_id, zone_index, 1, now(),
      now() + interval '1 minute', now() + interval '1 minute', 'web'
    from tickets where ordinal is not null limit 1`,

  'no seat is held twice, whatever its ordinal': `
    update seat_holds h set seat_id = (select o.seat_id from seat_holds o
      where o.event_id = h.event_id and o.status = 'active' and o.seat_id is not null limit 1)
    where status = 'active' and seat_id is not null`,

  'a held seat has its live hold': `
    update event_seats set held_until = held_until + interval '1 second' where status = 'held'`,

  'a sold seat has its valid ticket and its converted hold': `
    update tickets set voided_at = now() where ordinal is not null`,

  'the seat of a live hold is held by it': `
    update event_seats set status = 'available', hold_id = null, held_until = null where status = 'held'`,

  'the seat of a valid ticket is sold by it': `
    alter table event_seats disable trigger sold_stays_sold;
    update event_seats set status = 'available', hold_id = null, ticket_id = null where status = 'sold'`,

  'a ticket comes from a converted hold of the same event, place and person': `
    update tickets t set user_id = u.id from users u where u.organization_id = t.organization_id and u.role = 'admin'`,

  'a converted hold has a ticket for each of its places, any other none': `
    delete from tickets where id = (select id from tickets where ordinal is null limit 1)`,

  'tickets are those that the journal issued, each once': `
    update tickets set id = gen_random_uuid() where ordinal is null`,

  'replay: the tables make a state that a node can load': `
    update event_seats set status = 'held', hold_id = gen_random_uuid(), held_until = now() where status = 'available'`,

  'replay: the journal gives the seats of the tables': `
    update event_seats set version = version + 1 where status = 'available'`,

  'replay: the journal gives the live holds of the tables': `
    update seat_holds set cap_until = cap_until + interval '1 hour' where status = 'active'`,

  'the version of a seat is the number of its journal entries': `
    update event_seats set version = version + 1 where status = 'available'`,

  'the versions of a seat go up by one': `
    update unpacked set body = body || '{"version": 9}' where kind = 'seat_blocked'`,

  'a hold begins once, before anything else happens to it': `
    update unpacked set kind = 'seat_hold_extended' where kind = 'seat_reserved'`,

  'what has ended stays ended': `
    insert into unpacked (organization_id, event_id, seq, kind, command_id, source, at, body)
    select j.organization_id, j.event_id, l.seq + 1, 'seat_hold_extended', gen_random_uuid(), 'web', now(), j.body
    from unpacked j join event_ledgers l using (organization_id, event_id) where j.kind = 'seat_released' limit 1`,

  'a hold has ended with a reason that fits its status and its time': `
    update seat_holds set ended_at = held_until where status = 'cancelled'`,

  'replay: every change is legal where it stands': `
    update unpacked set kind = 'seat_unblocked' where kind = 'seat_blocked'`,

  'the counters of a zone are the sums of the rows': `
    update zone_counts set held = held + 1 where held + sold + blocked < capacity`,

  'no zone has less than nothing in it, or more than its capacity': `
    alter table zone_counts drop constraint zone_counts_check;
    update zone_counts set capacity = 1`,

  'every zone of an event on sale has its counter, and no other': `
    delete from zone_counts where zone_index = 0`,

  'replay: the journal gives the counters of the tables': `
    update zone_counts set capacity = capacity + 1`,

  'nothing is granted on a hold that has run out': `
    update unpacked set at = at + interval '1 hour' where kind = 'payment_started'`,

  'no hold expires before its time': `
    update unpacked set at = at - interval '1 minute' where kind = 'seat_hold_expired'`,

  'held_until never moves back, nor past its cap': `
    update unpacked set body = body || '{"heldUntil": 1}' where kind = 'seat_hold_extended'`,

  'the ledger knows when the next hold runs out': `
    update event_ledgers set next_expiry = next_expiry + interval '1 second'`,

  'no hold that has run out stays untidied': `
    update seat_holds set held_until = now() - interval '61 seconds' where status = 'active'`,

  'replay: the journal gives the next expiry of the ledger': `
    update event_ledgers set next_expiry = null`,

  'a stored answer is a success, whole, and belongs to a user': `
    update idempotency_keys set status = 409`,

  'the journal of an event has no gap, and ends where its ledger says': `
    delete from unpacked where seq = 5`,

  'rows of the journal neither overlap nor leave a gap, and name their commands': `
    update journal set first_command = gen_random_uuid() where first_seq = 1`,

  "the ledger's tip is the command of the last entry": `
    update event_ledgers set tip = gen_random_uuid()`,

  'each entry of a hold names the one before': `
    update unpacked set previous = previous + 1 where kind = 'seat_released'`,

  'every entry of the journal is of a kind we know': `
    update unpacked set kind = 'seat_upgraded' where kind = 'event_changed'`,

  'every event that was put on sale has a ledger': `
    update events set status = 'completed' where status = 'draft'`,

  'a hold is what the journal says of it': `
    update seat_holds set checkout_id = gen_random_uuid() where end_reason = 'user_cancelled'`,

  "replay: the journal gives the event's status, window and zones": `
    update events set sale_end = now() where status = 'live';
    update events set status = 'cancelled' where status = 'live'`,

  'every row is of an event of its own organization': `
    update zone_counts c set organization_id = o.id from organizations o where o.id <> c.organization_id`,

  'every person who is named belongs to the organization': `
    update seat_holds h set user_id = u.id from users u where u.organization_id <> h.organization_id`,

  "seats of holds, tickets and events are seats of the event's layout version": `
    update seat_holds set zone_index = 2 - zone_index where ordinal is not null`,

  'the seats of a layout version lie in its zones, as many as it says': `
    update seats set zone_id = gen_random_uuid() where ordinal = 3`,

  'no id belongs to two organizations': `
    insert into venues (organization_id, id, name)
    select o.id, v.id, v.name from venues v join organizations o on o.id <> v.organization_id`,

  "a buyer's living holds in an event end together": `
    update seat_holds set held_until = now() + interval '1 minute' where id in (
      select max(id::text)::uuid from seat_holds where status = 'active' and held_until > now()
      group by organization_id, event_id, user_id having count(*) > 1)`,

  'no buyer was given more than the limit': `
    update seating_policies set policy = policy || '{"max_holds_per_user": 1}', updated_at = '2000-01-01';
    update events set updated_at = '2000-01-01'`,

  'replay: no buyer ever had more than the limit': `
    update seating_policies set policy = policy || '{"max_holds_per_user": 1}', updated_at = '2000-01-01';
    update events set updated_at = '2000-01-01'`,

  'the changes of a command stand together, of one event, one moment and one person': `
    update unpacked j set command_id = (
      select command_id from unpacked f where f.event_id = j.event_id and f.seq = 1)
    where kind = 'seat_released'`,
}
