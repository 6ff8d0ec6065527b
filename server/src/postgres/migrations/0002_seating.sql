-- Venues, versioned layouts, policies, events.
--
-- A layout version is written once. The server's role may insert and read zones, seats and groups, and change
-- nothing but the status of a version: what is active can't be altered, whatever our code does.

create table venues (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, id)
);
call protect_tenant_table('venues');
grant select, insert on venues to voelgoed_app;

create table layouts (
  organization_id uuid not null,
  id uuid not null,
  venue_id uuid not null,
  name text not null,
  latest_version integer not null check (latest_version >= 1),
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, venue_id) references venues (organization_id, id)
);
create index layouts_venue on layouts (organization_id, venue_id);
call protect_tenant_table('layouts');
grant select, insert, update (name, latest_version) on layouts to voelgoed_app;

create type layout_status as enum ('draft', 'active', 'archived');

create table layout_versions (
  organization_id uuid not null,
  layout_id uuid not null,
  version integer not null check (version >= 1),
  status layout_status not null default 'draft',
  total_capacity integer not null check (total_capacity > 0),
  seat_count integer not null check (seat_count between 0 and 250000),
  -- What is drawn but not sold: price categories, focal point, outlines.
  drawing jsonb not null,
  created_at timestamptz not null default now(),
  activated_at timestamptz,
  archived_at timestamptz,
  primary key (organization_id, layout_id, version),
  foreign key (organization_id, layout_id) references layouts (organization_id, id)
);
call protect_tenant_table('layout_versions');
grant select, insert, update (status, activated_at, archived_at) on layout_versions to voelgoed_app;

create type zone_type as enum ('reserved_seating', 'ga_seated', 'ga_standing', 'vip_reserved', 'vip_standing');
create type access_mode as enum ('public', 'membership_tier', 'role_based', 'whitelist');

create table zones (
  organization_id uuid not null,
  layout_id uuid not null,
  version integer not null,
  zone_id uuid not null,
  position integer not null,
  name text not null,
  zone_type zone_type not null,
  capacity integer not null check (capacity > 0),
  access_mode access_mode not null,
  membership_tier text,
  allowed_roles text[] not null,
  allowed_user_ids uuid[] not null,
  metadata jsonb not null,
  outline jsonb,
  first_ordinal integer not null,
  seat_count integer not null,
  primary key (organization_id, layout_id, version, zone_id),
  unique (organization_id, layout_id, version, position),
  foreign key (organization_id, layout_id, version)
    references layout_versions (organization_id, layout_id, version),
  check ((access_mode = 'membership_tier') = (membership_tier is not null)),
  check ((access_mode = 'role_based') = (cardinality(allowed_roles) > 0)),
  check (case when zone_type in ('reserved_seating', 'vip_reserved') then capacity = seat_count else seat_count = 0 end)
);
call protect_tenant_table('zones');
grant select, insert on zones to voelgoed_app;

create type seat_category as enum ('standard', 'wheelchair', 'companion', 'restricted_view', 'aisle');

-- No foreign key to zones: it would cost 200,000 look-ups when an arena is saved, and rows are only ever
-- written together with their zone, in one transaction, from a layout that has been checked as a whole.
create table seats (
  organization_id uuid not null,
  layout_id uuid not null,
  version integer not null,
  -- Dense, 0 … n−1: the address of a seat in typed arrays, bitmaps and deltas.
  ordinal integer not null check (ordinal >= 0),
  seat_id uuid not null,
  zone_id uuid not null,
  label text not null,
  row_label text not null,
  number text not null,
  category seat_category not null,
  price_category text,
  x double precision not null,
  y double precision not null,
  companion_ordinal integer,
  primary key (organization_id, layout_id, version, ordinal),
  unique (organization_id, layout_id, version, seat_id)
);
call protect_tenant_table('seats');
grant select, insert on seats to voelgoed_app;

create type seat_group_type as enum ('wheelchair_pair', 'family_block', 'vip_table', 'reserved_block');

create table seat_groups (
  organization_id uuid not null,
  layout_id uuid not null,
  version integer not null,
  group_id uuid not null,
  position integer not null,
  group_type seat_group_type not null,
  name text,
  ordinals integer[] not null check (cardinality(ordinals) > 0),
  metadata jsonb not null,
  primary key (organization_id, layout_id, version, group_id),
  foreign key (organization_id, layout_id, version)
    references layout_versions (organization_id, layout_id, version)
);
call protect_tenant_table('seat_groups');
grant select, insert on seat_groups to voelgoed_app;

create table seating_policies (
  organization_id uuid primary key references organizations (id),
  -- The whole policy as core/policy.ts knows it; no row means the default policy.
  policy jsonb not null,
  updated_at timestamptz not null default now()
);
call protect_tenant_table('seating_policies');
grant select, insert, update on seating_policies to voelgoed_app;

create type event_status as enum ('draft', 'published', 'live', 'completed', 'cancelled', 'archived');

create table events (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  status event_status not null default 'draft',
  venue_id uuid not null,
  layout_id uuid not null,
  layout_version integer not null,
  sale_start timestamptz,
  sale_end timestamptz,
  starts_at timestamptz,
  days jsonb not null default '[]',
  -- Deltas on the layout, never a copy of it: core/layout/overlay.ts.
  overlay jsonb not null,
  -- Counts every change of the overlay: part of the ETag of the event's layout.
  overlay_revision integer not null default 1,
  seating_overrides jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, venue_id) references venues (organization_id, id),
  foreign key (organization_id, layout_id, layout_version)
    references layout_versions (organization_id, layout_id, version),
  check (sale_start < sale_end)
);
create index events_by_status on events (organization_id, status, id);
create index events_by_layout on events (organization_id, layout_id, layout_version);
call protect_tenant_table('events');
grant select, insert, update on events to voelgoed_app;
