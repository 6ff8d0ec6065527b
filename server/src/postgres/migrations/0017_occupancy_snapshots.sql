-- How full events were: each event on sale once a minute, and whenever its status has changed.
create table occupancy_snapshots (
  organization_id uuid not null,
  event_id uuid not null,
  at timestamptz not null,
  status event_status not null,
  available integer not null check (available >= 0),
  held integer not null check (held >= 0),
  sold integer not null check (sold >= 0),
  blocked integer not null check (blocked >= 0),
  -- Of each zone: [id, available, held, sold, blocked].
  zones jsonb not null,
  primary key (organization_id, event_id, at),
  foreign key (organization_id, event_id) references events (organization_id, id)
);
call protect_tenant_table('occupancy_snapshots');
grant select, insert on occupancy_snapshots to voelgoed_app;
-- To find the events that need one, and for the sweep of old ones.
grant select (organization_id, event_id, at, status), delete on occupancy_snapshots to voelgoed_platform;
grant select (updated_at) on events to voelgoed_platform;
create index occupancy_snapshots_at on occupancy_snapshots (at);
