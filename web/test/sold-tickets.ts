import type { EventId, OrganizationId, TicketId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Hall } from '@voelgoed/testing/hall'
import { expect } from 'vitest'
import type { Stage } from './stage.ts'

interface Sold {
  readonly id: string
  readonly token: string
}

/** Sold by the box office. */
export async function soldTickets(
  { server, shop }: Stage,
  hall: Hall,
  ordinals: readonly number[],
): Promise<Sold[]> {
  const post = async (path: string, body: object) => {
    const answer = await server.request('POST', path, { token: shop.tokens.organizer, body })
    expect(answer.status, answer.text).toBe(201)
    return answer.body.data
  }
  const held = await post(`${hall.url}/holds`, { seat_ids: ordinals.map(ordinal => hall.seats[ordinal]) })
  const hold_ids = held.holds.map(({ hold_id }: { hold_id: string }) => hold_id)
  const body = { event_id: hall.eventId, hold_ids, method: 'external', allow_stranding: true }
  const { tickets } = await post('/api/admin/orders', body)
  const scope = TenantScope.of(shop.id as OrganizationId)
  return Promise.all(
    tickets.map(async ({ ticket_id: id }: { ticket_id: string }) => {
      const name = { eventId: hall.eventId as EventId, ticketId: id as TicketId, version: 1 }
      return { id, token: await server.node.ticketKeys.sign(scope, name) }
    }),
  )
}
