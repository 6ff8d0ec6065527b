-- Which nodes run, and what each has in memory of an event that a registry was asked about.

-- They belong to the installation, not to a tenant: no request of a tenant can read them.
create table nodes (
  id uuid primary key,
  version text not null,
  started_at timestamptz not null default now(),
  -- When it last said that it lives.
  seen_at timestamptz not null default now(),
  -- Events of all organizations together.
  events_in_memory integer not null check (events_in_memory >= 0),
  -- How it hears the other nodes.
  bus text not null check (bus in ('redis', 'postgres', 'none')),
  -- Its breaker; off: it has no Redis.
  redis text not null check (redis in ('off', 'closed', 'half_open', 'open'))
);
grant select, insert, update, delete on nodes to voelgoed_platform;

-- What a node answered when it was asked about an event. The node that asked reads it and deletes it.
create table node_reports (
  organization_id uuid not null,
  event_id uuid not null,
  request_id uuid not null,
  node_id uuid not null,
  reported_at timestamptz not null default now(),
  -- All null: the event is not in its memory.
  epoch bigint,
  seq bigint,
  tip uuid,
  holds integer,
  digest text,
  primary key (organization_id, request_id, node_id),
  foreign key (organization_id, event_id) references events (organization_id, id),
  check ((epoch is null) = (seq is null) and (epoch is null) = (holds is null) and (epoch is null) = (digest is null))
);
call protect_tenant_table('node_reports');
grant select, insert, delete on node_reports to voelgoed_app;
grant select, delete on node_reports to voelgoed_platform;
-- For the sweep of what no node has read.
create index node_reports_reported_at on node_reports (reported_at);
