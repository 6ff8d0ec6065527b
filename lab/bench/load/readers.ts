import type { Socket } from 'node:net'
import { openSocket, requestText } from './connection.ts'
import { FeedLines } from './feed-lines.ts'
import { type OwnLoad, watchOwnLoad } from './own-load.ts'

export interface ReadersOrder {
  readonly port: number
  readonly eventId: string
  readonly readers: number
  readonly tokens: readonly string[]
}

export interface ReadFigures {
  /** Messages by their seq: the seats in each, and when it came to each reader, by the wall clock. */
  readonly messages: readonly {
    readonly seq: number
    readonly ordinals: readonly number[]
    readonly at: Float64Array
  }[]
  /** Readers that did not get as far as they should have. */
  readonly behind: number
  /** Messages that a reader had already received, or that told it to start again. */
  readonly outOfOrder: number
  readonly closed: number
  readonly load: OwnLoad
}

const OPENED_AT_ONCE = 100
/** Nothing for so long: nothing will come any more. */
const QUIET_MS = 15_000
const LOOK_EVERY_MS = 50

interface Reader {
  readonly socket: Socket
  readonly lines: FeedLines
  seq: number | null
  isClosed: boolean
}

/** Readers of a feed, in one process: sockets, and what they got when. */
export class Readers {
  readonly #readers: Reader[] = []
  /** Nodes gather changes differently: a message with the same seq need not tell of the same seats. */
  readonly #arrivals = new Map<string, { seq: number; ordinals: number[]; at: number[] }>()
  #outOfOrder = 0
  #lastArrivalAt = 0
  #ownLoad: () => OwnLoad = watchOwnLoad()

  /** Until each has had its first message. */
  async open({ port, eventId, readers, tokens }: ReadersOrder): Promise<{ seconds: number }> {
    const startedAt = performance.now()
    while (this.#readers.length < readers) {
      const count = Math.min(OPENED_AT_ONCE, readers - this.#readers.length)
      await Promise.all(
        Array.from({ length: count }, (_, index) =>
          this.#openOne(port, eventId, tokens[(this.#readers.length + index) % tokens.length]!),
        ),
      )
    }
    this.#ownLoad()
    this.#ownLoad = watchOwnLoad()
    return { seconds: (performance.now() - startedAt) / 1000 }
  }

  async close(seq: number): Promise<ReadFigures> {
    this.#lastArrivalAt = performance.now()
    const isThere = (reader: Reader) => reader.seq !== null && reader.seq >= seq
    while (!this.#readers.every(isThere) && performance.now() - this.#lastArrivalAt < QUIET_MS) {
      await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS))
    }
    const load = this.#ownLoad()
    const figures: ReadFigures = {
      messages: [...this.#arrivals.values()].map(({ seq, ordinals, at }) => ({
        seq,
        ordinals,
        at: Float64Array.from(at),
      })),
      behind: this.#readers.filter(reader => !isThere(reader)).length,
      outOfOrder: this.#outOfOrder,
      closed: this.#readers.filter(({ isClosed }) => isClosed).length,
      load,
    }
    for (const { socket } of this.#readers) socket.destroy()
    return figures
  }

  async #openOne(port: number, eventId: string, token: string): Promise<void> {
    const socket = await openSocket(port)
    const reader: Reader = { socket, lines: new FeedLines(), seq: null, isClosed: false }
    this.#readers.push(reader)
    await new Promise<void>((resolve, reject) => {
      socket.on('data', piece => {
        const now = Date.now()
        for (const message of reader.lines.read(piece)) {
          if (reader.seq === null) {
            reader.seq = message.seq
            resolve()
          } else this.#took(reader, message, now)
        }
        if (reader.lines.status !== null && reader.lines.status !== '200') {
          reject(new Error(`a reader was answered with ${reader.lines.status}`))
        }
      })
      socket.on('error', reject)
      socket.on('close', () => {
        reader.isClosed = true
        reject(new Error('the server closed the connection of a reader'))
      })
      socket.write(requestText(`GET /api/events/${eventId}/live`, { token, accept: 'text/event-stream' }))
    })
  }

  #took(reader: Reader, { kind, seq, seats }: ReturnType<FeedLines['read']>[number], now: number): void {
    this.#lastArrivalAt = performance.now()
    if (kind === 'reset' || seq <= reader.seq!) {
      this.#outOfOrder += 1
      return
    }
    reader.seq = seq
    const ordinals = seats.map(([ordinal]) => ordinal)
    const key = `${seq}:${ordinals}`
    let message = this.#arrivals.get(key)
    if (!message) {
      message = { seq, ordinals, at: [] }
      this.#arrivals.set(key, message)
    }
    message.at.push(now)
  }
}
