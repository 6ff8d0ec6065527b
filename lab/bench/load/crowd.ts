import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Random } from '../../random.ts'
import { type Answer, Connection, openSocket, requestText } from './connection.ts'
import { FeedLines } from './feed-lines.ts'
import { type OwnLoad, watchOwnLoad } from './own-load.ts'
import { zipf } from './zipf.ts'

/** A crowd that comes when the sale opens. */
export interface CrowdOrder {
  readonly port: number
  readonly eventId: string
  /** One a buyer. */
  readonly tokens: readonly string[]
  /** By ordinal. */
  readonly seatIds: readonly string[]
  /** Ordinals from the most wanted to the least: the same for everybody. */
  readonly wanted: readonly number[]
  /** They come one after another within this time. */
  readonly withinSeconds: number
  /** Buyers look so long before they choose, on average. */
  readonly thinkMs: number
  /** So many of a hundred keep the live feed open while they are there. */
  readonly watching: number
  /** So many of a hundred who got a seat keep it, so many give it back; the others let it expire. */
  readonly keeping: number
  readonly givingBack: number
  /** A buyer who keeps a seat stays on the page so long, connected, before leaving to pay. */
  readonly stayMs: number
  /** A buyer asks so often before they give up. */
  readonly tries: number
  readonly seed: number
}

export interface CrowdFigures {
  /** Milliseconds of each answer, by what was asked. */
  readonly ms: Readonly<Record<Asked, Float64Array>>
  /** Counts how requests for a seat ended: `held`, or the code of the refusal. */
  readonly wishes: Readonly<Record<string, number>>
  readonly ends: Readonly<Record<End, number>>
  readonly statuses: Readonly<Record<string, number>>
  /** Answers of 400 and above, by what was asked and the code of the refusal. */
  readonly refused: Readonly<Record<string, number>>
  /** Counts what a buyer asked again, as our client does, by what went wrong before. */
  readonly again: Readonly<Record<string, number>>
  /** Requests that were never answered, by what went wrong. */
  readonly broken: Readonly<Record<string, number>>
  readonly mostConnections: number
  readonly feedMessages: number
  readonly seconds: number
  readonly load: OwnLoad
}

const ASKED = ['event', 'map', 'availability', 'hold', 'extend', 'giveBack'] as const
type Asked = (typeof ASKED)[number]
const ENDS = ['kept', 'gaveBack', 'letExpire', 'nothingLeft', 'gaveUp', 'broken'] as const
type End = (typeof ENDS)[number]

/** As client/client.ts: so many attempts, the wait before a second one doubles. */
const ATTEMPTS = 3
const FIRST_WAIT_MS = 200
const PUMP_EVERY_MS = 5
const TELL_EVERY_MS = 5_000
/** A buyer looks for a free seat by their taste so often, and then takes the best that is left. */
const GLANCES = 8

export async function runCrowd(order: CrowdOrder, say: (line: string) => void): Promise<CrowdFigures> {
  const crowd = new Crowd(order)
  const ownLoad = watchOwnLoad()
  const startedAt = performance.now()
  const random = new Random(order.seed)
  const arrivals = order.tokens.map(() => random.next() * order.withinSeconds * 1000).sort((a, b) => a - b)
  const buyers: Promise<void>[] = []
  let toldAt = startedAt
  while (buyers.length < arrivals.length || crowd.present > 0) {
    const now = performance.now()
    while (buyers.length < arrivals.length && arrivals[buyers.length]! <= now - startedAt) {
      buyers.push(crowd.visit(buyers.length))
    }
    if (now - toldAt > TELL_EVERY_MS) {
      toldAt = now
      say(`${buyers.length} have come, ${crowd.present} are there`)
    }
    await delay(PUMP_EVERY_MS)
  }
  await Promise.all(buyers)
  return { ...crowd.figures(), seconds: (performance.now() - startedAt) / 1000, load: ownLoad() }
}

class Crowd {
  readonly #order: CrowdOrder
  readonly #ms = Object.fromEntries(ASKED.map(asked => [asked, [] as number[]])) as Record<Asked, number[]>
  readonly #wishes: Record<string, number> = {}
  readonly #ends = Object.fromEntries(ENDS.map(end => [end, 0])) as Record<End, number>
  readonly #statuses: Record<string, number> = {}
  readonly #refused: Record<string, number> = {}
  readonly #again: Record<string, number> = {}
  readonly #broken: Record<string, number> = {}
  #connections = 0
  #mostConnections = 0
  #feedMessages = 0
  present = 0

  constructor(order: CrowdOrder) {
    this.#order = order
  }

  figures(): Omit<CrowdFigures, 'seconds' | 'load'> {
    const ms = Object.fromEntries(ASKED.map(asked => [asked, Float64Array.from(this.#ms[asked])]))
    return {
      ms: ms as Record<Asked, Float64Array>,
      wishes: this.#wishes,
      ends: this.#ends,
      statuses: this.#statuses,
      refused: this.#refused,
      again: this.#again,
      broken: this.#broken,
      mostConnections: this.#mostConnections,
      feedMessages: this.#feedMessages,
    }
  }

  async visit(index: number): Promise<void> {
    this.present += 1
    try {
      this.#ends[await this.#buy(index)] += 1
    } catch (error) {
      this.#ends.broken += 1
      count(this.#broken, whatWentWrong(error))
    } finally {
      this.present -= 1
    }
  }

  async #buy(index: number): Promise<End> {
    const { port, eventId, tokens, seatIds, seed } = this.#order
    const token = tokens[index]!
    const random = new Random(seed, index + 1)
    let connection: Connection | null = null
    let feed: Socket | null = null
    let keys = 0
    const leave = () => {
      if (connection === null) return
      connection.close()
      connection = null
      this.#connections -= 1
    }
    const once = async (request: string): Promise<Answer> => {
      if (connection === null) {
        connection = await Connection.open(port)
        this.#opened()
      }
      return connection.ask(request)
    }
    /**
     * A buyer asks again with the same key when a request got lost or its trouble may pass, on a new
     * connection if need be.
     */
    const ask = async (asked: Asked, line: string, accept?: string): Promise<Answer> => {
      keys += 1
      // A key for each hold, as our client sends it.
      const key = line.endsWith('/reserve') ? `${seed}-${index}-${keys}` : undefined
      const request = requestText(line, { token, key, ...(accept && { accept }) })
      const beganAt = performance.now()
      for (let attempt = 1; ; attempt += 1) {
        let retryAfterMs = 0
        try {
          const answer = await once(request)
          const mayPass = answer.status === '503' || answer.status === '429'
          if (!mayPass || attempt === ATTEMPTS) {
            this.#ms[asked].push(performance.now() - beganAt)
            count(this.#statuses, answer.status)
            if (answer.status >= '400') count(this.#refused, `${asked}: ${answer.status} ${codeOf(answer)}`)
            return answer
          }
          retryAfterMs = Number(/\r\nretry-after: (\d+)/i.exec(answer.head)?.[1] ?? 0) * 1000
          count(this.#again, codeOf(answer))
        } catch (error) {
          leave()
          if (attempt === ATTEMPTS) throw error
          count(this.#again, whatWentWrong(error))
        }
        await delay(retryAfterMs + FIRST_WAIT_MS * 2 ** attempt * (0.5 + random.next() / 2))
      }
    }
    /** A page reads the seats when it is opened, and again and again when it has no feed. */
    const lookAgain = () =>
      ask('availability', `GET /api/events/${eventId}/availability`, 'application/octet-stream')
    try {
      await ask('event', `GET /api/events/${eventId}`)
      await ask('map', `GET /api/events/${eventId}/map`, 'application/octet-stream')
      const seats = new Seats()
      const look = await lookAgain()
      if (look.status !== '200') return 'gaveUp'
      seats.show(look)
      if (random.chance(this.#order.watching / 100)) {
        const seq = /\r\nvoelgoed-seq: (\d+)/i.exec(look.head)![1]!
        feed = await this.#watch(token, seats, seq)
      }
      for (let tries = 0; tries < this.#order.tries; tries += 1) {
        await this.#think(random)
        const ordinal = this.#choose(seats, random)
        if (ordinal === null) return 'nothingLeft'
        const answer = await ask('hold', `POST /api/events/${eventId}/seats/${seatIds[ordinal]}/reserve`)
        if (answer.status === '201') {
          count(this.#wishes, 'held')
          return await this.#decide(/"hold_id":"([^"]+)"/.exec(answer.body)![1]!, random, ask)
        }
        count(this.#wishes, codeOf(answer))
        seats.take(ordinal)
        if (feed) continue
        const again = await lookAgain()
        if (again.status === '200') seats.show(again)
      }
      return 'gaveUp'
    } finally {
      leave()
      if (feed) {
        feed.destroy()
        this.#connections -= 1
      }
    }
  }

  async #decide(
    holdId: string,
    random: Random,
    ask: (asked: Asked, line: string) => Promise<Answer>,
  ): Promise<End> {
    const fate = random.next() * 100
    if (fate < this.#order.keeping) {
      const answer = await ask('extend', `POST /api/holds/${holdId}/extend`)
      if (answer.status !== '200') return 'letExpire'
      await delay(this.#order.stayMs)
      return 'kept'
    }
    if (fate >= this.#order.keeping + this.#order.givingBack) return 'letExpire'
    await this.#think(random)
    await ask('giveBack', `DELETE /api/holds/${holdId}`)
    return 'gaveBack'
  }

  /** From where the buyer has read the seats on. */
  async #watch(token: string, seats: Seats, seq: string): Promise<Socket> {
    const { port, eventId } = this.#order
    const socket = await openSocket(port)
    this.#opened()
    const lines = new FeedLines()
    socket.on('data', piece => {
      for (const message of lines.read(piece)) {
        this.#feedMessages += 1
        seats.change(message.seats)
      }
    })
    // A buyer who loses the feed goes on with what they know.
    socket.on('error', () => {})
    const line = `GET /api/events/${eventId}/live?last_event_id=${seq}`
    socket.write(requestText(line, { token, accept: 'text/event-stream' }))
    return socket
  }

  #choose(seats: Seats, random: Random): number | null {
    const { wanted } = this.#order
    const rank = this.#rank(random)
    for (let glance = 0; glance < GLANCES; glance += 1) {
      const ordinal = wanted[rank()]!
      if (seats.isFree(ordinal)) return ordinal
    }
    // Then the best that is left, from some place on: people do not all read a plan from its first row.
    const from = random.below(wanted.length)
    for (let step = 0; step < wanted.length; step += 1) {
      const ordinal = wanted[(from + step) % wanted.length]!
      if (seats.isFree(ordinal)) return ordinal
    }
    return null
  }

  #zipf: { random: Random; rank: () => number } | null = null
  /** One table for all: only the numbers drawn are each buyer's own. */
  #rank(random: Random): () => number {
    this.#zipf ??= {
      random,
      rank: zipf(this.#order.wanted.length, { next: () => this.#zipf!.random.next() }),
    }
    this.#zipf.random = random
    return this.#zipf.rank
  }

  /** Most decide soon, some take their time. */
  #think(random: Random): Promise<void> {
    return delay(-Math.log(1 - random.next()) * this.#order.thinkMs)
  }

  #opened(): void {
    this.#connections += 1
    this.#mostConnections = Math.max(this.#mostConnections, this.#connections)
  }
}

/** A buyer sees the seats like this: two bits each as they were read, and what has been heard since. */
class Seats {
  #read = ''
  readonly #heard = new Map<number, boolean>()

  show({ body }: Answer): void {
    this.#read = body
    this.#heard.clear()
  }

  change(seats: readonly (readonly [ordinal: number, status: string])[]): void {
    for (const [ordinal, status] of seats) this.#heard.set(ordinal, status === 'available')
  }

  take(ordinal: number): void {
    this.#heard.set(ordinal, false)
  }

  isFree(ordinal: number): boolean {
    const heard = this.#heard.get(ordinal)
    return heard ?? ((this.#read.charCodeAt(ordinal >> 2) >> ((ordinal & 3) * 2)) & 3) === 0
  }
}

function whatWentWrong(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}

function codeOf({ body, status }: Answer): string {
  return /"code":"(\w+)"/.exec(body)?.[1] ?? status
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
