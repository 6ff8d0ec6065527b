import type { TestDatabase } from './test-database.ts'

/**
 * What a failover to a replica that lags behind does: everything that was committed after `save` is gone
 * after `lose`. Nodes stay connected meanwhile, which is the hardest case: nothing tells them.
 */
export function losingCommits({ sql }: Pick<TestDatabase, 'sql'>): {
  save(): Promise<void>
  lose(): Promise<void>
} {
  const eachTable = (statements: string) => `do $$
    declare t text;
    begin
      perform set_config('session_replication_role', 'replica', true);
      for t in select c.relname from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
        and c.relname not like 'schema_migrations%'
      loop ${statements} end loop;
    end $$`
  return {
    async save() {
      await sql('drop schema if exists saved cascade')
      await sql('create schema saved')
      await sql(eachTable(`execute format('create table saved.%1$I as table public.%1$I', t);`))
    },
    async lose() {
      const restore = eachTable(`
          execute format('delete from public.%1$I', t);
          execute format('insert into public.%1$I (%2$s) overriding system value select %2$s from saved.%1$I', t, (
            select string_agg(quote_ident(attname), ', ') from pg_attribute
            where attrelid = format('public.%I', t)::regclass and attnum > 0 and not attisdropped and attgenerated = ''));`)
      for (let attempt = 1; ; attempt += 1) {
        try {
          return void (await sql(restore))
        } catch (error) {
          // Jobs of the nodes write meanwhile, and lock rows in another order: Postgres ends one of the two.
          if ((error as { code?: string }).code !== DEADLOCK || attempt === MOST_ATTEMPTS) throw error
        }
      }
    },
  }
}

const DEADLOCK = '40P01'
const MOST_ATTEMPTS = 10
