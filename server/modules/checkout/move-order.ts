import { randomUUID } from 'node:crypto'
import type { Command, PersonActing, TicketMove } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import type { EventState } from '@voelgoed/core/event/state'
import type { CheckoutId, CommandId, HoldId, SeatId, TicketId } from '@voelgoed/core/ids'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { type EventHall, sellableOrdinal } from '@voelgoed/engine/view/hot-event'
import { type AuditActor, appendAudit } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { knowForCheckout } from '../guests/guests-of-places.ts'
import { forgetGuestsOf, moveGuestsOfTickets } from '../guests/tables/place-guests.ts'
import { costTheSame, placeOf } from '../holds/price-holds.ts'
import { queueMail } from '../mail/outbox.ts'
import { changeOrder, orderOf } from '../orders/order-rows.ts'
import { writeOrderWords } from '../orders/tables/order-words.ts'
import { type LineRow, readOrder, type WholeOrder } from '../orders/tables/orders.ts'
import { readPerson } from '../people/tables/users.ts'
import { lockTickets } from '../tickets/tables/tickets.ts'
import { readCheckout } from './tables/checkouts.ts'

export interface OrderToMove {
  readonly orderId: string
  /** At least one; no ticket and no seat twice. */
  readonly moves: readonly { readonly ticketId: string; readonly seatId: string }[]
  readonly reason: string | null
  readonly state: EventState
  /** The price list of the event; null: it has none. */
  readonly priceList: PriceList | null
  readonly by: { readonly actor: PersonActing; readonly audit: AuditActor }
  /** Milliseconds, for ids. */
  readonly now: number
}

/** A line of the order, and the seat that it goes to. */
interface LineMove {
  readonly line: LineRow
  readonly to: { readonly ordinal: number; readonly zoneIndex: number; readonly seatId: string }
  readonly ticketId: TicketId
  readonly holdId: HoldId
}

/**
 * Moves tickets of an order to other seats that cost the same: new tickets for the seats, the old ones void
 * and their seats free, in one command of the event. To be called under the event's lock, and to be undone
 * when it refuses. The tickets are locked as a gate locks them: one that lets someone in stays where it is.
 */
export async function moveOrder(
  tx: TenantTx,
  give: (command: Command) => Outcome,
  hall: EventHall,
  wanted: OrderToMove,
): Promise<Result<WholeOrder, Refusal>> {
  const { orderId, by, priceList } = wanted
  const whole = await readOrder(tx, orderId, { lock: true })
  if (!whole) return refuse({ kind: 'order_not_found' })
  const used = await lockTickets(tx, wanted.moves.map(move => move.ticketId) as TicketId[])
  const moves = movesOf(hall, whole, wanted)
  if (!moves.ok) return moves
  const decided = await changeOrder(
    tx,
    orderId,
    orderOf(whole),
    {
      kind: 'move',
      moves: moves.value.map(({ line, ticketId }) => ({ from: line.ticket_id, to: ticketId })),
    },
    { movedBy: by.actor.person.userId },
  )
  if (!decided.ok) return decided
  if (used.length > 0) return refuse({ kind: 'ticket_used', ticketIds: used })
  const dearer = moves.value.filter(({ line, to }) => {
    const from = placeOf(hall, line.ordinal, line.zone_index)
    return !costTheSame(priceList, from, placeOf(hall, to.ordinal, to.zoneIndex))
  })
  if (dearer.length > 0) {
    const seatIds = dearer.map(({ to }) => to.seatId as SeatId)
    return refuse({ kind: 'seats_differ', seatIds, reason: 'price_category' })
  }
  const person = await readPerson(tx, whole.order.user_id)
  if (!person) return refuse({ kind: 'order_not_found' })
  const event = { eventId: whole.order.event_id, state: wanted.state }
  const { buyer } = await knowForCheckout(tx, event, person, [])
  const outcome = give({
    kind: 'move_tickets',
    commandId: randomUUID() as CommandId,
    actor: by.actor,
    buyer,
    checkoutId: orderId as CheckoutId,
    moves: moves.value.map(({ line, to, ticketId, holdId }): TicketMove => {
      const ticket = { ticketId: line.ticket_id, ordinal: line.ordinal, zoneIndex: line.zone_index }
      const reason = `Moved to ${nameOf(hall, to.ordinal, to.zoneIndex)}`
      return { ticket, to: to.ordinal, holdId, ticketId, reason }
    }),
  })
  if (!outcome.ok) return outcome
  await takeGuestsAlong(tx, moves.value)
  await tell(tx, hall, whole, moves.value, wanted)
  const moved = movedOrder(hall, whole, moves.value)
  await writeOrderWords(tx, moved.order, moved.lines)
  return ok(moved)
}

function movesOf(
  hall: EventHall,
  { lines }: WholeOrder,
  { moves, now }: OrderToMove,
): Result<LineMove[], Refusal> {
  const found: LineMove[] = []
  for (const { ticketId, seatId } of moves) {
    const line = lines.find(one => one.ticket_id === ticketId)
    if (!line) return refuse({ kind: 'ticket_not_found' })
    const ordinal = sellableOrdinal(hall, seatId)
    if (ordinal === null) return refuse({ kind: 'seat_not_found' })
    const to = { ordinal, zoneIndex: hall.seats.map.zoneOf[ordinal]!, seatId }
    found.push({ line, to, ticketId: uuidV7(now) as TicketId, holdId: uuidV7(now) as HoldId })
  }
  return ok(found)
}

/** Within a members' zone each place keeps its guest. Places of other zones have none. */
async function takeGuestsAlong(tx: TenantTx, moves: readonly LineMove[]): Promise<void> {
  const stays = ({ line, to }: LineMove) => line.zone_index === to.zoneIndex
  await moveGuestsOfTickets(
    tx,
    moves.filter(stays).map(({ line, holdId }) => ({ ticketId: line.ticket_id, to: holdId })),
  )
  const gone = moves.filter(move => !stays(move)).map(({ line }) => line.ticket_id)
  if (gone.length > 0) await forgetGuestsOf(tx, gone)
}

async function tell(
  tx: TenantTx,
  hall: EventHall,
  { order }: WholeOrder,
  moves: readonly LineMove[],
  { orderId, reason, by, now }: OrderToMove,
): Promise<void> {
  await appendAudit(tx, by.audit, {
    action: 'order_moved',
    entity: { type: 'order', id: orderId },
    eventId: order.event_id,
    changes: {
      order_number: order.number,
      reason,
      ticket_ids: moves.map(({ line }) => line.ticket_id),
      new_ticket_ids: moves.map(({ ticketId }) => ticketId),
      seat_ids: moves.flatMap(({ line, to }) => [
        ...(line.seat_id === null ? [] : [line.seat_id]),
        to.seatId,
      ]),
      moves: moves.map(({ line, to }) => ({
        from: nameOf(hall, line.ordinal, line.zone_index),
        to: nameOf(hall, to.ordinal, to.zoneIndex),
      })),
    },
  })
  if (order.contact_email === null) return
  await queueMail(tx, {
    kind: 'order_moved',
    to: order.contact_email,
    locale: (await readCheckout(tx, orderId))?.locale ?? null,
    key: `order_moved:${uuidV7(now)}`,
    data: { orderId },
  })
}

/** As orders and the map call it. */
function nameOf({ zones, seats }: EventHall, ordinal: number | null, zoneIndex: number): string {
  const { name } = zones[zoneIndex]!
  return ordinal === null ? name : `${name} ${seats.rows.at(ordinal)}-${seats.numbers.at(ordinal)}`
}

/** Its new tickets are written with the event's batch, after this: they can not be read yet. */
function movedOrder(hall: EventHall, whole: WholeOrder, moves: readonly LineMove[]): WholeOrder {
  const byTicket = new Map(moves.map(move => [move.line.ticket_id, move]))
  const lines = whole.lines.map((line): LineRow => {
    const move = byTicket.get(line.ticket_id)
    if (!move) return line
    const { ordinal, zoneIndex, seatId } = move.to
    const { zoneId, name } = hall.zones[zoneIndex]!
    return {
      ...line,
      ticket_id: move.ticketId,
      version: 1,
      entries: 0,
      ordinal,
      zone_index: zoneIndex,
      seat_id: seatId,
      row: hall.seats.rows.at(ordinal) ?? null,
      seat_number: hall.seats.numbers.at(ordinal) ?? null,
      zone_id: zoneId,
      zone_name: name,
    }
  })
  return { ...whole, lines }
}
