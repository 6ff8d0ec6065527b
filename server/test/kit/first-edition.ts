import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { migrate } from '../../src/postgres/migrate.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

/**
 * A database as the first edition left it, with data in it: three organizations, events that are on sale with
 * every kind of change, a draft. The rows in first-edition.ndjson were written by the first edition's server.
 */
export async function firstEditionDatabase(): Promise<TestDatabase & { readonly rows: FirstEditionRows }> {
  const lines = (await readFile(new URL('first-edition.ndjson', import.meta.url), 'utf8')).trim().split('\n')
  const rows = {} as Record<string, object[]>
  for (const line of lines) {
    const [table, row] = JSON.parse(line) as [string, object]
    rows[table] ??= []
    rows[table].push(row)
  }
  const database = await createTestDatabase({ empty: true })
  await asOwner(database, async client => {
    await migrate(client, LAST_MIGRATION)
    await client.query('begin')
    // Foreign keys and triggers of the application stand aside: the rows come in the order of their tables.
    await client.query('set local session_replication_role = replica')
    for (const [table, ofTable] of Object.entries(rows)) {
      const { rows: columns } = await client.query<{ names: string }>(
        `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
        [table],
      )
      const { names } = columns[0]!
      await client.query(
        `insert into ${table} (${names}) overriding system value
         select ${names} from json_populate_recordset(null::${table}, $1::json)`,
        [JSON.stringify(ofTable)],
      )
    }
    await client.query('commit')
  })
  return { ...database, rows: rows as unknown as FirstEditionRows }
}

export async function asOwner<T>({ url }: TestDatabase, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export interface FirstEditionRows extends Readonly<Record<string, readonly object[]>> {
  readonly journal: readonly FirstEditionEntry[]
  readonly seat_holds: readonly FirstEditionHold[]
}

export interface FirstEditionHold {
  readonly id: string
  readonly organization_id: string
  readonly event_id: string
  readonly status: 'active' | 'converted' | 'expired' | 'cancelled'
  readonly user_id: string
  readonly ordinal: number | null
  readonly seat_id: string | null
  readonly zone_index: number
  readonly quantity: number
  readonly taken_by: string | null
  readonly taken_quantity: number | null
  readonly created_at: string
  readonly held_until: string
  readonly cap_until: string
  readonly ended_at: string | null
  readonly end_reason: string | null
  readonly checkout_id: string | null
  readonly cart_token: string | null
  readonly source: string
  readonly ip: string | null
}

export interface FirstEditionEntry {
  readonly organization_id: string
  readonly event_id: string
  readonly seq: number
  readonly kind: string
  readonly command_id: string
  readonly actor_id: string | null
  readonly source: string
  readonly at: string
  readonly body: Readonly<Record<string, unknown>>
}

const LAST_MIGRATION = '0011_plain_answers.sql'
