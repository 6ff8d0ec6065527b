import type { CommandId, EventId } from '@voelgoed/core/ids'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import type { AnsweredHold, Line } from '../judge/history.ts'
import { Random } from '../random.ts'
import { Browser } from './browser.ts'
import { Notices } from './bus.ts'
import { SimulatedDatabase } from './database.ts'
import { EVENTS, HALL, HALL_WITH_RULES } from './hall.ts'
import { digestOf, imageOf } from './image.ts'
import { Network } from './network.ts'
import { type NodeParts, SimulatedNode } from './node.ts'
import type { Plan } from './plan.ts'
import { type Process, Scheduler } from './scheduler.ts'
import { BEGINNING, type SimulatedEvent } from './simulated-event.ts'

/** Something that must never be. */
export interface Finding {
  readonly rule: string
  readonly evidence: readonly unknown[]
}

/** One run: the nodes, the database they share, and what was asked and heard. */
export class World {
  readonly plan: Plan
  readonly scheduler: Scheduler
  readonly database: SimulatedDatabase
  readonly events: readonly SimulatedEvent[]
  readonly network: Network
  readonly notices: Notices
  readonly nodes: readonly SimulatedNode[]
  readonly browsers: readonly Browser[]
  readonly lines: Line[] = [{ type: 'clock', from: 0, to: 0, database: BEGINNING }]
  readonly findings: Finding[] = []
  /** The commands that each operation gave. */
  readonly commands = new Map<number, readonly CommandId[]>()
  /** Each buyer has these holds in each event, for others to try. */
  readonly holdsOf = new Map<string, { buyer: number; event: EventId; holds: readonly AnsweredHold[] }>()
  /** Counts how often the event's lock was given away between each question and its answer. */
  readonly turns = new Map<number, number>()
  /** When the faults ended, and when the jobs of the nodes did, by the database's clock. */
  healedAt = Number.POSITIVE_INFINITY
  restedAt = Number.POSITIVE_INFINITY
  /** The database has lost these, and they were committed and lost between these moments. */
  lost: Lost | null = null
  readonly #harm: Random
  #harms: Harm[] = []
  #loseAfter: number | null = null
  #operations = 0

  constructor(plan: Plan, parts: NodeParts) {
    const { seed, faults } = plan
    this.plan = plan
    this.scheduler = new Scheduler(seed)
    this.database = new SimulatedDatabase(this.scheduler)
    const hall = plan.seatRules ? HALL_WITH_RULES : HALL
    this.events = EVENTS.slice(0, plan.events).map(address => this.database.open(address, hall))
    this.network = new Network(seed, {
      lostCommits: faults.includes('lost commits'),
      lostAnswers: faults.includes('lost answers'),
      lateCommits: faults.includes('late commits'),
      brokenConnections: faults.includes('broken connections'),
      slowCalls: faults.includes('slow calls'),
    })
    this.notices = new Notices(this.scheduler, seed, faults.includes('lost notices'))
    this.nodes = Array.from({ length: plan.nodes }, (_, index) => new SimulatedNode(this, index, parts))
    this.browsers = Array.from({ length: plan.readers }, (_, index) => new Browser(this, index))
    this.#harm = new Random(seed, 4)
    this.#harms = this.#planHarms()
    this.scheduler.onTask = process => this.#harmAt(process)
  }

  find(rule: string, ...evidence: unknown[]): void {
    this.findings.push({ rule, evidence })
  }

  eventOf(eventId: string): SimulatedEvent {
    return this.events.find(({ address }) => address.eventId === eventId)!
  }

  judgeView(rule: string, name: string, { seq, state, point, eventId }: CommittedView): void {
    const event = this.eventOf(eventId)
    const entry = event.journal[seq - 1]
    // A commit that the database lost since is not in the journal to be compared with.
    if (this.lost && entry?.command !== point.tip) return
    if (entry && digestOf(state) === event.digestAt(seq)) return
    this.find(rule, name, imageOf(state), entry ? imageOf(event.stateAt(seq)) : null)
  }

  strangersHolds(buyer: number, event: EventId): AnsweredHold[] {
    return [...this.holdsOf.values()].flatMap(known =>
      known.buyer === buyer || known.event !== event ? [] : known.holds,
    )
  }

  newOperation(): number {
    this.#operations += 1
    return this.#operations
  }

  /** Faults end here: what was broken comes back, and what then is must be right. */
  heal(): void {
    this.healedAt = this.database.now
    this.network.heal()
    this.notices.heal()
    this.#harms = []
    this.#loseAfter = null
    for (const node of this.nodes) {
      node.process.frozenUntil = 0
      if (!node.process.isAlive) node.start()
    }
  }

  #planHarms(): Harm[] {
    const random = this.#harm
    const harms: Harm[] = []
    const { faults, nodes } = this.plan
    if (faults.includes('crash')) {
      for (let times = random.between(1, 3); times > 0; times -= 1) {
        harms.push({ kind: 'crash', node: random.below(nodes), after: random.between(1, 60) })
      }
    }
    if (faults.includes('freeze')) {
      for (let times = random.between(1, 3); times > 0; times -= 1) {
        harms.push({ kind: 'freeze', node: random.below(nodes), after: random.between(1, 60) })
      }
    }
    if (faults.includes('failover')) this.#loseAfter = random.between(4, 12)
    if (faults.includes('stuck event')) this.#stick(random)
    return harms
  }

  /** A stranger takes the lock of the first event, and keeps it for longer than a lane waits for it. */
  #stick(random: Random): void {
    const stranger = this.database.begin('a stranger', this.events[0]!.address)
    const keepsMs = 300 + random.next() * 1_500
    this.scheduler.schedule(random.next() * 1_000, null, 'a stranger asks for the lock', () => {
      const keep = () =>
        void this.scheduler.schedule(keepsMs, null, 'a stranger ends', () => this.database.end(stranger))
      this.events[0]!.lock(stranger, 60_000, keep, () => {})
    })
  }

  #harmAt(process: Process): void {
    if (this.#harms.length > 0) {
      const node = this.nodes.find(one => one.process === process)
      if (node) this.#harmNode(node)
    }
    if (this.#loseAfter !== null && this.database.written > this.#loseAfter) {
      this.#loseAfter = null
      this.#failOver()
    }
  }

  #harmNode(node: SimulatedNode): void {
    const { process } = node
    node.tasks += 1
    const due = this.#harms.filter(harm => harm.node === node.index && harm.after <= node.tasks)
    if (due.length === 0) return
    this.#harms = this.#harms.filter(harm => !due.includes(harm))
    for (const { kind } of due) {
      if (kind === 'crash') this.#crash(node)
      else {
        this.scheduler.note(process.name, 'freezes')
        process.frozenUntil = this.scheduler.now + 50 + this.#harm.next() * 3_000
      }
    }
  }

  #crash(node: SimulatedNode): void {
    const { process } = node
    process.isAlive = false
    this.scheduler.note(process.name, 'crashes')
    for (const browser of this.browsers) browser.died(process)
    const within = this.#harm.chance(0.3) ? 1_000 : 20
    this.scheduler.schedule(this.#harm.next() * within, null, `${process.name} is gone`, () =>
      this.database.endAllOf(process.name),
    )
    this.scheduler.schedule(20 + this.#harm.next() * 1_500, null, `${process.name} comes back`, () => {
      if (!node.process.isAlive) node.start()
    })
  }

  #failOver(): void {
    const lost = this.database.lose(this.#harm.between(1, 3))
    if (!lost) return
    this.database.endAll()
    const to = this.scheduler.now
    this.lost = { from: lost.since, to, commands: lost.commands }
    this.scheduler.note('-', 'the database loses its last commits')
  }
}

export interface Lost {
  readonly from: number
  readonly to: number
  readonly commands: ReadonlySet<CommandId>
}

interface Harm {
  readonly kind: 'crash' | 'freeze'
  readonly node: number
  /** Tasks of the node, over all of its lives. */
  readonly after: number
}
