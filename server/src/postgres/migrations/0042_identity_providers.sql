-- An organization's own identity provider (OpenID Connect), by which its staff sign in. The client's secret
-- is sealed with a key of the installation that the role of tenants' requests can't read.
create table identity_providers (
  organization_id uuid primary key references organizations (id) on delete cascade,
  name text not null check (length(name) between 1 and 100 and name !~ '[[:cntrl:]]'),
  issuer text not null check (length(issuer) between 10 and 500 and issuer ~ '^https?://'),
  client_id text not null check (length(client_id) between 1 and 500),
  sealed_secret bytea not null check (octet_length(sealed_secret) between 29 and 1000),
  -- Of the people who may sign in for the first time.
  email_domains text[] not null check (cardinality(email_domains) between 1 and 20),
  -- Of people without an account; null: they get none. An admin is made by an admin.
  role_for_new user_role check (role_for_new in ('scanner', 'support', 'organizer')),
  -- Its sign-in counts as a second factor.
  is_strong boolean not null default false,
  -- Off: support, organizers and admins sign in here, and admins by password with a second factor as well.
  password_sign_in boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
call protect_tenant_table('identity_providers');
grant select, insert, delete, update (name, issuer, client_id, sealed_secret, email_domains, role_for_new, is_strong,
  password_sign_in, updated_at) on identity_providers to voelgoed_app;

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
  -- Whom the provider vouched for, where a second factor is asked for as well.
  user_id uuid,
  primary key (organization_id, state_hash),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
call protect_tenant_table('provider_sign_ins');
create index provider_sign_ins_expire on provider_sign_ins (expires_at);
grant select, insert, delete, update (taken_at, user_id) on provider_sign_ins to voelgoed_app;
grant select, delete on provider_sign_ins to voelgoed_platform;

-- The session was opened by the provider.
alter table sessions add by_provider boolean not null default false;

-- An admin unlinks a person from the provider. A password is never deleted, only replaced.
grant delete on credentials to voelgoed_app;
create policy links_alone on credentials as restrictive for delete to voelgoed_app using (issuer <> 'password');
