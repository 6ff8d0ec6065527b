import { randomUUID } from 'node:crypto'
import { processTime } from '@voelgoed/kit/base/time'
import { type Hall, openHall } from '@voelgoed/testing/hall'
import { startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verify } from '../../server/modules/operations/verify/verify.ts'

/** A node meets a row of the journal that a newer release has written. */

let server: TestServer
let ours: TestOrganization
let node: ListeningNode
let at: Hall
const lines: { msg: string; err?: { message: string }; event_id?: string }[] = []

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
  at = await openHall(server.request, ours.tokens.organizer)
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  // It does not look for news by itself: on a slow machine that would be many lines more.
  const time = { ...processTime, every: () => () => {} }
  node = await startListeningNode(server.database.url, {}, { log, time })
})
afterAll(async () => {
  await node.close()
  await server.close()
})

async function ask(method: string, path: string) {
  const headers = { authorization: `Bearer ${ours.tokens.customer}` }
  const answer = await fetch(`${node.url}${path}`, { method, headers })
  return { status: answer.status, text: await answer.text() }
}

const reserve = (seat: number) => ask('POST', `${at.url}/seats/${at.seats[seat]}/reserve`)
const rows = () =>
  server.database.sql(
    `select (select seq::int from event_ledgers where event_id = $1) as seq,
       (select count(*)::int from journal where event_id = $1) as journal,
       (select count(*)::int from event_seats where event_id = $1) as seats`,
    [at.eventId],
  )

/** As a newer release would: the next entry of the journal, in a way of its own. */
async function writeNewer(): Promise<number> {
  const command = randomUUID()
  await server.database.sql(
    `insert into journal (organization_id, event_id, first_seq, last_seq, at, first_command, last_command, by_staff,
       encoding, packed)
     select organization_id, event_id, seq + 1, seq + 1, clock_timestamp(), $2, $2, false, 7, 'of the future'
     from event_ledgers where event_id = $1`,
    [at.eventId, command],
  )
  const [ledger] = await server.database.sql<{ seq: number }>(
    'update event_ledgers set seq = seq + 1, tip = $2 where event_id = $1 returning seq::int',
    [at.eventId, command],
  )
  return ledger!.seq
}

it('it decides nothing on what it can not read, says which entry that is, and leaves all as it is', async () => {
  expect((await reserve(0)).status).toBe(201)
  const seq = await writeNewer()
  const before = await rows()
  const began = lines.length
  for (let attempt = 0; attempt < 3; attempt += 1) {
    expect((await reserve(1)).status).toBeGreaterThanOrEqual(500)
  }
  expect(await rows()).toEqual(before)
  const said = lines.slice(began).filter(line => line.err)
  expect(said[0]!.err!.message).toBe(
    `event ${at.eventId}: entries ${seq} to ${seq} of the journal can't be read: ` +
      'version 7 of its encoding is not known here: a newer release wrote it',
  )
  // One for each attempt, and what the followers say.
  expect(said.length).toBeLessThan(12)
})

it('verify names it', async () => {
  const { checks } = await verify(server.database.url, { tidyWithinSeconds: 1e9 })
  const replay = checks.find(({ name }) => name === 'replay: every change is legal where it stands')
  expect(JSON.stringify(replay!.examples)).toContain(`event ${at.eventId}: entries`)
  expect(JSON.stringify(replay!.examples)).toContain('version 7 of its encoding')
})
