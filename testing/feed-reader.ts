import { type ClientRequest, request } from 'node:http'
import type { Connections } from './connections.ts'
import type { Hall } from './hall.ts'
import { waitUntil } from './wait-until.ts'

export interface FeedMessage {
  readonly id: number
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there
  readonly data: any
}

/** One connection to the live feed. */
export class FeedReader {
  readonly messages: FeedMessage[] = []
  text = ''
  status = 0
  retryAfter: string | undefined
  isClosed = false
  readonly #request: ClientRequest
  #parsed = 0

  private constructor(url: string, headers: Record<string, string>) {
    this.#request = request(url, { agent: false, headers })
    this.#request.on('error', () => {
      this.isClosed = true
    })
  }

  /** Resolves when the first message is there, or a refusal. */
  static async open(
    url: string,
    { token, lastEventId, from }: { token?: string; lastEventId?: number; from?: string } = {},
  ): Promise<FeedReader> {
    const reader = new FeedReader(url, {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(from && { 'x-forwarded-for': from }),
      ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
    })
    const outgoing = reader.#request
    outgoing.on('response', response => {
      reader.status = response.statusCode!
      reader.retryAfter = response.headers['retry-after']
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => reader.#read(chunk))
      response.on('error', () => {})
      response.on('close', () => {
        reader.isClosed = true
      })
    })
    outgoing.end()
    const isServed = () => reader.messages.length > 0 || reader.isClosed
    await waitUntil('the first message of the feed', isServed)
    return reader
  }

  get lastId(): number {
    return this.messages.at(-1)?.id ?? -1
  }

  /** Everything up to this seq. */
  async upTo(seq: number): Promise<void> {
    await waitUntil(`the feed at ${seq}`, () => this.lastId >= seq).catch(error => {
      throw new Error(`${error.message}; it is at ${this.lastId}${this.isClosed ? ' and closed' : ''}`)
    })
  }

  close(): void {
    this.#request.destroy()
  }

  #read(chunk: string): void {
    this.text += chunk
    for (;;) {
      const end = this.text.indexOf('\n\n', this.#parsed)
      if (end === -1) return
      const lines = this.text.slice(this.#parsed, end).split('\n')
      this.#parsed = end + 2
      const field = (name: string) =>
        lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
      if (field('data') === '') continue
      this.messages.push({ id: Number(field('id')), event: field('event'), data: JSON.parse(field('data')) })
    }
  }
}

const CODES = ['available', 'held', 'sold', 'blocked']

export interface SeatMapAt {
  readonly seq: number
  readonly statuses: string[]
}

/** All seats at one seq, as a buyer reads them. */
export async function snapshot(
  connections: Connections,
  url: string,
  hall: Hall,
  token: string,
): Promise<SeatMapAt> {
  const { body } = await connections.send('GET', `${url}${hall.url}/availability`, { token })
  const { seq, seats } = body.data as { seq: number; seats: { seat_id: string; status: string }[] }
  const statuses = hall.seats.map(() => 'available')
  for (const { seat_id, status } of seats) {
    statuses[hall.seats.indexOf(seat_id)] = status === 'held_by_me' ? 'held' : status
  }
  return { seq, statuses }
}

/** Returns the map of seats that the messages of a feed lead to. */
export function play(from: SeatMapAt, messages: readonly FeedMessage[]): SeatMapAt {
  const statuses = [...from.statuses]
  let { seq } = from
  for (const message of messages.filter(({ event }) => event === 'seats')) {
    for (const [ordinal, status] of message.data.seats) {
      if (!CODES.includes(status)) throw new Error(`a status that is none: ${status}`)
      statuses[ordinal] = status
    }
    seq = message.id
  }
  return { seq, statuses }
}

/** Every change of a seat between two seqs, from the journal: what a feed has to say, word for word. */
export async function journalDeltas(
  database: { sql<R extends object>(text: string, values?: unknown[]): Promise<R[]> },
  eventId: string,
  { after, upTo }: { after: number; upTo: number },
): Promise<[number, string][]> {
  const rows = await database.sql<{ ordinal: number; status: string }>(
    `select (body ->> 'ordinal')::int as ordinal, case kind when 'seat_reserved' then 'held'
       when 'seat_converted' then 'sold' when 'seat_blocked' then 'blocked' else 'available' end as status
     from journal_entries where event_id = $1 and seq > $2 and seq <= $3 and body ->> 'ordinal' is not null
       and kind not in ('seat_hold_extended', 'payment_started') order by seq`,
    [eventId, after, upTo],
  )
  return rows.map(({ ordinal, status }) => [ordinal, status])
}
