import type { CommandId } from '@voelgoed/core/ids'
import type { CommittedView } from '../../../server/src/lane/committed-view.ts'
import type { AnsweredHold, Line } from '../../checker/history.ts'
import { Random } from '../../random.ts'
import { Browser } from './browser.ts'
import { Notices } from './bus.ts'
import { BEGINNING, SimulatedDatabase, type SimulatedEvent } from './database.ts'
import { EVENT, HALL } from './hall.ts'
import { imageOf } from './image.ts'
import { Network } from './network.ts'
import { type NodeParts, SimulatedNode } from './node.ts'
import type { Plan } from './plan.ts'
import { type Process, Scheduler } from './scheduler.ts'

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
  readonly event: SimulatedEvent
  readonly network: Network
  readonly notices: Notices
  readonly nodes: readonly SimulatedNode[]
  readonly browsers: readonly Browser[]
  readonly lines: Line[] = [{ type: 'clock', from: 0, to: 0, database: BEGINNING }]
  readonly findings: Finding[] = []
  /** The command that each operation gave. */
  readonly commands = new Map<number, CommandId>()
  /** What each buyer has, for others to try. */
  readonly holdsOf = new Map<number, readonly AnsweredHold[]>()
  /** What the database has lost, and between which moments it was committed and lost. */
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
    this.event = this.database.open(EVENT, HALL)
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

  judgeView(rule: string, name: string, { seq, state, point }: CommittedView): void {
    const entry = this.event.journal[seq - 1]
    // What the database has lost since can't be compared.
    if (this.lost && entry?.command !== point.tip) return
    const [seen, journal] = [imageOf(state), entry ? this.event.imageAt(seq) : null]
    if (seen !== journal) this.find(rule, name, seen, journal)
  }

  strangersHolds(buyer: number): AnsweredHold[] {
    return [...this.holdsOf].flatMap(([index, holds]) => (index === buyer ? [] : holds))
  }

  newOperation(): number {
    this.#operations += 1
    return this.#operations
  }

  /** Faults end here: what was broken comes back, and what then is must be right. */
  heal(): void {
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
    return harms
  }

  #harmAt(process: Process): void {
    const node = this.nodes.find(one => one.process === process)
    if (node) {
      node.tasks += 1
      const due = this.#harms.filter(harm => harm.node === node.index && harm.after <= node.tasks)
      this.#harms = this.#harms.filter(harm => !due.includes(harm))
      for (const { kind } of due) {
        if (kind === 'crash') this.#crash(node)
        else {
          this.scheduler.note(process.name, 'freezes')
          process.frozenUntil = this.scheduler.now + 50 + this.#harm.next() * 3_000
        }
      }
    }
    if (this.#loseAfter !== null && this.event.commits.length > this.#loseAfter) {
      this.#loseAfter = null
      this.#failOver()
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
    const lost = this.event.lose(this.#harm.between(1, 3))
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
