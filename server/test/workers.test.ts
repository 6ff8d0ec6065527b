import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@voelgoed/kit/base/clock'
import { FeedReader } from '@voelgoed/testing/feed-reader'
import { type Hall, openHall } from '@voelgoed/testing/hall'
import { ROOT_KEY } from '@voelgoed/testing/harness'
import { type ServerProcess, startProcess } from '@voelgoed/testing/process'
import { parsePrometheusText, seriesValue } from '@voelgoed/testing/prometheus-text'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'

/** Starting a process takes seconds where several test files run at once. */

interface LogLine {
  readonly msg: string
  readonly pid: number
  readonly worker?: number
  readonly reqId?: string
  readonly serving_pid?: number
  readonly started_pid?: number
}

interface Answer {
  readonly status: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there
  readonly body: any
}

interface Sending {
  readonly token?: string
  readonly body?: unknown
  readonly id?: string
  readonly key?: string
  /** It comes from this address, by way of a proxy. */
  readonly from?: string
}

let lastRequest = 0

/** One connection, which stays open: all of its requests meet the same worker. */
class Connection {
  readonly #url: string
  readonly #agent: Agent

  constructor(url: string, { keepAlive = true } = {}) {
    this.#url = url
    this.#agent = new Agent({ keepAlive, maxSockets: 1 })
  }

  send(method: string, path: string, { token, body, id, key, from }: Sending = {}): Promise<Answer> {
    const payload = body === undefined ? '' : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const outgoing = request(
        `${this.#url}${path}`,
        {
          method,
          agent: this.#agent,
          headers: {
            ...(token && { authorization: `Bearer ${token}` }),
            ...(id && { 'x-request-id': id }),
            ...(key && { 'idempotency-key': key }),
            ...(from && { 'x-forwarded-for': from }),
            ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
          },
        },
        response => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', chunk => {
            text += chunk
          })
          response.on('error', reject)
          response.on('end', () => {
            const isJson = /json/.test(response.headers['content-type'] ?? '')
            resolve({ status: response.statusCode!, text, body: isJson ? JSON.parse(text) : null })
          })
        },
      )
      outgoing.on('error', reject)
      outgoing.end(payload)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** A server with several workers, watched through its log. */
class Watched {
  readonly process: ServerProcess
  readonly #connections: Connection[] = []
  url = ''

  constructor(env: Record<string, string>) {
    this.process = startProcess({
      VOELGOED_WORKERS: '2',
      VOELGOED_LOG_LEVEL: 'debug',
      VOELGOED_ROOT_KEY: ROOT_KEY,
      VOELGOED_DEMO: '0',
      ...env,
    })
  }

  async ready(): Promise<this> {
    this.url = await this.process.ready()
    return this
  }

  get lines(): LogLine[] {
    const whole = this.process.output.stderr.split('\n').slice(0, -1)
    return whole.filter(line => line.startsWith('{')).map(line => JSON.parse(line))
  }

  connect(options?: { keepAlive: boolean }): Connection {
    const connection = new Connection(this.url, options)
    this.#connections.push(connection)
    return connection
  }

  /** The number of the worker at the other end. */
  async workerOf(connection: Connection): Promise<number> {
    lastRequest += 1
    const id = `test-${lastRequest}`
    await connection.send('GET', '/healthz', { id })
    const line = await waitUntil('its log line', () => this.lines.find(({ reqId }) => reqId === id))
    return line.worker!
  }

  /** A connection to each worker. */
  async connectToBoth(): Promise<[Connection, Connection]> {
    const first = this.connect()
    const worker = await this.workerOf(first)
    const second = await waitUntil('a connection to the other worker', async () => {
      const other = this.connect()
      return (await this.workerOf(other)) !== worker && other
    })
    return worker === 1 ? [first, second] : [second, first]
  }

  /** Once all workers have told their figures: the keeper waits five seconds for them. */
  metrics(connection: Pick<Connection, 'send'>): Promise<ReturnType<typeof parsePrometheusText>> {
    return waitUntil('the metrics of all workers', async () => {
      const { status, text, body } = await connection.send('GET', '/metrics')
      if (status === 503 && body.code === 'busy') return null
      expect(status).toBe(200)
      const families = parsePrometheusText(text)
      const told = families.get('voelgoed_worker_silent')!.samples
      return told.every(({ value }) => value === 0) && families
    })
  }

  /** Lists workers that serve or served, in the order in which they began to. */
  pidsOf(worker: number): number[] {
    return this.lines.flatMap(line =>
      line.msg === 'a worker serves' && line.worker === worker ? line.serving_pid! : [],
    )
  }

  startedPidsOf(worker: number): number[] {
    return this.lines.flatMap(line =>
      line.msg === 'a worker is started' && line.worker === worker ? line.started_pid! : [],
    )
  }

  async stop(): Promise<void> {
    for (const connection of this.#connections) connection.close()
    this.process.child.kill('SIGTERM')
    await this.process.exited()
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  cleanUps.push(() => database.drop())
  return database
}

const cleanUps: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function start(env: Record<string, string> = {}): Promise<Watched> {
  const database = await newDatabase()
  const server = new Watched({ DATABASE_URL: database.url, ...env })
  cleanUps.push(() => server.stop())
  return server.ready()
}

describe('two workers behind one port', () => {
  let server: Watched
  let one: Connection
  let two: Connection

  beforeAll(async () => {
    const database = await createTestDatabase()
    server = await new Watched({ DATABASE_URL: database.url, VOELGOED_TRUST_PROXY: '127.0.0.1' }).ready()
    ;[one, two] = await server.connectToBoth()
    return async () => {
      await server.stop()
      await database.drop()
    }
  })

  it('the server says once that it is ready, and each log line of a worker carries its number', async () => {
    expect(server.process.output.stdout.match(/Ready at/g)).toHaveLength(1)
    const requests = () => server.lines.filter(line => line.msg === 'request')
    // A line comes through a pipe: it may arrive after the answer that it tells of.
    await expect.poll(() => new Set(requests().map(line => line.worker))).toEqual(new Set([1, 2]))
    for (const { worker, pid } of requests()) {
      await expect.poll(() => server.pidsOf(worker!)).toEqual([pid])
    }
  })

  it('a hold made at one worker is told by the live feed of the other', async () => {
    const { organizer, buyer, hall } = await openOrganization(one)
    expect(organizer).not.toBe(buyer)
    const readers = await Promise.all([0, 1].map(() => feed(server, hall, buyer)))
    const before = await server.metrics(one)
    expect(seriesValue(before, 'voelgoed_feed_readers')).toBe(2)
    for (const [index, connection] of [one, two].entries()) {
      const held = await connection.send('POST', `${hall.url}/seats/${hall.seats[index]}/reserve`, {
        token: buyer,
      })
      expect(held.status, held.text).toBe(201)
    }
    for (const reader of readers) await reader.upTo(2)
    // Both workers sold a seat of the event, so one of them at least heard of it from the other.
    const conflict = await two.send('POST', `${hall.url}/seats/${hall.seats[0]}/reserve`, {
      token: organizer,
    })
    expect(conflict.body.code).toBe('seat_held_by_another_user')
    for (const reader of readers) reader.close()
  })

  it('the same key at both workers is one hold', async () => {
    const { buyer, hall } = await openOrganization(two)
    const path = `${hall.url}/seats/${hall.seats[0]}/reserve`
    const answers = await Promise.all(
      [one, two].map(connection => connection.send('POST', path, { token: buyer, key: 'once' })),
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(answers[0]!.body).toEqual(answers[1]!.body)
  })

  it('each worker answers /metrics with the sum over both, and names whose process metrics are', async () => {
    const query = 'voelgoed_http_request_seconds_count{method="GET",route="/healthz",status="200"}'
    const before = seriesValue(await server.metrics(one), query)
    for (const connection of [one, two, two]) await connection.send('GET', '/healthz')
    for (const connection of [one, two]) {
      // A request is counted when its answer has been sent: it may be here before.
      const families = await waitUntil('all are counted', async () => {
        const told = await server.metrics(connection)
        return seriesValue(told, query) >= before + 3 && told
      })
      expect(seriesValue(families, query)).toBe(before + 3)
      expect(seriesValue(families, 'voelgoed_workers')).toBe(2)
      expect(seriesValue(families, 'voelgoed_database_up')).toBe(1)
      const workers = families
        .get('process_resident_memory_bytes')!
        .samples.map(({ labels }) => labels.worker)
      expect(workers.toSorted()).toEqual(['1', '2', 'keeper'])
    }
  })

  it('an address has one limit, however many workers it asks', async () => {
    const body = { organization: 'there-is-none', email: 'a@b.example', password: 'a wrong password' }
    let rounds = 0
    const statuses = await waitUntil('a round in time', async () => {
      rounds += 1
      const answers: number[] = []
      const began = systemClock.elapsed()
      let longest = 0
      for (let turn = 0; turn < 18; turn += 1) {
        for (const connection of [one, two]) {
          const asked = systemClock.elapsed()
          const sending = { body, from: `10.0.0.${rounds}` }
          answers.push((await connection.send('POST', '/api/sessions', sending)).status)
          longest = Math.max(longest, systemClock.elapsed() - asked)
        }
      }
      const isInTime = longest < KEEPER_ANSWERS_MS && systemClock.elapsed() - began < ONE_MORE_MS
      return isInTime && answers
    })
    expect(statuses.filter(status => status === 404)).toHaveLength(30)
    expect(statuses.slice(30)).toEqual([429, 429, 429, 429, 429, 429])
  })

  /** A worker that waits longer for the keeper decides alone. */
  const KEEPER_ANSWERS_MS = 1_000
  /** 30 in five minutes, spread evenly: then another address asks. */
  const ONE_MORE_MS = 10_000
})

interface Sold {
  readonly organizer: string
  readonly buyer: string
  readonly hall: Hall
}

async function openOrganization(connection: Connection): Promise<Sold> {
  const slug = `org-${Math.random().toString(36).slice(2)}`
  const post = async (path: string, body: object, token?: string) => {
    const {
      body: answer,
      status,
      text,
    } = await connection.send('POST', path, { body, ...(token && { token }) })
    expect(status, text).toBe(201)
    return answer.data
  }
  const { id } = await post('/api/platform/organizations', { name: 'O', slug }, ROOT_KEY)
  const email = `organizer@${slug}.example`
  const password = 'a long enough password'
  await post(`/api/platform/organizations/${id}/users`, { email, password, role: 'organizer' }, ROOT_KEY)
  const { token: organizer } = await post('/api/sessions', { organization: slug, email, password })
  const { token: buyer } = await post('/api/sessions/guest', { organization: slug })
  const hall = await openHall((method, url, options) => connection.send(method, url, options), organizer, {
    seats: 10,
  })
  return { organizer, buyer, hall }
}

/** On a connection of its own: connections are dealt out in turn, so two readers are at two workers. */
function feed(server: Watched, hall: Hall, token: string): Promise<FeedReader> {
  return FeedReader.open(`${server.url}${hall.url}/live`, { token })
}

describe('workers that end', () => {
  it('a killed worker is replaced; what it had counted stays in the sums', async () => {
    const server = await start()
    const [, two] = await server.connectToBoth()
    const query = 'voelgoed_http_request_seconds_count{method="GET",route="/healthz",status="200"}'
    const before = seriesValue(await server.metrics(two), query)
    expect(before).toBeGreaterThan(1)
    const [killed] = server.pidsOf(1)
    process.kill(killed!, 'SIGKILL')
    await waitUntil('a new worker 1', () => server.pidsOf(1).length === 2)
    const after = await server.metrics(two)
    expect(seriesValue(after, query)).toBe(before)
    expect(seriesValue(after, 'voelgoed_workers')).toBe(2)
    expect(seriesValue(after, 'voelgoed_worker_deaths_total')).toBe(1)
    await server.connectToBoth()
  })

  it('a worker that ends again and again ends the server, with one clear line', async () => {
    const server = await start()
    // As soon as it is there: a worker that ends while it loads counts as well.
    for (let death = 0; death < 5; death += 1) {
      const pid = await waitUntil('a worker 1', () => server.startedPidsOf(1)[death])
      process.kill(pid, 'SIGKILL')
    }
    expect(await server.process.exited()).toBe(1)
    expect(server.startedPidsOf(1)).toHaveLength(5)
    const lines = server.process.output.stderr.split('\n').filter(line => line.startsWith('voelgoed: '))
    expect(lines).toEqual(['voelgoed: worker 1 ended again and again, the last time with SIGKILL'])
    for (const pid of server.pidsOf(2)) expect(isAlive(pid)).toBe(false)
  })

  it('a keeper that is killed leaves no worker behind', async () => {
    const server = await start()
    const pids = [...server.pidsOf(1), ...server.pidsOf(2)]
    expect(pids.every(isAlive)).toBe(true)
    server.process.child.kill('SIGKILL')
    await waitUntil('the workers have ended', () => !pids.some(isAlive))
  })
})

it('SIGHUP replaces the workers one after another while buyers ask, and refuses none of them', async () => {
  const server = await start()
  const query = 'voelgoed_http_request_seconds_count{method="GET",route="/readyz",status="200"}'
  const statuses: number[] = []
  let isOver = false
  const load = Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      // Half of them come with a new connection each time.
      const connection = server.connect({ keepAlive: index % 2 === 0 })
      while (!isOver) statuses.push((await connection.send('GET', '/readyz')).status)
    }),
  )
  load.catch(() => {})
  const scrape = () => server.metrics(server.connect({ keepAlive: false }))
  const before = seriesValue(await scrape(), query)
  server.process.child.kill('SIGHUP')
  await waitUntil('new workers', () =>
    server.lines.some(({ msg }) => msg === 'the workers have been replaced'),
  )
  isOver = true
  await load
  expect(new Set(statuses)).toEqual(new Set([200]))
  const after = await waitUntil('all are counted', async () => {
    const told = await scrape()
    return seriesValue(told, query) >= statuses.length && told
  })
  expect(seriesValue(after, query)).toBe(statuses.length)
  expect(before).toBeLessThan(statuses.length)
  expect(seriesValue(after, 'voelgoed_worker_deaths_total')).toBe(0)
  for (const worker of [1, 2]) {
    const [old, ...others] = server.pidsOf(worker)
    expect(others).toHaveLength(1)
    expect(isAlive(old!)).toBe(false)
  }
})

it('SIGTERM to the keeper and its workers at once, as a terminal or a supervisor sends it, drains them: exit code 0', async () => {
  const server = await start()
  const pids = [...server.pidsOf(1), ...server.pidsOf(2)]
  for (const pid of pids) process.kill(pid, 'SIGTERM')
  server.process.child.kill('SIGTERM')
  expect(await server.process.exited()).toBe(0)
  expect(pids.some(isAlive)).toBe(false)
  expect(server.lines.filter(({ msg }) => msg === 'a worker ended and is replaced')).toEqual([])
})

it('a port that is taken: one line and exit code 1, as without workers', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  cleanUps.push(async () => void taken.close())
  const { port } = taken.address() as AddressInfo
  const database = await newDatabase()
  const server = new Watched({ DATABASE_URL: database.url, PORT: String(port), VOELGOED_LOG_LEVEL: 'warn' })
  expect(await server.process.exited()).toBe(1)
  expect(server.process.output.stderr.split('\n')).toEqual([expect.stringMatching(/PORT .* taken/), ''])
})

it('one worker is one process: no keeper, no number in the log', async () => {
  const server = await start({ VOELGOED_WORKERS: '1' })
  const connection = server.connect()
  const families = await server.metrics(connection)
  expect(families.get('process_resident_memory_bytes')!.samples.map(({ labels }) => labels)).toEqual([{}])
  expect(seriesValue(families, 'voelgoed_workers')).toBe(1)
  const lines = await waitUntil('a line of a request', () => {
    const found = server.lines.filter(({ msg }) => msg === 'request')
    return found.length > 0 && found
  })
  for (const { pid, worker } of lines) expect([pid, worker]).toEqual([server.process.child.pid, undefined])
})
