import { createTestDatabase } from '@voelgoed/testing/test-database'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../../server/database/migrations.ts'
import { StartupError } from '../base/startup-error.ts'
import { type Migration, migrate } from './migrate.ts'

const ours = MIGRATIONS

const LATER: Migration = {
  name: '9998_later.sql',
  sql: 'create table later (x int); create table venues_too ()',
}

async function migrated(url: string, migrations: readonly Migration[] = ours): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await migrate(client, migrations)).applied
  } finally {
    await client.end()
  }
}

describe('migrations', () => {
  it('run once when five nodes start at the same moment', async () => {
    const database = await createTestDatabase({ empty: true })
    const reports = await Promise.all(Array.from({ length: 5 }, () => migrated(database.url)))
    expect(reports.filter(applied => applied.length > 0)).toEqual([ours.map(({ name }) => name)])
    expect(await migrated(database.url)).toEqual([])
    await database.drop()
  })

  it('bring a database up to date that has the older ones', async () => {
    const database = await createTestDatabase()
    expect(await migrated(database.url, [...ours, LATER])).toEqual([LATER.name])
    expect(await migrated(database.url, [...ours, LATER])).toEqual([])
    await database.drop()
  })

  it('leave nothing half done when one fails', async () => {
    const database = await createTestDatabase()
    // The migration makes a table of this name, and so fails in the middle.
    await database.sql('create table venues_too ()')
    await expect(migrated(database.url, [...ours, LATER])).rejects.toThrow(/venues_too/)
    const done = await database.sql<{ name: string }>('select name from schema_migrations')
    expect(done.map(row => row.name)).not.toContain(LATER.name)
    expect(await database.sql(`select 1 from pg_class where relname = 'later'`)).toEqual([])
    await database.sql('drop table venues_too')
    expect(await migrated(database.url, [...ours, LATER])).toEqual([LATER.name])
    await database.drop()
  })

  it('refuse a database in which an applied migration was another one', async () => {
    const database = await createTestDatabase()
    await database.sql(`update schema_migrations set checksum = 'x' where name = '0001_baseline.sql'`)
    await expect(migrated(database.url)).rejects.toThrow(StartupError)
    await database.drop()
  })

  it('refuse a database that a newer version has migrated, and leave it as it is', async () => {
    const database = await createTestDatabase()
    await database.sql(`insert into schema_migrations (name, checksum) values ('9999_future.sql', 'x')`)
    // One of ours is missing, too: it must not be applied on top of what is not known.
    const refused = migrated(database.url, [...ours, LATER])
    await expect(refused).rejects.toThrow(StartupError)
    await expect(refused).rejects.toThrow(/newer version \(9999_future\.sql\): start that version/)
    const done = await database.sql<{ name: string }>('select name from schema_migrations')
    expect(done.map(row => row.name)).not.toContain(LATER.name)
    await database.drop()
  })

  it('refuse a database from before the baseline, and say what to do', async () => {
    const database = await createTestDatabase({ empty: true })
    await database.sql(
      'create table schema_migrations (name text primary key, checksum text not null, applied_at timestamptz)',
    )
    await database.sql(`insert into schema_migrations (name, checksum)
      values ('0001_foundation.sql', 'x'), ('0079_stripe_accounts_the_platform_confirms.sql', 'x')`)
    const refused = migrated(database.url)
    await expect(refused).rejects.toThrow(StartupError)
    await expect(refused).rejects.toThrow(
      /from before 0001_baseline\.sql \(its last migration is 0079_\w+\.sql\).+: start that version, or give this one an empty database/,
    )
    expect(await database.sql(`select 1 from pg_class where relname = 'venues'`)).toEqual([])
    await database.drop()
  })
})
