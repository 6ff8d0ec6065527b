import type { Percentiles } from '../load/percentiles.ts'

/** The messages between the process of the baselines and the bench that measures it, a line of JSON each. */
export type BaselineCommand =
  | { readonly prepare: { readonly eventIds: readonly string[]; readonly seatIds: readonly string[] } }
  | { readonly drive: DriveOrder }

export interface BaselineTold {
  readonly ports?: { readonly empty: number; readonly rowLock: number; readonly redis: number | null }
  readonly prepared?: true
  readonly driven?: DriveFigures
}

export type Variant = 'redis' | 'rowLock'

export interface DriveOrder {
  readonly variant: Variant
  readonly concurrent: number
  readonly seconds: number
  readonly eventIds: readonly string[]
  readonly seatIds: readonly string[]
}

export interface DriveFigures extends Percentiles {
  readonly holds: number
  readonly seconds: number
  readonly perSecond: number
}
