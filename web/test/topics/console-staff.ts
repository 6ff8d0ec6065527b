import type { Role } from '@voelgoed/core/access'
import type { CheckoutId, CommandId, EventId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { card } from '@voelgoed/testing/checkouts'
import type { Hall } from '@voelgoed/testing/hall'
import { PASSWORD } from '@voelgoed/testing/harness'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Stage } from '../stage.ts'

export const DESK = { viewport: { width: 1280, height: 800 } }

/** Members of staff at the console. */
export function staffOf(stage: () => Stage) {
  const emailOf = (role: Role) => `${role}@${stage().shop.slug}.example`

  const ask = (role: Role, method: string, path: string, body?: object, headers?: Record<string, string>) =>
    stage().server.request(method, path, {
      token: stage().shop.tokens[role],
      ...(body && { body }),
      ...(headers && { headers }),
    })

  /** As a browser keeps it that has opened the console at this address. */
  const sessionOf = async (role: Role, origin: string) => {
    const { server, shop } = stage()
    const body = { organization: shop.slug, email: emailOf(role), password: PASSWORD }
    const session = (await server.request('POST', '/api/sessions', { body })).body.data
    const kept = { name: `voelgoed:console:${shop.slug}`, value: JSON.stringify(session) }
    return { cookies: [], origins: [{ origin, localStorage: [kept] }] }
  }

  return {
    emailOf,
    ask,

    sessionOf,

    /** One who has signed in before. */
    async visitAs(role: Role, path: string, options: BrowserContextOptions = DESK): Promise<Page> {
      const storageState = await sessionOf(role, stage().url)
      return stage().visit(`/${stage().shop.slug}/console${path}`, { storageState, ...options })
    },

    goto: (page: Page, path: string) => page.goto(`${stage().url}/${stage().shop.slug}/console${path}`),

    /** A buyer with an account takes a seat and begins to pay for it. */
    async payFor(hall: Hall, ordinal: number): Promise<void> {
      const { server, shop } = stage()
      const me = await ask('customer', 'GET', '/api/session')
      const held = await ask('customer', 'POST', `${hall.url}/seats/${hall.seats[ordinal]}/reserve`)
      expect(held.status, held.text).toBe(201)
      const person = { userId: me.body.data.user.id, role: 'customer' } as const
      const lane = server.node.lanes.lane(TenantScope.of(shop.id as OrganizationId), hall.eventId as EventId)
      const started = await lane.submit({
        kind: 'start_payment',
        allowStranding: true,
        commandId: crypto.randomUUID() as CommandId,
        actor: {
          person: { ...person, membershipTier: null, membershipStatus: null },
          ip: null,
          source: 'web',
        },
        holdIds: [held.body.data.hold_id],
        checkoutId: crypto.randomUUID() as CheckoutId,
      })
      expect(started.kind).toBe('decided')
    },

    /** Two seats for R 450 each, and a fee of R 30 for the order, paid on our page. */
    async buy(hall: Hall) {
      const { server, shop } = stage()
      const prices = {
        currency: 'ZAR',
        categories: [
          {
            key: 'standard',
            name: 'Standard',
            ticket_types: [{ key: 'adult', name: 'Adult', amount: 45_000 }],
          },
        ],
        zones: { [hall.zones[0]!]: 'standard' },
        fees: [{ name: 'Booking fee', amount: 3_000, per: 'order' }],
      }
      const url = `/api/admin/events/${hall.eventId}/prices`
      const put = await ask('organizer', 'PUT', url, prices, { 'if-match': '"0"' })
      expect(put.status, put.text).toBe(200)
      const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: shop.slug } })
      const { token } = guest.body.data
      const post = async (path: string, body: object) => {
        const answer = await server.request('POST', path, { token, body })
        expect(answer.status, answer.text).toBeLessThan(300)
        return answer.body.data
      }
      await post(`${hall.url}/holds`, { seat_ids: hall.seats.slice(0, 2) })
      const contact = { name: 'Anika', email: 'anika@example.org' }
      const { checkout_id } = await post('/api/checkouts', { event_id: hall.eventId, contact })
      await post(`/api/checkouts/${checkout_id}/pay`, card('4242 4242 4242 4242'))
      return (await ask('organizer', 'GET', `/api/admin/orders/${checkout_id}`)).body.data
    },

    /** Two seats that were sold at the box office. */
    async sell(hall: Hall, from = 0) {
      const seats = hall.seats.slice(from, from + 2)
      const held = await ask('organizer', 'POST', `${hall.url}/holds`, { seat_ids: seats })
      const hold_ids = held.body.data.holds.map(({ hold_id }: { hold_id: string }) => hold_id)
      const lines = hold_ids.map((hold_id: string) => ({ hold_id, amount: 45_000 }))
      const contact = { name: 'Anika', email: 'anika@example.org' }
      const order = { event_id: hall.eventId, hold_ids, lines, currency: 'ZAR', method: 'cash', contact }
      const sold = await ask('organizer', 'POST', '/api/admin/orders', { ...order, allow_stranding: true })
      expect(sold.status, sold.text).toBe(201)
      return sold.body.data
    },
  }
}

export const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor()
