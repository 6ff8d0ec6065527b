import type { RequestLogin } from '@voelgoed/kit/postgres/request-login'

/** One node in this process (single-node.ts) stands behind the port, or workers (keeper/keeper.ts). */
export interface Serving {
  /** Resolves when it accepts requests. */
  start(database: ServedDatabase): Promise<Served>
  /** Starts again without refusing a connection, where there are processes to do it one after another. */
  restart?(): void
  /**
   * Says that it is leaving and goes on for `drainSeconds`; then it stops accepting, and finishes what is in
   * flight within a bound. Also before it has started.
   */
  stop(drainSeconds: number): Promise<void>
  /** Ends the waiting of a stop that is under way. */
  hurry(): void
}

export interface Served {
  readonly address: string
  /** Metrics have this address of their own; null: they have none. */
  readonly metricsAddress: string | null
  /** It tells a person who has just started it how to go on. */
  readonly guide: readonly string[]
}

export interface ServedDatabase {
  /** As its owner. */
  readonly url: string
  readonly isEmbedded: boolean
  readonly requestLogin: RequestLogin | null
}
