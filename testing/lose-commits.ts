import type { TestDatabase } from './test-database.ts'

/**
 * Does what a failover to a replica that lags behind does: everything that was committed after `save` is gone
 * after `lose`. Nodes stay connected meanwhile, which is the hardest case: nothing tells them.
 */
export function losingCommits({ sql }: Pick<TestDatabase, 'sql'>): {
  save(): Promise<void>
  lose(): Promise<void>
} {
  const tables = `select c.relname from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
        and c.relname not like 'schema_migrations%' order by c.relname`
  // No job of a node may write between two tables: a replica has all of a commit or nothing of it.
  const eachTable = async (statements: string) => {
    const all = `do $$
    declare t text;
    begin
      perform set_config('session_replication_role', 'replica', true);
      for t in ${tables} loop execute format('lock table public.%I in exclusive mode', t); end loop;
      for t in ${tables} loop ${statements} end loop;
    end $$`
    for (let attempt = 1; ; attempt += 1) {
      try {
        return void (await sql(all))
      } catch (error) {
        // The jobs lock rows in another order: Postgres ends one of the two.
        if ((error as { code?: string }).code !== DEADLOCK || attempt === MOST_ATTEMPTS) throw error
      }
    }
  }
  return {
    async save() {
      await sql('drop schema if exists saved cascade')
      await sql('create schema saved')
      await eachTable(`execute format('create table saved.%1$I as table public.%1$I', t);`)
    },
    async lose() {
      await eachTable(`
          execute format('delete from public.%1$I', t);
          execute format('insert into public.%1$I (%2$s) overriding system value select %2$s from saved.%1$I', t, (
            select string_agg(quote_ident(attname), ', ') from pg_attribute
            where attrelid = format('public.%I', t)::regclass and attnum > 0 and not attisdropped and attgenerated = ''));`)
    },
  }
}

const DEADLOCK = '40P01'
const MOST_ATTEMPTS = 10
