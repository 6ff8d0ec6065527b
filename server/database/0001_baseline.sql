-- The schema as it is. Later migrations lie in their modules (server/modules/*/NNNN_what.sql).
--
-- Three roles (made by migrate.ts, because roles belong to the whole cluster):
--   the one that migrates   owns everything; no request ever runs as it
--   voelgoed_app            requests run as it; it sees one organization, the one in app.organization_id
--   voelgoed_platform       the named escape: platform work that spans organizations
-- Neither of the last two owns anything.

create function current_organization() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.organization_id', true), '')::uuid;

comment on function current_organization() is
  'The organization that this transaction works for; null, and so no row at all, when none was named.';

-- The owner of the database is a member of voelgoed_platform, or it could not work as that role. Policies for
-- a role hold for its members too. On a connection that lost its role, behind a pooler that drops start-up
-- parameters, all organizations would be open. So these policies ask which role the connection works as. The
-- owner sees rows of organizations only when it says so, as our commands, migrations and a dump do.
create function sees_all_organizations() returns boolean
  language sql stable parallel safe
  return current_user = 'voelgoed_platform' or current_setting('app.all_organizations', true) = 'on';

comment on function sees_all_organizations() is
  'Asked by policies for voelgoed_platform, so a setting alone opens nothing to voelgoed_app.';

-- Row-level security, the same for every table that belongs to a tenant.
create procedure protect_tenant_table(target regclass, organization_column text default 'organization_id')
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy tenant on %s to voelgoed_app '
    'using (%I = current_organization()) with check (%I = current_organization())',
    target, organization_column, organization_column);
  execute format(
    'create policy platform on %s to voelgoed_platform '
    'using (sees_all_organizations()) with check (sees_all_organizations())',
    target);
end
$$;

-- A UUID of version 7, in the order of time down to a quarter of a microsecond. A sequence would give lower
-- numbers after an organization has moved to another database.
create function time_ordered_id() returns uuid language plpgsql volatile parallel safe as $$
declare
  at bigint := extract(epoch from clock_timestamp()) * 1000000;
begin
  return encode(int8send((at / 1000) << 16 | 28672 | at % 1000 * 4096 / 1000) ||
    substring(uuid_send(gen_random_uuid()) from 9), 'hex')::uuid;
end
$$;

-- As `after` triggers, so that the constraints speak first: they say more.
create function refuse_going_back() returns trigger language plpgsql as $$
begin
  raise exception '% would go back', tg_table_name using errcode = 'integrity_constraint_violation';
end
$$;

-- The installation and its jobs ---------------------------------------------------------------------------

-- One row: what the whole installation shares.
create table installation (
  singleton boolean primary key default true check (singleton),
  root_key_hash bytea,
  created_at timestamptz not null default now(),
  -- Signs the short-lived tokens of the live feed; the same for every node.
  signing_key bytea not null
    default sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'))
);
comment on table installation is 'One row: what the whole installation shares.';
grant select, insert, update on installation to voelgoed_platform;

-- Jobs that run on one node at a time, at most so often. They belong to the installation, not to a tenant.
create table job_runs (
  name text primary key,
  started_at timestamptz not null,
  -- Null while it runs.
  finished_at timestamptz,
  succeeded_at timestamptz,
  findings integer not null default 0
);
grant select, insert, update on job_runs to voelgoed_platform;

-- The nodes that run. They belong to the installation, not to a tenant: no request of a tenant can read them.
create table nodes (
  id uuid primary key,
  version text not null,
  started_at timestamptz not null default now(),
  -- It last said then that it lives.
  seen_at timestamptz not null default now(),
  -- Events of all organizations together.
  events_in_memory integer not null check (events_in_memory >= 0),
  -- It hears the other nodes by this.
  bus text not null check (bus in ('redis', 'postgres', 'none')),
  -- Its breaker; off: it has no Redis.
  redis text not null check (redis in ('off', 'closed', 'half_open', 'open'))
);
grant select, insert, update, delete on nodes to voelgoed_platform;

-- Organizations and people --------------------------------------------------------------------------------

-- The tenants, as their staff and the platform set them.
create table organizations (
  id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null,
  created_at timestamptz not null default now(),
  time_zone text not null default 'UTC',
  locale text not null default 'en',
  currency text not null default 'ZAR' check (currency ~ '^[A-Z]{3}$'),
  suspended_at timestamptz,
  -- Its account at Stripe (Connect). Null: the platform's own. A payment stays with the account that took it:
  -- look-ups and refunds go there, and only news of that account is believed.
  stripe_account text collate "C" check (stripe_account ~ '^acct_[A-Za-z0-9]{1,100}$'),
  -- Other sites whose pages may call the routes of buyers with sessions of this organization, and show its
  -- pages in a frame. Origins in their normal form: https://shop.example.org.
  allowed_origins text[] not null default '{}' check (cardinality(allowed_origins) <= 20),
  -- Its buttons and links have it. Null: the product's own.
  colour text check (colour ~ '^#[0-9a-f]{6}$'),
  -- Buyers write to this address.
  support_email text
    check (length(support_email) between 3 and 254 and support_email !~ '[[:cntrl:]]'),
  -- Support, organizers and admins need a second factor.
  staff_second_factor boolean not null default false,
  -- The platform may say why it has suspended an organization: its staff read it.
  suspended_reason text check (length(suspended_reason) between 1 and 500),
  -- An account at Stripe takes money once the platform has said so, because the one who names it first need
  -- not own it. One that an admin has named waits here, and keeps no other organization from naming it.
  stripe_account_wanted text collate "C" check (stripe_account_wanted ~ '^acct_[A-Za-z0-9]{1,100}$'),
  constraint organizations_suspended check (suspended_reason is null or suspended_at is not null)
);
create index organizations_allowed_origins on organizations using gin (allowed_origins);
-- Money of one organization never goes to the account of another: an account at Stripe is named once.
create unique index organizations_stripe_account on organizations (stripe_account) where stripe_account is not null;
call protect_tenant_table('organizations', 'id');
grant select, update (name, time_zone, locale, currency, stripe_account, allowed_origins, colour,
  support_email, staff_second_factor, stripe_account_wanted) on organizations to voelgoed_app;
grant select, insert, update (name, suspended_at, stripe_account, suspended_reason, stripe_account_wanted)
  on organizations to voelgoed_platform;

create type user_role as enum ('customer', 'scanner', 'support', 'organizer', 'admin');

create type membership_status as enum ('active', 'suspended', 'expired', 'cancelled');

-- Everybody who acts: buyers with an account, guests without one, staff, and API keys.
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
  -- A guest whose holds were moved to an account holds nothing, and the journal still names them: they stay.
  held_before boolean not null default false,
  -- From then on the person may not come in any more. What they did stays.
  disabled_at timestamptz,
  -- Search by the beginning of an e-mail address, in the order of bytes: the order of a language can't be
  -- searched so. A column and not an expression: under row-level security an index on lower(email) would not
  -- be used, because a function that might tell of rows of others may not be called before the policy has
  -- spoken.
  email_key text collate "C" generated always as (lower(email)) stored,
  -- The one who uses the account reads its address. Signing up proves nothing: a link in a mail does, the
  -- identity provider, or the staff or the platform that made the account. Null: not yet. The whitelist and
  -- memberships count for proven addresses alone (docs/decisions/086).
  email_proven_at timestamptz,
  primary key (organization_id, id),
  check ((membership_tier is null) = (membership_status is null)),
  constraint users_proof check (email_proven_at is null or email is not null)
);
create unique index users_email on users (organization_id, lower(email));
-- Guests who never held anything. People with an account stay.
create index users_guests on users (created_at, organization_id, id) where email is null;
create index users_by_email on users (organization_id, email_key) where email_key is not null;
create index users_staff on users (organization_id, email_key) where role <> 'customer' and email_key is not null;
call protect_tenant_table('users');
grant select, insert, update on users to voelgoed_app;
grant select, insert, update, delete on users to voelgoed_platform;
create policy keep on users as restrictive for delete to voelgoed_platform using (
  email is null and created_at < now() - interval '1 day');

-- Another address is not proven by a link that went to the one before.
create function end_address_proof() returns trigger language plpgsql as $$
begin
  new.email_proven_at := null;
  update password_resets set ended_at = now()
    where organization_id = old.organization_id and user_id = old.id and ended_at is null;
  return new;
end
$$;
create trigger proof_of_one_address before update on users for each row
  when (new.email is distinct from old.email) execute function end_address_proof();

-- Keys of servers. A key is a user of its own without an address and without a password: what it holds, sells
-- and changes is recorded under its id like the acts of any user. A key that was deleted keeps its row, so
-- that the audit goes on naming it; its user is disabled.
create table api_keys (
  organization_id uuid not null,
  -- The id of its user.
  id uuid not null,
  name text not null check (length(name) between 1 and 200),
  token_hash bytea not null,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  -- Written about once a minute, and not with each use.
  last_used_at timestamptz,
  ended_at timestamptz,
  primary key (organization_id, id),
  unique (organization_id, token_hash),
  foreign key (organization_id, id) references users (organization_id, id),
  foreign key (organization_id, created_by) references users (organization_id, id)
);
call protect_tenant_table('api_keys');
grant select, insert, update (last_used_at, ended_at) on api_keys to voelgoed_app;
grant select (organization_id, id, created_by), update (last_used_at) on api_keys to voelgoed_platform;

-- An ended key stays ended, and a key is never given to another.
create function refuse_reviving_keys() returns trigger language plpgsql as $$
begin
  raise exception 'the API key % has ended', old.id using errcode = 'check_violation';
end
$$;
create trigger ended_stays_ended before update on api_keys for each row
  when (old.ended_at is not null and new.ended_at is distinct from old.ended_at)
  execute function refuse_reviving_keys();

-- Signing in ----------------------------------------------------------------------------------------------

-- The proofs of who a user is. `issuer` is 'password', or the URL of an OpenID Connect provider with the
-- token's `sub` as subject, and no secret.
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
-- An admin unlinks a person from the provider. A password is never deleted, only replaced.
grant select, insert, update, delete on credentials to voelgoed_app;
create policy links_alone on credentials as restrictive for delete to voelgoed_app using (issuer <> 'password');
grant select, insert, update on credentials to voelgoed_platform;

-- Sign-ins that are open. People see theirs: from which device and address, and when they were last used.
create table sessions (
  organization_id uuid not null,
  token_hash bytea not null,
  user_id uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- It names a session to its owner and to admins, and opens nothing. It is looked for among those of one
  -- user.
  id uuid not null default gen_random_uuid(),
  ip inet,
  user_agent text check (length(user_agent) <= 500),
  -- Written for staff alone, about once a minute.
  last_seen_at timestamptz,
  -- The identity provider opened it.
  by_provider boolean not null default false,
  primary key (organization_id, token_hash),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
create index sessions_user on sessions (organization_id, user_id);
create index sessions_expiry on sessions (expires_at);
call protect_tenant_table('sessions');
grant select, insert, delete on sessions to voelgoed_app;
grant select, update (last_seen_at), delete on sessions to voelgoed_platform;

-- Failed sign-ins by account, known or not, from everywhere, so that the limit holds across nodes and
-- restarts.
create table sign_in_failures (
  organization_id uuid not null references organizations (id),
  subject_hash bytea not null,
  failures integer not null,
  window_ends_at timestamptz not null,
  next_try_at timestamptz not null default now(),
  primary key (organization_id, subject_hash)
);
create index sign_in_failures_expiry on sign_in_failures (window_ends_at);
call protect_tenant_table('sign_in_failures');
comment on column sign_in_failures.next_try_at is
  'Addresses from which this account has never been signed in to wait until then.';
grant select, insert, update, delete on sign_in_failures to voelgoed_app;
grant select, delete on sign_in_failures to voelgoed_platform;

-- The same by account and address: guessing a password from one address locks that address out, and only
-- slows down the rest of the world.
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

-- Addresses from which an account was signed in to: they may always try.
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

-- The secret of a mail that lets its reader choose a password: once, for an hour, or for longer in an
-- invitation.
create table password_resets (
  organization_id uuid not null,
  mail_id uuid not null,
  user_id uuid not null,
  token_hash bytea not null check (octet_length(token_hash) = 32),
  expires_at timestamptz not null,
  -- A reset ended it, or another way to a new password.
  ended_at timestamptz,
  primary key (organization_id, mail_id),
  constraint password_resets_token unique (organization_id, token_hash),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
create index password_resets_user on password_resets (organization_id, user_id) where ended_at is null;
create index password_resets_expired on password_resets (expires_at);
call protect_tenant_table('password_resets');
grant select, insert, update (token_hash, expires_at, ended_at) on password_resets to voelgoed_app;
grant select (organization_id, mail_id, expires_at), delete on password_resets to voelgoed_platform;

create function refuse_second_reset() returns trigger language plpgsql as $$
begin
  raise exception 'a password reset has ended' using errcode = 'integrity_constraint_violation';
end
$$;
create trigger ended_stays_ended before update on password_resets for each row
  when (old.ended_at is not null) execute function refuse_second_reset();

-- The second factor of staff: codes of an app (RFC 6238). The secret is sealed with a key of the installation
-- that the role of tenants' requests can't read.
create table second_factors (
  organization_id uuid not null,
  user_id uuid not null,
  sealed_secret bytea not null check (octet_length(sealed_secret) between 29 and 200),
  -- Null: its owner has not shown yet that the app knows the secret. It is not asked for.
  confirmed_at timestamptz,
  -- The step of time of the last code that was taken: neither it nor an older one is taken again.
  last_step bigint not null default 0,
  -- Wrong codes in this window.
  failures integer not null default 0 check (failures >= 0),
  window_ends_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (organization_id, user_id),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
call protect_tenant_table('second_factors');
grant select, insert, update (sealed_secret, confirmed_at, last_step, failures, window_ends_at, created_at),
  delete on second_factors to voelgoed_app;

-- A code that was taken stays taken.
create function refuse_older_step() returns trigger language plpgsql as $$
begin
  raise exception 'a code of this step was taken before' using errcode = 'integrity_constraint_violation';
end
$$;
create trigger steps_go_on before update on second_factors for each row
  when (new.last_step < old.last_step and new.sealed_secret = old.sealed_secret) execute function refuse_older_step();

-- Each signs its owner in once, without the app.
create table recovery_codes (
  organization_id uuid not null,
  user_id uuid not null,
  code_hash bytea not null check (octet_length(code_hash) = 32),
  used_at timestamptz,
  primary key (organization_id, user_id, code_hash),
  foreign key (organization_id, user_id) references second_factors (organization_id, user_id) on delete cascade
);
call protect_tenant_table('recovery_codes');
grant select, insert, update (used_at), delete on recovery_codes to voelgoed_app;

-- An organization's own identity provider (OpenID Connect), by which its staff sign in. The client's secret
-- is sealed with a key of the installation that the role of tenants' requests can't read.
create table identity_providers (
  organization_id uuid primary key references organizations (id) on delete cascade,
  name text not null check (length(name) between 1 and 100 and name !~ '[[:cntrl:]]'),
  issuer text not null check (length(issuer) between 10 and 500 and issuer ~ '^https?://'),
  client_id text not null check (length(client_id) between 1 and 500),
  sealed_secret bytea not null check (octet_length(sealed_secret) between 29 and 1000),
  -- People with these addresses may sign in for the first time.
  email_domains text[] not null check (cardinality(email_domains) between 1 and 20),
  -- People without an account get it. Null: they get no account. An admin is made by an admin.
  role_for_new user_role check (role_for_new in ('scanner', 'support', 'organizer')),
  -- Its sign-in counts as a second factor.
  is_strong boolean not null default false,
  -- Off: support, organizers and admins sign in here, and admins by password with a second factor as well.
  password_sign_in boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
call protect_tenant_table('identity_providers');
grant select, insert, update (name, issuer, client_id, sealed_secret, email_domains, role_for_new,
  is_strong, password_sign_in, updated_at), delete on identity_providers to voelgoed_app;

-- Sign-ins that are under way at a provider. Each answer of it is taken once, from the browser that began.
create table provider_sign_ins (
  organization_id uuid not null references organizations (id) on delete cascade,
  state_hash bytea not null check (octet_length(state_hash) = 32),
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  issuer text not null,
  client_id text not null,
  nonce text not null,
  code_verifier text not null,
  redirect_uri text not null,
  expires_at timestamptz not null,
  -- The provider's code was taken to it.
  taken_at timestamptz,
  -- The provider vouched for this user, who is asked for a second factor as well.
  user_id uuid,
  primary key (organization_id, state_hash),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
create index provider_sign_ins_expire on provider_sign_ins (expires_at);
call protect_tenant_table('provider_sign_ins');
grant select, insert, update (taken_at, user_id), delete on provider_sign_ins to voelgoed_app;
grant select, delete on provider_sign_ins to voelgoed_platform;

-- Records and repeated requests ---------------------------------------------------------------------------

-- The acts of administrators, of the platform and of sign-ins. Only the owner may change a row.
create table audit_log (
  organization_id uuid not null references organizations (id),
  id uuid not null default time_ordered_id(),
  at timestamptz not null default clock_timestamp(),
  action text not null,
  actor text not null check (actor in ('user', 'api_key', 'root', 'anonymous', 'system')),
  user_id uuid,
  ip inet,
  user_agent text,
  request_id text,
  entity_type text,
  entity_id uuid,
  changes jsonb not null default '{}',
  -- The entry is about these besides its entity: the event, and the seats, zones and holds that it names.
  event_id uuid,
  subjects uuid[],
  primary key (organization_id, id)
);
create index audit_log_entity on audit_log (organization_id, entity_id, id desc);
create index audit_log_user on audit_log (organization_id, user_id, id desc);
create index audit_log_action on audit_log (organization_id, action, id desc);
create index audit_log_refused_age on audit_log (at) where action in ('seat_reserve_failed', 'sign_in_refused');
create index audit_log_event on audit_log (organization_id, event_id, id desc) where event_id is not null;
create index audit_log_time on audit_log (organization_id, at desc, id desc);
call protect_tenant_table('audit_log');
grant select, insert on audit_log to voelgoed_app;
grant select, insert, delete on audit_log to voelgoed_platform;
-- Retention. The server may delete refused attempts, and that a guest came, once they are a day old. It may
-- delete nothing else of the audit log: this policy holds whatever our code says.
create policy keep on audit_log as restrictive for delete to voelgoed_platform using (
  action in ('seat_reserve_failed', 'sign_in_refused', 'guest_session_started') and at < now() - interval '1 day');

create function note_audit_subjects() returns trigger language plpgsql as $$
begin
  insert into audit_subjects (organization_id, subject, entry_id)
  select distinct new.organization_id, subject, new.id from unnest(new.subjects) as subject;
  return null;
end
$$;
create trigger note_subjects after insert on audit_log for each row
  when (new.subjects is not null) execute function note_audit_subjects();

-- The things that an entry is about, one row each, to look entries up by them.
create table audit_subjects (
  organization_id uuid not null,
  subject uuid not null,
  entry_id uuid not null,
  primary key (organization_id, subject, entry_id),
  foreign key (organization_id, entry_id) references audit_log (organization_id, id) on delete cascade
);
create index audit_subjects_entry on audit_subjects (organization_id, entry_id);
call protect_tenant_table('audit_subjects');
grant select, insert on audit_subjects to voelgoed_app, voelgoed_platform;

-- Refusals by rate (and by outage) are counted and not written one by one: a client that is refused ten
-- thousand times a minute leaves one row.
create table refused_attempt_counts (
  organization_id uuid not null,
  user_id uuid not null,
  minute timestamptz not null,
  event_id uuid not null,
  code text not null,
  attempts integer not null check (attempts > 0),
  -- The last attempt in this minute came from there.
  ip inet,
  user_agent text,
  primary key (organization_id, user_id, minute, event_id, code)
);
create index refused_attempt_counts_event on refused_attempt_counts (organization_id, event_id, minute desc);
create index refused_attempt_counts_age on refused_attempt_counts (minute);
call protect_tenant_table('refused_attempt_counts');
grant select on refused_attempt_counts to voelgoed_app;
grant select, insert, update, delete on refused_attempt_counts to voelgoed_platform;

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
  -- Answers that carry no secret are stored as they are sent.
  is_sealed boolean not null default true,
  primary key (organization_id, key_hash)
);
create index idempotency_keys_age on idempotency_keys (created_at);
call protect_tenant_table('idempotency_keys');
grant select, insert, update, delete on idempotency_keys to voelgoed_app, voelgoed_platform;

-- Venues and layouts --------------------------------------------------------------------------------------

-- The buildings in which events take place.
create table venues (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  created_at timestamptz not null default now(),
  -- Null: the organization's time zone.
  time_zone text,
  address text,
  primary key (organization_id, id)
);
call protect_tenant_table('venues');
grant select, insert, update (name, time_zone, address) on venues to voelgoed_app;

-- A plan of a venue. Its zones and seats are in its versions.
create table layouts (
  organization_id uuid not null,
  id uuid not null,
  venue_id uuid not null,
  name text not null,
  latest_version integer not null check (latest_version >= 1),
  created_at timestamptz not null default now(),
  description text,
  updated_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, venue_id) references venues (organization_id, id)
);
create index layouts_venue on layouts (organization_id, venue_id);
call protect_tenant_table('layouts');
grant select, insert, update (name, latest_version, description, updated_at) on layouts to voelgoed_app;

create type layout_status as enum ('draft', 'active', 'archived');

-- A layout version is written once. The server's role may insert and read zones, seats and groups, and change
-- nothing but the status of a version: what is active can't be altered, whatever our code does.
create table layout_versions (
  organization_id uuid not null,
  layout_id uuid not null,
  version integer not null check (version >= 1),
  status layout_status not null default 'draft',
  total_capacity integer not null check (total_capacity > 0),
  seat_count integer not null check (seat_count between 0 and 250000),
  -- Things that are drawn and not sold: price categories, focal point, outlines.
  drawing jsonb not null,
  created_at timestamptz not null default now(),
  activated_at timestamptz,
  archived_at timestamptz,
  primary key (organization_id, layout_id, version),
  foreign key (organization_id, layout_id) references layouts (organization_id, id)
);
call protect_tenant_table('layout_versions');
grant select, insert, update (status, activated_at, archived_at) on layout_versions to voelgoed_app;

create type zone_type as enum ('reserved_seating', 'ga_seated', 'ga_standing', 'vip_reserved', 'vip_standing');

create type access_mode as enum ('public', 'membership_tier', 'role_based', 'whitelist');

-- Parts of a layout: with numbered seats, or with a capacity alone.
create table zones (
  organization_id uuid not null,
  layout_id uuid not null,
  version integer not null,
  zone_id uuid not null,
  position integer not null,
  name text not null,
  zone_type zone_type not null,
  capacity integer not null check (capacity > 0),
  access_mode access_mode not null,
  membership_tier text,
  allowed_roles text[] not null,
  allowed_user_ids uuid[] not null,
  metadata jsonb not null,
  outline jsonb,
  first_ordinal integer not null,
  seat_count integer not null,
  -- The floor of the hall that it is on, such as "Balcony". Null: the layout does not say it.
  level text check (length(level) between 1 and 100),
  primary key (organization_id, layout_id, version, zone_id),
  unique (organization_id, layout_id, version, position),
  foreign key (organization_id, layout_id, version)
    references layout_versions (organization_id, layout_id, version),
  check ((access_mode = 'membership_tier') = (membership_tier is not null)),
  check ((access_mode = 'role_based') = (cardinality(allowed_roles) > 0)),
  check (
    case when zone_type in ('reserved_seating', 'vip_reserved') then capacity = seat_count else seat_count = 0 end)
);
call protect_tenant_table('zones');
grant select, insert on zones to voelgoed_app;

create type seat_category as enum ('standard', 'wheelchair', 'companion', 'restricted_view', 'aisle');

-- The numbered seats. No foreign key to zones: it would cost 200,000 look-ups when an arena is saved, and
-- rows are only ever written together with their zone, in one transaction, from a layout that has been
-- checked as a whole.
create table seats (
  organization_id uuid not null,
  layout_id uuid not null,
  version integer not null,
  -- Dense, 0 … n−1: the address of a seat in typed arrays, bitmaps and deltas.
  ordinal integer not null check (ordinal >= 0),
  seat_id uuid not null,
  zone_id uuid not null,
  label text not null,
  row_label text not null,
  number text not null,
  category seat_category not null,
  price_category text,
  x double precision not null,
  y double precision not null,
  companion_ordinal integer,
  -- There is an aisle between the seat and the next one of its row. Null: the layout does not say it.
  aisle_after boolean,
  primary key (organization_id, layout_id, version, ordinal),
  unique (organization_id, layout_id, version, seat_id)
);
call protect_tenant_table('seats');
grant select, insert on seats to voelgoed_app;

create type seat_group_type as enum ('wheelchair_pair', 'family_block', 'vip_table', 'reserved_block');

-- Seats that belong together, such as the chairs of a table.
create table seat_groups (
  organization_id uuid not null,
  layout_id uuid not null,
  version integer not null,
  group_id uuid not null,
  position integer not null,
  group_type seat_group_type not null,
  name text,
  ordinals integer[] not null check (cardinality(ordinals) > 0),
  metadata jsonb not null,
  primary key (organization_id, layout_id, version, group_id),
  foreign key (organization_id, layout_id, version)
    references layout_versions (organization_id, layout_id, version)
);
call protect_tenant_table('seat_groups');
grant select, insert on seat_groups to voelgoed_app;

-- Events --------------------------------------------------------------------------------------------------

-- The rules by which an organization sells, where an event has no others.
create table seating_policies (
  organization_id uuid primary key references organizations (id),
  -- The whole policy as core/policy.ts knows it; no row means the default policy.
  policy jsonb not null,
  updated_at timestamptz not null default now(),
  revision integer not null default 1
);
call protect_tenant_table('seating_policies');
grant select, insert, update on seating_policies to voelgoed_app;

create type event_status as enum ('draft', 'published', 'live', 'completed', 'cancelled', 'archived');

-- A date at a venue, with a version of a layout and the event's changes of it.
create table events (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  status event_status not null default 'draft',
  venue_id uuid not null,
  layout_id uuid not null,
  layout_version integer not null,
  sale_start timestamptz,
  sale_end timestamptz,
  starts_at timestamptz,
  days jsonb not null default '[]',
  -- Deltas on the layout, never a copy of it: core/layout/overlay.ts.
  overlay jsonb not null,
  -- Counts every change of the overlay: part of the ETag of the event's layout.
  overlay_revision integer not null default 1,
  seating_overrides jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  revision integer not null default 1,
  description text check (length(description) between 1 and 5000),
  doors_at timestamptz,
  -- A scan that was made without a network is judged by the facts of then: also by whether its event was
  -- cancelled already. An event that is cancelled and has no moment counts as cancelled from the beginning.
  cancelled_at timestamptz,
  -- A gate without a network may have a clock that is wrong by days. A scan that is said to have been made
  -- long before its event went live is doubted, and listed as that, beside what else was wrong with it.
  went_live_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, venue_id) references venues (organization_id, id),
  foreign key (organization_id, layout_id, layout_version)
    references layout_versions (organization_id, layout_id, version),
  check (sale_start < sale_end)
);
create index events_by_status on events (organization_id, status, id);
create index events_by_layout on events (organization_id, layout_id, layout_version);
call protect_tenant_table('events');
grant select, insert, update on events to voelgoed_app;
-- Each node looks for cancelled events that still have holds.
grant select (organization_id, id, status, updated_at) on events to voelgoed_platform;

create function note_cancellation() returns trigger language plpgsql as $$
begin
  new.cancelled_at := clock_timestamp();
  return new;
end
$$;
create trigger note_cancellation before update on events for each row
  when (new.status = 'cancelled' and old.status <> 'cancelled') execute function note_cancellation();

create function note_going_live() returns trigger language plpgsql as $$
begin
  new.went_live_at := clock_timestamp();
  return new;
end
$$;
create trigger note_going_live before update on events for each row
  when (new.status = 'live' and old.status <> 'live') execute function note_going_live();

-- The prices of an event: the whole list, and the part of it that lists of events show.
create table event_prices (
  organization_id uuid not null,
  event_id uuid not null,
  -- Counts the lists of this event. If-Match compares it.
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

-- Seats that the event's overlay blocks, staff by hand, or both. Replacing the overlay does not unblock a
-- seat that staff blocked, and the other way round.
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

-- Pictures of events and of brands: made from what staff uploaded, in a few widths, without its metadata. An
-- organization has one logo and one cover, an event has one image: a new one takes the place of the old.
-- Pictures are uploaded before anyone says what they are for. An event or a brand that names one gets a copy
-- of its files in its own place, so that a place owns its picture, and uploads may go after a day.
create table images (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  kind text not null check (kind in ('logo', 'cover', 'event', 'upload')),
  event_id uuid check ((kind = 'event') = (event_id is not null)),
  -- A hash of all its files: the address at which they are served.
  hash text collate "C" not null check (hash ~ '^[A-Za-z0-9_-]{22}$'),
  width integer not null check (width > 0),
  height integer not null check (height > 0),
  -- Its mean colour, for the ground on which it appears.
  colour text not null check (colour ~ '^#[0-9a-f]{6}$'),
  -- Its WebP files have these widths.
  widths integer[] not null check (cardinality(widths) between 1 and 8),
  created_at timestamptz not null default now(),
  -- A copy keeps the id by which the picture was named.
  upload_id uuid check (kind <> 'upload' or upload_id is null),
  -- Its file for programs that do not know WebP; null: plain.png of a logo, plain.jpg of others.
  plain text check (plain in ('plain.png', 'plain.jpg')),
  primary key (organization_id, id),
  foreign key (organization_id, event_id) references events (organization_id, id)
);
create unique index images_of_event on images (organization_id, event_id) where event_id is not null;
create index images_hash on images (organization_id, hash);
create unique index images_of_brand on images (organization_id, kind) where kind in ('logo', 'cover');
create index images_of_upload on images (organization_id, upload_id) where upload_id is not null;
create index images_uploads on images (organization_id, created_at) where kind = 'upload';
call protect_tenant_table('images');
grant select, insert, delete on images to voelgoed_app;
-- To sweep uploads. Their files go with them.
grant select (organization_id, id, kind, created_at), delete on images to voelgoed_platform;

-- The files of a picture.
create table image_files (
  organization_id uuid not null,
  image_id uuid not null,
  name text collate "C" not null check (name ~ '^[a-z0-9]{1,10}[.](webp|jpg|png)$'),
  bytes bytea not null check (length(bytes) between 1 and 8388608),
  primary key (organization_id, image_id, name),
  foreign key (organization_id, image_id) references images (organization_id, id) on delete cascade
);
-- WebP, JPEG and PNG are packed already.
alter table image_files alter bytes set storage external;
call protect_tenant_table('image_files');
grant select, insert on image_files to voelgoed_app;

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
  -- Counted from 0 in its hold.
  place integer not null check (place >= 0),
  email_key text collate "C" not null check (length(email_key) between 3 and 254),
  -- The buyer gave this user and no address: then answers show it, and not the address.
  user_id uuid,
  named_by uuid not null,
  named_at timestamptz not null default now(),
  -- The sweep has found the place sold, and leaves the row alone from then on.
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

-- An event under its lock ---------------------------------------------------------------------------------

-- Every event that was ever put on sale has a ledger row. All changes of its seats are made under that row's
-- lock, so writers of one event stand in line and the journal's numbers have no gap. The constraints below
-- would refuse a double hold, a second ticket or an overfull zone even if all our code were wrong.
create table event_ledgers (
  organization_id uuid not null,
  event_id uuid not null,
  seq bigint not null default 0 check (seq >= 0),
  -- The next hold runs out then. The reaper goes by it.
  next_expiry timestamptz,
  -- The command of the last change: with the seq it names a place in the journal, even after commits were
  -- lost.
  tip uuid,
  -- The epoch of an event's history: another number whenever history could have been lost (Postgres restored,
  -- or failed over to a replica that lagged). Copies of an event outside Postgres are compared by (epoch,
  -- seq).
  epoch bigint not null default 1 check (epoch > 0),
  -- The history that Postgres has lost of the event went up to there: no reader that knows a seq up to this
  -- one is believed to know the history that there is now. 0: none was lost. It goes up together with the
  -- epoch.
  lost_up_to bigint not null default 0 check (lost_up_to >= 0),
  primary key (organization_id, event_id),
  foreign key (organization_id, event_id) references events (organization_id, id)
) with (fillfactor = 50);
create index event_ledgers_due on event_ledgers (next_expiry) where next_expiry is not null;
call protect_tenant_table('event_ledgers');
grant select, insert, update on event_ledgers to voelgoed_app;
-- Update, because choosing due events with SKIP LOCKED needs it; the reaper writes nothing here. After a
-- restore the operator gives every event a new epoch.
grant select, update (next_expiry, epoch, lost_up_to) on event_ledgers to voelgoed_platform;
create trigger seq_goes_up after update on event_ledgers for each row
  when (new.seq < old.seq) execute function refuse_going_back();
create trigger epoch_goes_up after update on event_ledgers for each row
  when (new.epoch < old.epoch) execute function refuse_going_back();
create trigger lost_up_to_goes_up after update on event_ledgers for each row
  when (new.lost_up_to < old.lost_up_to) execute function refuse_going_back();

-- One row for each batch, its changes packed into one text (core/event/packed-changes.ts): the history of
-- every seat, and the feed of all followers. It is written in the transaction of the changes.
create table journal (
  organization_id uuid not null,
  event_id uuid not null,
  first_seq bigint not null check (first_seq > 0),
  last_seq bigint not null,
  -- By the database's clock, read under the event's lock.
  at timestamptz not null,
  first_command uuid not null,
  last_command uuid not null,
  -- Staff did something in it that is looked up by seat or by person.
  by_staff boolean not null,
  encoding smallint not null,
  packed text not null,
  primary key (organization_id, event_id, first_seq),
  check (last_seq >= first_seq)
);
-- Acts of staff are looked up here. Batches of buyers are not in it, and pay nothing for it.
create index journal_staff on journal (organization_id, event_id, first_seq) where by_staff;
-- Compressing would take time under the event's lock.
alter table journal alter column packed set storage external;
call protect_tenant_table('journal');
grant select, insert on journal to voelgoed_app;

-- As an `after` trigger, so that the constraints speak first. The writer holds the ledger's lock, and moves
-- the ledger after this.
create function refuse_journal_gap() returns trigger language plpgsql as $$
begin
  if new.first_seq is distinct from (
    select l.seq + 1 from event_ledgers l
    where l.organization_id = new.organization_id and l.event_id = new.event_id) then
    raise exception 'entry % does not continue the journal of event %', new.first_seq, new.event_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create trigger continues_the_journal after insert on journal for each row execute function refuse_journal_gap();

-- The first entry of an event's journal at or after a moment: about 20 look-ups by the primary key, whatever
-- its length. The entries of a row have one moment.
create function first_seq_since(organization uuid, event uuid, moment timestamptz) returns bigint
  language plpgsql stable as $$
declare
  low bigint := 1;
  high bigint;
  found_row record;
begin
  select l.seq + 1 into high from event_ledgers l where l.organization_id = organization and l.event_id = event;
  while low < high loop
    select j.first_seq, j.last_seq, j.at into found_row from journal j
      where j.organization_id = organization and j.event_id = event and j.first_seq <= (low + high) / 2
      order by j.first_seq desc limit 1;
    if found_row.at < moment then
      low := found_row.last_seq + 1;
    else
      high := found_row.first_seq;
    end if;
  end loop;
  return low;
end
$$;

-- The journal as entries, for people with psql and for checks that trust no program of ours. The server reads
-- it with core/event/packed-changes.ts, which says what the encoding is; a test holds the two against each
-- other.
create view journal_entries with (security_invoker = true) as
select j.organization_id, j.event_id, j.first_seq, j.first_seq + c.position - 1 as seq, k.kind,
  (m.command ->> 0)::uuid as command_id, (m.command ->> 1)::uuid as actor_id, m.command ->> 2 as source,
  t.at, case when k.code <= 7 or k.code = 13 then (c.change ->> 2)::bigint end as previous,
  case when k.code <= 7 or k.code = 13 then jsonb_build_object('holdId', c.change -> 3, 'ordinal', c.change -> 4,
    'version', c.change -> 5, 'zoneIndex', c.change -> 6, 'quantity', c.change -> 7) else '{}' end
  || case k.code
    when 0 then jsonb_build_object('userId', case c.change -> 8 when '0' then m.command -> 1 else c.change -> 8 end,
      'ip', case c.change -> 9 when '0' then m.command -> 3 else c.change -> 9 end, 'cartToken', c.change -> 10,
      'heldUntil', t.ms + (c.change ->> 11)::bigint, 'capUntil', t.ms + (c.change ->> 12)::bigint)
    when 1 then jsonb_strip_nulls(jsonb_build_object('heldUntil', t.ms + (c.change ->> 8)::bigint,
      'capUntil', t.ms + (c.change ->> 9)::bigint))
    when 2 then jsonb_build_object('checkoutId', c.change -> 8, 'heldUntil', t.ms + (c.change ->> 9)::bigint)
    when 3 then jsonb_build_object('freed', c.change -> 8)
    when 4 then jsonb_build_object('userId', case c.change -> 8 when '0' then m.command -> 1 else c.change -> 8 end,
      'heldUntil', t.ms + (c.change ->> 9)::bigint, 'capUntil', t.ms + (c.change ->> 10)::bigint)
    when 6 then jsonb_build_object('reason', c.change -> 8, 'notes', c.change -> 9)
    when 7 then jsonb_build_object('userId', case c.change -> 8 when '0' then m.command -> 1 else c.change -> 8 end,
      'checkoutId', c.change -> 9, 'ticketIds', c.change -> 10)
    when 8 then jsonb_build_object('ordinal', c.change -> 2, 'version', c.change -> 3, 'zoneIndex', c.change -> 4,
      'reason', c.change -> 5)
    when 9 then jsonb_build_object('ordinal', c.change -> 2, 'version', c.change -> 3, 'zoneIndex', c.change -> 4,
      'reason', c.change -> 5)
    when 10 then c.change -> 2
    when 11 then jsonb_build_object('zoneIndex', c.change -> 2, 'occupied', c.change -> 3, 'capacity', c.change -> 4,
      'ordinals', c.change -> 5)
    when 12 then jsonb_build_object('ticketId', c.change -> 2, 'ordinal', c.change -> 3, 'version', c.change -> 4,
      'zoneIndex', c.change -> 5, 'reason', c.change -> 6)
    when 13 then jsonb_build_object('checkoutId', c.change -> 8)
    else '{}' end
  || case when jsonb_array_length(m.command) > 3 then jsonb_build_object('address', m.command -> 3,
    'userAgent', p.agents -> (m.command ->> 4)::int) else '{}' end as body
from journal j
cross join lateral (select whole -> 0 as commands, whole -> 1 as changes, whole -> 2 as agents
  from (select j.packed::jsonb as whole offset 0) as parsed offset 0) as p
cross join lateral jsonb_array_elements(p.changes) with ordinality as c (change, position)
cross join lateral (select p.commands -> (c.change ->> 1)::int as command offset 0) as m
cross join lateral (select at, floor(extract(epoch from at) * 1000)::bigint as ms
  from (select coalesce(to_timestamp((m.command ->> 5)::float8 / 1000.0), j.at) as at) as moment offset 0) as t
cross join lateral (select code, coalesce((array['seat_reserved', 'seat_hold_extended', 'payment_started', 'hold_reduced',
    'hold_transferred', 'seat_hold_expired', 'seat_released', 'seat_converted', 'seat_blocked', 'seat_unblocked',
    'event_changed', 'companions_released', 'ticket_voided', 'payment_ended'])[code + 1], 'kind ' || code) as kind
  from (select (c.change ->> 0)::int as code) as coded offset 0) as k
where j.encoding = 1;
grant select on journal_entries to voelgoed_app, voelgoed_platform;

create type seat_status as enum ('available', 'held', 'sold', 'blocked');

-- One row for each seat that is taken, with the hold inside it. No row: the seat is available, and was never
-- touched. A row outlives the return to available, because its version goes on. No foreign keys: they would
-- cost look-ups for every hold, and what they would guard is decided under the ledger's lock.
create table event_seats (
  organization_id uuid not null,
  event_id uuid not null,
  ordinal integer not null,
  status seat_status not null,
  hold_id uuid,
  ticket_id uuid,
  held_until timestamptz,
  version integer not null check (version > 0),
  -- The version that this one replaced; 0 for the first. A writer that did not know the row as it was can't
  -- change it.
  version_before integer not null,
  user_id uuid,
  created_at timestamptz,
  cap_until timestamptz,
  checkout_id uuid,
  cart_token text,
  source text,
  ip text,
  -- The last entry of the hold in the journal.
  last_seq bigint,
  -- This user took the hold, and is not its owner any more.
  taken_by uuid,
  primary key (organization_id, event_id, ordinal),
  -- A seat that is held or sold has its hold, whole; any other has nothing of one.
  constraint event_seats_hold check (
    case when status in ('held', 'sold')
      then hold_id is not null and user_id is not null and created_at is not null and held_until is not null
        and cap_until is not null and source is not null and last_seq is not null
      else hold_id is null and user_id is null and created_at is null and held_until is null and cap_until is null
        and checkout_id is null and cart_token is null and source is null and ip is null and last_seq is null
        and taken_by is null
    end),
  constraint event_seats_ticket check ((status = 'sold') = (ticket_id is not null)),
  constraint event_seats_cap check (held_until <= cap_until),
  constraint event_seats_version_before check (version_before >= 0 and version_before < version)
) with (fillfactor = 70);
create unique index event_seats_hold_id on event_seats (organization_id, hold_id) where hold_id is not null;
create index event_seats_user on event_seats (organization_id, user_id) where status = 'held';
-- Holds of a cart that a platform sells by the token it gave them.
create index event_seats_cart on event_seats (organization_id, event_id, cart_token)
  where status = 'held' and cart_token is not null;
call protect_tenant_table('event_seats');
grant select, insert, update on event_seats to voelgoed_app;
grant select (organization_id, user_id, status, hold_id) on event_seats to voelgoed_platform;

-- Sold seats stay sold, whatever arrives. Sold ends in one way only: its ticket is void. Then the seat is
-- free, or another hold has it already.
create function refuse_unselling() returns trigger language plpgsql as $$
begin
  if new.ticket_id is distinct from old.ticket_id and exists (select from tickets t
    where t.organization_id = old.organization_id and t.id = old.ticket_id and t.voided_at is not null)
  then return new; end if;
  raise exception 'seat % of event % is sold', old.ordinal, old.event_id using errcode = 'integrity_constraint_violation';
end
$$;
create trigger sold_stays_sold before update on event_seats for each row
  when (old.status = 'sold') execute function refuse_unselling();
create trigger first_version_is_new after insert on event_seats for each row
  when (new.version_before <> 0) execute function refuse_going_back();
create trigger version_goes_up after update on event_seats for each row
  when (new.version <= old.version or new.version_before <> old.version or new.ordinal <> old.ordinal)
  execute function refuse_going_back();
-- Within one hold no time is cut short, and what was true of its making stays.
create trigger hold_goes_on after update on event_seats for each row
  when (new.hold_id = old.hold_id and (new.held_until < old.held_until or new.last_seq <= old.last_seq
    or (new.created_at, new.cart_token, new.source, new.ip)
      is distinct from (old.created_at, old.cart_token, old.source, old.ip)))
  execute function refuse_going_back();
-- A seat goes from one hold to another through its end: two steps at least. So does a sale to another hold.
create trigger hold_ends_first after update on event_seats for each row
  when (new.hold_id <> old.hold_id and new.version < old.version + 2
    or new.status = 'sold' and new.hold_id is distinct from old.hold_id and new.version < old.version + 2)
  execute function refuse_going_back();

create function note_former_holder() returns trigger language plpgsql as $$
begin
  update users set held_before = true
    where organization_id = old.organization_id and id = old.user_id and not held_before;
  return null;
end
$$;
-- A guest whose holds were moved to an account holds nothing, and the journal still names them: they stay.
create trigger note_former_holder after update on event_seats for each row
  when (new.hold_id = old.hold_id and new.user_id <> old.user_id) execute function note_former_holder();

-- Holds of zones without seats. A row goes when its hold ends, but for a sale: what is sold stays.
create table place_holds (
  organization_id uuid not null,
  hold_id uuid not null,
  event_id uuid not null,
  zone_index integer not null,
  user_id uuid not null,
  quantity integer not null check (quantity > 0),
  status seat_status not null check (status in ('held', 'sold')),
  created_at timestamptz not null,
  held_until timestamptz not null,
  cap_until timestamptz not null,
  checkout_id uuid,
  cart_token text,
  source text not null,
  ip text,
  last_seq bigint not null,
  taken_by uuid,
  primary key (organization_id, hold_id),
  check (held_until <= cap_until)
) with (fillfactor = 80);
create index place_holds_event on place_holds (organization_id, event_id) where status = 'held';
create index place_holds_user on place_holds (organization_id, user_id) where status = 'held';
create index place_holds_cart on place_holds (organization_id, event_id, cart_token)
  where status = 'held' and cart_token is not null;
call protect_tenant_table('place_holds');
grant select, insert, update (status, user_id, quantity, held_until, cap_until, checkout_id, last_seq,
  taken_by), delete on place_holds to voelgoed_app;
grant select (organization_id, user_id, status, hold_id) on place_holds to voelgoed_platform;

create function refuse_unselling_places() returns trigger language plpgsql as $$
begin
  raise exception 'the places of hold % are sold', old.hold_id using errcode = 'integrity_constraint_violation';
end
$$;
create trigger sold_stays_sold before update or delete on place_holds for each row
  when (old.status = 'sold') execute function refuse_unselling_places();
create trigger hold_goes_on after update on place_holds for each row
  when (new.held_until < old.held_until or new.last_seq <= old.last_seq or new.quantity > old.quantity
    or new.quantity <> old.quantity and new.status = 'sold'
    or (new.hold_id, new.event_id, new.zone_index, new.created_at, new.cart_token, new.source, new.ip)
      is distinct from
        (old.hold_id, old.event_id, old.zone_index, old.created_at, old.cart_token, old.source, old.ip))
  execute function refuse_going_back();
create trigger note_former_holder after update on place_holds for each row
  when (new.user_id <> old.user_id) execute function note_former_holder();

-- Figures of each zone of an event on sale, and the last guard against an overfull one.
create table zone_counts (
  organization_id uuid not null,
  event_id uuid not null,
  zone_index integer not null,
  zone_id uuid not null,
  capacity integer not null check (capacity > 0),
  held integer not null default 0 check (held >= 0),
  sold integer not null default 0 check (sold >= 0),
  blocked integer not null default 0 check (blocked >= 0),
  -- So much of the zone was taken that its companion seats are anyone's. They stay so.
  companions_released boolean not null default false,
  primary key (organization_id, event_id, zone_index),
  check (held + sold + blocked <= capacity)
) with (fillfactor = 50);
call protect_tenant_table('zone_counts');
grant select, insert, update on zone_counts to voelgoed_app;

create function refuse_keeping_again() returns trigger language plpgsql as $$
begin
  raise exception 'the companion seats of zone % were released, and are not kept again', old.zone_index
    using errcode = 'integrity_constraint_violation';
end
$$;
create trigger released_stays_released before update on zone_counts for each row
  when (old.companions_released and not new.companions_released) execute function refuse_keeping_again();

create type hold_status as enum ('active', 'converted', 'expired', 'cancelled');

create type hold_end_reason as enum
  ('ttl_expired', 'user_cancelled', 'payment_failed', 'admin_override', 'converted', 'event_cancelled');

-- One row for each hold that has ended, as the journal tells of it. A follower of the journal writes it, in
-- bulk.
create table hold_history (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  -- The last owner.
  user_id uuid not null,
  ordinal integer,
  zone_index integer not null,
  quantity integer not null check (quantity > 0),
  status hold_status not null check (status <> 'active'),
  created_at timestamptz not null,
  held_until timestamptz not null,
  cap_until timestamptz not null,
  ended_at timestamptz not null,
  end_reason hold_end_reason not null,
  checkout_id uuid,
  cart_token text,
  source text not null,
  ip text,
  -- The entry of the journal that ended it.
  last_seq bigint not null,
  -- This user took it, and is not its last owner.
  taken_by uuid,
  primary key (organization_id, id),
  check (ordinal is null or quantity = 1),
  check (held_until <= cap_until),
  constraint hold_history_end_reason check (
    case status
      when 'converted' then end_reason::text = 'converted'
      when 'expired' then end_reason::text = 'ttl_expired'
      else end_reason::text in ('user_cancelled', 'payment_failed', 'admin_override', 'event_cancelled')
    end)
);
create index hold_history_user on hold_history (organization_id, user_id, id);
create index hold_history_seat on hold_history (organization_id, event_id, ordinal, created_at)
  where ordinal is not null;
create index hold_history_cart on hold_history (organization_id, event_id, cart_token) where cart_token is not null;
call protect_tenant_table('hold_history');
grant select, insert on hold_history to voelgoed_app;
grant select (organization_id, user_id) on hold_history to voelgoed_platform;

-- hold_history reaches this far into an event's journal. Moved in the transaction that writes it.
create table history_cursors (
  organization_id uuid not null,
  event_id uuid not null,
  seq bigint not null check (seq >= 0),
  primary key (organization_id, event_id),
  foreign key (organization_id, event_id) references events (organization_id, id) on delete cascade
);
call protect_tenant_table('history_cursors');
grant select, insert, update (seq) on history_cursors to voelgoed_app;
grant select on history_cursors to voelgoed_platform;
create trigger seq_goes_up after update on history_cursors for each row
  when (new.seq <= old.seq) execute function refuse_going_back();

-- Answers of nodes that were asked about an event. The node that asked reads them and deletes them.
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
-- For the sweep of what no node has read.
create index node_reports_reported_at on node_reports (reported_at);
call protect_tenant_table('node_reports');
grant select, insert, delete on node_reports to voelgoed_app;
grant select, delete on node_reports to voelgoed_platform;

-- Reports -------------------------------------------------------------------------------------------------

-- The funnel of an event: how many requests and places took which step, by quarter of an hour, because every
-- time zone begins its day at one. Filled from the journal, in order and once for each seq, and from refused
-- attempts.
create table funnel_counts (
  organization_id uuid not null,
  event_id uuid not null,
  quarter timestamptz not null,
  step text not null,
  -- The code of a refusal, the reason of a release; else empty.
  detail text not null,
  count bigint not null check (count > 0),
  primary key (organization_id, event_id, quarter, step, detail),
  foreign key (organization_id, event_id) references events (organization_id, id) on delete cascade
);
create index funnel_counts_quarter on funnel_counts (organization_id, quarter);
call protect_tenant_table('funnel_counts');
grant select, insert, update on funnel_counts to voelgoed_app, voelgoed_platform;

-- The counts reach this far into an event's journal.
create table funnel_cursors (
  organization_id uuid not null,
  event_id uuid not null,
  seq bigint not null,
  primary key (organization_id, event_id),
  foreign key (organization_id, event_id) references events (organization_id, id) on delete cascade
);
call protect_tenant_table('funnel_cursors');
grant select, insert, update on funnel_cursors to voelgoed_app;
grant select on funnel_cursors to voelgoed_platform;
create trigger seq_goes_up after update on funnel_cursors for each row
  when (new.seq < old.seq) execute function refuse_going_back();

-- The fullness of events: of each one on sale once a minute, and whenever its status has changed.
create table occupancy_snapshots (
  organization_id uuid not null,
  event_id uuid not null,
  at timestamptz not null,
  status event_status not null,
  available integer not null check (available >= 0),
  held integer not null check (held >= 0),
  sold integer not null check (sold >= 0),
  blocked integer not null check (blocked >= 0),
  -- An entry for each zone: [id, available, held, sold, blocked].
  zones jsonb not null,
  primary key (organization_id, event_id, at),
  foreign key (organization_id, event_id) references events (organization_id, id)
);
create index occupancy_snapshots_at on occupancy_snapshots (at);
call protect_tenant_table('occupancy_snapshots');
grant select, insert on occupancy_snapshots to voelgoed_app;
-- To find the events that need one, and for the sweep of old ones.
grant select (organization_id, event_id, at, status), delete on occupancy_snapshots to voelgoed_platform;

-- Orders and tickets --------------------------------------------------------------------------------------

-- Keys that sign the tickets of an organization (Ed25519). One of them signs; those that it replaced still
-- verify the tickets on paper until they are retired.
create table ticket_keys (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  -- SubjectPublicKeyInfo, as DER.
  public_key bytea not null check (octet_length(public_key) = 44),
  -- PKCS 8, sealed by the server: kit/base/seal-key.ts.
  sealed_private_key bytea not null check (octet_length(sealed_private_key) between 29 and 200),
  created_at timestamptz not null default now(),
  -- From then on it signs nothing.
  replaced_at timestamptz,
  -- From then on it verifies nothing.
  retired_at timestamptz,
  primary key (organization_id, id),
  check (retired_at is null or replaced_at is not null)
);
create unique index ticket_keys_signing on ticket_keys (organization_id) where replaced_at is null;
call protect_tenant_table('ticket_keys');
grant select, insert, update (replaced_at, retired_at) on ticket_keys to voelgoed_app;

create function refuse_reviving_ticket_keys() returns trigger language plpgsql as $$
begin
  raise exception 'the ticket key % was replaced or retired before', old.id using errcode = 'check_violation';
end
$$;
create trigger replaced_stays_replaced before update on ticket_keys for each row
  when ((old.replaced_at is not null and new.replaced_at is distinct from old.replaced_at)
    or (old.retired_at is not null and new.retired_at is distinct from old.retired_at))
  execute function refuse_reviving_ticket_keys();

create type order_status as enum ('open', 'paying', 'paid', 'partly_refunded', 'refunded', 'cancelled', 'expired');

-- Our page, our component on a page of another site, a platform that books by the API, staff at a counter.
create type sales_channel as enum ('page', 'embed', 'api', 'box_office');

-- Sales: what was sold to whom, and the money for it. A ticket's checkout_id is the id of its order.
create table orders (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  -- People read it to each other.
  number text collate "C" not null check (length(number) between 6 and 20),
  -- The buyer: the holds were theirs.
  user_id uuid not null,
  status order_status not null,
  -- ISO 4217. Null: the seller counts the money elsewhere, and no amount is known.
  currency text check (currency ~ '^[A-Z]{3}$'),
  -- In minor units.
  total bigint check (total >= 0),
  -- The seller's own name for it.
  reference text collate "C" check (length(reference) between 1 and 200),
  -- The seller asked for these. A hold that had run out was sold under another id.
  hold_ids uuid[] not null,
  contact_name text check (length(contact_name) between 1 and 200),
  contact_email text check (length(contact_email) between 3 and 254),
  -- The one spelling of the address (core/email.ts).
  contact_email_key text collate "C" check (length(contact_email_key) between 3 and 254),
  -- Opens the order to a buyer who has the link. Only its hash is here.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  -- The member of staff who sold it. Null: the buyer paid by themselves.
  sold_by uuid,
  created_at timestamptz not null default now(),
  channel sales_channel not null default 'page',
  -- Parts of the total, in minor units. Null: not known. The tax may be in the prices or on top of them.
  fees bigint check (fees >= 0),
  tax bigint check (tax >= 0),
  -- The account that goes on with what a guest bought: the guest signed in, in the same browser. The buyer of
  -- record (user_id) stays, because the tickets and the seats name them too.
  account_id uuid,
  primary key (organization_id, id),
  foreign key (organization_id, event_id) references events (organization_id, id),
  foreign key (organization_id, user_id) references users (organization_id, id),
  foreign key (organization_id, sold_by) references users (organization_id, id),
  check ((currency is null) = (total is null)),
  check ((contact_email is null) = (contact_email_key is null)),
  constraint orders_parts check ((total is not null or (fees is null and tax is null))
    and coalesce(fees, 0) <= coalesce(total, 0) and coalesce(tax, 0) <= coalesce(total, 0)),
  constraint orders_account_fkey foreign key (organization_id, account_id) references users (organization_id, id)
);
-- Repeating a reference gives the same order, whatever happens at the same moment on another node.
create unique index orders_reference on orders (organization_id, reference) where reference is not null;
create unique index orders_number on orders (organization_id, number);
create index orders_event on orders (organization_id, event_id, id);
create index orders_user on orders (organization_id, user_id, id);
create index orders_contact on orders (organization_id, contact_email_key, id) where contact_email_key is not null;
create index orders_open on orders (organization_id, user_id, event_id) where status = 'open';
create index orders_refundable on orders (organization_id, event_id, id) where status in ('paid', 'partly_refunded');
-- Reports over all events of an organization are about a time. Rows are added in its order and stay, so
-- that an index of a few pages finds them, and costs buyers nothing.
create index orders_created on orders using brin (created_at) with (pages_per_range = 16, autosummarize = on);
create index orders_account on orders (organization_id, account_id, id) where account_id is not null;
-- Moments are all different, so the planner took their days for as many as there are rows, and had one
-- process sort 100,000 orders where several could have added them up. No statement asks for an exact moment;
-- what it finds by a time, the histogram tells. The same holds for tickets.
alter table orders alter created_at set (n_distinct = 1000);
call protect_tenant_table('orders');
grant select, insert, update (status, contact_name, contact_email, contact_email_key, account_id) on orders
  to voelgoed_app;
grant select (organization_id, id, event_id, status) on orders to voelgoed_platform;

-- The moves of core/orders/order.ts.
create function refuse_order_move() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) in (('open', 'paying'), ('open', 'paid'), ('open', 'refunded'), ('open', 'cancelled'),
    ('open', 'expired'), ('paying', 'paid'), ('paying', 'open'), ('paying', 'refunded'), ('paying', 'cancelled'),
    ('paying', 'expired'), ('paid', 'partly_refunded'), ('paid', 'refunded'), ('partly_refunded', 'refunded'),
    ('cancelled', 'refunded'), ('expired', 'paid'), ('expired', 'refunded')) then return new; end if;
  raise exception 'order % does not go from % to %', old.id, old.status, new.status
    using errcode = 'integrity_constraint_violation';
end
$$;
create trigger status_moves before update on orders for each row
  when (new.status <> old.status) execute function refuse_order_move();

-- Sold: a seat, or a place of a zone without seats. A ticket comes from a hold that was sold.
create table tickets (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  hold_id uuid not null,
  user_id uuid not null,
  ordinal integer,
  seat_id uuid,
  zone_index integer not null,
  checkout_id uuid not null,
  created_at timestamptz not null,
  voided_at timestamptz,
  -- A ticket that is issued again has the next version; what was printed before opens no gate.
  version integer not null default 1 check (version > 0),
  -- A scan that was made without a network is judged by the version that was valid then.
  reissued_at timestamptz,
  primary key (organization_id, id),
  check ((ordinal is null) = (seat_id is null))
);
create unique index tickets_valid_seat on tickets (organization_id, event_id, ordinal)
  where ordinal is not null and voided_at is null;
create index tickets_hold on tickets (organization_id, hold_id);
-- The tickets of a buyer in an event.
create index tickets_owner on tickets (organization_id, event_id, user_id);
create index tickets_order on tickets (organization_id, checkout_id);
-- Gates must know of tickets that open them no more, in the order in which they became so.
create index tickets_void on tickets (organization_id, event_id, voided_at, id) where voided_at is not null;
create index tickets_reissued on tickets (organization_id, event_id, reissued_at, id) where reissued_at is not null;
-- The list of a gate: tickets of an event in the order in which they were sold.
create index tickets_event on tickets (organization_id, event_id, created_at, id);
-- The place of a seat in its hall is a number that nodes read from a layout version. Should two of them ever
-- read two versions with one number, because Postgres has lost the first, the chair itself is sold once.
create unique index tickets_valid_seat_id on tickets (organization_id, event_id, seat_id)
  where seat_id is not null and voided_at is null;
alter table tickets alter created_at set (n_distinct = 1000);
call protect_tenant_table('tickets');
grant select, insert, update (voided_at, version) on tickets to voelgoed_app;

-- Void is for good, and besides its version nothing else of a ticket changes.
create function refuse_changing_tickets() returns trigger language plpgsql as $$
begin
  raise exception 'ticket % can only become void, once, or get its next version while it is valid', old.id
    using errcode = 'integrity_constraint_violation';
end
$$;
create trigger void_stays_void before update on tickets for each row
  when (old.voided_at is not null
    or new.version <> old.version + case when new.voided_at is null then 1 else 0 end)
  execute function refuse_changing_tickets();

create function note_reissue() returns trigger language plpgsql as $$
begin
  new.reissued_at := clock_timestamp();
  return new;
end
$$;
create trigger note_reissue before update on tickets for each row
  when (new.version <> old.version) execute function note_reissue();

-- A ticket comes from a hold that was sold: of its seat, or of places, as many as the hold has. A foreign key
-- could say less, and would need one table for both.
create function refuse_ticket_without_hold() returns trigger language plpgsql as $$
begin
  perform from event_seats s where s.organization_id = new.organization_id and s.event_id = new.event_id
    and s.ordinal = new.ordinal and s.status = 'sold' and s.hold_id = new.hold_id and s.ticket_id = new.id
    and s.user_id = new.user_id;
  if not found then
    raise exception 'ticket % comes from no hold that was sold to its owner', new.id using errcode = 'foreign_key_violation';
  end if;
  return null;
end
$$;
create trigger ticket_has_its_hold after insert on tickets for each row when (new.ordinal is not null)
  execute function refuse_ticket_without_hold();

-- Asked once for each hold of a statement. A row trigger would count the tickets of 5,000 standing places
-- 5,000 times, which took 6.4 s instead of 0.07 s.
create function refuse_tickets_without_places() returns trigger language plpgsql as $$
declare
  sold record;
begin
  for sold in
    select a.organization_id, a.event_id, a.hold_id, a.zone_index, a.user_id, (array_agg(a.id))[1] as ticket_id
    from added a where a.ordinal is null group by 1, 2, 3, 4, 5
  loop
    perform from place_holds p where p.organization_id = sold.organization_id and p.hold_id = sold.hold_id
      and p.event_id = sold.event_id and p.zone_index = sold.zone_index and p.status = 'sold'
      and p.user_id = sold.user_id and p.quantity >= (select count(*) from tickets t
        where t.organization_id = sold.organization_id and t.hold_id = sold.hold_id);
    if not found then
      raise exception 'ticket % comes from no hold that was sold to its owner', sold.ticket_id
        using errcode = 'foreign_key_violation';
    end if;
  end loop;
  return null;
end
$$;
create trigger tickets_have_their_places after insert on tickets referencing new table as added
  for each statement execute function refuse_tickets_without_places();

create type payment_status as enum ('created', 'unknown', 'captured', 'declined', 'refunding', 'refunded');

create type payment_method as enum ('cash', 'card_terminal', 'complimentary', 'external', 'gateway');

-- The money of an order: a gateway's intent, or what a member of staff says is there.
create table payments (
  organization_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  method payment_method not null,
  status payment_status not null,
  amount bigint check (amount >= 0),
  refunded_amount bigint not null default 0 check (refunded_amount >= 0),
  -- The member of staff, or the API key, that says that the money is there.
  recorded_by uuid,
  created_at timestamptz not null default now(),
  -- A gateway's intent. It may be declined and take another card: the payment stays the same.
  gateway text check (gateway in ('simulator', 'stripe', 'none')),
  intent_id text collate "C" check (length(intent_id) between 1 and 255),
  waits_for_buyer boolean not null default false,
  decline_code text check (length(decline_code) between 1 and 100),
  -- The gateway was last asked then to take the money: until its time limit has passed, an intent that is not
  -- found may still come.
  sent_at timestamptz,
  -- It is looked up next then. Null: its outcome is known, or was not found out for days.
  look_at timestamptz,
  looks integer not null default 0 check (looks >= 0),
  -- The account at the gateway that took it.
  account text collate "C" check (length(account) between 1 and 255),
  primary key (organization_id, id),
  foreign key (organization_id, order_id) references orders (organization_id, id),
  foreign key (organization_id, recorded_by) references users (organization_id, id),
  check (refunded_amount <= coalesce(amount, 0)),
  -- No ticket without money, or a named member of staff.
  constraint payments_recorded check (method = 'gateway' or recorded_by is not null),
  constraint payments_complimentary check (method <> 'complimentary' or coalesce(amount, 0) = 0),
  constraint payments_gateway check ((method = 'gateway') = (gateway is not null))
);
create unique index payments_order on payments (organization_id, order_id);
create index payments_intent on payments (intent_id) where intent_id is not null;
create index payments_look on payments (look_at) where look_at is not null;
call protect_tenant_table('payments');
grant select, insert, update (status, refunded_amount, intent_id, waits_for_buyer, decline_code, sent_at,
  look_at, looks) on payments to voelgoed_app;
-- For the job that looks payments up and gives money back. It counts those that wait for the buyer apart.
grant select (organization_id, id, order_id, gateway, intent_id, status, created_at, look_at, looks,
  sent_at, waits_for_buyer), update (look_at, looks) on payments to voelgoed_platform;

-- The moves of core/orders/order.ts. What was given back is less only while it is given back again.
create function refuse_payment_move() returns trigger language plpgsql as $$
begin
  if (new.refunded_amount >= old.refunded_amount or new.status = 'refunding')
    and (new.status = old.status or (old.status, new.status) in (
    ('created', 'unknown'), ('created', 'captured'), ('created', 'declined'), ('unknown', 'created'),
    ('unknown', 'captured'), ('unknown', 'declined'), ('declined', 'created'), ('declined', 'captured'),
    ('captured', 'refunding'), ('refunding', 'captured'), ('refunding', 'refunded'), ('refunded', 'refunding')))
  then return new; end if;
  raise exception 'payment % does not go from % to %', old.id, old.status, new.status
    using errcode = 'integrity_constraint_violation';
end
$$;
create trigger status_moves before update on payments for each row execute function refuse_payment_move();

create type refund_status as enum ('pending', 'done', 'failed');

-- Money that goes back, or has gone back.
create table refunds (
  organization_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  payment_id uuid not null,
  amount bigint check (amount >= 0),
  reason text not null check (length(reason) between 1 and 500),
  recorded_by uuid,
  created_at timestamptz not null default now(),
  status refund_status not null default 'done',
  -- The same key is the same refund to the gateway.
  key text collate "C" check (length(key) between 1 and 255),
  -- Keys that failed: the next has another name.
  failures integer not null default 0 check (failures >= 0),
  look_at timestamptz,
  looks integer not null default 0 check (looks >= 0),
  -- The refund has a cause, and `told` keeps the gateway's last word on it. Staff who give money back by hand
  -- are named at the refund from its beginning; until it is done the money is owed.
  cause text not null default 'staff' check (cause in ('staff', 'late_money', 'event_cancelled')),
  told text check (length(told) between 1 and 100),
  -- The gateway is asked for this much in the present attempt, where it has less to give back than the
  -- amount: the rest went back on its own pages. 0: all of it, and the refund is done without the gateway.
  asked bigint,
  -- The gateway is asked for a week from then on. Staff may begin the week again.
  tried_since timestamptz not null default now(),
  -- The gateway's refund was given up, and staff gave the money back themselves: what the gateway says of it
  -- later does not count.
  by_hand boolean not null default false,
  primary key (organization_id, id),
  foreign key (organization_id, order_id) references orders (organization_id, id),
  foreign key (organization_id, payment_id) references payments (organization_id, id),
  foreign key (organization_id, recorded_by) references users (organization_id, id),
  constraint refunds_recorded check (key is not null or recorded_by is not null),
  check (asked >= 0 and asked < amount)
);
create index refunds_order on refunds (organization_id, order_id);
create unique index refunds_key on refunds (organization_id, key) where key is not null;
create index refunds_look on refunds (look_at) where look_at is not null;
create index refunds_unasked on refunds (organization_id) where status = 'pending' and cause = 'event_cancelled';
create index refunds_not_done on refunds (organization_id) where status <> 'done';
call protect_tenant_table('refunds');
grant select, insert, update (status, failures, look_at, looks, told, asked, tried_since, by_hand, amount)
  on refunds to voelgoed_app;
-- A refund that the gateway has and has not decided on is not given up: the job reads what it last said.
grant select (organization_id, id, order_id, status, look_at, looks, created_at, key, tried_since, told),
  update (look_at, looks) on refunds to voelgoed_platform;

create function refuse_refund_move() returns trigger language plpgsql as $$
begin
  raise exception 'refund % was given back before', old.id using errcode = 'integrity_constraint_violation';
end
$$;
-- A refund that the gateway made may come back: the buyer's bank did not take it. Then the money is owed
-- again, and the next attempt has another key, so that it is another refund to the gateway.
create trigger done_stays_done before update on refunds for each row
  when (old.status = 'done' and new.status <> 'done'
    and not (new.status = 'failed' and old.key is not null and not old.by_hand and new.failures = old.failures + 1))
  execute function refuse_refund_move();

create function refuse_refund_amount() returns trigger language plpgsql as $$
begin
  raise exception 'refund % is not lowered from % to %', old.id, old.amount, new.amount
    using errcode = 'integrity_constraint_violation';
end
$$;
-- If a bank sends money back that went out on the gateway's own pages, what refunds here were lowered by is
-- owed again: it is taken off them and becomes a refund of its own. What the gateway gave back by a refund,
-- and what staff gave, stays in it.
create trigger lowered_by_what_went_outside before update on refunds for each row
  when (new.amount is distinct from old.amount and not coalesce(old.status = 'done' and new.status = 'done'
    and not old.by_hand and new.amount < old.amount and new.amount >= old.asked, false))
  execute function refuse_refund_amount();

-- The lines of an order, one for each ticket.
create table order_lines (
  organization_id uuid not null,
  order_id uuid not null,
  ticket_id uuid not null,
  -- Counted from 0 in its order.
  position integer not null check (position >= 0),
  amount bigint check (amount >= 0),
  ticket_type text check (length(ticket_type) between 1 and 100),
  -- The refund that took it back. Null: the ticket is valid.
  refund_id uuid,
  -- The one whose ticket it is, if the buyer says so: printed on it, and shown at the gate.
  attendee text check (length(attendee) between 1 and 200),
  -- The key of the price category that a ticket was sold in. Null: it was sold without a price list.
  category text check (length(category) between 1 and 100),
  primary key (organization_id, order_id, position),
  foreign key (organization_id, order_id) references orders (organization_id, id),
  -- The ticket is written after its line, in the same transaction.
  foreign key (organization_id, ticket_id) references tickets (organization_id, id) deferrable initially deferred,
  foreign key (organization_id, refund_id) references refunds (organization_id, id)
);
create unique index order_lines_ticket on order_lines (organization_id, ticket_id);
call protect_tenant_table('order_lines');
grant select, insert, update (refund_id, attendee, ticket_id) on order_lines to voelgoed_app;

-- A ticket is refunded once.
create function refuse_second_refund() returns trigger language plpgsql as $$
begin
  raise exception 'ticket % was refunded before', old.ticket_id using errcode = 'integrity_constraint_violation';
end
$$;
create trigger refunded_once before update on order_lines for each row
  when (old.refund_id is not null) execute function refuse_second_refund();

create function refuse_other_ticket() returns trigger language plpgsql as $$
begin
  if exists (select from ticket_moves m where m.organization_id = old.organization_id
    and m.from_ticket_id = old.ticket_id and m.to_ticket_id = new.ticket_id and m.order_id = old.order_id)
  then return new; end if;
  raise exception 'ticket % was not moved', old.ticket_id using errcode = 'integrity_constraint_violation';
end
$$;
create trigger ticket_moved before update on order_lines for each row
  when (new.ticket_id <> old.ticket_id) execute function refuse_other_ticket();

-- Staff move tickets to other seats. The line of an order goes on with the new ticket; this says which ticket
-- it was before, and stays.
create table ticket_moves (
  organization_id uuid not null,
  -- The one that is void, and the one that took its line.
  from_ticket_id uuid not null,
  to_ticket_id uuid not null,
  order_id uuid not null,
  moved_by uuid not null,
  moved_at timestamptz not null default now(),
  primary key (organization_id, from_ticket_id),
  constraint ticket_moves_to unique (organization_id, to_ticket_id),
  check (from_ticket_id <> to_ticket_id),
  foreign key (organization_id, order_id) references orders (organization_id, id),
  foreign key (organization_id, from_ticket_id) references tickets (organization_id, id),
  -- The new ticket is written after its line, in the same transaction.
  foreign key (organization_id, to_ticket_id) references tickets (organization_id, id) deferrable initially deferred,
  foreign key (organization_id, moved_by) references users (organization_id, id)
);
create index ticket_moves_order on ticket_moves (organization_id, order_id);
call protect_tenant_table('ticket_moves');
grant select, insert on ticket_moves to voelgoed_app;

-- Secrets that open an order to the reader of a mail about it. One for each mail: it stays when the mail is
-- deleted.
create table order_links (
  organization_id uuid not null,
  mail_id uuid not null,
  order_id uuid not null,
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  created_at timestamptz not null default now(),
  primary key (organization_id, mail_id),
  foreign key (organization_id, order_id) references orders (organization_id, id)
);
create index order_links_order on order_links (organization_id, order_id);
call protect_tenant_table('order_links');
grant select, insert, update (secret_hash) on order_links to voelgoed_app;

-- Checkouts and the payment gateway -----------------------------------------------------------------------

-- A checkout is an order whose buyer pays by themselves: it is there before the money is, and its lines
-- before the tickets are.
create table checkouts (
  organization_id uuid not null,
  order_id uuid not null,
  -- It takes the money; `none`: the order costs nothing.
  gateway text not null check (gateway in ('simulator', 'stripe', 'none')),
  -- The places and their prices as they were when the checkout began: lines, fees, tax.
  cart jsonb not null check (jsonb_typeof(cart) = 'object'),
  -- Other places of the same price will do, if the money comes too late for these.
  accept_alternatives boolean not null,
  -- The languages of the buyer's browser, for mails.
  locale text check (length(locale) between 1 and 200),
  -- Its holds run out then, as far as it was told.
  expires_at timestamptz not null,
  -- The step of the ladder that money took which came late.
  late_step text check (late_step in ('same_places', 'other_places', 'refund')),
  -- The job looks then whether its holds have run out. Null: the order is over, or waits for its payment.
  due_at timestamptz,
  primary key (organization_id, order_id),
  foreign key (organization_id, order_id) references orders (organization_id, id)
);
create index checkouts_due on checkouts (due_at) where due_at is not null;
call protect_tenant_table('checkouts');
-- A buyer who goes back and agrees to other seats, or reads another language by then, has the same checkout.
grant select, insert, update (expires_at, late_step, due_at, accept_alternatives, locale) on checkouts
  to voelgoed_app;
grant select (organization_id, order_id, due_at), update (due_at) on checkouts to voelgoed_platform;

-- News of the payment gateway, kept before it is believed: it is answered 200 only once it is here. A message
-- belongs to no organization until it was read: the signature is the gateway's.
create table gateway_events (
  gateway text not null check (gateway in ('simulator', 'stripe')),
  -- The gateway's own: a message that comes again is not kept again.
  id text collate "C" not null check (length(id) between 1 and 255),
  -- The message as we understood it. It holds no card.
  event jsonb not null check (jsonb_typeof(event) = 'object'),
  state text not null default 'waiting' check (state in ('waiting', 'done', 'given_up')),
  attempts integer not null default 0 check (attempts >= 0),
  received_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  primary key (gateway, id)
);
create index gateway_events_due on gateway_events (due_at) where state = 'waiting';
create index gateway_events_done on gateway_events (received_at) where state <> 'waiting';
-- News of the gateway that waits or was given up, for the staff of the organization that it is about.
create index gateway_events_open on gateway_events ((event ->> 'organizationId'), received_at) where state <> 'done';
grant select, insert, update (state, attempts, due_at), delete on gateway_events to voelgoed_platform;

-- A buyer's bank takes money back. Found by the gateway's intent, shown to staff.
create table disputes (
  organization_id uuid not null,
  id text collate "C" not null check (length(id) between 1 and 255),
  order_id uuid not null,
  amount bigint not null check (amount >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  status text not null check (status in ('open', 'won', 'lost')),
  reason text not null check (length(reason) between 1 and 200),
  -- By the gateway's clock: older news does not overwrite newer.
  told_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, order_id) references orders (organization_id, id)
);
create index disputes_order on disputes (organization_id, order_id);
call protect_tenant_table('disputes');
grant select, insert, update (amount, status, reason, told_at) on disputes to voelgoed_app;

-- Money that went back on the gateway's own pages. It is shown to staff; what the order itself gave back, and
-- its tickets, stay as they are until staff refund the order.
create table gateway_refunds (
  organization_id uuid not null,
  -- The gateway's own.
  id text collate "C" not null check (length(id) between 1 and 255),
  order_id uuid not null,
  amount bigint not null check (amount > 0),
  status refund_status not null,
  -- By the gateway's clock: older news does not overwrite newer.
  told_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, order_id) references orders (organization_id, id)
);
create index gateway_refunds_order on gateway_refunds (organization_id, order_id);
call protect_tenant_table('gateway_refunds');
grant select, insert, update (status, told_at) on gateway_refunds to voelgoed_app;

-- The orders of a cancelled event are refunded by a job that staff can watch, stop and resume. What is left
-- to do are the orders themselves: those of the event that are paid. A run says whether the job may go on.
create table refund_runs (
  organization_id uuid not null,
  event_id uuid not null,
  status text not null check (status in ('running', 'stopped', 'done')),
  -- This user cancelled the event, or started the run: their name stands at its refunds.
  started_by uuid not null,
  started_at timestamptz not null default now(),
  -- An order was last refunded then, or the run was last started.
  moved_at timestamptz not null default now(),
  -- The job was last here then: it goes from run to run.
  visited_at timestamptz not null default now(),
  ended_at timestamptz check ((status = 'running') = (ended_at is null)),
  primary key (organization_id, event_id),
  foreign key (organization_id, event_id) references events (organization_id, id),
  foreign key (organization_id, started_by) references users (organization_id, id)
);
create index refund_runs_running on refund_runs (visited_at) where status = 'running';
call protect_tenant_table('refund_runs');
grant select, insert, update (status, started_by, started_at, moved_at, ended_at) on refund_runs
  to voelgoed_app;
grant select (organization_id, event_id, status, moved_at, visited_at), update (visited_at) on refund_runs
  to voelgoed_platform;

-- Orders that a run could not refund. They are tried again a few times, then when staff resume the run.
create table refund_failures (
  organization_id uuid not null,
  order_id uuid not null,
  reason text not null check (length(reason) between 1 and 100),
  attempts integer not null default 1 check (attempts >= 1),
  -- Null: not before staff resume the run.
  again_at timestamptz,
  failed_at timestamptz not null default now(),
  primary key (organization_id, order_id),
  foreign key (organization_id, order_id) references orders (organization_id, id)
);
call protect_tenant_table('refund_failures');
grant select, insert, update (reason, attempts, again_at, failed_at), delete on refund_failures
  to voelgoed_app;
-- The job counts the orders of cancelled events that wait for staff, of all organizations.
grant select (again_at, order_id, organization_id) on refund_failures to voelgoed_platform;

-- The books of the payment simulator. It plays a company outside the server, so its rows are written in
-- transactions of their own and refer to no order: what the server rolls back stays charged here. They belong
-- to an organization all the same, as payments belong to an account at a real gateway: an organization must
-- not see or refund the payments of another one, also in test mode. Times are by the simulator's clock.
create table simulated_intents (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  -- The idempotency key: one intent for each order.
  order_key text collate "C" not null check (length(order_key) between 1 and 255),
  amount bigint not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  status text not null check (status in ('declined', 'needs_step', 'pending', 'captured')),
  decline_code text check ((status = 'declined') = (decline_code is not null)),
  -- The simulator goes on by itself then: it captures a pending one, and declines one that was not confirmed.
  due_at timestamptz check ((status in ('needs_step', 'pending')) = (due_at is not null)),
  is_disputed boolean not null default false,
  return_url text not null check (length(return_url) between 1 and 2000),
  metadata jsonb not null,
  refunded bigint not null default 0 check (refunded between 0 and amount),
  created_at timestamptz not null,
  captured_at timestamptz check ((status = 'captured') = (captured_at is not null)),
  -- A call that began before does nothing to it any more, however late it arrives.
  cancelled_at timestamptz,
  primary key (organization_id, id),
  unique (organization_id, order_key),
  check (refunded = 0 or status = 'captured')
);
create index simulated_intents_due on simulated_intents (due_at) where due_at is not null;
call protect_tenant_table('simulated_intents');
grant select, insert, update (status, decline_code, due_at, is_disputed, return_url, refunded, captured_at, cancelled_at)
  on simulated_intents to voelgoed_app;
grant select (organization_id, id, due_at) on simulated_intents to voelgoed_platform;

create function refuse_uncapturing() returns trigger language plpgsql as $$
begin
  raise exception 'payment % was captured, and stays so', old.id using errcode = 'integrity_constraint_violation';
end
$$;
create trigger captured_stays_captured before update on simulated_intents for each row
  when (old.status = 'captured' and (new.status <> 'captured' or new.captured_at <> old.captured_at
    or new.refunded < old.refunded))
  execute function refuse_uncapturing();

-- Its refunds.
create table simulated_refunds (
  organization_id uuid not null,
  key text collate "C" not null check (length(key) between 1 and 255),
  id uuid not null,
  intent_id uuid not null,
  amount bigint not null check (amount > 0),
  created_at timestamptz not null,
  primary key (organization_id, key),
  foreign key (organization_id, intent_id) references simulated_intents (organization_id, id)
);
call protect_tenant_table('simulated_refunds');
grant select, insert on simulated_refunds to voelgoed_app;

-- News that the simulator still has to tell the server, so that a restart loses none of it.
create table simulated_webhooks (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  body text not null,
  state text not null check (state in ('waiting', 'delivered', 'given_up')),
  attempts integer not null default 0 check (attempts >= 0),
  created_at timestamptz not null,
  due_at timestamptz not null,
  primary key (organization_id, id)
);
create index simulated_webhooks_due on simulated_webhooks (due_at) where state = 'waiting';
create index simulated_webhooks_waiting on simulated_webhooks (organization_id) where state = 'waiting';
create index simulated_webhooks_done on simulated_webhooks (created_at) where state <> 'waiting';
call protect_tenant_table('simulated_webhooks');
grant select, insert on simulated_webhooks to voelgoed_app;
grant select, update (state, attempts, due_at), delete on simulated_webhooks to voelgoed_platform;

-- Mail ----------------------------------------------------------------------------------------------------

-- The outbox. A mail is queued in the transaction of what it tells of; a job of any node sends it later. The
-- rows hold no secret: links and tokens are made when the mail is sent, and only their hashes are stored.
create table mails (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  -- The subject of the mail: queued at most once.
  key text collate "C" not null check (length(key) between 1 and 200),
  kind text not null check (kind in ('order_paid', 'order_refunded', 'order_moved', 'password_reset',
    'password_changed', 'invitation', 'address_confirmation', 'membership_confirmation')),
  -- One address, as it was given. No control characters: it is written into a header.
  recipient text not null check (length(recipient) between 3 and 254 and recipient !~ '[[:cntrl:]]'),
  -- Null: the organization's.
  locale text check (length(locale) between 1 and 200),
  data jsonb not null check (jsonb_typeof(data) = 'object'),
  order_id uuid,
  user_id uuid,
  -- Staff sent that mail again.
  resend_of uuid,
  -- queued → sending → sent | dead | unknown, or queued again when the mail surely was not accepted;
  -- queued → kept where no mail server is configured. A mail in `sending` is never sent by another attempt.
  status text not null default 'queued'
    check (status in ('queued', 'sending', 'sent', 'kept', 'dead', 'unknown')),
  attempts integer not null default 0 check (attempts >= 0),
  due_at timestamptz not null default now(),
  -- The node that sends it must be done by then.
  lease_until timestamptz check ((status = 'sending') = (lease_until is not null)),
  -- The last attempt did not succeed for this reason: a word of ours, and the code of the mail server's
  -- answer.
  last_error text check (length(last_error) between 1 and 100),
  created_at timestamptz not null default now(),
  ended_at timestamptz check ((status in ('queued', 'sending')) = (ended_at is null)),
  primary key (organization_id, id),
  constraint mails_key unique (organization_id, key),
  foreign key (organization_id, order_id) references orders (organization_id, id),
  foreign key (organization_id, user_id) references users (organization_id, id),
  constraint mails_check2
    check ((order_id is not null) = (kind in ('order_paid', 'order_refunded', 'order_moved'))),
  constraint mails_check3 check ((user_id is not null) =
    (kind in ('password_reset', 'password_changed', 'invitation', 'address_confirmation', 'membership_confirmation')))
);
create index mails_due on mails (due_at) where status = 'queued';
create index mails_leased on mails (lease_until) where status = 'sending';
create index mails_ended on mails (ended_at) where ended_at is not null;
create index mails_status on mails (organization_id, status, id);
create index mails_order on mails (organization_id, order_id, id) where order_id is not null;
create index mails_user on mails (organization_id, user_id, id) where user_id is not null;
-- Mails go out in turns: an organization with many of them keeps no other waiting, and what a person waits
-- for at a screen goes first.
create index mails_turn on mails (organization_id, due_at) where status = 'queued';
create index mails_urgent on mails (organization_id, due_at)
  where status = 'queued' and kind in ('password_reset', 'password_changed');
-- An organization sends so many invitations a day, and no more.
create index mails_invitations on mails (organization_id, created_at) where kind = 'invitation';
call protect_tenant_table('mails');
grant select, insert, update (status, attempts, due_at, lease_until, last_error, ended_at) on mails
  to voelgoed_app;
grant select (organization_id, id, status, attempts, due_at, lease_until, ended_at, kind), update (status,
  attempts, due_at, lease_until, last_error, ended_at), delete on mails to voelgoed_platform;

-- Kept mails go out when staff say so, once there is a mail server.
create function refuse_mail_move() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) in (('queued', 'sending'), ('queued', 'kept'), ('queued', 'dead'), ('sending', 'queued'),
    ('sending', 'sent'), ('sending', 'dead'), ('sending', 'unknown'), ('unknown', 'sent'), ('kept', 'queued'))
  then return new; end if;
  raise exception 'mail % does not go from % to %', old.id, old.status, new.status
    using errcode = 'integrity_constraint_violation';
end
$$;
create trigger status_moves before update on mails for each row
  when (new.status <> old.status) execute function refuse_mail_move();

-- Entry ---------------------------------------------------------------------------------------------------

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
  -- The event's day, in the venue's time zone (core/entry/event-day.ts). People leave on the day of their
  -- entry.
  day date not null,
  -- Counts the rows of a ticket on a day. Of two gates that decide at one instant, one gets the number.
  position integer not null check (position > 0),
  -- The ticket was shown then: by the database's clock, or by that of a gate without a network.
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
  -- The person who came, in a members' zone: a hash with the event, so that no address is kept.
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
create unique index entries_scan on entries (organization_id, ticket_id, device_id, scan_id)
  where scan_id is not null;
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
  -- The gate would have said this.
  code text not null check (length(code) between 1 and 100),
  found_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, id),
  foreign key (organization_id, entry_id) references entries (organization_id, id),
  constraint entry_conflicts_entry unique (organization_id, entry_id, code)
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
