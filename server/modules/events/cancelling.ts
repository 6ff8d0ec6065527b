import type { EventId } from '@voelgoed/core/ids'
import type { EventAddress } from '@voelgoed/engine/ports/store'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/** Checkout, which is above events, ends the holds of a cancelled event and gives the money back. */
export interface Cancelling {
  /** The transaction that cancels the event calls this. */
  begin(tx: TenantTx, eventId: EventId, by: string): Promise<void>
  /** The node calls this when that is committed. */
  wake(): void
  /** Resolves when none of its holds is left, or when this node can't go on: then a later look does. */
  endHolds(event: EventAddress): Promise<void>
  /** Says why a cancelled event is not to be archived yet; null: nothing is left to refund. */
  refundsLeft(tx: TenantTx, eventId: EventId): Promise<string | null>
}
