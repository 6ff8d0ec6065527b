import type { Decision } from '@voelgoed/core/event/decision'
import type { EventState } from '@voelgoed/core/event/state'
import { describe, expect, it } from 'vitest'
import type { EventHall } from '../lane/hot-event.ts'
import type { OrderRider } from '../lane/rider.ts'
import type { FoundCheckout } from './find-checkout.ts'
import { rideSale } from './ride-checkout.ts'

const ANYONE = { accessMode: 'public', allowedUserIds: [] }
const state = { zones: [{ settings: { access: ANYONE } }] } as unknown as EventState
const hall = { zones: [{ zoneId: 'z', name: 'Hall' }], seats: {} } as unknown as EventHall
const buyer = { userId: 'u' } as never
const found = {
  whole: {
    order: { id: 'o', status: 'paying', currency: 'ZAR', total: 5, contact_email: null, hold_ids: ['h'] },
    lines: [],
    payments: [{ id: 'p', method: 'gateway', status: 'created', amount: 5, refunded_amount: 0 }],
    refunds: [],
    gatewayRefunds: [],
  },
  checkout: {
    ...{ gateway: 'simulator', hold_ids: ['h'] },
    cart: { lines: [{ hold_id: 'h', zone_index: 0, quantity: 1, unit_amount: 5, ticket_type: 'a' }] },
  },
} as unknown as FoundCheckout

/** What rides with the sale, if the lane decides so. */
async function rowsOf(isNew: boolean): Promise<ReturnType<OrderRider['rows']>> {
  const decision = {
    changes: [{ kind: 'seat_converted', holdId: 'h', ticketIds: ['t'] }],
    holds: [{ holdId: 'h', ordinal: null, zoneIndex: 0, quantity: 1, isNew }],
  } as unknown as Decision
  let rows: ReturnType<OrderRider['rows']> = null
  const ride = async (_: unknown, rider: OrderRider) => {
    rows = rider.rows(decision, hall)
    return { kind: 'stood_aside' } as const
  }
  await rideSale({ ride }, state, found, { buyer, intentId: 'i', now: 0 })
  return rows
}

describe('the rider of a sale', () => {
  it('stands aside when a hold had run out and its places were taken once more', async () => {
    expect(await rowsOf(true)).toBeNull()
    expect(await rowsOf(false)).toMatchObject({ kind: 'sold', orderId: 'o', lines: [{ ticket_id: 't' }] })
  })

  it('leaves money of which some went back at the gateway to a transaction of its own', async () => {
    const never = { ride: () => Promise.reject(new Error('it rode')) }
    const sale = { buyer, intentId: 'i', now: 0 }
    expect(await rideSale(never, state, found, { ...sale, refunded: 5 })).toBeNull()
    const told = { ...found, whole: { ...found.whole, gatewayRefunds: [{}] } } as unknown as FoundCheckout
    expect(await rideSale(never, state, told, sale)).toBeNull()
  })

  it('leaves an intent that no row can keep to its own transaction', async () => {
    const never = { ride: () => Promise.reject(new Error('it rode')) }
    const sale = { buyer, intentId: 'i'.repeat(256), now: 0 }
    expect(await rideSale(never, state, found, sale)).toBeNull()
  })
})
