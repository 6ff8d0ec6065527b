import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { Connections } from '@voelgoed/testing/connections'
import { FeedReader } from '@voelgoed/testing/feed-reader'
import { foundOrganization, openHall } from '@voelgoed/testing/hall'
import { ROOT_KEY } from '@voelgoed/testing/harness'
import { startProcess } from '@voelgoed/testing/process'
import { startListeningNode } from '@voelgoed/testing/second-node'
import { createTestDatabase } from '@voelgoed/testing/test-database'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterEach, expect, it } from 'vitest'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there
  readonly body: any
}

/** Over a connection of this agent, or a new one. */
function get(url: string, { agent, token }: { agent?: Agent; token?: string } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { agent: agent ?? false, headers: { ...(token && { authorization: `Bearer ${token}` }) } },
      async response => {
        let text = ''
        response.setEncoding('utf8').on('data', chunk => {
          text += chunk
        })
        await once(response, 'end')
        resolve({ status: response.statusCode!, headers: response.headers, body: JSON.parse(text) })
      },
    )
    outgoing.on('error', reject)
    outgoing.end()
  })
}

async function newDatabase() {
  const database = await createTestDatabase()
  cleanUps.push(() => database.drop())
  return database
}

for (const workers of [1, 2]) {
  it(`${workers} workers: after SIGTERM not ready at once, all requests are taken and readers go on; a second signal ends it`, async () => {
    const database = await newDatabase()
    const server = startProcess({
      DATABASE_URL: database.url,
      VOELGOED_ROOT_KEY: ROOT_KEY,
      VOELGOED_WORKERS: String(workers),
      VOELGOED_DRAIN_SECONDS: '600',
    })
    const hasEnded = { yes: false }
    cleanUps.push(() => server.child.kill('SIGKILL'))
    const url = await server.ready()
    const connections = new Connections(4)
    cleanUps.push(() => connections.close())
    const send = (method: string, path: string, options?: object) =>
      connections.send(method, url + path, options)
    const { organizer } = await foundOrganization(send, ROOT_KEY)
    const hall = await openHall(send, organizer)
    const reader = await FeedReader.open(`${url}${hall.url}/live`, { token: organizer })

    server.child.kill('SIGTERM')
    // Connections are dealt out in turn: as many in a row as it takes to have asked every worker.
    let inARow = 0
    await waitUntil('no worker is ready', async () => {
      inARow = (await get(`${url}/readyz`)).status === 503 ? inARow + 1 : 0
      return inARow === 2 * workers
    })
    const unready = await get(`${url}/readyz`)
    expect(unready.body).toMatchObject({ postgres: 'ok', reason: 'draining' })
    expect(unready.headers.connection).toBe('close')
    for (const seat of hall.seats.slice(0, 4)) {
      const held = await send('POST', `${hall.url}/seats/${seat}/reserve`, { token: organizer })
      expect(held.status).toBe(201)
    }
    const { seq } = (await send('GET', `${hall.url}/availability`, { token: organizer })).body.data
    await reader.upTo(seq)
    // A reader that comes meanwhile is let in, and ends with the others.
    const late = await FeedReader.open(`${url}${hall.url}/live`, { token: organizer, lastEventId: seq })
    expect(late.messages[0]).toMatchObject({ event: 'seats', id: seq })
    expect([reader.isClosed, late.isClosed]).toEqual([false, false])
    await expect
      .poll(() => server.output.stdout)
      .toContain('Stopping in 600 s; a second signal ends it at once.')

    void server.exited().then(() => {
      hasEnded.yes = true
    })
    await waitUntil('it has ended', () => {
      if (!hasEnded.yes) server.child.kill('SIGTERM')
      return hasEnded.yes
    })
    expect(await server.exited()).toBe(0)
    await waitUntil('the readers know', () => reader.isClosed && late.isClosed)
    expect(server.output.stderr).toBe('')
  })
}

it('when the time is over: no new connection, one more request on those that are open, and no new stream', async () => {
  const database = await newDatabase()
  const node = await startListeningNode(database.url)
  const connections = new Connections(4)
  cleanUps.push(() => connections.close())
  const send = (method: string, path: string, options?: object) =>
    connections.send(method, node.url + path, options)
  const { organizer } = await foundOrganization(send, ROOT_KEY)
  const hall = await openHall(send, organizer)
  const agents = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }))
  cleanUps.push(() => agents.map(agent => agent.destroy()))
  for (const agent of agents) expect((await get(`${node.url}/healthz`, { agent })).status).toBe(200)

  const drained = node.node.drain('stopping', 0.01)
  // At once: the node waits two seconds for the last requests of open connections.
  await waitUntil('no connection is let in', () => !node.node.app.fastify.server.listening)
  const [last, stream, another] = await Promise.all([
    get(`${node.url}/healthz`, { agent: agents[0]! }),
    get(`${node.url}${hall.url}/live`, { agent: agents[1]!, token: organizer }),
    get(`${node.url}/healthz`).catch((error: { code?: string }) => error.code),
  ])
  expect(another).toBe('ECONNREFUSED')
  expect([last.status, last.headers.connection]).toEqual([200, 'close'])
  expect(stream).toMatchObject({ status: 503, body: { code: 'busy' }, headers: { 'retry-after': '1' } })
  await drained
})
