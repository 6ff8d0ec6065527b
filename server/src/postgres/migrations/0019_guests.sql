-- People who may come as guests to the members' zones of an event, and book in its zones with a whitelist.
create table whitelist_entries (
  organization_id uuid not null,
  event_id uuid not null,
  id uuid not null,
  -- The one spelling of an address (core/email.ts).
  email_key text collate "C" not null check (length(email_key) between 3 and 254),
  note text check (length(note) between 1 and 200),
  added_by uuid not null,
  added_at timestamptz not null default now(),
  primary key (organization_id, event_id, email_key),
  unique (organization_id, event_id, id),
  foreign key (organization_id, event_id) references events (organization_id, id)
);
call protect_tenant_table('whitelist_entries');
grant select, insert, update (note), delete on whitelist_entries to voelgoed_app;

-- The guest of each place in a members' zone; no row: the place is its buyer's own. The row outlives the
-- sale: the tickets of a hold, in the order of their ids, are its places.
create table place_guests (
  organization_id uuid not null,
  event_id uuid not null,
  hold_id uuid not null,
  -- Of the hold, from 0.
  place integer not null check (place >= 0),
  email_key text collate "C" not null check (length(email_key) between 3 and 254),
  -- What the buyer gave, if it was no address: then answers show this, and not the address.
  user_id uuid,
  named_by uuid not null,
  named_at timestamptz not null default now(),
  -- Found sold by the sweep, which leaves the row alone from then on.
  is_sold boolean not null default false,
  primary key (organization_id, hold_id, place),
  foreign key (organization_id, event_id) references events (organization_id, id)
);
-- A person has one place in an event.
create unique index place_guests_once on place_guests (organization_id, event_id, email_key);
create index place_guests_named on place_guests (named_at) where not is_sold;
call protect_tenant_table('place_guests');
grant select, insert, delete on place_guests to voelgoed_app;
grant select (organization_id, hold_id, place, named_at, is_sold), update (is_sold), delete on place_guests
  to voelgoed_platform;
grant select (hold_id) on event_seats, place_holds to voelgoed_platform;

-- What a buyer has bought in an event.
create index tickets_owner on tickets (organization_id, event_id, user_id);
