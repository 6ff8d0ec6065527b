import type { Plants } from '@voelgoed/testing/plants'

/** For the checks of what the engine writes, and of who owns what. */
export const plants: Plants = {
  'a seat has one live hold or one valid ticket, not more': `
    alter table event_seats disable trigger user;
    update event_seats set status = 'held', ticket_id = null where status = 'sold'`,

  'no seat is held twice, whatever its ordinal': `
    alter table seats drop constraint seats_organization_id_layout_id_version_seat_id_key;
    update seats s set seat_id = (select o.seat_id from seats o join event_seats h on h.ordinal = o.ordinal
      where o.organization_id = s.organization_id and o.layout_id = s.layout_id and h.status = 'held' limit 1)`,

  'a held or sold seat has its hold, whole, and any other has none': `
    alter table event_seats drop constraint event_seats_hold;
    alter table event_seats disable trigger user;
    update event_seats set source = null where status = 'held'`,

  'a hold has one seat, or places of one zone': `
    drop index event_seats_hold_id;
    alter table event_seats disable trigger user;
    update event_seats s set hold_id = p.hold_id from place_holds p
    where s.status = 'held' and p.organization_id = s.organization_id`,

  'a sold seat has its valid ticket': `
    update tickets set voided_at = now() where ordinal is not null`,

  'a seat has one row, and so one owner': `
    alter table event_seats drop constraint event_seats_pkey;
    drop index event_seats_hold_id;
    insert into event_seats select * from event_seats where status = 'held' limit 1`,

  'the seat of a valid ticket is sold by it': `
    alter table event_seats disable trigger user;
    update event_seats set status = 'available', hold_id = null, ticket_id = null, user_id = null, created_at = null,
      held_until = null, cap_until = null, checkout_id = null, cart_token = null, source = null, ip = null, last_seq = null
    where status = 'sold'`,

  'a ticket comes from a converted hold of the same event, place and person': `
    update tickets t set user_id = u.id from users u where u.organization_id = t.organization_id and u.role = 'admin'`,

  'a converted hold has a ticket for each of its places, any other none': `
    delete from tickets where id = (select id from tickets where ordinal is null limit 1)`,

  'tickets are those that the journal issued, each once': `
    update tickets set id = gen_random_uuid() where ordinal is null`,

  'the tickets that are void are those that the journal says, each once': `
    alter table tickets disable trigger user;
    update tickets set voided_at = null`,

  'replay: the tables make a state that a node can load': `
    alter table event_seats disable trigger user;
    update event_seats set ordinal = 100000 + ordinal where status = 'held'`,

  'replay: the journal gives the seats of the tables': `
    alter table event_seats disable trigger user;
    update event_seats set version = version + 1 where status = 'available'`,

  'replay: the journal gives the live holds of the tables': `
    alter table event_seats disable trigger user;
    update event_seats set cap_until = cap_until + interval '1 hour' where status = 'held'`,

  'the version of a seat is the number of its journal entries': `
    alter table event_seats disable trigger user;
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
    update hold_history set ended_at = held_until where status = 'cancelled'`,

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
    alter table event_seats disable trigger user;
    update event_seats set held_until = now() - interval '61 seconds' where status = 'held'`,

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

  'nothing of a draft is held or sold, also if it was on sale before': `
    update events set status = 'draft' where status = 'published'`,

  'a hold is what the journal says of it': `
    alter table event_seats disable trigger user;
    update event_seats set cart_token = 'another' where status = 'sold'`,

  'the history has the holds that ended up to its cursor, once each, as the journal tells': `
    delete from hold_history where status = 'expired'`,

  'the history reaches no further than the journal': `
    update history_cursors set seq = seq + 1`,

  "replay: the journal gives the event's status, window and zones": `
    update events set sale_end = now() where status = 'live';
    update events set status = 'cancelled' where status = 'live'`,

  'every row is of an event of its own organization': `
    update zone_counts c set organization_id = o.id from organizations o where o.id <> c.organization_id`,

  'every person who is named belongs to the organization': `
    update hold_history h set user_id = u.id from users u where u.organization_id <> h.organization_id`,

  "seats of holds, tickets and events are seats of the event's layout version": `
    update hold_history set zone_index = 2 - zone_index where ordinal is not null`,

  'the seats of a layout version lie in its zones, as many as it says': `
    update seats set zone_id = gen_random_uuid() where ordinal = 3`,

  'no id belongs to two organizations': `
    insert into venues (organization_id, id, name)
    select o.id, v.id, v.name from venues v join organizations o on o.id <> v.organization_id`,

  "a buyer's living holds in an event end together": `
    alter table event_seats disable trigger user;
    update event_seats set held_until = now() + interval '1 hour', cap_until = now() + interval '2 hours'
    where status = 'held';
    update event_seats set held_until = now() + interval '1 minute' where hold_id in (
      select max(hold_id::text)::uuid from event_seats where status = 'held'
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
