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
grant select, insert, delete,
  update (sealed_secret, confirmed_at, last_step, failures, window_ends_at, created_at) on second_factors to voelgoed_app;

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
grant select, insert, delete, update (used_at) on recovery_codes to voelgoed_app;

-- Support, organizers and admins of the organization need one.
alter table organizations add staff_second_factor boolean not null default false;
grant update (staff_second_factor) on organizations to voelgoed_app;
