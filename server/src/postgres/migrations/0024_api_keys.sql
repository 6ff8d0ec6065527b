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

-- What has ended stays ended, and a key is never given to another.
create function refuse_reviving_keys() returns trigger language plpgsql as $$
begin
  raise exception 'the API key % has ended', old.id using errcode = 'check_violation';
end
$$;
create trigger ended_stays_ended before update on api_keys for each row
  when (old.ended_at is not null and new.ended_at is distinct from old.ended_at)
  execute function refuse_reviving_keys();

alter table audit_log drop constraint audit_log_actor_check;
alter table audit_log add constraint audit_log_actor_check
  check (actor in ('user', 'api_key', 'root', 'anonymous', 'system'));
