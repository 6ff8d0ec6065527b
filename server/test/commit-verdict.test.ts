import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { CommitUnknown, connectDatabase, type Database } from '@voelgoed/kit/postgres/database'
import { outageKind } from '@voelgoed/kit/postgres/outage'
import { startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let server: TestServer
let ours: TestOrganization
let database: Database

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
  database = connectDatabase(server.database.url, { maxConnections: 2 })
  const venue = await server.request('POST', '/api/admin/venues', {
    token: ours.tokens.organizer,
    body: { name: 'Hall' },
  })
  expect(venue.status).toBe(201)
  // Deferred: it fails COMMIT itself, with the code that the row has as its name.
  await server.database.sql(
    `create function fail_commit() returns trigger language plpgsql as
     $$ begin raise exception 'failed at commit' using errcode = new.name; end $$`,
  )
  await server.database.sql(
    `create constraint trigger fail_commit after update on venues deferrable initially deferred
     for each row execute function fail_commit()`,
  )
})
afterAll(async () => {
  await database.close()
  await server.close()
})

const commitThatFailsWith = (code: string): Promise<unknown> =>
  database
    .tenant(TenantScope.of(ours.id as OrganizationId), tx =>
      tx.query('update venues set name = $2 where organization_id = $1', [code]),
    )
    .catch((error: unknown) => error)

describe('a COMMIT that fails', () => {
  it.each(['08006', '57P01', '53100', '53200', '58030', '58P01', 'XX000', 'XX001'])(
    'with %s may have taken effect all the same',
    async code => {
      const error = await commitThatFailsWith(code)
      expect(error).toBeInstanceOf(CommitUnknown)
      expect(outageKind(error)).toBe('outcome_unknown')
    },
  )

  it.each(['23505', '23514', '40001', 'P0001'])('with %s has not taken effect', async code => {
    const error = await commitThatFailsWith(code)
    expect(error).not.toBeInstanceOf(CommitUnknown)
    expect(error).toMatchObject({ code })
  })
})
