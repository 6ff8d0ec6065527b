-- Sign-ins are counted by account and address: who guesses a password from one address locks that address out, and
-- only slows down the rest of the world.

-- sign_in_failures counts what an account sees from everywhere, known or not.
alter table sign_in_failures add column next_try_at timestamptz not null default now();
comment on column sign_in_failures.next_try_at is
  'Addresses from which this account has never been signed in to wait until then.';

create table sign_in_address_failures (
  organization_id uuid not null references organizations (id),
  subject_hash bytea not null,
  -- An IPv4 address, or the /64 of an IPv6 address.
  address_key text not null,
  failures integer not null,
  window_ends_at timestamptz not null,
  primary key (organization_id, subject_hash, address_key)
);
create index sign_in_address_failures_expiry on sign_in_address_failures (window_ends_at);
call protect_tenant_table('sign_in_address_failures');
grant select, insert, update, delete on sign_in_address_failures to voelgoed_app;
grant select, delete on sign_in_address_failures to voelgoed_platform;

-- From where an account was signed in to: these addresses may always try.
create table sign_in_addresses (
  organization_id uuid not null references organizations (id),
  subject_hash bytea not null,
  address_key text not null,
  last_at timestamptz not null default now(),
  primary key (organization_id, subject_hash, address_key)
);
create index sign_in_addresses_age on sign_in_addresses (last_at);
call protect_tenant_table('sign_in_addresses');
grant select, insert, update, delete on sign_in_addresses to voelgoed_app;
grant select, delete on sign_in_addresses to voelgoed_platform;

-- One spelling per address (core/email.ts). Where two accounts differ only in that, the older spelling stays with
-- both: each of them can still be found by what it was made with, or not at all, and none is lost.
update credentials c set subject = normalize(c.subject, nfkc)
where c.issuer = 'password' and c.subject <> normalize(c.subject, nfkc)
  and not exists (
    select from credentials other
    where other.organization_id = c.organization_id and other.issuer = c.issuer and other.user_id <> c.user_id
      and normalize(other.subject, nfkc) = normalize(c.subject, nfkc));
