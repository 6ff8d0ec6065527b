-- What the places of an event cost: the whole list, and what lists of events show of it.
create table event_prices (
  organization_id uuid not null,
  event_id uuid not null,
  -- Counts the lists of this event; what If-Match compares.
  revision integer not null default 1 check (revision > 0),
  list jsonb not null check (jsonb_typeof(list) = 'object'),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- In minor units. Null: the list has no categories, so nothing has a price.
  price_from bigint check (price_from >= 0),
  updated_at timestamptz not null default now(),
  primary key (organization_id, event_id),
  foreign key (organization_id, event_id) references events (organization_id, id)
);
call protect_tenant_table('event_prices');
grant select, insert, update on event_prices to voelgoed_app;
