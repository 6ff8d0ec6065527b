import { systemClock } from '@voelgoed/kit/base/clock'
import type { Hall } from '@voelgoed/testing/hall'
import { ROOT_KEY } from '@voelgoed/testing/harness'
import { describe, expect, it } from 'vitest'
import { soldTickets } from '../sold-tickets.ts'
import { expectAccessible, openRow, type Stage, seatButton, seatSays, text } from '../stage.ts'
import { staffOf } from './console-staff.ts'

const HOUR_MS = 3_600_000
const inHours = (hours: number) => new Date(systemClock.now() + hours * HOUR_MS).toISOString()

/** The page says why an event sells no seats at the moment, and shows the times of those that do. */
export function saleTests(stage: () => Stage): void {
  const change = async (hall: Hall, action: 'cancel' | 'go-live' | 'complete') => {
    const answer = await stage().server.request('POST', `/api/admin/events/${hall.eventId}/${action}`, {
      token: stage().shop.tokens.organizer,
    })
    expect(answer.status, answer.text).toBe(200)
  }

  describe('when an event sells', () => {
    it('before the sale there is a countdown and nothing to take; when the time comes it opens by itself', async () => {
      const hall = await stage().hall({
        event: { name: 'Early', sale_start: inHours(2), sale_end: inHours(9) },
      })
      const page = await stage().visit('/')
      await page.clock.install()
      // The server's clock, as far as this page hears of it.
      let ahead = 0
      await page.route('**/api/events/*/cart', async route => {
        const response = await route.fetch()
        const { data } = await response.json()
        const timestamp = new Date(Date.parse(data.timestamp) + ahead).toISOString()
        await route.fulfill({ response, json: { data: { ...data, timestamp } } })
      })
      await page.goto(`${stage().url}/${stage().shop.slug}`)
      const card = page.locator('li', { hasText: 'Early' })
      await card.getByText(/^Sales open in (2:00:00|1:5\d:\d\d)$/).waitFor()
      await card.getByRole('link', { name: 'Look at the hall: Early' }).click()
      await page.getByText(/^Sales open in (2:00:00|1:5\d:\d\d)$/).waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
      await expectAccessible(page, 'before the sale')
      const calendar = page.getByRole('link', { name: 'Put it in my calendar' })
      expect(await calendar.getAttribute('href')).toBe(
        `/${stage().shop.slug}/events/${hall.eventId}/opening.ics`,
      )
      const asked: string[] = []
      page.on('request', request => request.method() === 'POST' && asked.push(request.url()))
      await openRow(page, 1)
      await seatButton(page, 1, 2).click()
      await text(page, 'Sales have not opened yet.')
      expect(asked).toEqual([])
      // A phone sleeps for an hour, and its clocks stand still: when it wakes, the page asks for the time.
      ahead = HOUR_MS
      await page.evaluate("window.dispatchEvent(new Event('online'))")
      await page.getByText(/^Sales open in (1:00:00|5\d:\d\d)$/).waitFor()
      // The page goes by the server's clock, which runs with a monotonic clock of the browser:
      // another hour goes by.
      ahead = 2 * HOUR_MS
      await page.clock.fastForward(HOUR_MS)
      await page.getByRole('status').filter({ hasText: 'Sales are open. Choose your seats.' }).waitFor()
      expect(await page.getByText(/^Sales open in/).count()).toBe(0)
      expect(page.url()).toContain(hall.eventId)
    })

    it('while the platform has suspended the organizer everyone concerned is told, at once', async () => {
      const { server, shop } = stage()
      const hall = await stage().hall({ event: { name: 'Halt' } })
      const suspend = async (suspended: boolean) => {
        const body = { suspended, ...(suspended && { reason: 'The bank asks for papers.' }) }
        const url = `/api/platform/organizations/${shop.id}`
        const answer = await server.request('PATCH', url, { token: ROOT_KEY, body })
        expect(answer.status, answer.text).toBe(200)
      }
      const paused = 'Sales are paused by the platform. Tickets that you have stay valid.'
      const page = await stage().visitEvent(hall)
      const desk = await staffOf(stage).visitAs('organizer', `/events/${hall.eventId}`)
      await text(desk, 'Up to date')
      try {
        await suspend(true)
        // Pages that were open before.
        await page.locator('.banner').getByText(paused).waitFor()
        expect(await page.getByText('Live', { exact: true }).count()).toBe(0)
        expect(await page.locator('.hall').count()).toBe(0)
        await expectAccessible(page, 'suspended: an event')
        await desk.getByText(/^The platform has suspended Voelgoed Test since/).waitFor()
        await desk.getByText(/The reason: The bank asks for papers\./).waitFor()
        await expectAccessible(desk, 'suspended: the console')
        // A visitor comes now, without a session.
        const later = await stage().visit(`/${shop.slug}`)
        await later.locator('.paused').getByText(paused).waitFor()
        await later.locator('li', { hasText: 'Halt' }).getByText('Sales paused', { exact: true }).waitFor()
        await expectAccessible(later, 'suspended: a storefront')
      } finally {
        await suspend(false)
      }
      await page.getByText('Live', { exact: true }).waitFor()
      expect(await page.locator('.banner').getByText(paused).count()).toBe(0)
      await desk.getByText(/^The platform has suspended/).waitFor({ state: 'detached' })
    })

    it('after the sale it says so, on the card and on the page, and offers nothing', async () => {
      const hall = await stage().hall({
        standing: 5,
        event: { name: 'Late', sale_start: inHours(-9), sale_end: inHours(-1) },
      })
      const page = await stage().visit(`/${stage().shop.slug}`)
      const card = page.locator('li', { hasText: 'Late' })
      await card.getByText('Sales for this event are closed.').waitFor()
      await card.getByRole('link', { name: 'Look at the hall: Late' }).click()
      const closed = page.locator('[data-state=closed]')
      await closed.getByText('Sales for this event are closed.').waitFor()
      await closed.getByText(/^Selling here ended on/).waitFor()
      await closed.getByRole('link', { name: 'See other events' }).waitFor()
      await page.locator('.hall.asleep').waitFor()
      await expectAccessible(page, 'after the sale')
      expect(page.url()).toContain(hall.eventId)
      await page.getByText('List', { exact: true }).click()
      await page.getByRole('button', { name: /^Pit/ }).click()
      const dialog = page.getByRole('dialog', { name: 'Pit' })
      await dialog.getByText('Sales for this event are closed.').waitFor()
      expect(await dialog.getByRole('button').allTextContents()).toEqual(['Close'])
    })

    it('all in carts and sold out look different, and say whether to wait', async () => {
      const hall = await stage().hall({ seats: 2, event: { name: 'Full' } })
      const { server, shop } = stage()
      const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: shop.slug } })
      const { token } = guest.body.data as { token: string }
      const held = await server.request('POST', `${hall.url}/holds`, {
        token,
        body: { seat_ids: hall.seats },
      })
      expect(held.status, held.text).toBe(201)
      const page = await stage().visit(`/${shop.slug}`)
      const card = page.locator('li', { hasText: 'Full' })
      await card.getByText('All in carts', { exact: true }).waitFor()
      await card.getByRole('link', { name: 'Wait for a seat: Full' }).click()
      const carts = page.locator('[data-state=carts]')
      await carts.getByText('Every seat is in someone’s cart').waitFor()
      await carts
        .getByText(/^Not sold yet: 2 places are in carts\. Some may come back within \d+ minutes\./)
        .waitFor()
      await expectAccessible(page, 'all in carts')
      for (const { hold_id } of held.body.data.holds as { hold_id: string }[]) {
        const released = await server.request('DELETE', `/api/holds/${hold_id}`, { token })
        expect(released.status, released.text).toBe(200)
      }
      // Without a reload.
      await carts.waitFor({ state: 'detached' })
      await soldTickets(stage(), hall, [0, 1])
      const sold = page.locator('[data-state=sold]')
      await sold.getByText('If tickets are given back, they show up here at once.').waitFor()
      await sold.getByRole('link', { name: 'See other events' }).click()
      await page.locator('li', { hasText: 'Full' }).getByText('Sold out', { exact: true }).waitFor()
    })

    it('a cancelled event says so, has no hall to choose from, and shows holds as ended', async () => {
      const hall = await stage().hall()
      const page = await stage().visitEvent(hall)
      await openRow(page, 1)
      await seatButton(page, 1, 2).click()
      await seatSays(page, 1, 2, 'held for you')
      await change(hall, 'cancel')
      // Without a reload.
      await page.getByText('This event has been cancelled.').last().waitFor()
      await text(page, 'No longer held for you: Stalls, row R1, seat 2.')
      expect(await page.getByRole('timer').count()).toBe(0)
      expect(await page.getByRole('application').count()).toBe(0)
      await expectAccessible(page, 'cancelled')
      await page.getByRole('link', { name: 'See other events' }).click()
      await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
    })

    it('an event that has taken place is over', async () => {
      const hall = await stage().hall()
      await change(hall, 'go-live')
      await change(hall, 'complete')
      const page = await stage().visit(`/${stage().shop.slug}/events/${hall.eventId}`)
      await page.locator('[data-state=over]').getByText('This event is over.').waitFor()
    })
  })

  it("times are the venue's, labelled, with the viewer's own beside them where they differ", async () => {
    const hall = await stage().hall({
      event: {
        name: 'Far away',
        starts_at: '2027-11-20T17:30:00.000Z',
        sale_end: '2027-11-20T16:30:00.000Z',
      },
    })
    const venue = await stage().server.request('PATCH', `/api/admin/venues/${hall.venueId}`, {
      token: stage().shop.tokens.organizer,
      body: { time_zone: 'Africa/Johannesburg' },
    })
    expect(venue.status, venue.text).toBe(200)
    const there = /Sat,? 20 Nov 2027, 19:30 \(Johannesburg time\)/
    const tokyo = await stage().visitEvent(hall, { timezoneId: 'Asia/Tokyo' })
    await text(tokyo, there)
    await text(tokyo, /Sun,? 21 Nov, 02:30 your time/)
    // On a phone the header has two lines, and tells the rest where it is unfolded.
    const header = tokyo.getByRole('main').locator('header')
    const name = await header.getByRole('heading', { level: 1 }).evaluate(h1 => h1.clientHeight)
    expect(name).toBeLessThan(30)
    expect(await header.locator('.facts').evaluate(facts => facts.clientHeight)).toBeLessThan(2.5 * name)
    const both = header.locator('.moment').filter({ hasText: '02:30 your time' })
    expect((await both.boundingBox())!.width).toBeLessThan(2)
    await header.getByRole('button', { name: 'More about this event' }).click()
    expect((await both.boundingBox())!.width).toBeGreaterThan(100)
    await tokyo.goto(`${stage().url}/${stage().shop.slug}`)
    await text(tokyo, /Sun,? 21 Nov, 02:30 your time/)
    const home = await stage().visitEvent(hall, { timezoneId: 'Africa/Maputo' })
    await text(home, /Sat,? 20 Nov 2027, 19:30/)
    expect(await home.getByText(/your time|Johannesburg time/).count()).toBe(0)
  })
}
