import pg from 'pg'

/** Takes an event's lock, as a node would that then does nothing more. Returns how to give it back. */
export async function holdLedgerLock(databaseUrl: string, eventId: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query('select from event_ledgers where event_id = $1 for update', [eventId])
  return async () => {
    await client.query('rollback')
    await client.end()
  }
}
