import type pg from 'pg'
import { WITHIN_MS } from './wait-until.ts'

/**
 * A transaction of a node waits a second for the lock of an event, two for that of a row, and may stand still
 * for a second while it has the event's: on a machine that has no time for it, its callers are told then that
 * the event is busy. In the databases of tests it may take as long as any other wait of a test. A function of
 * the database is found before the one of Postgres, as in movable-clock.ts: every tenant's transaction begins
 * with a call of it, after it has set its bounds.
 */
const PATIENT_LOCKS = `
  create function public.set_config(name text, value text, is_local boolean) returns text
  language plpgsql as $$ begin
    perform pg_catalog.set_config('lock_timeout', '${WITHIN_MS}', true);
    perform pg_catalog.set_config('idle_in_transaction_session_timeout', '${WITHIN_MS}', true);
    return pg_catalog.set_config(name, value, is_local);
  end $$`

export async function makeLocksPatient(database: pg.Client): Promise<void> {
  await database.query(PATIENT_LOCKS)
}

/** For tests of the bounds themselves: locks of this database are waited for as in production. */
export async function useProductionLocks(database: { sql(text: string): Promise<unknown> }): Promise<void> {
  await database.sql('drop function public.set_config(text, text, boolean)')
}
