import type { Change } from '@voelgoed/core/event/change'
import type { EventId } from '@voelgoed/core/ids'
import type { Lane } from '@voelgoed/engine/lane/lane'
import { type Follower, Lanes } from '@voelgoed/engine/lane/lanes'
import type { EventAddress, EventStore } from '@voelgoed/engine/ports/store'
import { Reaper } from '@voelgoed/engine/reaper/reaper'
import type { Work } from '@voelgoed/engine/reaper/work'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import type { FastifyBaseLogger } from 'fastify'
import { CancelledEvents } from '../../server/modules/checkout/cancelled-events.ts'
import { LiveFeed } from '../../server/modules/live/feed.ts'
import { Random } from '../random.ts'
import type { Notices } from './bus.ts'
import type { SimulatedDatabase } from './database.ts'
import type { Network } from './network.ts'
import type { Plan } from './plan.ts'
import { Process, type Scheduler } from './scheduler.ts'
import { BEGINNING, type SimulatedEvent } from './simulated-event.ts'
import { SimulatedStore } from './store.ts'
import { Told } from './told.ts'

/** A node lives among these. */
export interface Surroundings {
  readonly plan: Plan
  readonly scheduler: Scheduler
  readonly database: SimulatedDatabase
  readonly events: readonly SimulatedEvent[]
  readonly network: Network
  readonly notices: Notices
  /** Something that must never be. */
  find(rule: string, ...evidence: unknown[]): void
  /** Finds fault with a view that is not what the journal says at its seq. */
  judgeView(rule: string, name: string, view: CommittedView): void
}

/** A node is built of these; a test gives one with a bug in it. */
export interface NodeParts {
  store?(store: SimulatedStore): EventStore
  work?(work: SimulatedStore): Work
}

/** One node: real lanes and real jobs, on a simulated database, bus and time. */
export class SimulatedNode {
  readonly index: number
  process: Process
  /** Counts the tasks of all its lives. */
  tasks = 0
  /** The followers of each event have heard this. */
  told: ReadonlyMap<EventId, Told> = new Map()
  readonly #world: Surroundings
  readonly #parts: NodeParts
  readonly #random: Random
  readonly #clock: { readonly origin: number; readonly rate: number }
  readonly wallClockOffset: number
  #lanes!: Lanes
  #store!: SimulatedStore
  feed!: LiveFeed
  #reaper!: Reaper
  #cancelledEvents!: CancelledEvents
  #lives = 0

  constructor(world: Surroundings, index: number, parts: NodeParts) {
    const { seed, faults } = world.plan
    this.#world = world
    this.#parts = parts
    this.index = index
    this.#random = new Random(seed, 10 + index)
    const isOff = faults.includes('clocks')
    this.#clock = {
      origin: this.#random.between(0, 1_000_000),
      rate: isOff ? 0.97 + this.#random.next() * 0.06 : 1,
    }
    this.wallClockOffset = isOff ? this.#random.between(-60_000, 60_000) : 0
    this.process = new Process('')
    this.start()
  }

  start(): void {
    const { scheduler, database, network, notices } = this.#world
    this.#lives += 1
    const process = new Process(`n${this.index}.${this.#lives}`)
    this.process = process
    const time = scheduler.timeOf(process, this.#clock)
    const store = new SimulatedStore({ database, network, process, time })
    const told = new Map(
      this.#world.events.map(event => {
        return [event.address.eventId, new Told(this.#world, event, process.name)]
      }),
    )
    this.told = told
    const follower: Follower = {
      heard: (fact, view) => told.get(fact.eventId)!.heard(fact, view),
    }
    const log = this.#log()
    const bus = notices.create(process)
    notices.listen(bus)
    this.feed = new LiveFeed(time)
    const { store: storeWith, work: workWith } = this.#parts
    const lanes = new Lanes({ store: this.#heardBy(told, storeWith?.(store) ?? store), time, bus, log })
    for (const each of [follower, this.feed]) lanes.follow(each)
    const newId = () => this.#random.hex(16)
    this.#lanes = lanes
    this.#store = store
    const work = workWith?.(store) ?? store
    const clock = { elapsed: time.now }
    this.#reaper = new Reaper({
      work,
      lanes,
      time,
      clock,
      log,
      onRun: () => {},
      onFailedRun: () => {},
      newId,
    })
    this.#cancelledEvents = new CancelledEvents({ work, lanes, time, log, newId })
    lanes.follow(this.#reaper)
    this.#reaper.start()
    this.#cancelledEvents.start()
  }

  /** Jobs end, and then the looks: nothing is left that begins by itself. */
  async stop(): Promise<void> {
    await Promise.all([this.#reaper.stop(), this.#cancelledEvents.stop()])
  }

  close(): void {
    this.#lanes.close()
    this.feed.close()
  }

  async read({ scope, eventId }: EventAddress): Promise<CommittedView | null> {
    return (await this.#lanes.read(scope, eventId))?.view ?? null
  }

  readOwn({ scope, eventId }: EventAddress): ReturnType<Lanes['readOwn']> {
    return this.#lanes.readOwn(scope, eventId)
  }

  async readJournal(event: EventAddress, since: number, count: number): Promise<readonly Change[] | null> {
    let read: readonly Change[] | null = null
    await this.#store.look(event, async seen => {
      read = (await seen.continueJournal({ seq: since, tip: null }, count))?.changes ?? null
    })
    return read
  }

  lane({ scope, eventId }: EventAddress): Lane {
    return this.#lanes.lane(scope, eventId)
  }

  view({ scope, eventId }: EventAddress): CommittedView | null {
    return this.#lanes.inMemory(scope, eventId)
  }

  /** As the route does that cancels an event, once it is cancelled. */
  endHoldsOf(event: EventAddress): void {
    void this.#cancelledEvents.end(event)
  }

  /** The wall clock of the node, which nothing should depend on. */
  get wallClock(): number {
    return Math.floor(BEGINNING + this.#world.scheduler.now + this.wallClockOffset)
  }

  /** The followers of an event begin with what is loaded first. */
  #heardBy(told: ReadonlyMap<EventId, Told>, store: EventStore): EventStore {
    return {
      load: async event => {
        const hot = await store.load(event)
        if (hot) told.get(event.eventId)!.begin(hot.state.seq)
        return hot
      },
      locked: (event, keys, script) => store.locked(event, keys, script),
      look: (event, script) => store.look(event, script),
      hasTrace: (event, trace) => store.hasTrace(event, trace),
      pointsOf: (scope, eventIds) => store.pointsOf(scope, eventIds),
      prove: (event, keyHash) => store.prove(event, keyHash),
      raiseEpochIfLost: (event, known) => store.raiseEpochIfLost(event, known),
    }
  }

  /** Faults of the database are no bugs of the node; whatever it logs as an error is one. */
  #log(): FastifyBaseLogger {
    const error = (fields: object, message: string) => {
      const { err } = fields as { err?: Error }
      this.#world.find(`the node logs: ${message}`, err?.message ?? fields)
    }
    return { error, warn: () => {}, info: () => {}, debug: () => {} } as unknown as FastifyBaseLogger
  }
}
