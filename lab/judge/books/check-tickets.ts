import type { Books, TicketRow } from './books.ts'
import { type Account, type Complain, evidenceOf, groupBy } from './ledger.ts'

/** Every ticket has its hold, its seat and its order, and no other valid ticket has the seat. */
export function checkTickets(books: Books, accounts: ReadonlyMap<string, Account>, complain: Complain): void {
  const holds = new Map(books.holds.map(hold => [hold.id, hold]))
  const ofHold = groupBy(books.tickets, ({ hold }) => hold)
  const moved = new Set(books.moves.map(({ from }) => from))
  for (const ticket of books.tickets) {
    const add = (invariant: number, rule: string, ...more: unknown[]) =>
      complain({ invariant, rule, event: ticket.event, evidence: [ticket, ...more] })
    const hold = holds.get(ticket.hold)
    const isOfHold =
      hold?.status === 'converted' &&
      hold.event === ticket.event &&
      hold.user === ticket.user &&
      hold.ordinal === ticket.ordinal &&
      (hold.zone === null || hold.zone === ticket.zone)
    if (!isOfHold) add(3, 'a ticket comes from one converted hold of its buyer, event and seat', hold)
    const account = accounts.get(ticket.order)
    if (account?.order.user !== ticket.user || account.order.event !== ticket.event) {
      add(3, 'a ticket belongs to an order of its buyer and event', account?.order)
      continue
    }
    const lines = account.lines.filter(line => line.ticket === ticket.id)
    if (moved.has(ticket.id)) {
      if (lines.length > 0 || ticket.voidedAt === null) {
        add(3, 'a ticket that was moved is void and has no line', ...lines)
      }
      continue
    }
    if (lines.length !== 1) add(3, 'a ticket has one line', ...evidenceOf(account))
    const isBack = lines.some(({ refund }) => refund !== null)
    if (isBack !== (ticket.voidedAt !== null)) add(21, 'a ticket is void when its line went back', ...lines)
  }
  for (const hold of books.holds) {
    if (hold.status !== 'converted') continue
    const tickets = ofHold.get(hold.id) ?? []
    const add = (invariant: number, rule: string) =>
      complain({ invariant, rule, event: hold.event, evidence: [hold, ...tickets] })
    if (tickets.length !== hold.quantity) add(3, 'a hold that is sold has a ticket for each place')
    if (hold.endedAt > hold.heldUntil) add(6, 'nothing is sold on a hold that has run out')
  }
  checkMoves(books, complain)
  checkPlaces(books, complain)
}

/** A move stays within an order, and a ticket is moved once. */
function checkMoves({ moves, tickets }: Books, complain: Complain): void {
  const byId = new Map(tickets.map(ticket => [ticket.id, ticket]))
  const seen = { from: new Set<string>(), to: new Set<string>() }
  for (const move of moves) {
    const [from, to] = [byId.get(move.from), byId.get(move.to)]
    const isOfOrder = from?.order === move.order && to?.order === move.order
    const isTwice = seen.from.has(move.from) || seen.to.has(move.to)
    seen.from.add(move.from)
    seen.to.add(move.to)
    if (isOfOrder && !isTwice && from.zone === to.zone) continue
    const rule = 'a ticket is moved once, to a seat of the same price, in its order'
    complain({ invariant: 3, rule, event: from?.event ?? '', evidence: [move, from, to] })
  }
}

function checkPlaces(books: Books, complain: Complain): void {
  const valid = books.tickets.filter(({ voidedAt }) => voidedAt === null)
  const seated = valid.filter(({ ordinal }) => ordinal !== null)
  for (const tickets of groupBy(seated, seatOf).values()) {
    if (tickets.length === 1) continue
    complain({ invariant: 1, rule: 'no seat is sold twice', event: tickets[0]!.event, evidence: tickets })
  }
  const counts = groupBy(valid, zoneOf)
  for (const zone of books.zones) {
    const sold = counts.get(zoneOf(zone))?.length ?? 0
    if (sold <= zone.capacity) continue
    const rule = 'no more tickets than a zone has places'
    complain({ invariant: 5, rule, event: zone.event, evidence: [zone, { sold }] })
  }
}

function seatOf({ event, ordinal }: TicketRow): string {
  return `${event} ${ordinal}`
}

function zoneOf({ event, zone }: { readonly event: string; readonly zone: number }): string {
  return `${event} ${zone}`
}
