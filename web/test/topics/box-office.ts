import type { Hall } from '@voelgoed/testing/hall'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, type Stage, text } from '../stage.ts'
import { heading, staffOf } from './console-staff.ts'

/** The box office on the map, moving tickets, and the questions that support is asked. */
export function boxOfficeTests(stage: () => Stage): void {
  const { ask, emailOf, goto, visitAs } = staffOf(stage)

  const price = async (hall: Hall) => {
    const ticket_types = [
      { key: 'adult', name: 'Adult', amount: 45_000 },
      { key: 'child', name: 'Child', amount: 20_000 },
    ]
    const zones = Object.fromEntries(hall.zones.map(zone => [zone, 'standard']))
    const list = { currency: 'ZAR', categories: [{ key: 'standard', name: 'Standard', ticket_types }], zones }
    const path = `/api/admin/events/${hall.eventId}/prices`
    const made = await ask('organizer', 'PUT', path, list, { 'if-match': '"0"' })
    expect(made.status, made.text).toBe(200)
  }

  const openMap = async (page: Page) => {
    await page.getByText('Up to date', { exact: true }).first().waitFor()
    const map = page.getByRole('application')
    await map.waitFor()
    return map
  }

  /** By keys alone, whatever the size of the map. */
  const goToSeat = async (page: Page, name: string) => {
    await page.getByRole('application').focus()
    const stop = page.locator('.hall [role="status"]')
    for (const key of [...Array(6).fill('ArrowLeft'), ...Array(12).fill('ArrowRight')]) {
      if ((await stop.textContent()) === name) return
      await page.keyboard.press(key)
    }
    expect(await stop.textContent()).toBe(name)
  }

  describe('the box office', () => {
    it('a day: hold, sell for cash, print, move, refund, release', async () => {
      const hall = await stage().hall({ seats: 5, perRow: 5, event: { name: 'Counter' } })
      await price(hall)
      const page = await visitAs('organizer', `/events/${hall.eventId}/map`)
      const map = await openMap(page)
      // A press chooses the seat: what can be done with it stands by its story. Another hand adds more.
      await map.click()
      const seat = page.getByRole('region', { name: 'History of the seat' })
      for (const name of ['Sell 1…', 'Hold 1…', 'Block 1…'])
        await seat.getByRole('button', { name }).waitFor()
      await expectAccessible(page, 'a free seat')
      const many = page.getByRole('button', { name: /^Choose many/ })
      await many.click()
      await map.click()
      await seat.waitFor({ state: 'detached' })
      expect(await page.getByRole('button', { name: 'Hold 1…' }).count()).toBe(0)
      await many.click()
      await map.click({ modifiers: ['Shift'] })
      await page.getByRole('button', { name: 'Hold 1…' }).click()
      await page.getByLabel(/^Name or note/).fill('Anna, by telephone')
      await expectAccessible(page, 'hold for the box office')
      await page.getByRole('button', { name: 'Hold 1 place', exact: true }).click()
      await text(page, '1 place held for the box office.')
      const office = page.getByRole('region', { name: 'Box office' })
      const group = office.getByRole('listitem').filter({ hasText: 'Anna, by telephone' })
      await group.waitFor()
      await expectAccessible(page, 'box office')

      await group.getByRole('button', { name: 'Sell…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog
        .getByText(/R\s?450/)
        .first()
        .waitFor()
      await dialog.getByLabel(/^Ticket type of/).selectOption('child')
      await dialog.getByLabel(/^Name/).fill('Anna')
      await dialog.getByLabel(/^Email address/).fill('anna@example.org')
      await expectAccessible(page, 'sale over the counter')
      await dialog.getByRole('button', { name: /^Sell for R\s?200/ }).click()
      await dialog.getByRole('heading', { name: /^Sold: order/ }).waitFor()
      // The stage has no mail server.
      await text(page, 'No mail server is configured, so no email was sent. Print the tickets.')
      const printed = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Print tickets (PDF)' }).click()
      expect((await printed).suggestedFilename()).toMatch(/\.pdf$/)
      await dialog.getByRole('link', { name: 'Open the order' }).click()

      const drawer = page.getByRole('dialog')
      await drawer.getByText('Stalls R1-3').waitFor()
      // By its name, not its key.
      await drawer.getByText('Child', { exact: true }).waitFor()
      await drawer.getByText(`Sold by ${emailOf('organizer')}`).waitFor()
      const orderId = page.url().split('/').at(-1)!
      const order = (await ask('support', 'GET', `/api/admin/orders/${orderId}`)).body.data
      expect(order).toMatchObject({
        status: 'paid',
        total: 20_000,
        payments: [{ method: 'cash' }],
        tickets: [{ ticket_type: 'child' }],
        contact: { name: 'Anna', email: 'anna@example.org' },
      })

      await drawer.getByRole('link', { name: 'Move to other seats…' }).click()
      const panel = page.getByRole('complementary', { name: /^Move tickets of/ })
      await panel.getByText('Choose 1 more seat.').waitFor()
      await openMap(page)
      await goToSeat(page, 'Stalls R1-1')
      await page.keyboard.press('Enter')
      await panel.getByText('→ Stalls R1-1').waitFor()
      await expectAccessible(page, 'moving tickets')
      await panel.getByRole('button', { name: 'Move 1 ticket…' }).click()
      await text(page, 'Stalls R1-3 → Stalls R1-1')
      await expectAccessible(page, 'what a move does')
      await page.getByRole('button', { name: 'Move 1 ticket', exact: true }).click()
      await text(page, '1 ticket moved.')
      await drawer.getByText('Stalls R1-1', { exact: true }).waitFor()
      const moved = (await ask('support', 'GET', `/api/admin/orders/${orderId}`)).body.data
      expect(moved.tickets).toMatchObject([{ status: 'valid', seat_id: hall.seats[0], ticket_type: 'child' }])

      await drawer.getByRole('button', { name: 'Refund all…' }).click()
      await page.getByLabel('Reason').fill('Ill')
      await page.getByRole('button', { name: /^Refund R\s?200/ }).click()
      await text(page, 'The tickets are taken back.')

      const body = { seat_ids: [hall.seats[4]], cart_token: 'Ben, at the door' }
      expect((await ask('admin', 'POST', `${hall.url}/holds`, body)).status).toBe(201)
      await goto(page, `/events/${hall.eventId}/holds`)
      await page.getByRole('row').filter({ hasText: 'Ben, at the door' }).getByText('Box office').waitFor()
      await goto(page, `/events/${hall.eventId}/map`)
      const colleague = office.getByRole('listitem').filter({ hasText: 'Ben, at the door' })
      await colleague.getByText(/by a colleague/).waitFor()
      await colleague.getByRole('button', { name: 'Sell…' }).click()
      await dialog.getByRole('button', { name: /^Sell for R\s?450/ }).click()
      await dialog.getByRole('heading', { name: /^Sold: order/ }).waitFor()
      await dialog.getByRole('button', { name: 'Done' }).click()
      await colleague.waitFor({ state: 'detached' })
      const seats = (await ask('support', 'GET', `${hall.url}/availability`)).body.data.seats
      expect(seats).toMatchObject([{ seat_id: hall.seats[4], status: 'sold' }])
    })

    it('a hold that is about to end is extended, then released', async () => {
      const seating_overrides = { default_hold_ttl_seconds: 240 }
      const hall = await stage().hall({ event: { name: 'Longer', seating_overrides } })
      const page = await visitAs('organizer', `/events/${hall.eventId}/map`)
      await openMap(page)
      const body = { seat_ids: [hall.seats[0]], cart_token: 'Cleo' }
      const held = await ask('organizer', 'POST', `${hall.url}/holds`, body)
      expect(held.status, held.text).toBe(201)
      const office = page.getByRole('region', { name: 'Box office' })
      const group = office.getByRole('listitem').filter({ hasText: 'Cleo' })
      await group.getByRole('button', { name: 'Extend' }).click()
      await text(page, 'Held for longer.')
      const [before] = held.body.data.holds
      const [now] = (await ask('support', 'GET', `/api/admin/events/${hall.eventId}/holds`)).body.data
      expect(Date.parse(now.held_until)).toBeGreaterThan(Date.parse(before.held_until))
      await group.getByRole('button', { name: 'Release' }).click()
      await group.waitFor({ state: 'detached' })
    })

    it('standing places, the best seats, and a phone', async () => {
      const hall = await stage().hall({ seats: 0, standing: 10, event: { name: 'Standing' } })
      await price(hall)
      const phone = { viewport: { width: 390, height: 844 } }
      const page = await visitAs('organizer', `/events/${hall.eventId}/map`, phone)
      await page.getByText('10 left').waitFor()
      const office = page.getByRole('region', { name: 'Box office' })
      await office.getByRole('button', { name: 'More' }).click()
      await expectFits(page, 'box office, phone')
      await office.getByRole('button', { name: 'Sell…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Paid by').selectOption('card_terminal')
      await expectFits(page, 'sale over the counter, phone')
      await dialog.getByRole('button', { name: /^Sell for R\s?900/ }).click()
      await dialog.getByRole('heading', { name: /^Sold: order/ }).waitFor()
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page.getByText('8 left').waitFor()

      const seated = await stage().hall({ event: { name: 'Side by side' } })
      await goto(page, `/events/${seated.eventId}/map`)
      await openMap(page)
      await office.getByRole('button', { name: 'Find and hold' }).click()
      await text(page, /^Held: /)
      await page.getByRole('button', { name: 'Sell 2…' }).waitFor()
      await expectFits(page, 'map with a selection, phone')
    })

    it('support: what a person holds and bought, and why a payment has no tickets', async () => {
      const hall = await stage().hall({ event: { name: 'Questions' } })
      await price(hall)
      const seat_ids = hall.seats.slice(0, 2)
      const held = await ask('customer', 'POST', `${hall.url}/holds`, { seat_ids })
      const hold_ids = held.body.data.holds.map(({ hold_id }: { hold_id: string }) => hold_id)
      const contact = { name: 'Carla', email: 'carla@example.org' }
      const checkout = { event_id: hall.eventId, hold_ids, contact }
      const opened = await ask('customer', 'POST', '/api/checkouts', checkout)
      expect(opened.status, opened.text).toBe(201)

      const page = await visitAs('support', '/people')
      await heading(page, 'People')
      await page.getByRole('link', { name: emailOf('customer') }).click()
      const sheet = page.getByRole('dialog')
      await sheet.getByRole('link', { name: 'Holds' }).click()
      await heading(page, 'Holds')
      await page.getByRole('heading', { name: emailOf('customer') }).waitFor()
      await page.getByRole('row').filter({ hasText: 'Questions' }).first().getByText('Held now').waitFor()

      await goto(page, '/people')
      await page.getByRole('link', { name: emailOf('customer') }).click()
      await sheet.getByRole('link', { name: 'Orders' }).click()
      await heading(page, 'Orders')
      const row = page.getByRole('row').filter({ hasText: 'Questions' })
      await row.getByRole('link').click()
      await text(page, 'Not paid yet. The seats are held until the time to pay runs out.')
      await expectAccessible(page, 'an order without tickets')
      expect(await page.getByRole('link', { name: 'Move to other seats…' }).count()).toBe(0)
    })
  })
}
