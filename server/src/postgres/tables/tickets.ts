import type { TicketId } from '@voelgoed/core/ids'
import type { TenantTx } from '../database.ts'

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

export async function nameAttendee(tx: TenantTx, ticketId: TicketId, attendee: string | null): Promise<void> {
  await tx.query('update order_lines set attendee = $3 where organization_id = $1 and ticket_id = $2', [
    ticketId,
    attendee,
  ])
}
