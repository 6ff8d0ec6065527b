import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrate } from '../src/postgres/migrate.ts'
import { verify } from '../src/verify/verify.ts'
import { asOwner, firstEditionDatabase } from './kit/first-edition.ts'
import type { TestDatabase } from './kit/test-database.ts'

/** What `npm run verify` says of rows of the journal that are not as they were written. */

let test: TestDatabase

beforeAll(async () => {
  test = await firstEditionDatabase()
  await asOwner(test, client => migrate(client))
})
afterAll(() => test.drop())

/** The checks that found something, while the first row with a new hold is another. */
async function findings(packed: string): Promise<Awaited<ReturnType<typeof verify>>['checks']> {
  const [row] = await test.sql<{ ctid: string; packed: string }>(
    `select ctid::text, packed from journal where packed like '%"seat_reserved"%' order by event_id, first_seq limit 1`,
  )
  const [changed] = await test.sql<{ ctid: string }>(
    `update journal set packed = ${packed} where ctid = $1::tid returning ctid::text`,
    [row!.ctid],
  )
  const { checks } = await verify(test.url, { tidyWithinSeconds: 1e9 })
  await test.sql('update journal set packed = $1 where ctid = $2::tid', [row!.packed, changed!.ctid])
  return checks.filter(check => check.violations > 0)
}

it('an entry that names another one before it is found, and nothing else', async () => {
  const found = await findings(`replace(packed, '"previous" : 0', '"previous" : 7')`)
  expect(found.map(({ name }) => name)).toEqual(['each entry of a hold names the one before'])
})

it('a row that can not be read is a violation, not a crash: for the checks and for the replay', async () => {
  const found = await findings(`'[{"kind"'`)
  expect(JSON.stringify(found)).toContain('invalid input syntax for type json')
  expect(
    found.find(({ name }) => name === 'replay: every change is legal where it stands')?.examples[0],
  ).toMatchObject({
    problem: expect.stringMatching(/^event \S+: entries \d+ to \d+ of the journal can't be read: /),
  })
})
