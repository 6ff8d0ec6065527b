import type { UserId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { NewOrder } from '../../orders/tables/orders.ts'

/** A checkout is for this, as it was priced. A hold of many places may be several lines. */
export interface StoredCart {
  readonly lines: readonly StoredLine[]
  readonly fees: readonly { readonly name: string; readonly amount: number }[]
  readonly tax: {
    readonly name: string
    readonly percent: number
    readonly included: boolean
    readonly amount: number
  } | null
}

interface StoredLine {
  readonly hold_id: string
  readonly seat_id: string | null
  readonly ordinal: number | null
  readonly zone_index: number
  readonly zone_id: string
  readonly label: string
  readonly category: string
  readonly ticket_type: string
  readonly quantity: number
  readonly unit_amount: number
  readonly amount: number
  readonly attendee: string | null
}

export type LateStep = 'same_places' | 'other_places' | 'refund'

export interface CheckoutRow {
  readonly gateway: 'simulator' | 'stripe' | 'none'
  readonly cart: StoredCart
  readonly accept_alternatives: boolean
  readonly locale: string | null
  readonly expires_at: Date
  readonly late_step: LateStep | null
  readonly hold_ids: readonly string[]
  /** The gateway's id of the payment; null: the buyer has not tried to pay. */
  readonly intent_id: string | null
  readonly decline_code: string | null
  readonly sent_at: Date | null
}

export async function insertCheckout(
  tx: TenantTx,
  orderId: string,
  checkout: {
    readonly gateway: CheckoutRow['gateway']
    readonly cart: StoredCart
    readonly acceptAlternatives: boolean
    readonly locale: string | null
    readonly expiresAt: Date
  },
): Promise<void> {
  await tx.query(
    `insert into checkouts (organization_id, order_id, gateway, cart, accept_alternatives, locale, expires_at, due_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7)`,
    [
      orderId,
      checkout.gateway,
      JSON.stringify(checkout.cart),
      checkout.acceptAlternatives,
      checkout.locale,
      checkout.expiresAt,
    ],
  )
}

/** Null: the order was not made by a checkout of ours. */
export async function readCheckout(tx: TenantTx, orderId: string): Promise<CheckoutRow | null> {
  const [row] = await tx.prepared<CheckoutRow & Record<string, unknown>>(
    'read_checkout',
    `select c.gateway, c.cart, c.accept_alternatives, c.locale, c.expires_at, c.late_step, o.hold_ids, p.intent_id,
       p.decline_code, p.sent_at
     from checkouts c join orders o on o.organization_id = $1 and o.id = c.order_id
     left join payments p on p.organization_id = $1 and p.order_id = c.order_id
     where c.organization_id = $1 and c.order_id = $2`,
    [orderId],
  )
  return row ?? null
}

interface OpenCheckout {
  readonly id: string
  readonly number: string
  readonly total: number
  readonly cart: StoredCart
  readonly gateway: CheckoutRow['gateway']
  readonly wasTried: boolean
}

/** Those of this buyer that are open, newest first. No other transaction changes them until this one ends. */
export async function lockOpenCheckouts(
  tx: TenantTx,
  userId: UserId,
  eventId: string,
): Promise<OpenCheckout[]> {
  return tx.query<OpenCheckout & Record<string, unknown>>(
    `select o.id, o.number, o.total::float8 as total, c.cart, c.gateway, exists (select from payments p
         where p.organization_id = $1 and p.order_id = o.id) as "wasTried"
     from orders o join checkouts c on c.organization_id = $1 and c.order_id = o.id
     where o.organization_id = $1 and o.user_id = $2 and o.event_id = $3 and o.status = 'open'
     order by o.id desc limit 20 for update of o`,
    [userId, eventId],
  )
}

export async function changeContact(
  tx: TenantTx,
  orderId: string,
  contact: NewOrder['contact'],
): Promise<void> {
  await tx.query(
    `update orders set contact_name = $3, contact_email = $4, contact_email_key = $5, contact_phone = $6
     where organization_id = $1 and id = $2`,
    [orderId, contact.name, contact.email, contact.emailKey, contact.phone],
  )
}

/** Keeps what the buyer chose in a checkout that is open. */
export async function changeWishes(
  tx: TenantTx,
  orderId: string,
  wishes: { readonly acceptAlternatives: boolean; readonly locale: string | null },
): Promise<void> {
  await tx.query(
    `update checkouts set accept_alternatives = $3, locale = $4 where organization_id = $1 and order_id = $2`,
    [orderId, wishes.acceptAlternatives, wishes.locale],
  )
}

/** `dueAt` null: its holds need no watching any more. */
export async function noteCheckout(
  tx: TenantTx,
  orderId: string,
  note: { readonly expiresAt?: Date; readonly lateStep?: LateStep; readonly dueAt: Date | null },
): Promise<void> {
  await tx.prepared(
    'note_checkout',
    `update checkouts set expires_at = coalesce($3, expires_at), late_step = coalesce($4, late_step), due_at = $5
     where organization_id = $1 and order_id = $2`,
    [orderId, note.expiresAt ?? null, note.lateStep ?? null, note.dueAt],
  )
}

/**
 * Keeps what is known of the intent. The first one stays the payment's, unless another took the money, or
 * took its place after it was cancelled. A payment that was captured is not looked up any more, whatever a
 * request that read it earlier wants.
 */
export async function notePayment(
  tx: TenantTx,
  orderId: string,
  note: {
    readonly intentId?: string
    /** It takes the place of this one, which was cancelled. */
    readonly replaces?: string
    readonly declineCode?: string | null
    /** The gateway is asked to take the money now. */
    readonly isSent?: boolean
    /** Milliseconds from now; null: never. */
    readonly lookInMs: number | null
    /** If it has a next look, that stays. */
    readonly keepsLook?: boolean
  },
): Promise<void> {
  await tx.prepared(
    'note_payment',
    `update payments set intent_id = case when status in ('created', 'unknown', 'declined')
         then coalesce(nullif(intent_id, $9), $3) else coalesce($3, intent_id) end,
       decline_code = case when $4 then $5 else decline_code end,
       sent_at = case when $6 then clock_timestamp() else sent_at end, looks = case when $6 then 0 else looks end,
       look_at = case when status in ('created', 'unknown', 'declined') then
         coalesce(case when $8 then look_at end, clock_timestamp() + $7 * interval '1 millisecond') end
     where organization_id = $1 and order_id = $2`,
    [
      orderId,
      note.intentId ?? null,
      note.declineCode !== undefined,
      note.declineCode ?? null,
      note.isSent ?? false,
      note.lookInMs,
      note.keepsLook ?? false,
      note.replaces ?? null,
    ],
  )
}

/** The payment has its next look now, if it has one. */
export async function lookSoon(tx: TenantTx, orderId: string): Promise<void> {
  await tx.query(
    `update payments set look_at = clock_timestamp()
     where organization_id = $1 and order_id = $2 and look_at is not null`,
    [orderId],
  )
}

/** The payment is looked up once a day, if the holds of its order ended so long ago. */
export async function slowLooks(tx: TenantTx, orderId: string, afterMs: number): Promise<void> {
  await tx.query(
    `update payments p set look_at = clock_timestamp() + interval '1 day' from checkouts c
     where p.organization_id = $1 and p.order_id = $2 and p.look_at is not null and c.organization_id = $1 and c.order_id = $2
       and c.expires_at < clock_timestamp() - $3 * interval '1 millisecond'`,
    [orderId, afterMs],
  )
}

/** Counts the holds that are alive, and finds when the first of them ends. */
export async function livingHoldsOf(
  tx: TenantTx,
  eventId: string,
  holdIds: readonly string[],
): Promise<{ count: number; heldUntil: Date | null }> {
  const row = await tx.one<{ count: number; held_until: Date | null }>(
    `select count(*)::int as count, min(held_until) as held_until from (
       select held_until from event_seats where organization_id = $1 and event_id = $2
         and hold_id = any ($3::uuid[]) and status = 'held' and held_until > clock_timestamp()
       union all select held_until from place_holds where organization_id = $1 and event_id = $2
         and hold_id = any ($3::uuid[]) and status = 'held' and held_until > clock_timestamp()) as holds`,
    [eventId, holdIds],
  )
  return { count: row!.count, heldUntil: row!.held_until }
}
