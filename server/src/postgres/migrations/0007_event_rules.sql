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

-- Cancelling an event ends its holds. The comparison is of text, because a new value of a type can't be used in the
-- transaction that adds it.
alter type hold_end_reason add value 'event_cancelled';
alter table seat_holds
  drop constraint seat_holds_check5,
  add constraint seat_holds_end_reason check (
    case status
      when 'active' then end_reason is null
      when 'converted' then end_reason::text = 'converted'
      when 'expired' then end_reason::text = 'ttl_expired'
      else end_reason::text in ('user_cancelled', 'payment_failed', 'admin_override', 'event_cancelled')
    end);

-- Each node looks for cancelled events that still have holds.
grant select (organization_id, id, status) on events to voelgoed_platform;

-- Who blocks a seat: the event's overlay, staff by hand, or both. Replacing the overlay does not unblock what staff
-- blocked, and the other way round.
create table seat_blocks (
  organization_id uuid not null,
  event_id uuid not null,
  seat_id uuid not null,
  by_overlay boolean not null default false,
  by_hand boolean not null default false,
  primary key (organization_id, event_id, seat_id),
  foreign key (organization_id, event_id) references events (organization_id, id),
  check (by_overlay or by_hand)
);
call protect_tenant_table('seat_blocks');
grant select, insert, update, delete on seat_blocks to voelgoed_app;
