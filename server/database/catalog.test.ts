import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { afterAll, beforeAll, expect, it } from 'vitest'

/**
 * The rows of an organization can lie apart from those of others, in another database or on another node of a
 * cluster, because nothing in the schema reaches from one organization into another.
 */

/** They belong to the installation, or are the organizations themselves. */
const GLOBAL = ['gateway_events', 'installation', 'job_runs', 'nodes', 'organizations', 'schema_migrations']

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

async function lines(sql: string): Promise<string[]> {
  const rows = await database.sql<{ line: string }>(sql)
  return rows.map(row => row.line).sort()
}

const TABLES = `pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`
const OURS = `n.nspname = 'public' and not c.relname = any ('{${GLOBAL}}')`

it('every other table has its organization first in its primary key', async () => {
  const elsewhere = await lines(
    `select c.relname as line from ${TABLES} and not exists (
       select from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
       where i.indrelid = c.oid and i.indisprimary and a.attname = 'organization_id' and a.attnotnull
         and a.atttypid = 'uuid'::regtype)`,
  )
  expect(elsewhere).toEqual(GLOBAL)
})

it('whatever is unique is so within an organization', async () => {
  const over = await lines(
    `select i.indexrelid::regclass::text as line from pg_index i join pg_class c on c.oid = i.indrelid
     join pg_namespace n on n.oid = c.relnamespace where ${OURS} and i.indisunique and not exists (
       select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id'
         and a.attnum = any (i.indkey::smallint[]))`,
  )
  expect(over).toEqual([])
})

it('a foreign key has the organization on both sides', async () => {
  const keys = await lines(
    `select format('%s: %s', conrelid::regclass, pg_get_constraintdef(oid)) as line from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace`,
  )
  const within =
    /FOREIGN KEY \(organization_id(, .+)?\) REFERENCES (organizations\(id\)|\w+\(organization_id, .+\))/
  expect(keys.filter(key => !within.test(key))).toEqual([])
  expect(keys.length).toBeGreaterThan(50)
})

it('two foreign keys are checked at the end: a ticket is written after its line', async () => {
  expect(
    await lines(`select conrelid::regclass::text as line from pg_constraint where condeferrable`),
  ).toEqual(['order_lines', 'ticket_moves'])
})

it('policies ask nothing of a table', async () => {
  const asking = await lines(
    `select format('%s on %s', policyname, tablename) as line from pg_policies
     where concat(qual, with_check) ~* 'select'`,
  )
  expect(asking).toEqual([])
})

it('ids come from no sequence, and no constraint excludes', async () => {
  expect(
    await lines(`select relname as line from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace
      union all select conname from pg_constraint where contype = 'x'`),
  ).toEqual([])
})

it('the statements of triggers name the organization for each table', async () => {
  const functions = await database.sql<{ name: string; body: string }>(
    `select proname as name, prosrc as body from pg_proc
     where pronamespace = 'public'::regnamespace and prorettype = 'trigger'::regtype`,
  )
  const loose = functions.filter(({ body }) => {
    const tables = body.match(/\b(from|join|update|into) (?!added\b|unnest\b|sold\b|a\b)[a-z_]+/g) ?? []
    return tables.length > (body.match(/organization_id/g) ?? []).length
  })
  expect(loose.map(({ name }) => name)).toEqual([])
  expect(functions.length).toBeGreaterThan(20)
})
