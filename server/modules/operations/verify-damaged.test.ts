import { openHall } from '@voelgoed/testing/hall'
import { startTestServer, type TestServer } from '@voelgoed/testing/harness'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verify } from './verify/verify.ts'

/** `npm run verify` on rows of the journal that are not as they were written. */

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ VOELGOED_REAPER: 'off' })
  const ours = await server.organization()
  const { url, seats } = await openHall(server.request, ours.tokens.organizer)
  const held = await server.request('POST', `${url}/seats/${seats[0]}/reserve`, {
    token: ours.tokens.customer,
  })
  expect(held.status, held.text).toBe(201)
})
afterAll(() => server.close())

/** The checks that found something, while the first row with a new hold is another. */
async function findings(packed: string): Promise<Awaited<ReturnType<typeof verify>>['checks']> {
  const { url, sql } = server.database
  const [row] = await sql<{ ctid: string; packed: string }>(
    `select ctid::text, packed from journal where packed::jsonb #>> '{1,0,0}' = '0' order by event_id, first_seq limit 1`,
  )
  const [changed] = await sql<{ ctid: string }>(
    `update journal set packed = ${packed} where ctid = $1::tid returning ctid::text`,
    [row!.ctid],
  )
  const { checks } = await verify(url, { tidyWithinSeconds: 1e9 })
  await sql('update journal set packed = $1 where ctid = $2::tid', [row!.packed, changed!.ctid])
  return checks.filter(check => check.violations > 0)
}

it('an entry that names another one before it is found, and nothing else', async () => {
  const found = await findings(`jsonb_set(packed::jsonb, '{1,0,2}', '7')::text`)
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
