import type { PersonActing } from '@voelgoed/core/event/command'
import { decide } from '@voelgoed/core/event/decide'
import { answerOf, type HoldAnswer } from '@voelgoed/core/event/decision'
import { livingHolds } from '@voelgoed/core/event/rules/cart'
import type { CheckoutId, CommandId, HoldId } from '@voelgoed/core/ids'
import type { SalesChannel } from '@voelgoed/core/orders/order'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import { databaseNow } from '@voelgoed/engine/view/hot-event'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { hashSecret } from '@voelgoed/kit/http/tokens'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { knowForCheckout } from '../guests/guests-of-places.ts'
import { changeOrder, newOrderNumber, newOrderSecret, orderOf } from '../orders/order-rows.ts'
import { type PlaceOfWords, writeOrderWords } from '../orders/tables/order-words.ts'
import { insertOrder, type NewOrder, readOrder } from '../orders/tables/orders.ts'
import type { Gateway } from '../payments/gateway.ts'
import { type CheckoutCart, cartOfHolds, type WantedItem } from './checkout-cart.ts'
import {
  type CheckoutRow,
  changeContact,
  changeWishes,
  insertCheckout,
  lockOpenCheckouts,
  noteCheckout,
  type StoredCart,
} from './tables/checkouts.ts'

/** A buyer wants to pay for this. */
export interface CheckoutToOpen {
  readonly view: CommittedView
  readonly prices: PriceList | null
  readonly actor: PersonActing
  readonly commandId: CommandId
  /** Null: all that the buyer has. */
  readonly holdIds: readonly string[] | null
  readonly items: readonly WantedItem[]
  readonly contact: NewOrder['contact']
  readonly acceptAlternatives: boolean
  readonly locale: string | null
  readonly channel: SalesChannel
  /** Null: the server takes no payments. */
  readonly gateway: Pick<Gateway, 'name' | 'maxAmount'> | null
  /** Milliseconds, for ids. */
  readonly now: number
}

export interface OpenedCheckout {
  readonly orderId: string
  /** False: the same checkout was open already. */
  readonly isNew: boolean
}

/**
 * Opens an order for holds of a buyer, at the price of this moment. The rules of a payment are asked of what
 * this node knows, so that the buyer hears of them now; the payment asks them again, under the event's lock.
 */
export async function openCheckout(
  tx: TenantTx,
  wanted: CheckoutToOpen,
): Promise<Result<OpenedCheckout, Refusal>> {
  const { view, prices, actor, contact } = wanted
  const found = findHolds(wanted)
  if (!found.ok) return found
  const holds = found.value
  const priced = cartOfHolds(view, prices, holds, wanted.items)
  if (!priced.ok) return priced
  const { total, currency } = priced.value
  const gateway = total === 0 ? 'none' : wanted.gateway?.name
  if (gateway === undefined) return refuse({ kind: 'no_gateway' })
  const limit = wanted.gateway?.maxAmount(currency) ?? total
  if (total > limit) return refuse({ kind: 'total_too_large', total, limit })

  const { userId } = actor.person
  const open = await lockOpenCheckouts(tx, userId, view.eventId)
  const same = open.find(
    other => other.gateway === gateway && other.total === total && isSame(other.cart, priced.value.cart),
  )
  const orderId = same?.id ?? uuidV7(wanted.now)
  const refusal = await judge(tx, wanted, holds, orderId)
  if (refusal) return refuse(refusal)
  if (same) {
    await changeContact(tx, orderId, contact)
    await writeOrderWords(tx, headOf(orderId, same.number, contact), placesOf(view, same.cart))
    await changeWishes(tx, orderId, wanted)
    return ok({ orderId, isNew: false })
  }
  // A buyer has one checkout of an event that waits for its first payment: the last.
  for (const { id, wasTried } of open) if (!wasTried) await close(tx, id)
  await write(tx, wanted, priced.value, holds, { orderId, gateway })
  return ok({ orderId, isNew: true })
}

/** Finds the buyer's living holds: those that are named, or all of them. */
function findHolds({ view, actor, holdIds }: CheckoutToOpen): Result<HoldAnswer[], Refusal> {
  const now = databaseNow(view)
  const mine = view.state.users.get(actor.person.userId)
  const living = mine ? livingHolds(mine.all, now).map(hold => answerOf(hold)) : []
  living.sort((a, b) => a.zoneIndex - b.zoneIndex || (a.ordinal ?? 0) - (b.ordinal ?? 0))
  if (holdIds === null) return living.length > 0 ? ok(living) : refuse({ kind: 'nothing_to_pay_for' })
  const byId = new Map<string, HoldAnswer>(living.map(hold => [hold.holdId, hold]))
  const holds = holdIds.flatMap(id => byId.get(id) ?? [])
  if (holds.length === holdIds.length) return ok(holds)
  const ranOut = holdIds.some(id => view.state.holds.get(id as HoldId)?.belongsTo(actor.person.userId))
  return refuse({ kind: ranOut ? 'hold_expired' : 'hold_not_found' })
}

/** Decides if a payment could begin. Null: it could. */
async function judge(
  tx: TenantTx,
  { view, actor, commandId }: CheckoutToOpen,
  holds: readonly HoldAnswer[],
  orderId: string,
): Promise<Refusal | null> {
  const holdIds = holds.map(hold => hold.holdId)
  const { buyer, guests } = await knowForCheckout(tx, view, actor.person, holdIds)
  const outcome = decide(
    view.state,
    {
      kind: 'start_payment',
      commandId,
      actor: { ...actor, person: buyer },
      holdIds,
      guests,
      checkoutId: orderId as CheckoutId,
    },
    databaseNow(view),
  )
  return outcome.ok ? null : outcome.problem
}

async function write(
  tx: TenantTx,
  wanted: CheckoutToOpen,
  { cart, currency, total }: CheckoutCart,
  holds: readonly HoldAnswer[],
  { orderId, gateway }: { readonly orderId: string; readonly gateway: CheckoutRow['gateway'] },
): Promise<void> {
  const { view, actor, contact, acceptAlternatives, locale } = wanted
  const number = newOrderNumber()
  await insertOrder(tx, {
    id: orderId,
    eventId: view.eventId,
    number,
    userId: actor.person.userId,
    status: 'open',
    currency,
    total,
    fees: cart.fees.reduce((sum, fee) => sum + fee.amount, 0),
    tax: cart.tax?.amount ?? 0,
    reference: null,
    holdIds: holds.map(hold => hold.holdId),
    contact,
    // Not known to anyone: the buyer's session opens the order, and the link in the mail has another.
    secretHash: hashSecret(newOrderSecret()),
    soldBy: null,
    channel: wanted.channel,
  })
  const expiresAt = new Date(Math.min(...holds.map(hold => hold.heldUntil)))
  await insertCheckout(tx, orderId, { gateway, cart, acceptAlternatives, locale, expiresAt })
  await writeOrderWords(tx, headOf(orderId, number, contact), placesOf(view, cart), { isNew: true })
}

/** Staff find what is being paid for as well. */
function headOf(id: string, number: string, { name, email, phone }: NewOrder['contact']) {
  return { id, number, reference: null, contact_name: name, contact_email: email, contact_phone: phone }
}

function placesOf(
  { zones, seats }: Pick<CommittedView, 'zones' | 'seats'>,
  { lines }: StoredCart,
): PlaceOfWords[] {
  return lines.map(({ ordinal, zone_index: zoneIndex, attendee }) => ({
    zone_name: zones[zoneIndex]!.name,
    row: ordinal === null ? null : (seats.rows.at(ordinal) ?? null),
    seat_number: ordinal === null ? null : (seats.numbers.at(ordinal) ?? null),
    attendee,
  }))
}

async function close(tx: TenantTx, orderId: string): Promise<void> {
  const whole = (await readOrder(tx, orderId, { lock: true }))!
  await changeOrder(tx, orderId, orderOf(whole), { kind: 'cancel' })
  await noteCheckout(tx, orderId, { dueAt: null })
}

function isSame(one: StoredCart, other: StoredCart): boolean {
  const key = ({ lines }: StoredCart) =>
    lines
      .map(({ hold_id, ticket_type, quantity, attendee }) =>
        [hold_id, ticket_type, quantity, attendee ?? ''].join('\n'),
      )
      .sort()
      .join('\n\n')
  return key(one) === key(other)
}
