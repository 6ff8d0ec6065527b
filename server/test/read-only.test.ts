import { randomUUID } from 'node:crypto'
import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { connectDatabase } from '@voelgoed/kit/postgres/database'
import { outageKind } from '@voelgoed/kit/postgres/outage'
import { Connections } from '@voelgoed/testing/connections'
import { FeedReader } from '@voelgoed/testing/feed-reader'
import { foundOrganization, type Hall, openHall } from '@voelgoed/testing/hall'
import { ROOT_KEY } from '@voelgoed/testing/harness'
import { OwnPostgres } from '@voelgoed/testing/own-postgres'
import { parsePrometheusText, seriesValue } from '@voelgoed/testing/prometheus-text'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'

const connections = new Connections(20)
let postgres: OwnPostgres
let node: ListeningNode
let hall: Hall
let organizer: string
let seat = 0
const logged: string[] = []

const send = (method: string, path: string, options?: object) =>
  connections.send(method, node.url + path, options)
const hold = () => {
  const seatId = hall.seats[seat]!
  seat += 1
  return send('POST', `${hall.url}/seats/${seatId}/reserve`, { token: organizer })
}
const databaseUp = async () =>
  seriesValue(parsePrometheusText((await send('GET', '/metrics')).text), 'voelgoed_database_up')

beforeAll(async () => {
  postgres = await OwnPostgres.start()
  const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(line) })
  node = await startListeningNode(postgres.url, { VOELGOED_DEMO: '0' }, { log })
  organizer = (await foundOrganization(send, ROOT_KEY)).organizer
  hall = await openHall(send, organizer)
})
afterAll(async () => {
  connections.close()
  await node.close()
  await postgres.stop()
})

async function takeNoWrites(yes: boolean): Promise<void> {
  await postgres.sql(`alter system set default_transaction_read_only = ${yes ? 'on' : 'off'}`)
  await postgres.sql('select pg_reload_conf()')
}

it('while Postgres takes no writes: 503, and not ready, with a reason; reading goes on; back by itself', async () => {
  onTestFinished(() => takeNoWrites(false))
  expect((await hold()).status).toBe(201)
  await takeNoWrites(true)
  await waitUntil('it is not ready', async () => (await send('GET', '/readyz')).status === 503)
  expect((await send('GET', '/readyz')).body).toMatchObject({ postgres: 'degraded', reason: 'read_only' })
  expect(await databaseUp()).toBe(0)
  const refused = [
    await hold(),
    await send('POST', '/api/sessions/guest', { body: { organization: 'none-of-this-name' } }),
    await send('POST', '/api/platform/organizations', { token: ROOT_KEY, body: { name: 'X', slug: 'x' } }),
    await hold(),
  ]
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
    [503, 'database_unavailable'],
    [404, 'organization_not_found'],
    [503, 'database_unavailable'],
    [503, 'database_unavailable'],
  ])
  expect((await send('GET', `${hall.url}/availability`, { token: organizer })).status).toBe(200)

  await takeNoWrites(false)
  await waitUntil('it is ready again', async () => (await send('GET', '/readyz')).status === 200)
  expect((await hold()).status).toBe(201)
  expect(await databaseUp()).toBe(1)
})

it('one line tells of all requests that fail, and the next one how many went without', async () => {
  onTestFinished(() => takeNoWrites(false))
  await takeNoWrites(true)
  await waitUntil('the node has met it', async () => (await send('GET', '/readyz')).status === 503)
  const before = logged.length
  const body = { name: 'X', slug: 'x' }
  for (let asked = 0; asked < 20; asked += 1) {
    const { status } = await send('POST', '/api/platform/organizations', { token: ROOT_KEY, body })
    expect(status).toBe(503)
  }
  const lines = logged.slice(before).filter(line => line.includes('the database is out of reach'))
  expect(lines.length).toBeLessThan(5)
})

it('connections to a primary that is one no more are not used again', async () => {
  onTestFinished(() => takeNoWrites(false))
  const database = connectDatabase(postgres.url, { maxConnections: 4 })
  onTestFinished(() => database.close())
  const scope = TenantScope.of(randomUUID() as OrganizationId)
  /** Four transactions at once, each on a connection of its own. */
  const pids = async () => {
    let begun = 0
    const together = Array.from({ length: 4 }, () =>
      database.tenant(scope, async tx => {
        const row = await tx.one<{ pid: number }>('select pg_backend_pid() as pid, $1::uuid')
        begun += 1
        await waitUntil('all have begun', () => begun === 4)
        return row!.pid
      }),
    )
    return Promise.all(together)
  }
  const before = await pids()
  expect(new Set(await pids())).toEqual(new Set(before))
  await takeNoWrites(true)
  await waitUntil('it is seen', async () => (await database.ping()) === 'read_only')
  await takeNoWrites(false)
  const after = await pids()
  expect(before.filter(pid => after.includes(pid))).toEqual([])
})

it('a write that Postgres does not take tells it as well, without any question', async () => {
  onTestFinished(() => takeNoWrites(false))
  const database = connectDatabase(postgres.url, { maxConnections: 1 })
  onTestFinished(() => database.close())
  const pid = () =>
    database.platform('read the clock', async tx => (await tx.one('select pg_backend_pid() as pid'))!.pid)
  const write = () =>
    database.platform('read and write the installation', tx =>
      tx.query('update installation set created_at = created_at'),
    )
  await write()
  const before = await pid()
  await takeNoWrites(true)
  const failed = async () =>
    write().then(
      () => null,
      error => outageKind(error),
    )
  await waitUntil('a write fails', async () => (await failed()) === 'database_unavailable')
  expect(await pid()).not.toBe(before)
})

it('a disk that is full: not ready until a write succeeds', async () => {
  await postgres.sql(`create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
  await postgres.sql(
    'create trigger no_room before insert on journal for each row execute function no_room()',
  )
  // The sign of life of the node is a write as well, and there is room for it in its page.
  await postgres.sql(
    'create trigger no_room before insert or update on nodes for each row execute function no_room()',
  )
  // A job of the node may write where there is room, in between: all seems well then until the next hold.
  const unready = await waitUntil('it is not ready', async () => {
    expect(await hold()).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
    seat -= 1
    const answer = await send('GET', '/readyz')
    return answer.status === 503 && answer
  })
  expect(unready.body).toMatchObject({ postgres: 'degraded', reason: 'disk_full' })
  await postgres.sql('drop trigger no_room on journal')
  await postgres.sql('drop trigger no_room on nodes')
  await waitUntil('it is ready again', async () => (await send('GET', '/readyz')).status === 200)
  expect((await hold()).status).toBe(201)
})

it('a reader of the live feed stays through all of it', async () => {
  const reader = await FeedReader.open(`${node.url}${hall.url}/live`, { token: organizer })
  onTestFinished(() => reader.close())
  await takeNoWrites(true)
  await waitUntil('the node has met it', async () => (await send('GET', '/readyz')).status === 503)
  await takeNoWrites(false)
  await waitUntil('it is ready again', async () => (await send('GET', '/readyz')).status === 200)
  const { seq } = (await send('GET', `${hall.url}/availability`, { token: organizer })).body.data
  expect((await hold()).status).toBe(201)
  await reader.upTo(seq + 1)
})
