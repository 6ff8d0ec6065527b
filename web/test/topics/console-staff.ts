import type { Role } from '@voelgoed/core/access'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Hall } from '../../../server/test/kit/hall.ts'
import { PASSWORD } from '../../../server/test/kit/harness.ts'
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
