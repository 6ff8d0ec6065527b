import type { TicketId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { entriesOfLine, firstTicketOf } from '../../orders/tables/moved-tickets.ts'

/** The order that a ticket belongs to; null: there is no such ticket, or it has no order. */
export async function findOrderOfTicket(tx: TenantTx, ticketId: string): Promise<string | null> {
  const row = await tx.one<{ order_id: string }>(
    'select order_id from order_lines where organization_id = $1 and ticket_id = $2',
    [ticketId],
  )
  return row?.order_id ?? null
}

/** The ticket's next version; null: it is void. */
export async function raiseTicketVersion(tx: TenantTx, ticketId: TicketId): Promise<number | null> {
  const row = await tx.one<{ version: number }>(
    `update tickets set version = version + 1
     where organization_id = $1 and id = $2 and voided_at is null returning version`,
    [ticketId],
  )
  return row?.version ?? null
}

/**
 * Locks tickets until the end of the transaction, as a gate does, and says which of them have let someone in,
 * also as the tickets that they were moved from: none of the others does so before the transaction ends.
 */
export async function lockTickets(tx: TenantTx, ticketIds: readonly TicketId[]): Promise<TicketId[]> {
  await tx.query(
    `select from tickets where organization_id = $1
       and id = any (array(select ${firstTicketOf('w.id')} from unnest($2::uuid[]) w (id)))
     order by id for no key update`,
    [ticketIds],
  )
  await tx.query(
    `select from tickets where organization_id = $1 and id = any ($2::uuid[]) order by id for no key update`,
    [ticketIds],
  )
  const rows = await tx.query<{ ticket_id: TicketId }>(
    `select w.id as ticket_id from unnest($2::uuid[]) w (id)
     where exists (select from ${entriesOfLine('w.id')} e where e.direction = 'in')
     order by w.id`,
    [ticketIds],
  )
  return rows.map(row => row.ticket_id)
}

export async function nameAttendee(tx: TenantTx, ticketId: TicketId, attendee: string | null): Promise<void> {
  await tx.query('update order_lines set attendee = $3 where organization_id = $1 and ticket_id = $2', [
    ticketId,
    attendee,
  ])
}
