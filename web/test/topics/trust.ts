import { PASSWORD } from '@voelgoed/testing/harness'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { checkoutSteps, GOOD } from '../checkout-steps.ts'
import { expectAccessible, expectFits, type Stage, text } from '../stage.ts'

const SELLER = {
  legal_name: 'Karoo Stage (Pty) Ltd',
  vat_number: '4012345678',
  phone: '044 123 4567',
  terms_url: null,
  terms: 'A ticket lets one person in.\n\nLatecomers wait for the interval.',
  refund_rule: 'Until two days before, you get 90 % back.',
}
const EMAIL = 'lerato@example.org'

/** Counts the locks that keep the screen on. */
const COUNT_LOCKS = `Object.defineProperty(navigator, 'wakeLock', { value: { request: async () => {
  window.locks = (window.locks ?? 0) + 1
  return Object.assign(new EventTarget(), { release: async () => { window.locks -= 1 } })
} } })`

/** The seller is named before the money, and the tickets open at the gate. */
export function trustTests(stage: () => Stage): void {
  const { pricedHall } = checkoutSteps(stage)

  const staff = async (role: 'admin' | 'organizer', method: string, path: string, body?: object) => {
    const { server, shop } = stage()
    const answer = await server.request(method, path, { token: shop.tokens[role], ...(body && { body }) })
    expect(answer.status, answer.text).toBe(200)
    return answer.body.data
  }

  /** A guest who holds two seats, at checkout, on a device that likes the dark. */
  const visitCheckout = async (): Promise<Page> => {
    const { server, shop, url } = stage()
    const hall = await pricedHall()
    const times = { doors_at: '2027-03-01T16:30:00Z', starts_at: '2027-03-01T17:30:00Z' }
    const { venue } = await staff('organizer', 'PATCH', `/api/admin/events/${hall.eventId}`, times)
    await staff('organizer', 'PATCH', `/api/admin/venues/${venue.id}`, {
      address: '1 Church Street, Prince Albert',
      time_zone: 'Africa/Johannesburg',
    })
    const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: shop.slug } })
    const { token } = guest.body.data as { token: string }
    const body = { seat_ids: hall.seats.slice(0, 2) }
    const held = await server.request('POST', `${hall.url}/holds`, { token, body })
    expect(held.status, held.text).toBe(201)
    const session = { name: `voelgoed:session:${shop.slug}`, value: JSON.stringify(guest.body.data) }
    return stage().visit(`/${shop.slug}/events/${hall.eventId}/checkout`, {
      storageState: { cookies: [], origins: [{ origin: url, localStorage: [session] }] },
      colorScheme: 'dark',
      before: COUNT_LOCKS,
    })
  }

  describe('trust before money, and tickets in the pocket', () => {
    it('a guest reads who sells, signs in with the seats, pays, and shows the tickets on the whole screen', async () => {
      const { server, shop } = stage()
      await staff('admin', 'PATCH', '/api/admin/organization/seller', SELLER)
      await staff('admin', 'PATCH', '/api/admin/organization', { support_email: 'help@karoo.example' })
      const account = { organization: shop.slug, email: EMAIL, password: PASSWORD }
      expect((await server.request('POST', '/api/accounts', { body: account })).status).toBe(201)

      const page = await visitCheckout()
      await page.getByRole('heading', { name: 'Sold by Karoo Stage (Pty) Ltd' }).waitFor()
      await text(page, 'VAT number 4012345678')
      await page.getByRole('link', { name: 'help@karoo.example' }).waitFor()
      expect(await page.getByRole('link', { name: SELLER.phone }).getAttribute('href')).toBe('tel:0441234567')
      await text(page, SELLER.refund_rule)
      const terms = page.getByText('Latecomers wait for the interval.')
      expect(await terms.isVisible()).toBe(false)
      await page.getByText('Terms of sale').click()
      await terms.waitFor()
      await text(page, 'or go on as a guest')
      await expectAccessible(page, 'checkout of a guest')
      await expectFits(page, 'checkout of a guest')

      await page.getByRole('button', { name: 'Sign in' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Email address').fill(EMAIL)
      await dialog.getByLabel('Password').fill(PASSWORD)
      await dialog.getByRole('button', { name: 'Sign in' }).click()
      await text(page, 'Your seats are now in your account.')
      await page.getByRole('link', { name: EMAIL }).waitFor()
      expect(await page.getByText('or go on as a guest').count()).toBe(0)
      expect(await page.getByLabel('Email address').inputValue()).toBe(EMAIL)
      await page.getByLabel('Full name').fill('Lerato Nkosi')
      await page.getByRole('button', { name: /^Continue to payment/ }).click()
      await page.getByLabel('Card number').fill(GOOD)
      await page.getByRole('heading', { name: 'Sold by Karoo Stage (Pty) Ltd' }).waitFor()
      await page.getByLabel('Expiry date').fill('12/40')
      await page.getByLabel('Security code').fill('737')
      await page.getByRole('button', { name: /^Pay / }).click()
      await page.waitForURL('**/orders/*')

      await text(page, 'Doors 18:30')
      await text(page, '1 Church Street, Prince Albert')
      const directions = page.getByRole('link', { name: 'Directions' })
      expect(await directions.getAttribute('href')).toMatch(/^(https|geo):.*1%20Church%20Street/)
      await page.getByRole('link', { name: 'help@karoo.example' }).waitFor()
      await expectAccessible(page, 'order with all that is to know')
      await expectFits(page, 'order with all that is to know')

      // At the gate: no network, and a bright screen that stays on.
      const show = page.getByRole('button', { name: 'Show tickets' })
      const second = page.getByRole('button', { name: /^Show on the whole screen: .* seat 2$/ })
      await second.waitFor()
      await page.context().setOffline(true)
      const order = page.url()
      await show.click()
      await page.locator('h2:focus').waitFor()
      const code = (seat: number) =>
        dialog.getByRole('img', { name: `QR code of the ticket: Stalls, row R1, seat ${seat}` })
      await code(1).waitFor()
      await text(page, /The screen stays on\.$/)
      const ground = 'getComputedStyle(document.querySelector("dialog")).backgroundColor'
      expect(await page.evaluate(ground)).toBe('rgb(255, 255, 255)')
      await expectAccessible(page, 'a ticket on the whole screen')
      await page.keyboard.press('ArrowRight')
      await dialog.getByRole('status').getByText('Ticket 2 of 2: Stalls, row R1, seat 2').waitFor()
      await code(2).waitFor()
      const next = dialog.getByRole('button', { name: 'The next ticket' })
      expect(await next.getAttribute('aria-disabled')).toBe('true')
      await page.mouse.move(100, 500)
      await page.mouse.down()
      await page.mouse.move(280, 505, { steps: 3 })
      await page.mouse.up()
      await code(1).waitFor()
      await next.click()
      await code(2).waitFor()
      await next.and(page.locator(':focus')).waitFor()
      await page.setViewportSize({ width: 844, height: 390 })
      await expectFits(page, 'a ticket on a phone on its side')
      await page.setViewportSize({ width: 390, height: 844 })
      await page.keyboard.press('Escape')
      await show.and(page.locator(':focus')).waitFor()
      expect([await dialog.count(), await page.evaluate('locks'), page.url()]).toEqual([0, 0, order])

      await second.click()
      await code(2).waitFor()
      await page.goBack()
      await dialog.waitFor({ state: 'detached' })
      await second.and(page.locator(':focus')).waitFor()
      expect(page.url()).toBe(order)
    })
  })
}
