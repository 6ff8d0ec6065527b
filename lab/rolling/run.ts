import { Agent, request } from 'node:http'
import { startGuestSession } from '@voelgoed/contract/accounts'
import { replacePolicy } from '@voelgoed/contract/events'
import { live, releaseHold, reserveSeat } from '@voelgoed/contract/holds'
import type { Route } from '@voelgoed/contract/route'
import { generateVenue } from '@voelgoed/core/layout/generate'
import { type Child, startProgram } from '../bench/stage/child.ts'
import { buildHall } from '../bench/stage/hall.ts'
import { startPostgres } from '../bench/stage/postgres.ts'
import { Caller } from '../call-route.ts'
import { foundOrganization } from '../found-organization.ts'
import { freePort, startBalancer } from './balancer.ts'

export interface RollingOptions {
  /** The run sends at least so many, and replaces each node at least once. */
  readonly requests: number
  readonly buyers: number
  readonly readers: number
  readonly drainSeconds: number
  readonly workers: number
  readonly say: (line: string) => void
}

export interface RollingReport {
  readonly requests: number
  readonly seconds: number
  /** Nodes that were replaced. */
  readonly replaced: number
  /** Readers of the live feed had to come back so often, and did. */
  readonly resumed: number
  /** So often each of these was refused or broke off. */
  readonly failed: ReadonlyMap<string, number>
  readonly latenciesMs: readonly number[]
}

const ROOT_KEY = 'root-key-of-the-rolling-lab'
const SEATS_OF_EACH = 20

/** Two nodes on one Postgres behind HAProxy: each in turn is stopped and started while buyers are at them. */
export async function roll(options: RollingOptions): Promise<RollingReport> {
  const { say } = options
  const cleanUps: (() => Promise<void> | void)[] = []
  try {
    const postgres = await startPostgres()
    cleanUps.push(() => postgres.stop())
    const database = await postgres.newDatabase()
    const ports = [await freePort(), await freePort()]
    const nodes: Child[] = []
    cleanUps.push(async () => void (await Promise.all(nodes.map(node => node.stop()))))
    for (const port of ports) nodes.push(await startNode(database.url, port, options))
    const balancer = await startBalancer(ports)
    cleanUps.push(() => balancer.stop())
    await balancer.allUp()

    const crowd = new Crowd(balancer.url)
    await crowd.prepare(options)
    crowd.start()
    const began = performance.now()
    let replaced = 0
    while (replaced < ports.length || crowd.requests < options.requests) {
      const index = replaced % ports.length
      const stopped = performance.now()
      await nodes[index]!.stop()
      nodes[index] = await startNode(database.url, ports[index]!, options)
      await balancer.allUp()
      replaced += 1
      const seconds = ((performance.now() - stopped) / 1_000).toFixed(1)
      say(
        `node ${index + 1} replaced in ${seconds} s; ${crowd.requests} requests so far, ${crowd.failures} failed`,
      )
    }
    await crowd.stop()
    const { requests, resumed, failed, latenciesMs } = crowd
    return { requests, replaced, resumed, failed, latenciesMs, seconds: (performance.now() - began) / 1_000 }
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp()
  }
}

async function startNode(
  databaseUrl: string,
  port: number,
  { drainSeconds, workers }: RollingOptions,
): Promise<Child> {
  const node = startProgram(['main'], {
    env: {
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      VOELGOED_ROOT_KEY: ROOT_KEY,
      VOELGOED_DEMO: '0',
      VOELGOED_WORKERS: String(workers),
      VOELGOED_LIMITS: 'off',
      VOELGOED_LOG_LEVEL: 'warn',
      VOELGOED_DRAIN_SECONDS: String(drainSeconds),
    },
  })
  await node.find(line => /^Ready at/.exec(line))
  return node
}

/** Buyers that take a seat and let go of it, over connections that are kept, and readers of the live feed. */
class Crowd {
  readonly failed = new Map<string, number>()
  readonly latenciesMs: number[] = []
  requests = 0
  resumed = 0
  readonly #caller: Caller
  readonly #url: string
  readonly #buyers: (() => Promise<void>)[] = []
  readonly #readers: Reader[] = []
  #working: Promise<unknown> = Promise.resolve()
  #isOver = false

  constructor(url: string) {
    this.#url = url
    this.#caller = new Caller(url)
  }

  get failures(): number {
    return [...this.failed.values()].reduce((sum, count) => sum + count, 0)
  }

  async prepare({ buyers, readers }: RollingOptions): Promise<void> {
    const { slug, people } = await foundOrganization(this.#caller, ROOT_KEY, 'rolling')
    const unlimited = { max_holds_per_user: null, max_holds_per_ip: null, holds_per_window: null }
    await this.#caller.get(replacePolicy, {
      token: people.organizer.token,
      body: { ...unlimited, orphan_avoidance_strict: false, enforce_accessibility_rules: false },
    })
    const config = generateVenue({ kind: 'stadium', seats: Math.max(2_000, buyers * SEATS_OF_EACH), seed: 1 })
    const hall = await buildHall(this.#caller, people.organizer.token, { config, seed: 1 })
    const event = await hall.openEvent()
    const guest = async () => {
      const session = await this.#caller.get(startGuestSession, { body: { organization: slug } })
      return session.data.token
    }
    for (let buyer = 0; buyer < buyers; buyer += 1) {
      const token = await guest()
      const seats = hall.seatIds.slice(buyer * SEATS_OF_EACH, (buyer + 1) * SEATS_OF_EACH)
      this.#buyers.push(() => this.#buy(token, { event, seats }))
    }
    const url = `${this.#url}${live.path.replace(':event', event)}`
    const told = {
      onResumed: () => {
        this.resumed += 1
      },
      onFailed: (what: string) => this.#fail(`live feed: ${what}`),
    }
    for (let reader = 0; reader < readers; reader += 1) {
      this.#readers.push(new Reader(url, await guest(), told))
    }
  }

  start(): void {
    for (const reader of this.#readers) reader.start()
    this.#working = Promise.all(this.#buyers.map(buy => buy()))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#working
    for (const reader of this.#readers) reader.stop()
    this.#caller.close()
  }

  async #buy(token: string, { event, seats }: { event: string; seats: readonly string[] }): Promise<void> {
    for (let turn = 0; !this.#isOver; turn += 1) {
      const seat = seats[turn % seats.length]!
      const held = await this.#send(reserveSeat, { token, params: { event, seat } })
      const holdId = (held as { data?: { hold_id?: string } } | null)?.data?.hold_id
      if (holdId) await this.#send(releaseHold, { token, params: { hold: holdId } })
    }
  }

  async #send(route: Route, options: object): Promise<unknown> {
    this.requests += 1
    try {
      const answer = await this.#caller.call(route, options)
      this.latenciesMs.push(answer.ms)
      if (answer.status < 300) return answer.json()
      this.#fail(`${answer.status} ${answer.bytes.toString('utf8', 0, 200)}`)
    } catch (error) {
      this.#fail((error as Error).message)
    }
    return null
  }

  #fail(what: string): void {
    this.failed.set(what, (this.failed.get(what) ?? 0) + 1)
  }
}

/** Reads the live feed, and comes back with what it has when it ends. */
class Reader {
  readonly #url: string
  readonly #token: string
  readonly #told: { onResumed(): void; onFailed(what: string): void }
  readonly #agent = new Agent()
  #lastId = ''
  #isOver = false
  #times = 0

  constructor(url: string, token: string, told: { onResumed(): void; onFailed(what: string): void }) {
    this.#url = url
    this.#token = token
    this.#told = told
  }

  start(): void {
    const sent = request(this.#url, {
      agent: this.#agent,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(this.#lastId !== '' && { 'last-event-id': this.#lastId }),
      },
    })
    const again = () => {
      if (!this.#isOver) this.start()
    }
    sent.on('error', error => {
      if (this.#isOver) return
      this.#told.onFailed(error.message)
      setTimeout(again, 100)
    })
    sent.on('response', response => {
      if (response.statusCode !== 200) this.#told.onFailed(String(response.statusCode))
      else if (this.#times > 0) this.#told.onResumed()
      this.#times += 1
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text = (text + piece).slice(-10_000)
        const ids = [...text.matchAll(/^id: (\d+)$/gm)]
        this.#lastId = ids.at(-1)?.[1] ?? this.#lastId
        if (/^event: reset$/m.test(piece)) this.#told.onFailed('told to start again')
      })
      response.on('error', () => {})
      // A short pause, as browsers make.
      response.on('close', () => setTimeout(again, 100))
    })
    sent.end()
  }

  stop(): void {
    this.#isOver = true
    this.#agent.destroy()
  }
}
