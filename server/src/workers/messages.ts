import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { AddressLimit } from '../accounts/address-limits.ts'
import type { DrainReason } from '../node.ts'
import type { ServedDatabase } from '../serving.ts'

/** All metrics of one process. */
export type Figures = MetricObjectWithValues<MetricValue<string>>[]

export type ToWorker =
  /** The database is prepared: start a node, and make the demo if you are the one who does. */
  | {
      readonly kind: 'begin'
      readonly number: number
      readonly count: number
      readonly seedsDemo: boolean
      readonly database: ServedDatabase
    }
  | { readonly kind: 'listen' }
  | { readonly kind: 'take_jobs' }
  | { readonly kind: 'leave'; readonly why: DrainReason; readonly drainSeconds: number }
  /** Leave without waiting any longer. */
  | { readonly kind: 'hurry' }
  | { readonly kind: 'tell_figures'; readonly id: number }
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string }
  /** The seconds to wait, one for each that was asked about; null: allowed. */
  | { readonly kind: 'waits'; readonly id: number; readonly waits: readonly (number | null)[] }

export type ToKeeper = OfItself | OfTheServer

/** How far the worker is. */
export type OfItself =
  /** It has loaded its code and listens to the keeper; what is said to a worker before that is lost. */
  | { readonly kind: 'loaded' }
  | { readonly kind: 'started' }
  | { readonly kind: 'serving'; readonly address: string; readonly guide: readonly string[] }
  /** It could not start; the text is for the operator. */
  | { readonly kind: 'failed'; readonly text: string }
  /** What the keeper asked for. */
  | { readonly kind: 'figures'; readonly id: number; readonly figures: Figures }

export type OfTheServer =
  | { readonly kind: 'say'; readonly line: string }
  | { readonly kind: 'last_figures'; readonly figures: Figures }
  | { readonly kind: 'read_metrics'; readonly id: number }
  | { readonly kind: 'take'; readonly id: number; readonly takes: readonly Taken[] }
  | { readonly kind: 'give_back'; readonly taken: Taken }

export type Taken = readonly [limit: AddressLimit, addressKey: string]
