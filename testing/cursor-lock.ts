import pg from 'pg'

/** Another node has done this to the cursor of an event's history, in a transaction that it has not ended. */
export type AtWork = 'has the lock' | 'has moved the cursor'

/** Begins to write the history of an event, as another node would. Returns how that node ends: by dying. */
export async function takeCursor(
  databaseUrl: string,
  eventId: string,
  atWork: AtWork,
): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('begin')
  const done: Record<AtWork, string> = {
    'has the lock': 'select from history_cursors where event_id = $1 for update',
    'has moved the cursor': 'update history_cursors set seq = seq + 1 where event_id = $1',
  }
  await client.query(done[atWork], [eventId])
  let ending: Promise<void> | null = null
  return () => {
    ending ??= client.end()
    return ending
  }
}
