import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@voelgoed/kit/base/clock'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { hashSecret } from '@voelgoed/kit/http/tokens'
import type pg from 'pg'
import type { Hall } from './hall.ts'
import { atCommit, PostgresProxy } from './postgres-proxy.ts'
import { type ListeningNode, startListeningNode } from './second-node.ts'
import { openPool, type TestDatabase } from './test-database.ts'

/**
 * The race tests must be able to catch this: the same system with its guards taken away. Two kinds: the real
 * nodes with the lock and the constraints removed, and an engine as one might write it in an afternoon.
 */

export interface Unguarded {
  readonly urls: readonly string[]
  close(): Promise<void>
}

/**
 * Two real nodes that do not wait for each other: the event's lock is cut out of what they send to Postgres.
 * And so that the race is lost every time and not only now and then, a batch that is about to commit waits a
 * moment for one of the other node. With the lock in place there never is one.
 */
export async function startUnlockedNodes(database: TestDatabase): Promise<Unguarded> {
  const proxy = await PostgresProxy.start(database.url)
  proxy.rewritings = [
    { within: 'lock_ledger', pattern: / for update( of l)?/, by: '' },
    // And no guard notices that another node was quicker.
    { within: 'batch_ledger', pattern: /seq = \$3/, by: '$3 = $3' },
    // Without a primary key (dropConstraints) there is nothing that could conflict.
    { within: 'batch_taken_seats', pattern: /on conflict[\s\S]*?(?=returning 1)/, by: '' },
    // Rows that are freed or kept are looked up in the same way, and written by hand.
    {
      within: 'batch_free_seats',
      pattern: /with freed as \([\s\S]*from freed/,
      by: `with freed as (
        update event_seats s set status = c.status, version = c.version, version_before = c.version_before, hold_id = null,
          ticket_id = null, user_id = null, created_at = null, held_until = null, cap_until = null, checkout_id = null,
          cart_token = null, source = null, ip = null, last_seq = null
        from unnest($3::int[], $4::seat_status[], $5::int[], $6::int[]) as c (ordinal, status, version, version_before)
        where s.organization_id = $1 and s.event_id = $2 and s.ordinal = c.ordinal
        returning 1) select 1 / (count(*) = $7::int)::int from freed`,
    },
  ]
  proxy.trap = atCommit(rendezvous(1_000))
  const nodes: ListeningNode[] = []
  for (let count = 0; count < 2; count += 1) nodes.push(await startListeningNode(proxy.urlOf(database.url)))
  return {
    urls: nodes.map(node => node.url),
    async close() {
      await Promise.all(nodes.map(node => node.close()))
      await proxy.close()
    },
  }
}

function rendezvous(patienceMs: number): () => Promise<'pass'> {
  let release: (() => void) | null = null
  return () =>
    new Promise(resolve => {
      const go = () => {
        clearTimeout(alone)
        release = null
        resolve('pass')
      }
      const alone = setTimeout(go, patienceMs)
      if (!release) {
        release = go
        return
      }
      release()
      go()
    })
}

/** The second line of defence: what the tables themselves would refuse. */
export async function dropConstraints(database: TestDatabase): Promise<void> {
  await database.sql('drop index event_seats_hold_id')
  await database.sql('alter table event_seats drop constraint event_seats_pkey')
  await database.sql('alter table journal drop constraint journal_pkey')
  await database.sql('alter table zone_counts drop constraint zone_counts_check')
  for (const table of ['event_ledgers', 'event_seats', 'place_holds', 'journal', 'zone_counts']) {
    await database.sql(`alter table ${table} disable trigger user`)
  }
}

/**
 *   'look, then write'     reads whether the seats are free, then takes them
 *   'a lock for each seat' locks seat by seat in the order asked for
 */
export type NaiveWay = 'look, then write' | 'a lock for each seat'

/** One node of an engine without a lane. */
export async function startNaiveNode(
  database: TestDatabase,
  hall: Hall,
  organizationId: string,
  way: NaiveWay,
): Promise<Unguarded> {
  const options = '-c deadlock_timeout=20ms'
  const pool = openPool({ connectionString: database.url, max: 20, options })
  // All of them at once: a connection that has yet to be made comes too late for the race.
  const clients = await Promise.all(Array.from({ length: 20 }, () => pool.connect()))
  for (const client of clients) client.release()
  await database.sql('create table if not exists naive_seats (seat_id text primary key)')
  await database.sql('insert into naive_seats select unnest($1::text[]) on conflict do nothing', [hall.seats])

  const take = async (client: pg.PoolClient, seatIds: readonly string[], token: string) => {
    const { rows: users } = await client.query('select user_id from sessions where token_hash = $1', [
      hashSecret(token),
    ])
    if (way === 'a lock for each seat') {
      for (const seatId of seatIds) {
        await client.query('select 1 from naive_seats where seat_id = $1 for update', [seatId])
      }
    }
    const { rows: taken } = await client.query(
      `select 1 from event_seats where event_id = $1 and ordinal = any ($2::int[]) and status = 'held'`,
      [hall.eventId, seatIds.map(id => hall.seats.indexOf(id))],
    )
    if (taken.length > 0) return null
    const holds = seatIds.map(seat_id => ({ seat_id, hold_id: uuidV7(systemClock.now()) }))
    await client.query(
      `insert into event_seats (organization_id, event_id, ordinal, status, version, version_before, hold_id, user_id,
         created_at, held_until, cap_until, source, last_seq)
       select $1, $2, h.ordinal, 'held', 1, 0, h.id, $3, now(), now() + interval '10 minutes',
         now() + interval '15 minutes', 'web', 1
       from unnest($4::uuid[], $5::int[]) as h (id, ordinal)`,
      [
        organizationId,
        hall.eventId,
        users[0].user_id,
        holds.map(hold => hold.hold_id),
        seatIds.map(id => hall.seats.indexOf(id)),
      ],
    )
    return holds
  }

  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    const body = await readBody(request)
    const token = (request.headers.authorization ?? '').slice('Bearer '.length)
    if (request.method === 'GET') return answer(200, {})
    const one = /\/seats\/([^/]+)\/reserve$/.exec(request.url ?? '')
    const client = await pool.connect()
    try {
      await client.query('begin')
      const holds = await take(client, one ? [one[1]!] : JSON.parse(body).seat_ids, token)
      await client.query('commit')
      if (!holds) answer(409, { code: 'seat_held_by_another_user', expires_in: 600 })
      else answer(201, { data: one ? holds[0] : { holds } })
    } catch (error) {
      await client.query('rollback')
      answer(500, { code: (error as { code?: string }).code === '40P01' ? 'deadlock' : 'error' })
    } finally {
      client.release()
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    urls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`],
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await pool.end()
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
