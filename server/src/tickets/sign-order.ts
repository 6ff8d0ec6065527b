import type { TicketId } from '@voelgoed/core/ids'
import type { WholeOrder } from '../postgres/tables/orders.ts'
import type { TenantScope } from '../tenant.ts'
import type { TicketKeys } from './ticket-keys.ts'

/** The tokens of the valid tickets of an order. A void ticket has none. */
export async function signOrder(
  scope: TenantScope,
  keys: TicketKeys,
  { order, lines }: Pick<WholeOrder, 'order' | 'lines'>,
): Promise<ReadonlyMap<TicketId, string>> {
  const valid = lines.filter(line => line.refund_id === null)
  const signed = await Promise.all(
    valid.map(async ({ ticket_id, version }) => {
      const name = { eventId: order.event_id, ticketId: ticket_id, version }
      return [ticket_id, await keys.sign(scope, name)] as const
    }),
  )
  return new Map(signed)
}
