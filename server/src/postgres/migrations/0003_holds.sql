-- Holds, seats of events, the journal, tickets.
--
-- Every event that was ever put on sale has a ledger row. Whoever changes anything of its seats holds that row's
-- lock, so writers of one event stand in line and the journal's numbers have no gap. The constraints below
-- would refuse a double hold, a second ticket or an overfull zone even if all our code were wrong.

alter table events add column revision integer not null default 1;
alter table seating_policies add column revision integer not null default 1;

create table event_ledgers (
  organization_id uuid not null,
  event_id uuid not null,
  seq bigint not null default 0 check (seq >= 0),
  -- When the next hold runs out; what the reaper goes by.
  next_expiry timestamptz,
  primary key (organization_id, event_id),
  foreign key (organization_id, event_id) references events (organization_id, id)
) with (fillfactor = 50);
create index event_ledgers_due on event_ledgers (next_expiry) where next_expiry is not null;
call protect_tenant_table('event_ledgers');
grant select, insert, update on event_ledgers to voelgoed_app;
-- Update, because choosing due events with SKIP LOCKED needs it; the reaper writes nothing here.
grant select, update (next_expiry) on event_ledgers to voelgoed_platform;

-- As `after` triggers, so that the constraints speak first: they say more.
create function refuse_going_back() returns trigger language plpgsql as $$
begin
  raise exception '% would go back', tg_table_name using errcode = 'integrity_constraint_violation';
end
$$;
create trigger seq_goes_up after update on event_ledgers for each row
  when (new.seq < old.seq) execute function refuse_going_back();

-- One row a change, written in the transaction of the change: outbox, history of every seat, catch-up feed.
create table journal (
  organization_id uuid not null,
  event_id uuid not null,
  seq bigint not null,
  kind text not null,
  command_id uuid not null,
  -- The person whose command it was; null for the system itself.
  actor_id uuid,
  source text not null,
  at timestamptz not null,
  body json not null,
  primary key (organization_id, event_id, seq)
);
call protect_tenant_table('journal');
grant select, insert on journal to voelgoed_app;

create type hold_status as enum ('active', 'converted', 'expired', 'cancelled');
create type hold_end_reason as enum ('ttl_expired', 'user_cancelled', 'payment_failed', 'admin_override', 'converted');

-- A hold is for a seat (ordinal), or for a zone and a quantity. No foreign keys here nor on event_seats: they
-- would cost look-ups for every hold, and what they would guard is decided under the ledger's lock.
create table seat_holds (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  user_id uuid not null,
  ordinal integer,
  seat_id uuid,
  zone_index integer not null,
  quantity integer not null check (quantity > 0),
  status hold_status not null default 'active',
  created_at timestamptz not null,
  held_until timestamptz not null,
  cap_until timestamptz not null,
  checkout_id uuid,
  cart_token text,
  source text not null,
  ip text,
  ended_at timestamptz,
  end_reason hold_end_reason,
  primary key (organization_id, id),
  check ((ordinal is null) = (seat_id is null)),
  check (ordinal is null or quantity = 1),
  check (held_until <= cap_until),
  check ((status = 'active') = (ended_at is null)),
  check ((ended_at is null) = (end_reason is null)),
  check (status = 'active' or (status, end_reason) in (('converted', 'converted'), ('expired', 'ttl_expired'),
    ('cancelled', 'user_cancelled'), ('cancelled', 'payment_failed'), ('cancelled', 'admin_override')))
) with (fillfactor = 80);
-- One live hold a seat; and all live holds of an event.
create unique index seat_holds_active_seat on seat_holds (organization_id, event_id, ordinal) where status = 'active';
create index seat_holds_active_user on seat_holds (organization_id, user_id) where status = 'active';
call protect_tenant_table('seat_holds');
grant select, insert on seat_holds to voelgoed_app;
grant update (status, held_until, cap_until, checkout_id, ended_at, end_reason) on seat_holds to voelgoed_app;

-- What has ended stays ended, and nobody's time is cut short.
create trigger ended_stays_ended after update on seat_holds for each row
  when (old.status <> 'active' or new.held_until < old.held_until or new.cap_until < old.cap_until)
  execute function refuse_going_back();

create type seat_status as enum ('available', 'held', 'sold', 'blocked');

-- Sparse: no row means available, and never touched. A row outlives the return to available, because its
-- version goes on.
create table event_seats (
  organization_id uuid not null,
  event_id uuid not null,
  ordinal integer not null,
  status seat_status not null,
  hold_id uuid,
  ticket_id uuid,
  held_until timestamptz,
  version integer not null check (version > 0),
  primary key (organization_id, event_id, ordinal),
  check ((status = 'held') = (held_until is not null)),
  check ((status in ('held', 'sold')) = (hold_id is not null)),
  check ((status = 'sold') = (ticket_id is not null))
) with (fillfactor = 70);
call protect_tenant_table('event_seats');
grant select, insert, update on event_seats to voelgoed_app;

-- Sold seats stay sold, whatever arrives.
create function refuse_unselling() returns trigger language plpgsql as $$
begin
  raise exception 'seat % of event % is sold', old.ordinal, old.event_id using errcode = 'integrity_constraint_violation';
end
$$;
create trigger sold_stays_sold before update on event_seats for each row
  when (old.status = 'sold') execute function refuse_unselling();
create trigger version_goes_up after update on event_seats for each row
  when (new.version <= old.version or new.ordinal <> old.ordinal) execute function refuse_going_back();

create table zone_counts (
  organization_id uuid not null,
  event_id uuid not null,
  zone_index integer not null,
  zone_id uuid not null,
  capacity integer not null check (capacity > 0),
  held integer not null default 0 check (held >= 0),
  sold integer not null default 0 check (sold >= 0),
  blocked integer not null default 0 check (blocked >= 0),
  primary key (organization_id, event_id, zone_index),
  check (held + sold + blocked <= capacity)
) with (fillfactor = 50);
call protect_tenant_table('zone_counts');
grant select, insert, update on zone_counts to voelgoed_app;

create table tickets (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  hold_id uuid not null,
  user_id uuid not null,
  ordinal integer,
  seat_id uuid,
  zone_index integer not null,
  checkout_id uuid not null,
  created_at timestamptz not null,
  voided_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, hold_id) references seat_holds (organization_id, id),
  check ((ordinal is null) = (seat_id is null))
);
create unique index tickets_valid_seat on tickets (organization_id, event_id, ordinal)
  where ordinal is not null and voided_at is null;
create index tickets_hold on tickets (organization_id, hold_id);
call protect_tenant_table('tickets');
grant select, insert on tickets to voelgoed_app;

-- Signs the short-lived tokens of the live feed; the same for every node.
alter table installation add column signing_key bytea not null
  default sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));
