import { waitUntil } from '@voelgoed/testing/wait-until'
import type { Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CONTACT, checkoutSteps, GOOD } from '../checkout-steps.ts'
import {
  expectAccessible,
  expectFits,
  openPanel,
  openRow,
  type Stage,
  seatButton,
  seatSays,
  tabTo,
  text,
} from '../stage.ts'

const MINUTE_MS = 60_000

/** From held seats to tickets: paying, and everything that can go wrong on the way. */
export function checkoutTests(stage: () => Stage): void {
  const { pricedHall, visitToPay, payWith, atOrder } = checkoutSteps(stage)

  describe('checkout', () => {
    it('the whole way on a phone: ticket types, details, card, tickets; and nothing of the card stays', async () => {
      const hall = await pricedHall()
      const page = await stage().visitEvent(hall)
      await openRow(page, 1)
      for (const seat of [4, 5]) {
        await seatButton(page, 1, seat).click()
        await seatSays(page, 1, seat, 'held for you')
      }
      // A type that is chosen in the cart changes the price at once, and comes along to the checkout.
      await openPanel(page)
      const total = page.getByTestId('cart-total')
      await total.getByText(/^R\s?1[\s,]?630[.,]00$/).waitFor()
      await page.getByRole('button', { name: 'One more Child' }).click()
      await total.getByText(/^R\s?1[\s,]?230[.,]00$/).waitFor()
      await expectAccessible(page, 'a cart with ticket types')
      await page.getByRole('link', { name: 'Check out' }).click()
      await page.getByRole('heading', { name: 'Checkout' }).waitFor()
      // On a phone the sum and the clock stand above the form; places and fees are folded.
      await page
        .locator('.sum')
        .getByText(/^R\s?1[\s,]?230[.,]00$/)
        .waitFor()
      await page.getByRole('button', { name: 'Details' }).click()
      const type = page.getByLabel('Ticket type: Stalls, row R1, seat 5')
      expect(await type.inputValue()).toBe('child')
      await type.selectOption('adult')
      await total.getByText(/^R\s?1[\s,]?630[.,]00$/).waitFor()
      await type.selectOption('child')
      await total.getByText(/^R\s?1[\s,]?230[.,]00$/).waitFor()
      await page.getByRole('timer', { name: /^Held for you for another/ }).waitFor()
      await page.getByLabel('Name').fill(CONTACT.name)
      await page.getByLabel('Email address').fill(CONTACT.email)
      await expectAccessible(page, 'checkout')
      await expectFits(page, 'checkout')
      await page.getByRole('button', { name: /^Continue to payment · R\s?1[\s,]?230[.,]00$/ }).click()

      await text(page, 'Test mode. No real money is taken.')
      await page.locator('h1:focus').waitFor()
      await page.getByRole('button', { name: 'Details' }).click()
      await text(page, 'Stalls, row R1, seat 5')
      await text(page, /^Child$/)
      await expectAccessible(page, 'paying')
      await expectFits(page, 'paying')
      await page.getByLabel('Card number').fill(GOOD)
      await page.getByLabel('Expiry date').fill('01/20')
      await page.getByLabel('Security code').fill('737')
      const pay = page.getByRole('button', { name: /^Pay R\s?1[\s,]?230[.,]00$/ })
      await pay.click()
      await text(page, /^Enter an expiry date that has not passed/)
      expect(await page.getByLabel('Expiry date').getAttribute('aria-invalid')).toBe('true')
      await page.getByLabel('Expiry date').fill('12/40')
      await pay.click()

      await page.waitForURL('**/orders/*')
      await text(page, /^Paid · order /)
      await page.locator('main li').getByText('Child').waitFor()
      expect(await page.locator('main li').allInnerTexts()).toEqual([
        expect.stringMatching(/Stalls, row R1, seat 4[\s\S]*Adult/),
        expect.stringMatching(/Stalls, row R1, seat 5[\s\S]*Child/),
      ])
      await page.getByRole('img', { name: 'QR code of the ticket: Stalls, row R1, seat 5' }).waitFor()
      const saving = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save as PDF' }).click()
      expect((await saving).suggestedFilename()).toMatch(/\.pdf$/)
      await expectAccessible(page, 'order')
      await expectFits(page, 'order')
      const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage])')
      expect(kept).toContain(CONTACT.email)
      expect(String(kept).replaceAll(/[ -]/g, '')).not.toContain(GOOD)
      await page.reload()
      await text(page, 'Stalls, row R1, seat 5')
    })

    it('by keyboard alone from the map to the tickets, and each step is said', async () => {
      const hall = await pricedHall()
      const page = await stage().visitEvent(hall)
      const says = (what: string | RegExp) => page.getByRole('status').filter({ hasText: what }).waitFor()
      await tabTo(page, page.getByRole('application'))
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('PageUp')
      await page.keyboard.press('PageUp')
      await page.keyboard.press('Home')
      await says(/^Stalls, row R1, seat 1, free, Gold, R\s?800[.,]00$/)
      await page.keyboard.press('Enter')
      await says('Held for you: Stalls, row R1, seat 1.')
      await tabTo(page, page.getByRole('link', { name: 'Check out' }))
      await page.keyboard.press('Enter')
      await page.locator('h1:focus').filter({ hasText: 'Checkout' }).waitFor()
      await tabTo(page, page.getByLabel('Full name'))
      await page.keyboard.type(CONTACT.name)
      await page.keyboard.press('Tab')
      await page.keyboard.type(CONTACT.email)
      await page.keyboard.press('Enter')
      await page.locator('h1:focus').filter({ hasText: 'Payment' }).waitFor()
      const pay = async (number: string) => {
        await tabTo(page, page.getByLabel('Card number'))
        await page.keyboard.press('ControlOrMeta+A')
        await page.keyboard.type(number)
        await page.keyboard.press('Tab')
        await page.keyboard.type('1240')
        await page.keyboard.press('Tab')
        await page.keyboard.type('737')
        await page.keyboard.press('Enter')
      }
      await pay('4000000000000002')
      await page.getByRole('alert').filter({ hasText: 'You were not charged' }).waitFor()
      await page.getByLabel('Card number').focus()
      await pay(GOOD)
      await page.waitForURL('**/orders/*')
      await page.locator('h1:focus').filter({ hasText: 'See you there' }).waitFor()
      // The tickets come first; the event and what was paid below them.
      const top = async (name: string) => (await page.getByRole('heading', { name }).boundingBox())!.y
      expect(await top('See you there')).toBeLessThan(await top('Good to know'))
    })

    it('a card that is declined: why, what to do, and the clock goes on; then another card', async () => {
      const { page, id } = await visitToPay()
      await payWith(page, '4000000000009995')
      const alert = page.getByRole('alert')
      await alert.getByText('There is not enough money on the card. Use another card.').waitFor()
      await alert.getByText('Your seats are still held for you. You were not charged.').waitFor()
      await page.getByRole('timer').waitFor()
      await expectAccessible(page, 'declined')
      await payWith(page, GOOD)
      await atOrder(page, id)
    })

    it('a bank that asks to confirm: without an answer the page says so, with one it is paid', async () => {
      const { page, id } = await visitToPay()
      await payWith(page, '4000002500003155')
      await page.getByRole('link', { name: 'Back without an answer' }).click()
      await text(page, 'Your bank asks you to confirm the payment.')
      await page.getByRole('link', { name: 'Continue to your bank' }).click()
      await page.getByRole('button', { name: 'Confirm' }).click()
      await atOrder(page, id)
    })

    it('answers that are lost: the page says that it does not know, sends the same again, and two tabs end at one order', async () => {
      const { page, id, token } = await visitToPay()
      const other = await page.context().newPage()
      await other.goto(page.url())
      await other.getByLabel('Card number').waitFor()
      // The server hears the first and does it; the second never gets there.
      let sent = 0
      const lose = async (route: Route) => {
        sent += 1
        if (sent === 1) await route.fetch()
        await route.abort()
      }
      await page.route('**/pay', lose, { times: 2 })
      await payWith(page, GOOD)
      await text(page, /^We don’t know yet whether your bank took the money. You will not be charged twice/)
      await atOrder(page, id)
      await atOrder(other, id)
      const order = await stage().server.request('GET', `/api/orders/${id}`, { token })
      expect(order.body.data.payments).toMatchObject([{ status: 'captured', amount: 81_500 }])
    })

    it('money that comes too late: reloads find the payment again, and the page says that the money goes back', async () => {
      const { hall, page, token, holdId } = await visitToPay()
      await payWith(page, '4000000000000341')
      const waiting = 'Your bank has not decided yet. You will not be charged twice. We are asking.'
      await text(page, waiting)
      await page.reload()
      await text(page, waiting)
      // The time is over: the seat is free again, and the next buyer takes it.
      const { server, shop } = stage()
      const released = await server.request('POST', '/api/admin/seats/release', {
        token: shop.tokens.organizer,
        body: { hold_ids: [holdId], force: true },
      })
      expect(released.status, released.text).toBe(200)
      await stage().takeSeat(hall, 0)
      server.clock.jump(17 * MINUTE_MS)
      await page.reload()
      await page.getByRole('heading', { name: 'Your payment came after your time had run out' }).waitFor()
      await text(page, /All of your money \(R\s?815[.,]00\) goes back to the card/)
      server.clock.jump(-17 * MINUTE_MS)
      await expectAccessible(page, 'money goes back')
      const mine = await server.request('GET', `${hall.url}/cart`, { token })
      expect(mine.body.data.holds).toEqual([])
    })

    it('tickets open with the link of the mail in any browser, and then without a network', async () => {
      const { hall } = await visitToPay()
      const { server, shop } = stage()
      const organizer = shop.tokens.organizer
      const held = await server.request('POST', `${hall.url}/holds`, {
        token: organizer,
        body: { seat_ids: [hall.seats[12]] },
      })
      const sold = await server.request('POST', '/api/admin/orders', {
        token: organizer,
        body: {
          event_id: hall.eventId,
          hold_ids: held.body.data.holds.map((hold: { hold_id: string }) => hold.hold_id),
          method: 'cash',
        },
      })
      expect(sold.status, sold.text).toBe(201)
      const { order_id, secret } = sold.body.data
      const path = `/${shop.slug}/orders/${order_id}`
      const page = await stage().visit(path, { serviceWorkers: 'allow' })
      const lost = page.getByRole('alert')
      await lost.getByText(/^This order does not exist, or it is not yours/).waitFor()
      await lost.getByRole('link', { name: 'To the events' }).waitFor()
      await page.goto(`${stage().url}${path}#secret=${secret}`)
      await page.reload()
      await text(page, 'Stalls, row R2, seat 3')
      // The link to the content leaves the secret in the address, for a reload.
      await page.getByRole('link', { name: 'Skip to the content' }).press('Enter')
      await page.locator('#content:focus').waitFor()
      expect(page.url()).toContain(secret)
      await page.evaluate('navigator.serviceWorker.ready.then(() => null)')
      await waitUntil('the order is kept with its code', async () =>
        String(await page.evaluate('localStorage["voelgoed:orders"]')).includes('<svg'),
      )
      await page.context().setOffline(true)
      await page.reload()
      await text(page, 'From your last visit. The tickets work without a connection too.')
      const code = page.getByRole('img', { name: 'QR code of the ticket: Stalls, row R2, seat 3' })
      await code.waitFor()
      await text(page, 'Works offline')
      // A network that stalls is asked while the tickets are shown.
      await page.context().setOffline(false)
      const stall = () => {}
      await page.context().route('**/api/**', stall)
      await page.reload()
      await text(page, 'From your last visit. Checking …')
      await code.waitFor()
      await expectAccessible(page, 'order of the last visit')
      // The next day the session has ended: this browser becomes another guest, and the tickets stay.
      await page.context().unroute('**/api/**', stall)
      const key = `voelgoed:session:${shop.slug}`
      const userId = `JSON.parse(localStorage[${JSON.stringify(key)}]).user.id`
      const before = await page.evaluate(userId)
      await page.evaluate(
        `localStorage[${JSON.stringify(key)}] = localStorage[${JSON.stringify(key)}].replace(/"token":"[^"]*"/, '"token":"over"')`,
      )
      await page.goto(`${stage().url}/${shop.slug}`)
      await waitUntil('a new guest', async () => (await page.evaluate(userId)) !== before)
      await page.context().setOffline(true)
      await page.goto(`${stage().url}${path}#secret=${secret}`)
      await code.waitFor()
    })
  })
}
