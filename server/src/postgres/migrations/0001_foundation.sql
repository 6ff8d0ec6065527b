-- Organizations, accounts, sessions, audit, idempotency.
--
-- Three roles (made by migrate.ts, because roles belong to the whole cluster):
--   the one that migrates   owns everything; no request ever runs as it
--   voelgoed_app            what requests run as; sees one organization, the one in app.organization_id
--   voelgoed_platform       the named escape: platform work that spans organizations
-- Neither of the last two owns anything.

create function current_organization() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.organization_id', true), '')::uuid;

comment on function current_organization() is
  'The organization that this transaction works for; null, and so no row at all, when nobody said.';

-- Row-level security, the same for every table that belongs to a tenant.
create procedure protect_tenant_table(target regclass, organization_column text default 'organization_id')
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy tenant on %s to voelgoed_app using (%I = (select current_organization())) with check (%I = (select current_organization()))',
    target, organization_column, organization_column);
  execute format('create policy platform on %s to voelgoed_platform using (true) with check (true)', target);
end
$$;

create table installation (
  singleton boolean primary key default true check (singleton),
  root_key_hash bytea,
  created_at timestamptz not null default now()
);
comment on table installation is 'One row: what the whole installation shares.';
grant select, insert, update on installation to voelgoed_platform;

create table organizations (
  id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null,
  created_at timestamptz not null default now()
);
call protect_tenant_table('organizations', 'id');
grant select on organizations to voelgoed_app;
grant select, insert on organizations to voelgoed_platform;

create type user_role as enum ('customer', 'scanner', 'support', 'organizer', 'admin');
create type membership_status as enum ('active', 'suspended', 'expired', 'cancelled');

create table users (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  -- Null for a guest.
  email text,
  role user_role not null,
  membership_tier text,
  membership_status membership_status,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id),
  check ((membership_tier is null) = (membership_status is null))
);
create unique index users_email on users (organization_id, lower(email));
call protect_tenant_table('users');
grant select, insert, update on users to voelgoed_app, voelgoed_platform;

-- How a user proves who they are. `issuer` is 'password' today; an OIDC issuer is a row with its URL as
-- issuer and the token's `sub` as subject, and no secret.
create table credentials (
  organization_id uuid not null,
  issuer text not null,
  subject text not null,
  user_id uuid not null,
  secret_hash text,
  created_at timestamptz not null default now(),
  primary key (organization_id, issuer, subject),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
create index credentials_user on credentials (organization_id, user_id);
call protect_tenant_table('credentials');
grant select, insert, update on credentials to voelgoed_app, voelgoed_platform;

create table sessions (
  organization_id uuid not null,
  token_hash bytea not null,
  user_id uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (organization_id, token_hash),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
create index sessions_user on sessions (organization_id, user_id);
create index sessions_expiry on sessions (expires_at);
call protect_tenant_table('sessions');
grant select, insert, delete on sessions to voelgoed_app;
grant select, delete on sessions to voelgoed_platform;

-- Failed sign-ins by account (known or not), so that the limit holds across nodes and restarts.
create table sign_in_failures (
  organization_id uuid not null references organizations (id),
  subject_hash bytea not null,
  failures integer not null,
  window_ends_at timestamptz not null,
  primary key (organization_id, subject_hash)
);
create index sign_in_failures_expiry on sign_in_failures (window_ends_at);
call protect_tenant_table('sign_in_failures');
grant select, insert, update, delete on sign_in_failures to voelgoed_app;
grant select, delete on sign_in_failures to voelgoed_platform;

-- What administrators, the platform and sign-ins did. Append-only: nobody but the owner may change a row.
create table audit_log (
  organization_id uuid not null references organizations (id),
  id bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  action text not null,
  actor text not null check (actor in ('user', 'root', 'anonymous', 'system')),
  user_id uuid,
  ip inet,
  user_agent text,
  request_id text,
  entity_type text,
  entity_id uuid,
  changes jsonb not null default '{}',
  primary key (organization_id, id)
);
create index audit_log_entity on audit_log (organization_id, entity_id, id desc);
create index audit_log_user on audit_log (organization_id, user_id, id desc);
create index audit_log_action on audit_log (organization_id, action, id desc);
call protect_tenant_table('audit_log');
grant select, insert on audit_log to voelgoed_app, voelgoed_platform;

-- Answers that are given again when a request is repeated with its key. Neither the key nor the answer can be
-- read from here: the key is hashed, and the answer is encrypted with the key and the body of the request.
-- The platform's own answers stand under the nil organization.
create table idempotency_keys (
  organization_id uuid not null,
  key_hash bytea not null,
  fingerprint bytea not null,
  status integer not null,
  answer bytea not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, key_hash)
);
create index idempotency_keys_age on idempotency_keys (created_at);
call protect_tenant_table('idempotency_keys');
grant select, insert, update, delete on idempotency_keys to voelgoed_app, voelgoed_platform;
