import type { Change } from '@voelgoed/core/event/change'
import type { FastifyBaseLogger } from 'fastify'
import { CancelledEvents } from '../../../server/src/jobs/cancelled-events.ts'
import { Reaper } from '../../../server/src/jobs/reaper.ts'
import type { CommittedView } from '../../../server/src/lane/committed-view.ts'
import type { Fact } from '../../../server/src/lane/fact.ts'
import type { Lane } from '../../../server/src/lane/lane.ts'
import { type Follower, Lanes } from '../../../server/src/lane/lanes.ts'
import type { EventStore } from '../../../server/src/lane/store.ts'
import { LiveFeed } from '../../../server/src/live/feed.ts'
import { Random } from '../../random.ts'
import type { Notices } from './bus.ts'
import { BEGINNING, type SimulatedDatabase, type SimulatedEvent } from './database.ts'
import { EVENT } from './hall.ts'
import type { Network } from './network.ts'
import type { Plan } from './plan.ts'
import { Process, type Scheduler } from './scheduler.ts'
import { SimulatedStore } from './store.ts'

/** Where a node lives. */
export interface Surroundings {
  readonly plan: Plan
  readonly scheduler: Scheduler
  readonly database: SimulatedDatabase
  readonly event: SimulatedEvent
  readonly network: Network
  readonly notices: Notices
  /** Something that must never be. */
  find(rule: string, ...evidence: unknown[]): void
  /** Whether a view is what the journal says at its seq. */
  judgeView(rule: string, name: string, view: CommittedView): void
}

/** What a node is built of; a test gives a store with a bug in it. */
export interface NodeParts {
  store(store: SimulatedStore): EventStore
}

/** One node: real lanes and real jobs, on a simulated database, bus and time. */
export class SimulatedNode {
  readonly index: number
  process: Process
  /** Of all its lives. */
  tasks = 0
  told: Told
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
    this.told = new Told(world, '')
    this.process = new Process('')
    this.start()
  }

  start(): void {
    const { scheduler, database, network, notices } = this.#world
    this.#lives += 1
    const process = new Process(`n${this.index}.${this.#lives}`)
    this.process = process
    const time = scheduler.timeOf(process, this.#clock)
    const work = new SimulatedStore({ database, network, process, time })
    const told = new Told(this.#world, process.name)
    this.told = told
    const log = this.#log()
    const bus = notices.create(process)
    notices.listen(bus)
    this.feed = new LiveFeed(time)
    const lanes = new Lanes({
      store: this.#heardBy(told, this.#parts.store(work)),
      time,
      bus,
      log,
      followers: [told, this.feed],
      onBatch: () => {},
      onCommitted: () => {},
      onExpiry: inMs => this.#reaper.wakeIn(inMs + 5),
    })
    const newId = () => this.#random.hex(16)
    this.#lanes = lanes
    this.#store = work
    const clock = { elapsed: time.now }
    this.#reaper = new Reaper({ work, lanes, time, clock, log, onRun: () => {}, newId })
    this.#cancelledEvents = new CancelledEvents({ work, lanes, time, log, newId })
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

  async read(): Promise<CommittedView | null> {
    return (await this.#lanes.read(EVENT.scope, EVENT.eventId))?.view ?? null
  }

  lostUpTo(): number {
    return this.#lanes.lostUpTo(EVENT.scope, EVENT.eventId)
  }

  async readJournal(since: number, count: number): Promise<readonly Change[] | null> {
    let read: readonly Change[] | null = null
    await this.#store.look(EVENT, async seen => {
      read = (await seen.continueJournal({ seq: since, tip: null }, count))?.changes ?? null
    })
    return read
  }

  get lane(): Lane {
    return this.#lanes.lane(EVENT.scope, EVENT.eventId)
  }

  get view(): CommittedView | null {
    return this.#lanes.inMemory(EVENT.scope, EVENT.eventId)
  }

  /** The wall clock of the node, which nothing should depend on. */
  get wallClock(): number {
    return Math.floor(BEGINNING + this.#world.scheduler.now + this.wallClockOffset)
  }

  /** Those who follow an event begin with what is loaded first. */
  #heardBy(told: Told, store: EventStore): EventStore {
    return {
      load: async event => {
        const hot = await store.load(event)
        if (hot) told.begin(hot.state.seq)
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

/** What the followers of one lane have heard. */
export class Told implements Follower {
  /** The changes since they last began, and where that was. */
  changes: Change[] = []
  from: number | null = null
  startedAgain = 0
  readonly #world: Surroundings
  readonly #name: string
  #epoch = 0

  constructor(world: Surroundings, name: string) {
    this.#world = world
    this.#name = name
  }

  get seq(): number | null {
    return this.changes.at(-1)?.seq ?? this.from
  }

  begin(seq: number): void {
    this.from ??= seq
  }

  heard(fact: Fact, view: CommittedView): void {
    const world = this.#world
    const { epoch } = view.epochPoint
    if (fact.kind === 'start_again') {
      this.startedAgain += 1
      const isLost = (change: Change) =>
        JSON.stringify(world.event.journal[change.seq - 1]?.change) !== JSON.stringify(change)
      if (epoch <= this.#epoch && this.changes.some(isLost)) {
        world.find('a new epoch tells of what was lost', this.#name, epoch, this.#epoch)
      }
      this.#epoch = epoch
      this.changes = []
      this.from = fact.seq
      return
    }
    this.#epoch = epoch
    for (const change of fact.changes) {
      if (this.seq !== null && change.seq !== this.seq + 1) {
        world.find('followers hear each change once and in order', this.#name, this.seq, change)
      }
      if (!world.event.everCommitted.has(JSON.stringify(change))) {
        world.find('followers hear of nothing before its commit', this.#name, change)
      }
      this.changes.push(change)
    }
    if (view.seq !== this.seq) {
      world.find('followers are told all that is in memory', this.#name, view.seq, this.seq)
    }
    world.judgeView('the view at a fact is what the journal says', this.#name, view)
  }
}
