import type { CheckoutOptions } from '../crowd/checkout/programme.ts'
import type { Workload } from '../crowd/workloads.ts'
import type { FaultName } from '../nemesis/nemesis.ts'

/** One place of the source, and what stands there instead. */
export interface Patch {
  /** From the root of the repository. */
  readonly file: string
  /** Occurs exactly once. */
  readonly find: string
  readonly by: string
}

/** The scenario shows a mutant in as short a run as can be. */
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
  /** Buyers pay as well, at a bad gateway: the books are judged. */
  readonly checkouts?: CheckoutOptions
}

/** A bug that we say we do not have. */
export interface Mutant {
  readonly name: string
  /** The patched engine does this wrong. */
  readonly about: string
  readonly patches: readonly Patch[]
  /** A fault run of this scenario shows it. Null: only the simulator does (docs/simulator.md). */
  readonly scenario: ScenarioName | null
  /** Guards behind the one that is gone: taken away as well, or left to raise the alarm. */
  readonly second: string
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
  | 'books'
