-- The owner of the database is a member of voelgoed_platform, or it could not work as that role. Through the
-- membership the policies for that role held for the owner as well: on a connection that had lost its role,
-- behind a pooler that drops start-up parameters, all organizations were open. Now these policies ask what
-- the connection works as. The owner sees rows of organizations only when it says so, as our commands,
-- migrations and a dump do.

create function sees_all_organizations() returns boolean
  language sql stable parallel safe
  return current_user = 'voelgoed_platform' or current_setting('app.all_organizations', true) = 'on';

comment on function sees_all_organizations() is
  'Asked by policies for voelgoed_platform, so a setting alone opens nothing to voelgoed_app.';

create or replace procedure protect_tenant_table(target regclass, organization_column text default 'organization_id')
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy tenant on %s to voelgoed_app using (%I = (select current_organization())) with check (%I = (select current_organization()))',
    target, organization_column, organization_column);
  execute format(
    'create policy platform on %s to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations())',
    target);
end
$$;

do $$
declare
  target regclass;
begin
  for target in select polrelid::regclass from pg_policy where polname = 'platform' loop
    execute format(
      'alter policy platform on %s using (sees_all_organizations()) with check (sees_all_organizations())', target);
  end loop;
end
$$;
