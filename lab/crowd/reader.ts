import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../found-organization.ts'
import type { ReadLine } from '../judge/history.ts'
import type { LabNode } from '../nemesis/lab-node.ts'
import type { LabEvent } from '../nemesis/site.ts'
import type { Random } from '../random.ts'
import type { Recorder } from './recorder.ts'
import type { Reply, Wire } from './send.ts'

interface ReaderDeps {
  readonly wire: Wire
  readonly recorder: Recorder
  readonly nodes: readonly LabNode[]
  readonly random: Random
  /** Between two reads, at most. */
  readonly thinkMs: number
  events(): readonly LabEvent[]
  isOver(): boolean
}

/** The reader asks a node that buyers ask as well this often. */
const OF_BUYERS = 0.2
const ONE_SEAT = 0.3

/** Reads seats all the time, mostly from a node that does not have the event in memory. */
export class Reader {
  readonly #deps: ReaderDeps
  readonly #index: number
  readonly #person: Person

  constructor(index: number, person: Person, deps: ReaderDeps) {
    this.#index = index
    this.#person = person
    this.#deps = deps
  }

  async run(): Promise<void> {
    const { random, nodes, events, isOver, thinkMs } = this.#deps
    while (!isOver()) {
      const event = random.pick(events())
      const ofBuyers = random.chance(OF_BUYERS)
      const node = random.pick(nodes.filter(({ isForReaders }) => isForReaders !== ofBuyers))
      const ordinal =
        random.chance(ONE_SEAT) && event.seats.length > 0 ? random.below(event.seats.length) : null
      await this.#read(node, event, ordinal)
      await delay(random.below(thinkMs))
    }
  }

  async #read(node: LabNode, event: LabEvent, ordinal: number | null): Promise<void> {
    const { wire, recorder } = this.#deps
    const from = performance.now()
    const path = ordinal === null ? 'availability' : `seats/${event.seats[ordinal]}`
    const sent = await wire.send(node.url, {
      method: 'GET',
      path: `/api/events/${event.eventId}/${path}`,
      token: this.#person.token,
      headers: { accept: ordinal === null ? 'application/octet-stream' : 'application/json' },
    })
    const common = { type: 'read', from, to: performance.now(), reader: this.#index } as const
    const told =
      sent === 'not sent'
        ? { status: 0 }
        : sent === 'unknown'
          ? { status: null }
          : readReply(sent, event, ordinal)
    recorder.write({ ...common, node: node.index, event: event.eventId, ...told })
  }
}

function readReply(
  { status, body, headers, bytes }: Reply,
  event: LabEvent,
  ordinal: number | null,
): Pick<ReadLine, 'status' | 'code' | 'tier' | 'seq' | 'seats' | 'seat'> {
  if (status !== 200) return { status, ...(body?.code !== undefined && { code: body.code }) }
  const tier = String(headers['voelgoed-tier'])
  if (ordinal !== null) {
    const seen = String(body?.data?.status).replace('held_by_me', 'held')
    return { status, tier, seat: { ordinal, status: String(DIGITS.indexOf(seen)) } }
  }
  const digits = event.seats.map((_, at) => (bytes[at >> 2]! >> (2 * (at & 3))) & 3)
  return { status, tier, seq: Number(headers['voelgoed-seq']), seats: digits.join('') }
}

const DIGITS = ['available', 'held', 'sold', 'blocked']

/** Now and then the nodes for readers forget what they have in memory: what is read next is cold. */
export async function makeForget(
  nodes: readonly LabNode[],
  { everyMs, isOver }: { everyMs: number; isOver(): boolean },
): Promise<void> {
  while (!isOver()) {
    for (const node of nodes) if (node.isForReaders) node.forget()
    await delay(everyMs)
  }
}
