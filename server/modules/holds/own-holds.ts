import type { HoldAnswer, Stranding } from '@voelgoed/core/event/decision'
import { answerOf } from '@voelgoed/core/event/decision'
import { livingHolds } from '@voelgoed/core/event/rules/cart'
import { cartWarning } from '@voelgoed/core/event/rules/stranding'
import type { CheckoutId, EventId, UserId } from '@voelgoed/core/ids'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { findLivingHolds, type LivingHoldRow, questionOf } from '@voelgoed/engine/tables/holds'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import { databaseNow } from '@voelgoed/engine/view/hot-event'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { AskTogether } from '@voelgoed/kit/postgres/ask-together'
import type { TenantDoor } from '@voelgoed/kit/postgres/database'

/** A person holds this in an event; `view` has the hall to tell them of it. */
export interface OwnHoldsRead {
  readonly view: CommittedView
  readonly holds: readonly HoldAnswer[]
  readonly warning: Stranding | null
  /** The checkout that one of them is in payment with. */
  readonly inPayment: CheckoutId | null
  /** The event was at this seq. Null: the holds are Postgres' own, and may be newer than the view. */
  readonly seq: number | null
  readonly now: number
}

/**
 * A person's holds as they read them: at least as new as what they did last, on whichever node that was.
 * Memory answers as soon as it is that far. Where it can not get so far in time, the rows of Postgres do:
 * they need no lock of the event.
 */
export class OwnHolds {
  readonly #lanes: Pick<Lanes, 'readOwn'>
  readonly #rows: AskTogether<readonly LivingHoldRow[]>
  readonly #onRead: (from: 'memory' | 'postgres') => void

  constructor(
    database: TenantDoor,
    lanes: Pick<Lanes, 'readOwn'>,
    onRead: (from: 'memory' | 'postgres') => void,
  ) {
    this.#lanes = lanes
    this.#rows = new AskTogether(database, findLivingHolds)
    this.#onRead = onRead
  }

  /** Null: the event was never on sale. */
  async read(scope: TenantScope, eventId: EventId, userId: UserId): Promise<OwnHoldsRead | null> {
    const read = await this.#lanes.readOwn(scope, eventId)
    if (!read) return null
    const { view, isCurrent } = read
    this.#onRead(isCurrent ? 'memory' : 'postgres')
    if (!isCurrent) {
      const rows = (await this.#rows.ask(scope, questionOf(eventId, userId))) ?? []
      const holds = rows.map(row => toAnswer(view, row))
      const inPayment = rows.flatMap(({ checkoutId }) => checkoutId ?? [])[0] ?? null
      return { view, holds, warning: null, inPayment, seq: null, now: databaseNow(view) }
    }
    const now = databaseNow(view)
    const mine = view.state.users.get(userId)
    const living = mine ? livingHolds(mine.all, now) : []
    const inPayment = living.flatMap(({ checkoutId }) => checkoutId ?? [])[0] ?? null
    const holds = living.map(hold => answerOf(hold))
    return { view, holds, warning: cartWarning(view.state, userId, now), inPayment, seq: view.seq, now }
  }
}

function toAnswer({ seats }: CommittedView, row: LivingHoldRow): HoldAnswer {
  const { holdId, ordinal, quantity, heldUntil } = row
  const zoneIndex = row.zoneIndex ?? seats.map.zoneOf[ordinal!]!
  return { holdId, ordinal, zoneIndex, quantity, heldUntil, isNew: false }
}
