import type { Hall } from '@voelgoed/core/allocation/hall'
import type { SeatColumns } from '@voelgoed/core/allocation/seat-columns'
import type { EventStatus } from '@voelgoed/core/event/lifecycle'
import type { SeatNames } from '@voelgoed/core/event/seat-names'
import type { SeatMap } from '@voelgoed/core/event/state'
import type { EventId, LayoutId } from '@voelgoed/core/ids'
import type { Zone } from '@voelgoed/core/layout/model'
import type { Overlay } from '@voelgoed/core/layout/overlay'
import type { SeatingOverrides, SeatingPolicy } from '@voelgoed/core/policy'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/** The engine asks this of those who keep events and their layouts. */
export interface EventSource {
  /** Null: there is no such event. */
  findEvent(tx: TenantTx, eventId: EventId): Promise<KeptEvent | null>
  /** The organization's. */
  readPolicy(tx: TenantTx): Promise<SeatingPolicy>
  /** As the layout has them, in its order. */
  readZones(tx: TenantTx, layoutId: LayoutId, layoutVersion: number): Promise<Zone[]>
  /** Null: there is no such version any more. */
  readSeats(tx: TenantTx, layoutId: LayoutId, layoutVersion: number): Promise<LayoutSeats | null>
}

export interface OnLayout {
  readonly layoutId: LayoutId
  readonly layoutVersion: number
  /**
   * When that version was made: Postgres may lose one, and have another with the same number later. What is
   * kept of a version is kept under both.
   */
  readonly layoutMadeAt: Date
}

/** An event as its organizer has written it. */
export interface KeptEvent extends OnLayout {
  readonly id: EventId
  readonly status: EventStatus
  readonly saleStart: Date | null
  readonly saleEnd: Date | null
  readonly startsAt: Date | null
  /** In order. */
  readonly days: readonly { readonly date: string; readonly starts_at: string | null }[]
  readonly overlay: Overlay
  readonly seatingOverrides: SeatingOverrides
  /** It was published once. */
  readonly wasOnSale: boolean
}

/** A layout version says this of its seats: what the state machine wants, and how people call them. */
export interface LayoutSeats {
  readonly madeAt: Date
  /** The keys of the price categories, as the hall counts them. */
  readonly prices: readonly string[]
  /** The hall is made of these: that takes long, and should wait until the transaction has ended. */
  readonly columns: SeatColumns
  mapOf(hall: Hall): { map: SeatMap; rows: SeatNames<string>; numbers: SeatNames<number | string> }
}
