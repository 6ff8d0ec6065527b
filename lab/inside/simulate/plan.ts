import { Random } from '../../random.ts'

/** What can go wrong in a run. */
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
] as const
export type Fault = (typeof FAULTS)[number]

/** Everything that a run follows from. */
export interface Plan {
  readonly seed: number
  readonly nodes: number
  readonly buyers: number
  /** Of each buyer. */
  readonly commands: number
  readonly faults: readonly Fault[]
  /** Of the live feed. */
  readonly readers: number
}

export function planFor(seed: number): Plan {
  const random = new Random(seed, 3)
  // A third of the runs is calm or nearly so: then few excuses are left.
  const likely = random.pick([0, 0.1, 0.3, 0.3, 0.5, 0.5])
  return {
    seed,
    nodes: random.between(2, 5),
    buyers: random.between(2, 6),
    commands: random.between(2, 6),
    faults: FAULTS.filter(fault => random.chance(fault === 'failover' ? likely / 2 : likely)),
    readers: random.between(0, 2),
  }
}

/** What the caller chooses instead of the seed. */
export type PlanWishes = Partial<Omit<Plan, 'seed'>>

export function planWith(seed: number, wishes: PlanWishes): Plan {
  return { ...planFor(seed), ...wishes }
}

export function commandLineOf({ seed, nodes, buyers, commands, readers, faults }: Plan): string {
  const chosen = faults.length === 0 ? 'none' : faults.map(fault => fault.replace(' ', '-')).join()
  return `npm run simulate -- --seed ${seed} --seeds 1 --nodes ${nodes} --buyers ${buyers} --commands ${commands} --readers ${readers} --faults ${chosen}`
}
