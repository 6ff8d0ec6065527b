import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { describeSchema } from '../../test/kit/describe-schema.ts'
import { firstEditionDatabase } from '../../test/kit/first-edition.ts'
import { createTestDatabase } from '../../test/kit/test-database.ts'
import { StartupError } from '../startup-error.ts'
import { migrate } from './migrate.ts'

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

describe('migrations', () => {
  it('make exactly the schema in schema.sql (else: npm run schema)', async () => {
    const database = await createTestDatabase()
    const committed = await readFile(new URL('./schema.sql', import.meta.url), 'utf8')
    expect(await connected(database.url, describeSchema)).toBe(committed)
    await database.drop()
  })

  it('run once when five nodes start at the same moment', async () => {
    const database = await createTestDatabase({ empty: true })
    const reports = await Promise.all(Array.from({ length: 5 }, () => connected(database.url, migrate)))
    expect(reports.filter(report => report.applied.length > 0)).toHaveLength(1)
    expect(await connected(database.url, migrate)).toEqual({ applied: [] })
    await database.drop()
  })

  it('leave nothing half done when one fails', async () => {
    const database = await createTestDatabase({ empty: true })
    // The second migration makes a table of this name, and so fails in the middle.
    await database.sql('create table zones (x int)')
    await expect(connected(database.url, migrate)).rejects.toThrow(/zones/)
    const done = await database.sql<{ name: string }>('select name from schema_migrations')
    expect(done.map(row => row.name)).toEqual(['0001_foundation.sql'])
    expect(await database.sql(`select 1 from pg_class where relname = 'venues'`)).toEqual([])
    await database.sql('drop table zones')
    expect((await connected(database.url, migrate)).applied).toContain('0002_seating.sql')
    await database.drop()
  })

  it('refuse a database in which an applied migration was another one', async () => {
    const database = await createTestDatabase()
    await database.sql(`update schema_migrations set checksum = 'x' where name = '0001_foundation.sql'`)
    await expect(connected(database.url, migrate)).rejects.toThrow(StartupError)
    await database.drop()
  })

  it('run once when several nodes start on a database of the first edition, and keep its journal', async () => {
    const database = await firstEditionDatabase()
    const reports = await Promise.all(
      Array.from({ length: 3 }, () => connected(database.url, client => migrate(client))),
    )
    expect(reports.filter(report => report.applied.length > 0)).toHaveLength(1)
    const [journal] = await database.sql<{ entries: number }>(
      'select sum(last_seq - first_seq + 1)::int as entries from journal',
    )
    expect(journal!.entries).toBe(database.rows.journal.length)
    await database.drop()
  })

  it('refuse a database that a newer version has migrated, and leave it as it is', async () => {
    const database = await createTestDatabase()
    // One of ours is missing, too: it must not be applied on top of what is not known.
    const [last] = await database.sql<{ name: string }>(
      `delete from schema_migrations where name = (select max(name) from schema_migrations) returning name`,
    )
    await database.sql(`insert into schema_migrations (name, checksum) values ('9999_future.sql', 'x')`)
    const refused = connected(database.url, client => migrate(client))
    await expect(refused).rejects.toThrow(StartupError)
    await expect(refused).rejects.toThrow(/newer version \(9999_future\.sql\): start that version/)
    const done = await database.sql<{ name: string }>('select name from schema_migrations')
    expect(done.map(row => row.name)).not.toContain(last!.name)
    await database.drop()
  })
})
