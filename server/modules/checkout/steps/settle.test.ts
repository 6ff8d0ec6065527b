import type { Person } from '@voelgoed/core/access'
import type { Decision } from '@voelgoed/core/event/decision'
import type { EventState } from '@voelgoed/core/event/state'
import type { EventId } from '@voelgoed/core/ids'
import type { EventHall } from '@voelgoed/engine/view/hot-event'
import { describe, expect, it } from 'vitest'
import type { FoundCheckout } from '../find-checkout.ts'
import { settle } from './settle.ts'

const ANYONE = { accessMode: 'public', allowedUserIds: [] }
const state = { zones: [{ settings: { access: ANYONE } }] } as unknown as EventState
const hall = { zones: [{ zoneId: 'z', name: 'Hall' }], seats: {} } as unknown as EventHall
const view = { eventId: 'e' as EventId, state }
const capture = { orderId: 'o', intentId: 'i', now: 0 }
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
  buyer: { userId: 'u' },
} as unknown as FoundCheckout & { buyer: Person }

/** Plans the lines that are written if the event decides for the sale. */
function planned(isNew: boolean) {
  const decision = {
    changes: [{ kind: 'seat_converted', holdId: 'h', ticketIds: ['t'] }],
    holds: [{ holdId: 'h', ordinal: null, zoneIndex: 0, quantity: 1, isNew }],
  } as unknown as Decision
  const { rides, command, decide } = settle(view, found, capture)
  const { known } = rides!
  const plan = decide(known, { command: command(known)!, decision }, hall)
  return plan.ok ? plan.value : null
}

describe('a sale for captured money', () => {
  it('stands aside when a hold had run out and its places were taken once more', () => {
    expect(planned(true)).toMatchObject({ done: { lateStep: 'same_places' }, besides: expect.any(Function) })
    const usual = planned(false)
    expect(usual).toMatchObject({ row: { kind: 'sold', orderId: 'o', lines: [{ ticket_id: 't' }] } })
    expect(usual?.besides).toBeUndefined()
  })

  it('goes alone when some of the money went back at the gateway', () => {
    expect(settle(view, found, { ...capture, refunded: 5 }).rides).toBeNull()
    const told = { ...found, whole: { ...found.whole, gatewayRefunds: [{}] } } as unknown as typeof found
    expect(settle(view, told, capture).rides).toBeNull()
  })

  it('goes alone with an intent that no row can keep', () => {
    expect(settle(view, found, { ...capture, intentId: 'i'.repeat(256) }).rides).toBeNull()
  })
})
