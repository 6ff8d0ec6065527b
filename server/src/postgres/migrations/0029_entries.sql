-- Entry: who came in and out, by which ticket.

-- A scan that was made without a network is judged by the version that was valid then.
alter table tickets add column reissued_at timestamptz;
create function note_reissue() returns trigger language plpgsql as $$
begin
  new.reissued_at := clock_timestamp();
  return new;
end
$$;
create trigger note_reissue before update on tickets for each row
  when (new.version <> old.version) execute function note_reissue();
-- What gates must know of: tickets that open them no more, in the order in which they became so.
create index tickets_void on tickets (organization_id, event_id, voided_at, id) where voided_at is not null;
create index tickets_reissued on tickets (organization_id, event_id, reissued_at, id) where reissued_at is not null;

create type entry_direction as enum ('in', 'out');

-- One row for each time that a ticket let its holder in or out. Rows are written under a lock on the ticket's
-- row, and stay as they are.
create table entries (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  ticket_id uuid not null,
  zone_index integer not null check (zone_index >= 0),
  direction entry_direction not null,
  -- Of the event, in the venue's time zone (core/entry/event-day.ts). Who leaves, leaves the day of their
  -- entry.
  day date not null,
  -- Counts the rows of a ticket on a day. Of two gates that decide at one instant, one gets the number.
  position integer not null check (position > 0),
  -- When the ticket was shown: by the database's clock, or by that of a gate without a network.
  at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  gate text check (length(gate) between 1 and 100),
  device_id text collate "C" not null check (length(device_id) between 1 and 100),
  -- The device's own name for the scan: repeating it gives the same answer.
  scan_id text collate "C" check (length(scan_id) between 1 and 100),
  scanned_by uuid not null,
  -- The ticket's admission as it was.
  entries_per_day integer not null check (entries_per_day > 0),
  reentry boolean not null,
  -- Who came, in a members' zone: a hash of the event and the person, so that no address is kept.
  person_hash bytea check (octet_length(person_hash) = 32),
  -- The place that this entry gave, in a zone that gives places at the entry.
  place integer check (place > 0),
  primary key (organization_id, id),
  constraint entries_position unique (organization_id, ticket_id, day, position),
  constraint entries_place_of_entry check (place is null or direction = 'in'),
  foreign key (organization_id, event_id) references events (organization_id, id),
  foreign key (organization_id, ticket_id) references tickets (organization_id, id),
  foreign key (organization_id, scanned_by) references users (organization_id, id)
);
create unique index entries_scan on entries (organization_id, ticket_id, device_id, scan_id) where scan_id is not null;
-- A place is given once a day.
create unique index entries_place on entries (organization_id, event_id, zone_index, day, place)
  where place is not null;
create index entries_person on entries (organization_id, event_id, person_hash, day) where person_hash is not null;
-- In the order in which gates hear of them.
create index entries_recorded on entries (organization_id, event_id, recorded_at, id);
call protect_tenant_table('entries');
grant select, insert on entries to voelgoed_app;

-- Entries that should not have been: a gate without a network let a person in, and learned later that the
-- ticket was void, or had been used at another gate. A list to look at.
create table entry_conflicts (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  entry_id uuid not null,
  -- What the gate would have said.
  code text not null check (length(code) between 1 and 100),
  found_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, id),
  constraint entry_conflicts_entry unique (organization_id, entry_id),
  foreign key (organization_id, entry_id) references entries (organization_id, id)
);
create index entry_conflicts_event on entry_conflicts (organization_id, event_id, id);
call protect_tenant_table('entry_conflicts');
grant select, insert on entry_conflicts to voelgoed_app;

-- Zones that are counted: people inside a standing zone, and places that were given at the entry.
create table zone_days (
  organization_id uuid not null,
  event_id uuid not null,
  zone_index integer not null,
  day date not null,
  inside integer not null default 0 check (inside >= 0),
  places_given integer not null default 0 check (places_given >= 0),
  primary key (organization_id, event_id, zone_index, day),
  foreign key (organization_id, event_id) references events (organization_id, id)
) with (fillfactor = 50);
call protect_tenant_table('zone_days');
grant select, insert, update (inside, places_given) on zone_days to voelgoed_app;
