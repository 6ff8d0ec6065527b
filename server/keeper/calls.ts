import type { AddressLimit } from '@voelgoed/kit/http/address-limits'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { DrainReason } from '../node/node-deps.ts'
import type { Served, ServedDatabase } from './serving.ts'

/** All metrics of one process. */
export type Figures = MetricObjectWithValues<MetricValue<string>>[]

export type Taken = readonly [limit: AddressLimit, addressKey: string]

export interface Beginning {
  readonly number: number
  readonly count: number
  readonly seedsDemo: boolean
  readonly database: ServedDatabase
}

export type ServedByOne = Omit<Served, 'metricsAddress'>

/** A worker does these when its keeper asks. If it can't, the text is for the operator. */
export interface WorkerCalls {
  /** The database is prepared: start a node, and make the demo if you are the one who does. */
  begin(beginning: Beginning): Promise<void>
  listen(): Promise<ServedByOne>
  takeJobs(): void
  leave(why: DrainReason, drainSeconds: number): Promise<void>
  /** Leave without waiting any longer. */
  hurry(): void
  figures(): Promise<Figures>
}

/** The keeper does these when a worker asks. */
export interface KeeperCalls {
  /** The worker has loaded its code and listens; what is said to it before that is lost. */
  loaded(): void
  say(line: string): void
  /** A worker that is about to end sends them. */
  lastFigures(figures: Figures): void
  /** The metrics of all workers. */
  metrics(): Promise<string>
  /** The seconds to wait, one for each that was asked about; null: allowed. */
  take(takes: readonly Taken[]): readonly (number | null)[]
  giveBack(taken: Taken): void
}
