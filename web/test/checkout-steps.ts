import type { Hall } from '@voelgoed/testing/hall'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Stage, text } from './stage.ts'

export const GOOD = '4242424242424242'
export const CONTACT = { name: 'Ben Botha', email: 'ben@example.org' }

/** Does what buyers do on their way to tickets. */
export function checkoutSteps(stage: () => Stage) {
  const pricedHall = async (): Promise<Hall> => {
    const hall = await stage().hall({
      prices: ['gold'],
      event: { seating_overrides: { orphan_avoidance_strict: false } },
    })
    const ticket_types = [
      { key: 'adult', name: 'Adult', amount: 80_000 },
      { key: 'child', name: 'Child', amount: 40_000 },
    ]
    const priced = await stage().server.request('PUT', `/api/admin/events/${hall.eventId}/prices`, {
      token: stage().shop.tokens.organizer,
      headers: { 'if-match': '*' },
      body: {
        currency: 'ZAR',
        categories: [{ key: 'gold', name: 'Gold', ticket_types }],
        fees: [{ name: 'Booking fee', amount: 1_500, per: 'ticket' }],
        tax: { name: 'VAT', percent: 15, included: true },
      },
    })
    expect(priced.status, priced.text).toBe(200)
    return hall
  }

  /** A browser of a guest who holds a seat and has got as far as the card. */
  const visitToPay = async (checkout: object = {}) => {
    const hall = await pricedHall()
    const { server, shop, url } = stage()
    const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: shop.slug } })
    const { token } = guest.body.data as { token: string }
    const post = async (path: string, body: object) => {
      const answer = await server.request('POST', path, { token, body })
      expect(answer.status, answer.text).toBe(201)
      return answer.body.data
    }
    const held = await post(`${hall.url}/holds`, { seat_ids: [hall.seats[0]] })
    const opened = await post('/api/checkouts', { event_id: hall.eventId, contact: CONTACT, ...checkout })
    const id = opened.checkout_id as string
    const session = { name: `voelgoed:session:${shop.slug}`, value: JSON.stringify(guest.body.data) }
    const storageState = { cookies: [], origins: [{ origin: url, localStorage: [session] }] }
    const page = await stage().visit(`/${shop.slug}/checkout/${id}`, { storageState })
    await page.getByLabel('Card number').waitFor()
    return {
      hall,
      page,
      id,
      token,
      holdId: held.holds[0].hold_id as string,
    }
  }

  const fillCard = async (page: Page, number: string) => {
    await page.getByLabel('Card number').fill(number)
    await page.getByLabel('Expiry date').fill('12/40')
    await page.getByLabel('Security code').fill('737')
    return page.getByRole('button', { name: /^Pay R\s?815[.,]00$/ })
  }

  const payWith = async (page: Page, number: string) => {
    const pay = await fillCard(page, number)
    await pay.click()
  }

  const atOrder = async (page: Page, id: string) => {
    await page.waitForURL(`**/orders/${id}`)
    await page.getByRole('heading', { name: 'Your tickets' }).waitFor()
    await text(page, /^Paid · order /)
  }

  return { pricedHall, visitToPay, fillCard, payWith, atOrder }
}
