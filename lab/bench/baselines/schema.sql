-- The usual algorithm needs only these tables. They stand in their own database, beside the product's.
create type seat_status as enum ('available', 'held', 'sold', 'blocked');
create type hold_status as enum ('active', 'converted', 'expired', 'cancelled');

create table events (
  organization_id uuid not null,
  id uuid primary key,
  status text not null
);

create table seats (
  organization_id uuid not null,
  event_id uuid not null references events (id),
  id uuid not null,
  status seat_status not null default 'available',
  held_until timestamptz,
  locked_at timestamptz,
  seat_hold_id uuid,
  version integer not null default 1,
  primary key (event_id, id)
);

create table seat_holds (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null,
  event_id uuid not null,
  seat_id uuid not null,
  user_id uuid not null,
  cart_token text,
  status hold_status not null default 'active',
  source text not null default 'web',
  held_until timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (event_id, seat_id) references seats (event_id, id)
);
create index seat_holds_lookup on seat_holds (event_id, seat_id, user_id) where status = 'active';
