-- An event that lists no days says here when it ends: calendars and search engines read it, and a gate lets
-- people in until then if that is later than the night.
alter table events add column ends_at timestamptz;
alter table events add constraint events_ends_after_start check (ends_at > starts_at);

-- A draft that was never on sale can be deleted. What belongs to it alone goes with it; all other tables
-- refer to events that were on sale, and keep them.
grant delete on events to voelgoed_app;
alter table event_prices drop constraint event_prices_organization_id_event_id_fkey,
  add foreign key (organization_id, event_id) references events (organization_id, id) on delete cascade;
alter table seat_blocks drop constraint seat_blocks_organization_id_event_id_fkey,
  add foreign key (organization_id, event_id) references events (organization_id, id) on delete cascade;
alter table images drop constraint images_organization_id_event_id_fkey,
  add foreign key (organization_id, event_id) references events (organization_id, id) on delete cascade;
alter table whitelist_entries drop constraint whitelist_entries_organization_id_event_id_fkey,
  add foreign key (organization_id, event_id) references events (organization_id, id) on delete cascade;
