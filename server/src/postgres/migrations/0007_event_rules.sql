-- Time zones of organizations and venues.

alter table organizations
  add column time_zone text not null default 'UTC',
  add column locale text not null default 'en',
  add column currency text not null default 'ZAR' check (currency ~ '^[A-Z]{3}$');
grant update (name, time_zone, locale, currency) on organizations to voelgoed_app;

-- Null: the organization's time zone.
alter table venues
  add column time_zone text,
  add column address text;
grant update (name, time_zone, address) on venues to voelgoed_app;

alter table layouts
  add column description text,
  add column updated_at timestamptz not null default now();
grant update (description, updated_at) on layouts to voelgoed_app;
