import type pg from 'pg'

/**
 * The schema of a database as text: everything that matters to us, in a fixed order. It is not meant to be
 * run (the migrations are), but to be compared.
 */
export async function describeSchema(client: pg.ClientBase): Promise<string> {
  const lines = async (sql: string) => (await client.query<{ line: string }>(sql)).rows.map(row => row.line)
  const parts: string[] = []

  parts.push(
    ...(await lines(`
      select format('create type %I as enum (%s);', t.typname,
        string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder)) as line
      from pg_type t join pg_enum e on e.enumtypid = t.oid
      where t.typnamespace = 'public'::regnamespace group by t.typname order by t.typname`)),
  )
  parts.push(
    ...(await lines(`
      select pg_get_functiondef(oid) || ';' as line from pg_proc
      where pronamespace = 'public'::regnamespace order by proname, oid::regprocedure::text`)),
  )
  const tables = await lines(`
    select c.relname as line from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by c.relname`)
  for (const table of tables) {
    const columns = await lines(`
      select format('  %I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then ' not null' else '' end,
        coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''),
        case a.attidentity when 'a' then ' generated always as identity' else '' end) as line
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = '${table}'::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`)
    // Not-null constraints are rows of their own since Postgres 18; they stand with their columns already.
    const constraints = await lines(`
      select format('  constraint %I %s', conname, pg_get_constraintdef(oid)) as line from pg_constraint
      where conrelid = '${table}'::regclass and contype <> 'n' order by contype desc, conname`)
    parts.push(`\ncreate table ${table} (\n${[...columns, ...constraints].join(',\n')}\n);`)
    parts.push(
      ...(await lines(`
        select format('alter table ${table} alter %I set (%s);', attname, array_to_string(attoptions, ', ')) as line
        from pg_attribute where attrelid = '${table}'::regclass and attoptions is not null order by attnum`)),
      ...(await lines(`
        select pg_get_indexdef(i.indexrelid) || ';' as line from pg_index i
        where i.indrelid = '${table}'::regclass
          and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u'))
        order by i.indexrelid::regclass::text`)),
      ...(await lines(`
        select pg_get_triggerdef(oid) || ';' as line from pg_trigger
        where tgrelid = '${table}'::regclass and not tgisinternal order by tgname`)),
      ...(await lines(`
        select format('-- row-level security %s%s', case when relrowsecurity then 'on' else 'off' end,
          case when relforcerowsecurity then ', forced' else '' end) as line
        from pg_class where oid = '${table}'::regclass`)),
      ...(await lines(`
        select format('create policy %I on %s for %s to %s using (%s) with check (%s);', policyname, tablename, cmd,
          array_to_string(roles, ', '), coalesce(qual, '-'), coalesce(with_check, '-')) as line
        from pg_policies where schemaname = 'public' and tablename = '${table}' order by policyname`)),
      ...(await lines(`
        select format('grant %s on ${table} to %s;', string_agg(privilege, ', ' order by privilege), grantee) as line
        from (
          select grantee::text, lower(privilege_type) as privilege
          from information_schema.role_table_grants
          where table_schema = 'public' and table_name = '${table}' and grantee like 'voelgoed\\_%'
          union all
          select grantee::text, format('%s (%s)', lower(privilege_type), string_agg(column_name, ', ' order by column_name))
          from information_schema.role_column_grants g
          where table_schema = 'public' and table_name = '${table}' and grantee like 'voelgoed\\_%'
            and not exists (select from information_schema.role_table_grants t where t.table_schema = 'public'
              and t.table_name = g.table_name and t.grantee = g.grantee and t.privilege_type = g.privilege_type)
          group by grantee, privilege_type
        ) as granted group by grantee order by grantee`)),
    )
  }
  parts.push(
    ...(await lines(`
      select format(E'\\ncreate view %I%s as\\n%s', c.relname, coalesce(format(' with (%s)', array_to_string(c.reloptions, ', ')), ''),
        pg_get_viewdef(c.oid)) as line
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'v' order by c.relname`)),
    ...(await lines(`
      select format('grant %s on %s to %s;', string_agg(lower(privilege_type), ', ' order by privilege_type), table_name, grantee) as line
      from information_schema.role_table_grants g join pg_class c on c.oid = format('public.%I', table_name)::regclass
      where table_schema = 'public' and c.relkind = 'v' and grantee like 'voelgoed\\_%' group by table_name, grantee
      order by table_name, grantee`)),
  )
  return `${parts.join('\n')}\n`
}
