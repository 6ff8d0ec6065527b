-- Exits of people whose entry is not known: they came in by a gate that has no network. An exit counts as
-- soon as its entry is told of: then it becomes a row of entries with the same id. Rows are written under the
-- same lock as entries, and stay as they are.
create table early_exits (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  -- The ticket that was shown.
  ticket_id uuid not null,
  at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  gate text check (length(gate) between 1 and 100),
  device_id text collate "C" not null check (length(device_id) between 1 and 100),
  scan_id text collate "C" check (length(scan_id) between 1 and 100),
  scanned_by uuid not null,
  primary key (organization_id, id),
  foreign key (organization_id, event_id) references events (organization_id, id),
  foreign key (organization_id, ticket_id) references tickets (organization_id, id),
  foreign key (organization_id, scanned_by) references users (organization_id, id)
);
create index early_exits_ticket on early_exits (organization_id, ticket_id, at);
create unique index early_exits_scan on early_exits (organization_id, ticket_id, device_id, scan_id)
  where scan_id is not null;
call protect_tenant_table('early_exits');
grant select, insert on early_exits to voelgoed_app;
