import type { FaultName } from '../faults/nemesis.ts'
import type { Workload } from '../faults/workloads.ts'

/** One place of the source, and what stands there instead. */
export interface Patch {
  /** From the root of the repository. */
  readonly file: string
  /** Occurs exactly once. */
  readonly find: string
  readonly by: string
}

/** What shows a mutant, as briefly as can be. */
export interface Scenario {
  readonly workloads: readonly Workload[]
  readonly faults: readonly FaultName[]
  readonly seconds: number
  readonly clients: number
  readonly thinkMs: number
  /** null: the nodes' reapers are off. */
  readonly tidyWithinMs: number | null
  /** The nodes have a Redis. */
  readonly withRedis?: true
  /** And the gate in front of the lock. */
  readonly withGate?: true
}

/** A bug that we say we do not have. */
export interface Mutant {
  readonly name: string
  /** What the patched engine does wrong. */
  readonly about: string
  readonly patches: readonly Patch[]
  /** Of a fault run. Null: only the simulator shows it (docs/simulator.md). */
  readonly scenario: ScenarioName | null
  /** Guards behind the one that is gone: taken away as well, or left to raise the alarm. */
  readonly second: string
}

/** A bug that neither a fault run nor the simulator shows: a test does. */
export interface TestedMutant extends Pick<Mutant, 'name' | 'about' | 'patches'> {
  /** It fails on the patched source. */
  readonly test: string
  /** `npm run faults -- checkout --mutants` shows it as well. */
  readonly byCheckouts?: true
}

export type ScenarioName =
  | 'race'
  | 'places'
  | 'groups'
  | 'mixed'
  | 'sale'
  | 'churn'
  | 'hoarding'
  | 'fewer places'
  | 'signing in'
  | 'cancelling'
  | 'churn without reapers'
  | 'churn and lost commits'
  | 'late commits'
  | 'lost commits'
  | 'lost answers'
  | 'slow line'
  | 'failover'
  | 'clock'
  | 'redis jitter'
  | 'redis away'
  | 'redis restored'
  | 'redis and failover'
  | 'redis without reapers'
  | 'redis and cancelling'
  | 'redis gate'
