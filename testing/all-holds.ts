import type { TestDatabase } from './test-database.ts'
import { waitUntil } from './wait-until.ts'

const living = (table: string, ordinal: string, quantity: string) =>
  `select organization_id, event_id, hold_id as id, user_id, ${ordinal} as ordinal, ${quantity} as quantity,
     'active' as status, null as end_reason, created_at, held_until, null::timestamptz as ended_at, ip
   from ${table} where status = 'held'`

/** Every hold of a database, living or ended, for a FROM clause. Of the ended ones: see `historyWritten`. */
export const ALL_HOLDS = `(
  ${living('event_seats', 'ordinal', '1')}
  union all
  ${living('place_holds', 'null', 'quantity')}
  union all
  select organization_id, event_id, id, user_id, ordinal, quantity, status::text, end_reason::text, created_at, held_until,
    ended_at, ip
  from hold_history)`

/** Resolves when the followers of the nodes have written the history of all that has ended so far. */
export async function historyWritten(database: Pick<TestDatabase, 'sql'>): Promise<void> {
  await waitUntil('the history of ended holds is written', async () => {
    const behind = await database.sql(
      `select from event_ledgers l left join history_cursors c using (organization_id, event_id)
       where l.seq > coalesce(c.seq, 0)`,
    )
    return behind.length === 0
  })
}
