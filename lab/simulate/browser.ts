import type { FeedReader } from '../../server/modules/live/feed.ts'
import { Random } from '../random.ts'
import type { SimulatedNode, Surroundings } from './node.ts'
import type { Process } from './scheduler.ts'
import { type SimulatedEvent, wordsOf } from './simulated-event.ts'

/** A browser knows all nodes and everything around them. */
export interface Outside extends Surroundings {
  readonly nodes: readonly SimulatedNode[]
  /** The database has lost this. Null: nothing. */
  readonly lost: object | null
}

/**
 * A reader of the live feed: takes a snapshot, applies what the feed says, and starts again with another node
 * when it is told to, when its node dies, and now and then for no reason.
 */
export class Browser {
  readonly name: string
  /** The seats as this reader knows them. */
  seats: string[] = []
  isFollowing = false
  /** The one it looks at. */
  readonly event: SimulatedEvent
  readonly #world: Outside
  readonly #random: Random
  #connection: Connection | null = null
  #isOver = false

  constructor(world: Outside, index: number) {
    this.#world = world
    this.name = `reader ${index}`
    this.#random = new Random(world.plan.seed, 200 + index)
    this.event = this.#random.pick(world.events)
    this.connectSoon()
  }

  /** The run is over: what is known now is judged. */
  stop(): void {
    this.#isOver = true
  }

  died(process: Process): void {
    if (this.#connection?.node.process === process || !this.isFollowing) this.connectSoon()
  }

  connectSoon(): void {
    if (this.#isOver) return
    this.isFollowing = false
    this.#connection?.leave()
    const node = this.#random.pick(this.#world.nodes)
    const connection = new Connection(this, node)
    this.#connection = connection
    const { scheduler } = this.#world
    scheduler.schedule(this.#random.next() * 200, null, `${this.name} opens`, () => {
      if (this.#connection !== connection) return
      if (!node.process.isAlive) this.connectSoon()
      else scheduler.schedule(0, node.process, `${this.name} comes in`, () => void this.#open(connection))
    })
  }

  /** As the route of the feed does it. */
  async #open(connection: Connection): Promise<void> {
    const { node } = connection
    const { address } = this.event
    try {
      const snapshot = await node.read(address)
      // The node was frozen, and this reader has gone to another one meanwhile.
      if (this.#connection !== connection) return
      if (!snapshot) return this.connectSoon()
      this.#world.judgeView('a read shows what is committed', this.name, snapshot)
      const { seq: since, state } = snapshot
      this.seats = wordsOf(state)
      // The snapshot was on its way for a while; meanwhile the event moves on.
      await new Promise<void>(resolve => {
        const ms = this.#random.next() * 30
        this.#world.scheduler.schedule(ms, node.process, `${this.name} has its snapshot`, resolve)
      })
      const view = await node.read(address)
      if (this.#connection !== connection) return
      if (!view) return this.connectSoon()
      const door = node.feed.open(view)
      const missed = door.rememberedFrom - since
      const journal = missed > 0 ? await node.readJournal(address, since, missed) : []
      if (this.#connection !== connection) return door.close()
      const isLost = since <= view.lostUpTo
      this.isFollowing = true
      door.add(connection, {
        since,
        journal: isLost || journal?.length !== Math.max(0, missed) ? null : journal,
        isPaused: false,
      })
    } catch {
      if (this.#connection === connection) this.connectSoon()
    }
  }

  hear(connection: Connection, message: string): void {
    if (this.#connection !== connection) return
    const fields = new Map(
      message.split('\n').map(line => line.split(/: (.*)/s).slice(0, 2) as [string, string]),
    )
    switch (fields.get('event')) {
      case 'reset':
        this.connectSoon()
        break
      case 'seats': {
        const data = JSON.parse(fields.get('data')!) as {
          seq: number
          seats: [number, string][]
          occupancy: object
        }
        for (const [ordinal, status] of data.seats) this.seats[ordinal] = status
        this.#judge(data)
        // Now and then one comes again for no reason.
        if (this.#random.chance(0.05)) this.connectSoon()
        break
      }
      default:
        break
    }
  }

  /** Compares a message with the journal. What was lost since can't be compared. */
  #judge({ seq, occupancy }: { readonly seq: number; readonly occupancy: object }): void {
    const { event } = this
    if (this.#world.lost) return
    if (seq > event.journal.length) {
      this.#world.find('the feed speaks of nothing before its commit', this.name, seq)
      return
    }
    const { seats, occupancy: counted } = event.shownAt(seq)
    if (seats.some((word, ordinal) => word !== this.seats[ordinal])) {
      this.#world.find('a reader knows what the journal says', this.name, seq, this.seats, seats)
    }
    const told = JSON.stringify(occupancy)
    if (told !== counted) {
      this.#world.find('the counters of a message are those of its seq', seq, told, counted)
    }
  }
}

/** One connection of a browser, as the feed sees it. */
class Connection implements FeedReader {
  readonly writableLength = 0
  readonly node: SimulatedNode
  readonly #browser: Browser
  readonly #closed: (() => void)[] = []

  constructor(browser: Browser, node: SimulatedNode) {
    this.#browser = browser
    this.node = node
  }

  write(message: Buffer): void {
    this.#browser.hear(this, message.toString())
  }

  end(): void {
    this.#browser.connectSoon()
  }

  destroy(): void {
    this.end()
  }

  on(_close: 'close', closed: () => void): void {
    this.#closed.push(closed)
  }

  leave(): void {
    for (const closed of this.#closed.splice(0)) closed()
  }
}
