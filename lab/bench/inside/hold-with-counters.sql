-- One hold as a server without lanes would write it: the same rows, in a transaction of its own, for pgbench.
-- The ledger comes first: it numbers the journal, and the transaction that has updated it makes all others
-- wait. `n` counts on from one hold of a client to its next, so no seat is asked for twice.
\set n :n + 1
\set ordinal permute(:n * :clients + :client_id, 10000000, :seed)
\set zone :ordinal % :zones
begin;
update event_ledgers set seq = seq + 1, next_expiry = coalesce(next_expiry, now() + interval '2 hours')
where organization_id = :organization::uuid and event_id = :event::uuid
returning seq \gset
insert into seat_holds (organization_id, event_id, id, user_id, ordinal, seat_id, zone_index, quantity, status,
  created_at, held_until, cap_until, source, ip)
values (:organization::uuid, :event::uuid, uuidv7(), gen_random_uuid(), :ordinal, gen_random_uuid(), :zone, 1,
  'active', now(), now() + interval '2 hours', now() + interval '125 minutes', 'web', '10.0.0.1')
returning id \gset
insert into event_seats (organization_id, event_id, ordinal, status, hold_id, held_until, version)
values (:organization::uuid, :event::uuid, :ordinal, 'held', :id::uuid, now() + interval '2 hours', 1);
update zone_counts set held = held + 1
where organization_id = :organization::uuid and event_id = :event::uuid and zone_index = :zone;
insert into journal (organization_id, event_id, seq, kind, command_id, actor_id, source, at, body)
values (:organization::uuid, :event::uuid, :seq::bigint, 'seat_reserved', gen_random_uuid(), gen_random_uuid(),
  'web', now(), json_build_object('holdId', :id::text, 'ordinal', :ordinal::int, 'version', 1,
  'zoneIndex', :zone::int, 'quantity', 1, 'userId', gen_random_uuid(), 'ip', '10.0.0.1', 'cartToken', null,
  'heldUntil', 1800000000000, 'capUntil', 1800000300000));
commit;
