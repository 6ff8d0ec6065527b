import type { TicketId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/*
 * A ticket that staff move is void, and the line of its order goes on with another. All tickets that a line
 * had one after another are one admission: entries of each count for all. Rows of `ticket_moves` stay as they
 * are, and a ticket is written together with its row, so the first ticket of a line is known without a lock.
 * Gates and movers lock it before they look at any ticket of the line: until they are done no ticket of it is
 * moved or lets a person in.
 */

/** Expressions for statements whose $1 is the organization. `limit 1`: Postgres takes the index, always. */
const movedFrom = (ticket: string) =>
  `select from_ticket_id as id from ticket_moves where organization_id = $1 and to_ticket_id = ${ticket} limit 1`
const movedTo = (ticket: string) =>
  `select to_ticket_id as id from ticket_moves where organization_id = $1 and from_ticket_id = ${ticket} limit 1`

/** The first ticket of the line; of a ticket that was never moved, itself. */
export function firstTicketOf(ticket: string): string {
  return `(with recursive line as (
      select ${ticket}::uuid as id, 0 as moves
      union all
      select m.id, l.moves + 1 from line l cross join lateral (${movedFrom('l.id')}) m)
    select id from line order by moves desc limit 1)`
}

/** The last ticket of the line. */
export function lastTicketOf(ticket: string): string {
  return `(with recursive line as (
      select ${ticket}::uuid as id, 0 as moves
      union all
      select m.id, l.moves + 1 from line l cross join lateral (${movedTo('l.id')}) m)
    select id from line order by moves desc limit 1)`
}

/**
 * The entries of all tickets of the line, for a `from`. `offset 0`: they are found ticket by ticket, also
 * while Postgres has no statistics.
 */
export function entriesOfLine(ticket: string): string {
  return `(select e.* from unnest(${ticketsOfLine(ticket)}) line (id)
    cross join lateral (select * from entries where organization_id = $1 and ticket_id = line.id offset 0) e)`
}

/** All tickets of the line, as an array. */
export function ticketsOfLine(ticket: string): string {
  return `array(with recursive line as (
      select ${ticket}::uuid as id
      union
      select m.id from line l cross join lateral ((${movedFrom('l.id')}) union all (${movedTo('l.id')})) m)
    select id from line)`
}

/** By ticket, the other ones of its line. Without those that were never moved, which most are. */
export async function listMovedTickets(
  tx: TenantTx,
  ticketIds: readonly TicketId[],
): Promise<Map<TicketId, readonly TicketId[]>> {
  const moved = await tx.query<{ id: TicketId }>(
    `select from_ticket_id as id from ticket_moves where organization_id = $1 and from_ticket_id = any ($2::uuid[])
     union
     select to_ticket_id from ticket_moves where organization_id = $1 and to_ticket_id = any ($2::uuid[])`,
    [ticketIds],
  )
  if (moved.length === 0) return new Map()
  const rows = await tx.query<{ id: TicketId; others: TicketId[] }>(
    `select w.id, array_remove(${ticketsOfLine('w.id')}, w.id) as others
     from unnest($2::uuid[]) w (id) where $1::uuid is not null`,
    [moved.map(({ id }) => id)],
  )
  return new Map(rows.map(({ id, others }) => [id, others]))
}
