-- A payment that is over gives its holds back to the buyer's cart. The journal as entries, with its end.
-- Otherwise as before.
create or replace view journal_entries with (security_invoker = true) as
select j.organization_id, j.event_id, j.first_seq, j.first_seq + e.position - 1 as seq, e.entry ->> 'kind' as kind,
  (e.entry ->> 'command')::uuid as command_id, (e.entry ->> 'actor')::uuid as actor_id, e.entry ->> 'source' as source,
  j.at, (e.entry ->> 'previous')::bigint as previous, e.entry -> 'body' as body
from journal j
cross join lateral jsonb_array_elements(j.packed::jsonb) with ordinality as e (entry, position)
where j.encoding = 0
union all
select j.organization_id, j.event_id, j.first_seq, j.first_seq + c.position - 1 as seq, k.kind,
  (m.command ->> 0)::uuid, (m.command ->> 1)::uuid, m.command ->> 2,
  t.at, case when k.code <= 7 or k.code = 13 then (c.change ->> 2)::bigint end,
  case when k.code <= 7 or k.code = 13 then jsonb_build_object('holdId', c.change -> 3, 'ordinal', c.change -> 4,
    'version', c.change -> 5, 'zoneIndex', c.change -> 6, 'quantity', c.change -> 7) else '{}' end
  || case k.code
    when 0 then jsonb_build_object('userId', case c.change -> 8 when '0' then m.command -> 1 else c.change -> 8 end,
      'ip', case c.change -> 9 when '0' then m.command -> 3 else c.change -> 9 end, 'cartToken', c.change -> 10,
      'heldUntil', t.ms + (c.change ->> 11)::bigint, 'capUntil', t.ms + (c.change ->> 12)::bigint)
    when 1 then jsonb_strip_nulls(jsonb_build_object('heldUntil', t.ms + (c.change ->> 8)::bigint,
      'capUntil', t.ms + (c.change ->> 9)::bigint))
    when 2 then jsonb_strip_nulls(jsonb_build_object('checkoutId', c.change -> 8,
      'heldUntil', t.ms + (c.change ->> 9)::bigint, 'capUntil', t.ms + (c.change ->> 10)::bigint))
    when 3 then jsonb_build_object('freed', c.change -> 8)
    when 4 then jsonb_build_object('userId', case c.change -> 8 when '0' then m.command -> 1 else c.change -> 8 end,
      'heldUntil', t.ms + (c.change ->> 9)::bigint, 'capUntil', t.ms + (c.change ->> 10)::bigint)
    when 6 then jsonb_build_object('reason', c.change -> 8, 'notes', c.change -> 9)
    when 7 then jsonb_build_object('userId', case c.change -> 8 when '0' then m.command -> 1 else c.change -> 8 end,
      'checkoutId', c.change -> 9, 'ticketIds', c.change -> 10)
    when 8 then jsonb_build_object('ordinal', c.change -> 2, 'version', c.change -> 3, 'zoneIndex', c.change -> 4,
      'reason', c.change -> 5)
    when 9 then jsonb_build_object('ordinal', c.change -> 2, 'version', c.change -> 3, 'zoneIndex', c.change -> 4,
      'reason', c.change -> 5)
    when 10 then c.change -> 2
    when 11 then jsonb_build_object('zoneIndex', c.change -> 2, 'occupied', c.change -> 3, 'capacity', c.change -> 4,
      'ordinals', c.change -> 5)
    when 12 then jsonb_build_object('ticketId', c.change -> 2, 'ordinal', c.change -> 3, 'version', c.change -> 4,
      'zoneIndex', c.change -> 5, 'reason', c.change -> 6)
    when 13 then jsonb_build_object('checkoutId', c.change -> 8)
    else '{}' end
  || case when jsonb_array_length(m.command) > 3 then jsonb_build_object('address', m.command -> 3,
    'userAgent', p.agents -> (m.command ->> 4)::int) else '{}' end
from journal j
cross join lateral (select whole -> 0 as commands, whole -> 1 as changes, whole -> 2 as agents
  from (select j.packed::jsonb as whole offset 0) as parsed offset 0) as p
cross join lateral jsonb_array_elements(p.changes) with ordinality as c (change, position)
cross join lateral (select p.commands -> (c.change ->> 1)::int as command offset 0) as m
cross join lateral (select at, floor(extract(epoch from at) * 1000)::bigint as ms
  from (select coalesce(to_timestamp((m.command ->> 5)::float8 / 1000.0), j.at) as at) as moment offset 0) as t
cross join lateral (select code, coalesce((array['seat_reserved', 'seat_hold_extended', 'payment_started', 'hold_reduced',
    'hold_transferred', 'seat_hold_expired', 'seat_released', 'seat_converted', 'seat_blocked', 'seat_unblocked',
    'event_changed', 'companions_released', 'ticket_voided', 'payment_ended'])[code + 1], 'kind ' || code) as kind
  from (select (c.change ->> 0)::int as code) as coded offset 0) as k
where j.encoding = 1;
