import { Random } from '../random.ts'

/** These can go wrong in a run. */
export const FAULTS = [
  'crash',
  'freeze',
  'lost commits',
  'lost answers',
  'late commits',
  'broken connections',
  'slow calls',
  'lost notices',
  'clocks',
  'failover',
  'stuck event',
] as const
export type Fault = (typeof FAULTS)[number]

/** Everything that a run follows from. */
export interface Plan {
  readonly seed: number
  readonly events: number
  readonly nodes: number
  readonly buyers: number
  /** Each buyer gives so many commands. */
  readonly commands: number
  readonly faults: readonly Fault[]
  /** So many readers follow the live feed. */
  readonly readers: number
  /** Buyers and staff ask without a pause, so that commands always wait. */
  readonly rush: boolean
  /** The hall has a wheelchair place, a companion seat and a table, and no order may leave a seat alone. */
  readonly seatRules: boolean
}

export function planFor(seed: number): Plan {
  const random = new Random(seed, 3)
  // A third of the runs is calm or nearly so: then few excuses are left.
  const likely = random.pick([0, 0.1, 0.3, 0.3, 0.5, 0.5])
  const plan = {
    seed,
    nodes: random.pick(NODES),
    buyers: random.pick(BUYERS),
    commands: random.pick(COMMANDS),
    faults: FAULTS.filter(fault => random.chance(fault === 'failover' ? likely / 2 : likely)),
    readers: random.pick(READERS),
    events: random.pick(EVENTS),
    rush: random.chance(RUSHES),
    seatRules: random.chance(SEAT_RULES),
  }
  return plan.rush ? { ...plan, ...RUSH } : plan
}

/** Most runs are small: what goes wrong between two nodes is found sooner in many of them. Some are large. */
const NODES = [2, 2, 2, 2, 2, 3, 3, 4, 5]
const BUYERS = [2, 2, 2, 2, 3, 3, 4, 6]
const COMMANDS = [2, 2, 2, 3, 3, 4, 6]
const READERS = [0, 0, 0, 1, 1, 2]
const EVENTS = [1, 1, 1, 2]
const RUSHES = 0.03
const SEAT_RULES = 0.4
const RUSH = { nodes: 1, buyers: 6, commands: 12, events: 1, faults: [] }

/** The caller chooses these instead of the seed. */
export type PlanWishes = Partial<Omit<Plan, 'seed'>>

export function planWith(seed: number, wishes: PlanWishes): Plan {
  return { ...planFor(seed), ...wishes }
}

export function commandLineOf(plan: Plan): string {
  const { seed, nodes, buyers, commands, readers, events, faults } = plan
  const chosen = faults.length === 0 ? 'none' : faults.map(fault => fault.replace(' ', '-')).join()
  return `npm run simulate -- --seed ${seed} --seeds 1 --nodes ${nodes} --buyers ${buyers} --commands ${commands} --readers ${readers} --events ${events} --faults ${chosen}${plan.rush ? ' --rush' : ''} --seat-rules ${plan.seatRules ? 'yes' : 'no'}`
}
