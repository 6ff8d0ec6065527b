-- One row of the journal for each batch, its changes packed into one text (core/event/packed-changes.ts).
-- A batch of 256 holds wrote 256 rows and index entries under the event's lock; now it writes one.

alter table journal rename to journal_of_rows;
alter table journal_of_rows rename constraint journal_pkey to journal_of_rows_pkey;
-- The owner must see every row, or some would not be moved.
alter table journal_of_rows no force row level security;
alter table seat_holds no force row level security;

create table journal (
  organization_id uuid not null,
  event_id uuid not null,
  first_seq bigint not null check (first_seq > 0),
  last_seq bigint not null,
  -- By the database's clock, read under the event's lock.
  at timestamptz not null,
  first_command uuid not null,
  last_command uuid not null,
  -- Whether staff did something in it that is looked up by seat or by person.
  by_staff boolean not null,
  encoding smallint not null,
  packed text not null,
  primary key (organization_id, event_id, first_seq),
  check (last_seq >= first_seq)
);
-- Compressing would take time under the event's lock.
alter table journal alter column packed set storage external;

insert into journal (organization_id, event_id, first_seq, last_seq, at, first_command, last_command, by_staff, encoding,
  packed)
select organization_id, event_id, min(seq), max(seq), at, (array_agg(command_id order by seq))[1],
  (array_agg(command_id order by seq desc))[1],
  bool_or(kind in ('seat_blocked', 'seat_unblocked') or source = 'admin' and kind <> 'seat_reserved'), 0,
  json_agg(json_build_object('kind', kind, 'command', command_id, 'actor', actor_id, 'source', source,
    'previous', previous, 'body', body) order by seq)::text
from (
  select *,
    case when hold is not null then coalesce(
      lag(seq) over (partition by organization_id, event_id, hold order by seq), 0) end as previous,
    -- Neighbours of one moment, at most a thousand, have the same number.
    seq - row_number() over (partition by organization_id, event_id, at, (seq - 1) / 1000 order by seq) as island
  from (select *, coalesce(hold_id::text, body ->> 'holdId') as hold from journal_of_rows) with_hold) numbered
group by organization_id, event_id, at, (seq - 1) / 1000, island;

-- The last change of each hold: where its chain through the journal begins.
alter table seat_holds add column last_seq bigint not null default 0;
alter table seat_holds disable trigger ended_stays_ended;
update seat_holds h set last_seq = j.last_seq
from (
  select organization_id, coalesce(hold_id::text, body ->> 'holdId')::uuid as hold_id, max(seq) as last_seq
  from journal_of_rows where hold_id is not null or kind = 'seat_reserved' group by 1, 2) j
where j.organization_id = h.organization_id and j.hold_id = h.id;
alter table seat_holds enable trigger ended_stays_ended;
alter table seat_holds force row level security;
grant update (last_seq) on seat_holds to voelgoed_app;

-- The command of the last change: with the seq it names a place in the journal, even after commits were lost.
alter table event_ledgers no force row level security;
alter table event_ledgers add column tip uuid;
update event_ledgers l set tip = j.command_id from journal_of_rows j
where j.organization_id = l.organization_id and j.event_id = l.event_id and j.seq = l.seq;
alter table event_ledgers force row level security;

drop table journal_of_rows;

call protect_tenant_table('journal');
grant select, insert on journal to voelgoed_app;

-- What staff did is looked up here. Batches of buyers are not in it, and pay nothing for it.
create index journal_staff on journal (organization_id, event_id, first_seq) where by_staff;

-- As an `after` trigger, so that the constraints speak first. The writer holds the ledger's lock, and moves
-- the ledger after this.
create function refuse_journal_gap() returns trigger language plpgsql as $$
begin
  if new.first_seq is distinct from (
    select l.seq + 1 from event_ledgers l
    where l.organization_id = new.organization_id and l.event_id = new.event_id) then
    raise exception 'entry % does not continue the journal of event %', new.first_seq, new.event_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create trigger continues_the_journal after insert on journal for each row execute function refuse_journal_gap();

-- The first entry of an event's journal at or after a moment: about 20 look-ups by the primary key, whatever
-- its length. The entries of a row have one moment.
create or replace function first_seq_since(organization uuid, event uuid, moment timestamptz) returns bigint
  language plpgsql stable as $$
declare
  low bigint := 1;
  high bigint;
  found_row record;
begin
  select l.seq + 1 into high from event_ledgers l where l.organization_id = organization and l.event_id = event;
  while low < high loop
    select j.first_seq, j.last_seq, j.at into found_row from journal j
      where j.organization_id = organization and j.event_id = event and j.first_seq <= (low + high) / 2
      order by j.first_seq desc limit 1;
    if found_row.at < moment then
      low := found_row.last_seq + 1;
    else
      high := found_row.first_seq;
    end if;
  end loop;
  return low;
end
$$;

-- The journal as entries, for people with psql and for checks that trust no program of ours. The server reads
-- it with core/event/packed-changes.ts, which says what the encodings are; a test holds the two against each
-- other.
create view journal_entries with (security_invoker = true) as
select j.organization_id, j.event_id, j.first_seq, j.first_seq + e.position - 1 as seq, e.entry ->> 'kind' as kind,
  (e.entry ->> 'command')::uuid as command_id, (e.entry ->> 'actor')::uuid as actor_id, e.entry ->> 'source' as source,
  j.at, (e.entry ->> 'previous')::bigint as previous, e.entry -> 'body' as body
from journal j
cross join lateral jsonb_array_elements(j.packed::jsonb) with ordinality as e (entry, position)
where j.encoding = 0
union all
select j.organization_id, j.event_id, j.first_seq, j.first_seq + c.position - 1 as seq, k.kind,
  (m.command ->> 0)::uuid, (m.command ->> 1)::uuid, m.command ->> 2,
  t.at, case when k.code <= 7 then (c.change ->> 2)::bigint end,
  case when k.code <= 7 then jsonb_build_object('holdId', c.change -> 3, 'ordinal', c.change -> 4,
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
    'event_changed'])[code + 1], 'kind ' || code) as kind
  from (select (c.change ->> 0)::int as code) as coded offset 0) as k
where j.encoding = 1;
grant select on journal_entries to voelgoed_app, voelgoed_platform;
