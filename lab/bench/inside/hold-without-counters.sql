-- The fastest that holds can be written one by one: as hold-with-counters.sql, but nothing that two of them
-- share. No ledger, so the journal is numbered by the client; no counters,
-- so nothing keeps a zone from being overfull.
\set n :n + 1
\set number :n * :clients + :client_id
\set ordinal permute(:number, 10000000, :seed)
\set zone :ordinal % :zones
begin;
insert into seat_holds (organization_id, event_id, id, user_id, ordinal, seat_id, zone_index, quantity, status,
  created_at, held_until, cap_until, source, ip)
values (:organization::uuid, :event::uuid, uuidv7(), gen_random_uuid(), :ordinal, gen_random_uuid(), :zone, 1,
  'active', now(), now() + interval '2 hours', now() + interval '125 minutes', 'web', '10.0.0.1')
returning id \gset
insert into event_seats (organization_id, event_id, ordinal, status, hold_id, held_until, version)
values (:organization::uuid, :event::uuid, :ordinal, 'held', :id::uuid, now() + interval '2 hours', 1);
insert into journal (organization_id, event_id, seq, kind, command_id, actor_id, source, at, body)
values (:organization::uuid, :event::uuid, 1000 + :number, 'seat_reserved', gen_random_uuid(), gen_random_uuid(),
  'web', now(), json_build_object('holdId', :id::text, 'ordinal', :ordinal::int, 'version', 1,
  'zoneIndex', :zone::int, 'quantity', 1, 'userId', gen_random_uuid(), 'ip', '10.0.0.1', 'cartToken', null,
  'heldUntil', 1800000000000, 'capUntil', 1800000300000));
commit;
