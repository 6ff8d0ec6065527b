-- One row per claimed seat, with the hold inside it. Holds of places have a table of their own. Ended holds
-- are history: a follower of the journal writes them, later and in bulk. seat_holds goes.

-- The owner must see every row, or some would not be moved.
alter table seat_holds no force row level security;
alter table event_seats no force row level security;
alter table event_ledgers no force row level security;

-- Seats ---------------------------------------------------------------------------------------------------

drop trigger sold_stays_sold on event_seats;
drop trigger version_goes_up on event_seats;
alter table event_seats
  drop constraint event_seats_check,
  drop constraint event_seats_check1,
  drop constraint event_seats_check2,
  -- The version that this one replaced; 0 for the first. A writer that did not know the row as it was can't
  -- change it.
  add column version_before integer not null default 0,
  add column user_id uuid,
  add column created_at timestamptz,
  add column cap_until timestamptz,
  add column checkout_id uuid,
  add column cart_token text,
  add column source text,
  add column ip text,
  -- The last entry of the hold in the journal.
  add column last_seq bigint,
  -- Who took the hold, where that is not its owner any more.
  add column taken_by uuid;
alter table event_seats alter column version_before drop default;

update event_seats s set user_id = h.user_id, created_at = h.created_at, held_until = h.held_until,
    cap_until = h.cap_until, checkout_id = h.checkout_id, cart_token = h.cart_token, source = h.source, ip = h.ip,
    last_seq = h.last_seq, taken_by = h.taken_by
  from seat_holds h where h.organization_id = s.organization_id and h.id = s.hold_id;
update event_seats set version_before = version - 1;

-- A seat that is held or sold has its hold, whole; any other has nothing of one.
alter table event_seats
  add constraint event_seats_hold check (
    case when status in ('held', 'sold')
      then hold_id is not null and user_id is not null and created_at is not null and held_until is not null
        and cap_until is not null and source is not null and last_seq is not null
      else hold_id is null and user_id is null and created_at is null and held_until is null and cap_until is null
        and checkout_id is null and cart_token is null and source is null and ip is null and last_seq is null and taken_by is null
    end),
  add constraint event_seats_ticket check ((status = 'sold') = (ticket_id is not null)),
  add constraint event_seats_cap check (held_until <= cap_until),
  add constraint event_seats_version_before check (version_before >= 0 and version_before < version);
create unique index event_seats_hold_id on event_seats (organization_id, hold_id) where hold_id is not null;
create index event_seats_user on event_seats (organization_id, user_id) where status = 'held';
grant select (organization_id, user_id, status) on event_seats to voelgoed_platform;

create trigger sold_stays_sold before update on event_seats for each row
  when (old.status = 'sold') execute function refuse_unselling();
create trigger first_version_is_new after insert on event_seats for each row
  when (new.version_before <> 0) execute function refuse_going_back();
create trigger version_goes_up after update on event_seats for each row
  when (new.version <= old.version or new.version_before <> old.version or new.ordinal <> old.ordinal)
  execute function refuse_going_back();
-- Within one hold no time is cut short, and what was true of its making stays.
create trigger hold_goes_on after update on event_seats for each row
  when (new.hold_id = old.hold_id and (new.held_until < old.held_until or new.last_seq <= old.last_seq
    or (new.created_at, new.cart_token, new.source, new.ip)
      is distinct from (old.created_at, old.cart_token, old.source, old.ip)))
  execute function refuse_going_back();
-- A seat goes from one hold to another through its end: two steps at least. So does a sale to another hold.
create trigger hold_ends_first after update on event_seats for each row
  when (new.hold_id <> old.hold_id and new.version < old.version + 2
    or new.status = 'sold' and new.hold_id is distinct from old.hold_id and new.version < old.version + 2)
  execute function refuse_going_back();

-- Places --------------------------------------------------------------------------------------------------

-- Holds of zones without seats. A row goes when its hold ends, but for a sale: what is sold stays.
create table place_holds (
  organization_id uuid not null,
  hold_id uuid not null,
  event_id uuid not null,
  zone_index integer not null,
  user_id uuid not null,
  quantity integer not null check (quantity > 0),
  status seat_status not null check (status in ('held', 'sold')),
  created_at timestamptz not null,
  held_until timestamptz not null,
  cap_until timestamptz not null,
  checkout_id uuid,
  cart_token text,
  source text not null,
  ip text,
  last_seq bigint not null,
  taken_by uuid,
  primary key (organization_id, hold_id),
  check (held_until <= cap_until)
) with (fillfactor = 80);
create index place_holds_event on place_holds (organization_id, event_id) where status = 'held';
create index place_holds_user on place_holds (organization_id, user_id) where status = 'held';
call protect_tenant_table('place_holds');
grant select, insert, delete on place_holds to voelgoed_app;
grant update (status, user_id, quantity, held_until, cap_until, checkout_id, last_seq, taken_by) on place_holds to voelgoed_app;
grant select (organization_id, user_id, status) on place_holds to voelgoed_platform;

insert into place_holds (organization_id, hold_id, event_id, zone_index, user_id, quantity, status, created_at, held_until,
    cap_until, checkout_id, cart_token, source, ip, last_seq, taken_by)
  select h.organization_id, h.id, h.event_id, h.zone_index, h.user_id, h.quantity,
    case h.status when 'active' then 'held' else 'sold' end::seat_status, h.created_at, h.held_until, h.cap_until,
    h.checkout_id, h.cart_token, h.source, h.ip, h.last_seq, h.taken_by
  from seat_holds h where h.ordinal is null and h.status in ('active', 'converted');

create function refuse_unselling_places() returns trigger language plpgsql as $$
begin
  raise exception 'the places of hold % are sold', old.hold_id using errcode = 'integrity_constraint_violation';
end
$$;
create trigger sold_stays_sold before update or delete on place_holds for each row
  when (old.status = 'sold') execute function refuse_unselling_places();
create trigger hold_goes_on after update on place_holds for each row
  when (new.held_until < old.held_until or new.last_seq <= old.last_seq or new.quantity > old.quantity
    or new.quantity <> old.quantity and new.status = 'sold'
    or (new.hold_id, new.event_id, new.zone_index, new.created_at, new.cart_token, new.source, new.ip)
      is distinct from (old.hold_id, old.event_id, old.zone_index, old.created_at, old.cart_token, old.source, old.ip))
  execute function refuse_going_back();

-- A guest whose holds were moved to an account holds nothing, and the journal still names them: they stay.
create trigger note_former_holder after update on event_seats for each row
  when (new.hold_id = old.hold_id and new.user_id <> old.user_id) execute function note_former_holder();
create trigger note_former_holder after update on place_holds for each row
  when (new.user_id <> old.user_id) execute function note_former_holder();

-- Tickets -------------------------------------------------------------------------------------------------

-- A ticket comes from a hold that was sold: of its seat, or of places, as many as the hold has. A foreign key
-- could say less, and would need one table for both.
alter table tickets drop constraint tickets_organization_id_hold_id_fkey;
create function refuse_ticket_without_hold() returns trigger language plpgsql as $$
begin
  if new.ordinal is not null then
    perform from event_seats s where s.organization_id = new.organization_id and s.event_id = new.event_id
      and s.ordinal = new.ordinal and s.status = 'sold' and s.hold_id = new.hold_id and s.ticket_id = new.id
      and s.user_id = new.user_id;
  else
    perform from place_holds p where p.organization_id = new.organization_id and p.hold_id = new.hold_id
      and p.event_id = new.event_id and p.zone_index = new.zone_index and p.status = 'sold' and p.user_id = new.user_id
      and p.quantity >= (select count(*) from tickets t
        where t.organization_id = new.organization_id and t.hold_id = new.hold_id);
  end if;
  if not found then
    raise exception 'ticket % comes from no hold that was sold to its owner', new.id using errcode = 'foreign_key_violation';
  end if;
  return null;
end
$$;
create trigger ticket_has_its_hold after insert on tickets for each row execute function refuse_ticket_without_hold();

-- History -------------------------------------------------------------------------------------------------

-- One row for each hold that has ended, as the journal tells of it.
create table hold_history (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  -- The last owner.
  user_id uuid not null,
  ordinal integer,
  zone_index integer not null,
  quantity integer not null check (quantity > 0),
  status hold_status not null check (status <> 'active'),
  created_at timestamptz not null,
  held_until timestamptz not null,
  cap_until timestamptz not null,
  ended_at timestamptz not null,
  end_reason hold_end_reason not null,
  checkout_id uuid,
  cart_token text,
  source text not null,
  ip text,
  -- The entry of the journal that ended it.
  last_seq bigint not null,
  -- Who took it, where that is not its last owner.
  taken_by uuid,
  primary key (organization_id, id),
  check (ordinal is null or quantity = 1),
  check (held_until <= cap_until),
  constraint hold_history_end_reason check (
    case status
      when 'converted' then end_reason::text = 'converted'
      when 'expired' then end_reason::text = 'ttl_expired'
      else end_reason::text in ('user_cancelled', 'payment_failed', 'admin_override', 'event_cancelled')
    end)
);
create index hold_history_user on hold_history (organization_id, user_id, id);
create index hold_history_seat on hold_history (organization_id, event_id, ordinal, created_at) where ordinal is not null;
call protect_tenant_table('hold_history');
grant select, insert on hold_history to voelgoed_app;
grant select (organization_id, user_id) on hold_history to voelgoed_platform;

insert into hold_history (organization_id, id, event_id, user_id, ordinal, zone_index, quantity, status, created_at,
    held_until, cap_until, ended_at, end_reason, checkout_id, cart_token, source, ip, last_seq,
    taken_by)
  select h.organization_id, h.id, h.event_id, h.user_id, h.ordinal, h.zone_index, h.quantity, h.status, h.created_at,
    h.held_until, h.cap_until, h.ended_at, h.end_reason, h.checkout_id, h.cart_token, h.source, h.ip,
    h.last_seq, h.taken_by
  from seat_holds h where h.status <> 'active';

-- How far into an event's journal hold_history reaches. Moved in the transaction that writes it.
create table history_cursors (
  organization_id uuid not null,
  event_id uuid not null,
  seq bigint not null check (seq >= 0),
  primary key (organization_id, event_id),
  foreign key (organization_id, event_id) references events (organization_id, id) on delete cascade
);
call protect_tenant_table('history_cursors');
grant select, insert, update (seq) on history_cursors to voelgoed_app;
grant select on history_cursors to voelgoed_platform;
create trigger seq_goes_up after update on history_cursors for each row
  when (new.seq <= old.seq) execute function refuse_going_back();
insert into history_cursors (organization_id, event_id, seq) select organization_id, event_id, seq from event_ledgers;

drop table seat_holds;
alter table event_seats force row level security;
alter table event_ledgers force row level security;
