import type { Change } from '@voelgoed/core/event/change'
import type { CommandId } from '@voelgoed/core/ids'
import type { FastifyBaseLogger } from 'fastify'
import { type HotEvent, pointOf } from '../../../server/src/lane/hot-event.ts'
import { Lane } from '../../../server/src/lane/lane.ts'
import type { EventStore } from '../../../server/src/lane/store.ts'
import { isSamePoint } from '../../../server/src/postgres/tables/ledger.ts'
import type { Time } from '../../../server/src/time.ts'
import { Random } from '../../random.ts'
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
  readonly nodes: readonly SimulatedNode[]
  /** Something that must never be. */
  find(rule: string, ...evidence: unknown[]): void
}

/** What a node is built of; a test gives a store with a bug in it. */
export interface NodeParts {
  store(store: SimulatedStore): EventStore
}

/** As in server/src/lane/lanes.ts. */
const LOOK_EVERY_MS = 2_000
const REAP_EVERY_MS = 700

/** One node with one event: the real lane, and around it what `Lanes` and the reaper do for it. */
export class SimulatedNode {
  readonly index: number
  process: Process
  /** Of all its lives. */
  tasks = 0
  /** No notice of another node is lost or late. */
  hearsAll: boolean
  isStopped = false
  told: Told
  readonly #world: Surroundings
  readonly #parts: NodeParts
  readonly #random: Random
  readonly #clock: { readonly origin: number; readonly rate: number }
  readonly wallClockOffset: number
  #store!: SimulatedStore
  #time!: Time
  #lane: Lane | null = null
  #lives = 0

  constructor(world: Surroundings, index: number, parts: NodeParts) {
    const { seed, faults } = world.plan
    this.#world = world
    this.#parts = parts
    this.index = index
    this.#random = new Random(seed, 10 + index)
    const isOff = faults.includes('clocks')
    this.hearsAll = !faults.includes('lost notices')
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
    const world = this.#world
    this.#lives += 1
    const process = new Process(`n${this.index}.${this.#lives}`)
    this.process = process
    this.#time = world.scheduler.timeOf(process, this.#clock)
    const { database, network } = world
    this.#store = new SimulatedStore({ database, network, process, time: this.#time })
    this.#lane = null
    this.#every(LOOK_EVERY_MS, 'looks', () => void this.#look(process))
    this.#every(REAP_EVERY_MS, 'reaps', () => void this.#reap(process))
  }

  /** The lane of the event, as `Lanes` keeps it. */
  get lane(): Lane {
    this.#lane ??= this.#newLane()
    return this.#lane
  }

  get hot(): HotEvent | null {
    return this.#lane?.hot ?? null
  }

  hears(seq: number): void {
    const { hot } = this
    if (hot && hot.state.seq < seq) void this.lane.sync()
  }

  /** The wall clock of the node, which nothing should depend on. */
  get wallClock(): number {
    return Math.floor(BEGINNING + this.#world.scheduler.now + this.wallClockOffset)
  }

  #newLane(): Lane {
    const world = this.#world
    const { process } = this
    const told = new Told(world, process.name)
    this.told = told
    const store = this.#parts.store(this.#store)
    return new Lane(EVENT.scope, EVENT.eventId, {
      store: {
        load: async event => {
          const hot = await store.load(event)
          if (hot) told.begin(hot.state.seq)
          return hot
        },
        locked: (event, keys, script) => store.locked(event, keys, script),
        look: (event, script) => store.look(event, script),
        readJournal: (event, from, count) => store.readJournal(event, from, count),
        hasTrace: (event, trace) => store.hasTrace(event, trace),
        prove: (event, keyHash) => store.prove(event, keyHash),
      },
      time: this.#time,
      log: this.#log(),
      watch: {
        batch: () => {},
        lost: () => {},
        ended: lane => {
          if (this.#lane === lane) this.#lane = null
        },
        advanced: (_lane, hot, changes) => told.hear(hot, changes),
        committed: (_lane, seq) => this.#announce(seq),
      },
    })
  }

  /** Faults of the database are no bugs of the lane; whatever it logs as an error is one. */
  #log(): FastifyBaseLogger {
    const error = (fields: object, message: string) => {
      const { err } = fields as { err?: Error }
      this.#world.find(`the lane logs: ${message}`, err?.message ?? fields)
    }
    return { error, warn: () => {}, info: () => {}, debug: () => {} } as unknown as FastifyBaseLogger
  }

  #announce(seq: number): void {
    const { scheduler, nodes } = this.#world
    for (const node of nodes) {
      if (node === this) continue
      const isLost = !node.hearsAll && this.#random.chance(0.4)
      const isLate = !node.hearsAll && this.#random.chance(0.3)
      const ms = 0.5 + this.#random.next() * (isLate ? 3_000 : 10)
      if (!isLost) scheduler.schedule(ms, node.process, 'hears of a change', () => node.hears(seq))
    }
  }

  #every(ms: number, what: string, run: () => void): void {
    const { process } = this
    const again = () => {
      if (this.isStopped) return
      run()
      this.#world.scheduler.schedule(ms, process, what, again)
    }
    this.#world.scheduler.schedule(this.#random.next() * ms, process, what, again)
  }

  /** The backstop of the notices. */
  async #look(process: Process): Promise<void> {
    const { scheduler, network, event } = this.#world
    if (!this.hot) return
    await scheduler.sleep(network.delay(), 'a point is read')
    const point = event.ledger()
    scheduler.schedule(network.delay(), process, 'hears: point', () => {
      const { hot } = this
      if (hot && this.lane.isIdle && !isSamePoint(pointOf(hot), point)) void this.lane.sync()
    })
  }

  async #reap(process: Process): Promise<void> {
    const { scheduler, network, event } = this.#world
    await scheduler.sleep(network.delay(), 'due holds are looked for')
    const { nextExpiry, now } = event.ledger()
    if (nextExpiry === null || nextExpiry > now) return
    scheduler.schedule(network.delay(), process, 'expires holds', () => {
      void this.lane.submit({
        kind: 'expire',
        commandId: `${process.name} ${scheduler.steps}` as CommandId,
        actor: { person: null, ip: null, source: 'system' },
        limit: 100,
      })
    })
  }
}

/** What the followers of one lane have heard. */
export class Told {
  /** The changes since they last began, and where that was. */
  changes: Change[] = []
  from: number | null = null
  startedAgain = 0
  readonly #world: Surroundings
  readonly #name: string

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

  hear(hot: HotEvent, changes: readonly Change[] | null): void {
    const world = this.#world
    if (changes === null) {
      this.startedAgain += 1
      this.changes = []
      this.from = hot.state.seq
      return
    }
    for (const change of changes) {
      if (this.seq !== null && change.seq !== this.seq + 1) {
        world.find('followers hear each change once and in order', this.#name, this.seq, change)
      }
      if (!world.event.everCommitted.has(JSON.stringify(change))) {
        world.find('followers hear of nothing before its commit', this.#name, change)
      }
      this.changes.push(change)
    }
    if (hot.state.seq !== this.seq) {
      world.find('followers are told all that is in memory', this.#name, hot.state.seq, this.seq)
    }
  }
}
