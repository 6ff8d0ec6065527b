-- The tables of the first edition that a hold was written to, in a schema of their own: what pgbench writes,
-- one transaction a hold, stays comparable whatever the server writes now. Copied from the migrations 0003,
-- 0004 and 0008.
create schema first_edition;
set local search_path = first_edition, public;

create table event_ledgers (
  organization_id uuid not null,
  event_id uuid not null,
  seq bigint not null default 0 check (seq >= 0),
  next_expiry timestamptz,
  primary key (organization_id, event_id),
  foreign key (organization_id, event_id) references public.events (organization_id, id)
) with (fillfactor = 50);
create index on event_ledgers (next_expiry) where next_expiry is not null;
create trigger seq_goes_up after update on event_ledgers for each row
  when (new.seq < old.seq) execute function refuse_going_back();

create table journal (
  organization_id uuid not null,
  event_id uuid not null,
  seq bigint not null,
  kind text not null,
  command_id uuid not null,
  actor_id uuid,
  source text not null,
  at timestamptz not null,
  body json not null,
  hold_id uuid,
  blocked_ordinal integer,
  primary key (organization_id, event_id, seq)
);
create index on journal (organization_id, event_id, hold_id, seq) where hold_id is not null;
create index on journal (organization_id, event_id, blocked_ordinal, seq) where blocked_ordinal is not null;
create index on journal (organization_id, event_id, actor_id, seq) where source = 'admin' and kind <> 'seat_reserved';

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
  taken_by uuid,
  taken_quantity integer,
  primary key (organization_id, id),
  check ((ordinal is null) = (seat_id is null)),
  check (ordinal is null or quantity = 1),
  check (held_until <= cap_until),
  check ((status = 'active') = (ended_at is null)),
  check ((ended_at is null) = (end_reason is null)),
  check (taken_quantity > quantity),
  check (
    case status
      when 'active' then end_reason is null
      when 'converted' then end_reason::text = 'converted'
      when 'expired' then end_reason::text = 'ttl_expired'
      else end_reason::text in ('user_cancelled', 'payment_failed', 'admin_override', 'event_cancelled')
    end)
) with (fillfactor = 80);
create unique index on seat_holds (organization_id, event_id, ordinal) where status = 'active';
create index on seat_holds (organization_id, user_id) where status = 'active';
create index on seat_holds (organization_id, user_id, id) where status <> 'active';
create index on seat_holds (organization_id, event_id, ordinal, created_at)
  where status <> 'active' and ordinal is not null;

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

call public.protect_tenant_table('event_ledgers');
call public.protect_tenant_table('journal');
call public.protect_tenant_table('seat_holds');
call public.protect_tenant_table('event_seats');
call public.protect_tenant_table('zone_counts');
grant usage on schema first_edition to voelgoed_app;
grant select, insert, update on all tables in schema first_edition to voelgoed_app;
