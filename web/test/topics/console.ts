import { PASSWORD } from '@voelgoed/testing/harness'
import { describe, expect, it, vi } from 'vitest'
import { expectAccessible, expectFits, type Stage, tabTo, text } from '../stage.ts'
import { DESK, heading, staffOf } from './console-staff.ts'

/** The names of tables that a reader must move sideways. */
const WIDE_TABLES = `[...document.querySelectorAll('.scroll')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(table => table.closest('section').querySelector('h2').textContent)`

/** The console, as each role sees it. */
export function consoleTests(stage: () => Stage): void {
  const { ask, buy, emailOf, goto, payFor, sell, visitAs } = staffOf(stage)

  describe('the console', () => {
    it('asks for the organization, then for the account; signing out ends the session on the server', async () => {
      const page = await stage().visit('/console', DESK)
      await page.getByLabel('Organization').fill(stage().shop.slug)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByLabel('Email address').fill(emailOf('organizer'))
      await page.getByLabel('Password').fill('not the password')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await text(page, 'The email address and the password do not match. Try again.')
      await expectAccessible(page, 'sign-in')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await heading(page, 'Today')
      expect(new URL(page.url()).pathname).toBe(`/${stage().shop.slug}/console`)
      const kept = await page.evaluate(`localStorage.getItem('voelgoed:console:${stage().shop.slug}')`)
      const { token } = JSON.parse(kept as string)
      const ended = page.waitForResponse(answer => answer.request().method() === 'DELETE')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('Password').waitFor()
      await ended
      const after = await stage().server.request('GET', '/api/session', { token })
      expect(after.status).toBe(401)
    })

    it('buyers and scanners are shown where their work is, and the API refuses them', async () => {
      for (const [role, link] of [
        ['customer', 'To the storefront'],
        ['scanner', 'Open the scanner'],
      ] as const) {
        const page = await visitAs(role, '/orders')
        await page.getByRole('link', { name: link }).waitFor()
        expect(await page.getByRole('navigation').count()).toBe(0)
        await expectAccessible(page, `no access, ${role}`)
        expect((await ask(role, 'GET', '/api/admin/orders')).status).toBe(403)
      }
    })

    it('shows what a role may do and nothing else; what is not shown is refused', async () => {
      const front = {
        name: 'Front',
        zone_type: 'reserved_seating',
        seats: ['wheelchair', 'companion', ...Array(3).fill('standard')].map((category, index) => {
          return { row: 'W', number: index + 1, category, coordinates: { x: index, y: 9 } }
        }),
      }
      const hall = await stage().hall({ zones: [front], event: { name: 'Roles' } })
      const order = await sell(hall)
      const camera = { seat_ids: [hall.seats[3]], reason: 'Camera' }
      await ask('organizer', 'POST', `/api/admin/events/${hall.eventId}/seats/block`, camera)
      const overview = `/events/${hall.eventId}`
      for (const role of ['support', 'organizer', 'admin'] as const) {
        const isEditor = role !== 'support'
        const page = await visitAs(role, overview)
        await heading(page, 'Roles')
        await page.getByRole('heading', { name: 'Life of the event' }).waitFor()
        expect(await page.getByRole('button', { name: 'Cancel event…' }).count()).toBe(isEditor ? 1 : 0)
        const use = page.locator('section', { has: page.getByRole('heading', { name: 'Use of the seats' }) })
        expect((await use.locator('dl').innerText()).split(/\s*\n\s*/)).toEqual([
          ...['Free seats', '20', 'of 25', 'Free and alone', '1', '4 % of all seats'],
          ...['Wheelchair places free', '1', '0 taken'],
          ...['Companion seats kept', '1', '0 free for all · 0 taken'],
        ])
        await page.goto(`${stage().url}/${stage().shop.slug}/console/orders/${order.order_id}`)
        await page.getByRole('heading', { name: order.order_number }).waitFor()
        await page.getByRole('button', { name: 'Resend tickets' }).waitFor()
        expect(await page.getByRole('button', { name: 'Refund all…' }).count()).toBe(isEditor ? 1 : 0)
        await page.context().close()
      }
      const cancelled = await ask('support', 'POST', `/api/admin/events/${hall.eventId}/cancel`)
      const refunded = await ask('support', 'POST', `/api/admin/orders/${order.order_id}/refund`, {
        reason: 'x',
      })
      const blocked = await ask('support', 'POST', `/api/admin/events/${hall.eventId}/seats/block`, {
        seat_ids: [hall.seats[5]],
        reason: 'x',
      })
      expect([cancelled.status, refunded.status, blocked.status]).toEqual([403, 403, 403])
    })

    it('the refunds of a cancelled event are watched, stopped and resumed, and keep it from the archive', async () => {
      const { server } = stage()
      const hall = await stage().hall({ event: { name: 'Called off' } })
      for (const seat of [0, 1]) {
        const held = await ask('organizer', 'POST', `${hall.url}/seats/${hall.seats[seat]}/reserve`)
        const hold_ids = [held.body.data.hold_id]
        const contact = { name: `Buyer ${seat}` }
        const body = { event_id: hall.eventId, hold_ids, method: 'cash', contact, allow_stranding: true }
        const sold = await ask('organizer', 'POST', '/api/admin/orders', body)
        expect(sold.status, sold.text).toBe(201)
      }
      const bite = vi.spyOn(server.node.refundRuns, 'bite').mockResolvedValue(0)
      try {
        await ask('organizer', 'POST', `/api/admin/events/${hall.eventId}/cancel`)
        const page = await visitAs('organizer', `/events/${hall.eventId}`)
        const panel = page.getByRole('region', { name: 'Refunds' })
        await panel.getByText('0 of 2 orders refunded').waitFor()
        await page.getByRole('button', { name: 'Archive…' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('button', { name: 'Archive', exact: true }).click()
        await dialog.getByText('Not all orders are refunded.').waitFor()
        await page.keyboard.press('Escape')
        await panel.getByRole('button', { name: 'Stop the refunds' }).click()
        await panel.getByText('Stopped', { exact: true }).waitFor()
        await panel.getByRole('button', { name: 'Resume the refunds' }).click()
        await panel.getByText('Running', { exact: true }).waitFor()
        await expectAccessible(page, 'refunds of a cancelled event')

        bite.mockRestore()
        expect(await server.node.refundRuns.bite(10)).toBeGreaterThanOrEqual(0)
        await panel.getByText('To be given back by hand').first().waitFor()
        const order = panel.getByRole('listitem').filter({ hasText: 'Buyer 0' })
        await order.getByRole('link').click()
        await page
          .getByRole('dialog')
          .getByRole('button', { name: /given back/i })
          .first()
          .waitFor()
      } finally {
        bite.mockRestore()
      }
    })

    it('cancelling lists what it does and asks for the name', async () => {
      const hall = await stage().hall({ event: { name: 'Called off' } })
      await sell(hall)
      const page = await visitAs('organizer', `/events/${hall.eventId}`)
      await page.getByRole('button', { name: 'Cancel event…' }).click()
      const dialog = page.getByRole('alertdialog')
      await dialog.getByText('Tickets become void').waitFor()
      const button = dialog.getByRole('button', { name: 'Cancel and void 2 tickets' })
      await button.waitFor()
      expect(await button.isDisabled()).toBe(true)
      await expectAccessible(page, 'cancel')
      await dialog.getByLabel('Type Called off to confirm').fill('Called off')
      await button.click()
      await text(page, 'The event is cancelled.')
      const event = await ask('organizer', 'GET', `/api/admin/events/${hall.eventId}`)
      expect(event.body.data.status).toBe('cancelled')
    })

    it('holds are listed as they come, and released with a reason', async () => {
      const hall = await stage().hall({ event: { name: 'Held' } })
      await stage().takeSeat(hall, 4)
      const page = await visitAs('support', `/events/${hall.eventId}/holds`)
      await page.getByRole('checkbox', { name: 'Choose Stalls R1-5' }).check()
      await stage().takeSeat(hall, 7)
      await page.getByRole('checkbox', { name: 'Choose Stalls R1-8' }).waitFor()
      await expectAccessible(page, 'holds')
      await page.getByRole('button', { name: 'Release 1 hold…' }).click()
      await page.getByLabel('Reason').fill('Asked by telephone')
      await page.getByRole('button', { name: 'Release 1 hold', exact: true }).click()
      await text(page, '1 done')
      await page.getByRole('button', { name: 'Close' }).last().click()
      await page.getByRole('checkbox', { name: 'Choose Stalls R1-5' }).waitFor({ state: 'detached' })
      const journal = await ask(
        'support',
        'GET',
        `/api/admin/events/${hall.eventId}/journal?seat_id=${hall.seats[4]}`,
      )
      const released = journal.body.data.at(-1)
      expect(released).toMatchObject({ kind: 'seat_released', body: { notes: 'Asked by telephone' } })

      // A person who releases seats in payment says so each time: it is not said for the next ones.
      await payFor(hall, 2)
      await page.getByRole('checkbox', { name: 'Choose Stalls R1-3' }).check()
      await page.getByRole('button', { name: 'Release 1 hold…' }).click()
      await page.getByRole('checkbox', { name: /^Also what is being paid for/ }).check()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.getByRole('checkbox', { name: 'Choose Stalls R1-3' }).uncheck()
      await page.getByRole('checkbox', { name: 'Choose Stalls R1-8' }).check()
      await page.getByRole('button', { name: 'Release 1 hold…' }).click()
      await page.getByLabel('Reason').fill('Asked again')
      const sent = page.waitForRequest('**/api/admin/seats/release')
      await page.getByRole('button', { name: 'Release 1 hold', exact: true }).click()
      expect((await sent).postDataJSON()).toMatchObject({ notes: 'Asked again', force: false })
      await text(page, '1 done')

      // One person's holds never stand under another's name, however late the answer is.
      await goto(page, '/holds')
      const person = page.getByLabel('Person')
      await person.fill(emailOf('customer'))
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 2, name: emailOf('customer') }).waitFor()
      const release = page.getByRole('button', { name: /^Release \d+ hold/ })
      await release.waitFor()
      let answer = () => {}
      const isLate = new Promise<void>(resolve => {
        answer = resolve
      })
      await page.route('**/api/admin/holds?*', route => isLate.then(() => route.continue()))
      const asked = page.waitForRequest('**/api/admin/holds?*')
      await person.fill(emailOf('scanner'))
      await page.keyboard.press('Enter')
      await asked
      expect([await page.getByRole('table').count(), await release.count()]).toEqual([0, 0])
      answer()
      await text(page, 'No holds')
    })

    it('an order is found by the address, refunded in part, and its ticket reissued', async () => {
      const hall = await stage().hall({ event: { name: 'Refunds' } })
      const order = await buy(hall)
      const page = await visitAs('organizer', '/orders')
      await page.getByLabel(/^Name, address/).fill('anika@')
      await page.getByRole('link', { name: order.order_number }).click()
      const drawer = page.getByRole('dialog')
      await drawer.getByRole('checkbox').first().check()
      await expectAccessible(page, 'order')
      // Half of the price would go back, and the ticket stay; then it goes back whole.
      await drawer.getByRole('button', { name: 'Refund 1 ticket…' }).click()
      const asks = page.getByRole('alertdialog')
      await asks.getByRole('radio', { name: 'The ticket stays valid' }).check()
      await asks.getByRole('button', { name: 'Half' }).click()
      await asks.getByRole('button', { name: /^Give back R\s?225/ }).waitFor()
      await asks.getByLabel('Amount').fill('450.01')
      await asks.getByText(/^That is too much\. At most R\s?450/).waitFor()
      await expectAccessible(page, 'a refund of any amount')
      await page.keyboard.press('Escape')
      await drawer.getByRole('button', { name: 'Refund 1 ticket…' }).click()
      await text(page, 'It is void at once, and its seat is on sale again.')
      await page.getByLabel('Reason').fill('A friend is ill')
      await page.getByRole('button', { name: /^Refund R\s?450/ }).click()
      await text(page, 'The tickets are taken back.')
      await drawer.getByText('Part refunded').waitFor()
      await drawer.getByText(/^−R\s?450/).waitFor()
      await drawer.getByRole('button', { name: 'Reissue…' }).click()
      await page.getByLabel('Reason').fill('Lost phone')
      await page.getByRole('button', { name: 'Reissue', exact: true }).click()
      await drawer.getByText(/version 2/).waitFor()
      const after = await ask('organizer', 'GET', `/api/admin/orders/${order.order_id}`)
      expect(after.body.data.status).toBe('partly_refunded')
      // The fee goes back with the last ticket, and the dialog says so.
      await drawer.getByRole('button', { name: 'Refund all…' }).click()
      await page.getByText(/^R\s?480.* goes back, once/).waitFor()
      await page.getByLabel('Reason').fill('All are ill')
      await page.getByRole('button', { name: /^Refund R\s?480/ }).click()
      await drawer.getByText('Refunded', { exact: true }).first().waitFor()
      const all = await ask('organizer', 'GET', `/api/admin/orders/${order.order_id}`)
      const given = all.body.data.refunds.map(({ amount }: { amount: number }) => amount)
      expect(given.sort()).toEqual([45_000, 48_000])

      // Money that the gateway does not give back: it is asked again, and then staff have given it back.
      const { payments, paymentWork } = stage().server.node
      const closed = { kind: 'misconfigured', detail: 'the account is closed' } as const
      const gateway = vi.spyOn(payments.gateway, 'refund').mockResolvedValue({ ok: false, problem: closed })
      try {
        const stuck = await buy(await stage().hall())
        await ask('organizer', 'POST', `/api/admin/orders/${stuck.order_id}/refund`, { reason: 'Ill' })
        await paymentWork.runNow()
        await goto(page, `/orders/${stuck.order_id}`)
        await drawer.getByText(/It is tried again by itself.*The gateway said: misconfigured/).waitFor()
        expect(await drawer.getByRole('button', { name: 'Given back by hand…' }).count()).toBe(0)
        const answer = (verb: string) => page.waitForResponse(one => one.url().endsWith(`/refund/${verb}`))
        const retried = answer('retry')
        await drawer.getByRole('button', { name: 'Try the refund again' }).click()
        expect((await retried).status()).toBe(200)
        await text(page, 'The gateway is asked again.')
        await paymentWork.runNow()
        await stage().server.database.sql('update refunds set look_at = null where order_id = $1', [
          stuck.order_id,
        ])
        await page.reload()
        await drawer.getByText(/^The refund was given up/).waitFor()
        await expectAccessible(page, 'order whose refund was given up')
        await drawer.getByRole('button', { name: 'Given back by hand…' }).click()
        await text(page, /First look on the gateway's own pages/)
        const settled = answer('given-back')
        await page.getByRole('button', { name: 'The buyer has the money' }).click()
        expect((await settled).status()).toBe(200)
        await text(page, 'The money counts as given back.')
        await drawer.getByText(/^The refund was given up/).waitFor({ state: 'detached' })
        const after = await ask('organizer', 'GET', `/api/admin/orders/${stuck.order_id}`)
        expect(after.body.data.refunds).toMatchObject([{ status: 'done', by_hand: true }])
      } finally {
        gateway.mockRestore()
      }
    })

    it('an order is found by name and seat, its contact mended, and its history says who did what', async () => {
      const hall = await stage().hall({ event: { name: 'Support' } })
      const held = await ask('organizer', 'POST', `${hall.url}/holds`, { seat_ids: hall.seats.slice(0, 2) })
      const hold_ids = held.body.data.holds.map((one: { hold_id: string }) => one.hold_id)
      const contact = { name: 'Piéter Botha', email: 'pieter@typo.example' }
      const terms = { method: 'cash', contact, allow_stranding: true }
      const sale = { event_id: hall.eventId, hold_ids, ...terms }
      const sold = (await ask('organizer', 'POST', '/api/admin/orders', sale)).body.data
      const [first] = sold.tickets
      const moves = [{ ticket_id: first.ticket_id, seat_id: hall.seats[5] }]
      const reason = 'closer to his wife'
      await ask('organizer', 'POST', `/api/admin/orders/${sold.order_id}/move`, { moves, reason })

      const page = await visitAs('support', '')
      await heading(page, 'Today')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill('pieter botha R1-2')
      await page.getByRole('option', { name: new RegExp(sold.order_number) }).click()
      const drawer = page.getByRole('dialog')
      await drawer.getByText(/^Moved Stalls R1-1 → Stalls R1-6/).waitFor()
      await drawer.getByText(`by ${emailOf('organizer')} · “${reason}”`).waitFor()
      await drawer.getByText(`Sold by ${emailOf('organizer')}`).waitFor()

      await drawer.getByLabel('Add a note').fill('His wife uses a stick.')
      await drawer.getByRole('button', { name: 'Add', exact: true }).click()
      await drawer.getByRole('listitem').filter({ hasText: 'His wife uses a stick.' }).waitFor()
      await expectAccessible(page, 'order with a note')

      await drawer.getByRole('button', { name: 'Edit…' }).click()
      const form = page.getByRole('dialog', { name: 'Name and address' })
      await form.getByLabel(/^Telephone/).fill('082 555 0147')
      await form.getByRole('button', { name: 'Save', exact: true }).waitFor()
      await form.getByLabel(/^Email address/).fill('pieter@right.example')
      await text(page, /^It was pieter@typo.example/)
      await expectAccessible(page, 'contact of an order')
      await form.getByRole('button', { name: 'Save and send 2 tickets' }).click()
      await text(page, 'The tickets are on their way to pieter@right.example.')
      await drawer.getByText(/Email address pieter@typo.example → pieter@right.example/).waitFor()
      await drawer.getByRole('link', { name: '082 555 0147' }).waitFor()

      await goto(page, '/orders?query=0147%20R1-6')
      await page.getByRole('link', { name: sold.order_number }).waitFor()
      // The seat itself leads there.
      await goto(page, `/events/${hall.eventId}/map`)
      await page.getByLabel('Find a seat').fill('R1-6')
      await page.keyboard.press('Enter')
      const seat = page.getByRole('region', { name: 'History of the seat' })
      await seat.getByText('Piéter Botha', { exact: true }).waitFor()
      await seat.getByRole('link', { name: 'Move…' }).waitFor()
      await expectAccessible(page, 'a seat that is sold')
      await seat
        .getByRole('link', { name: `Order ${sold.order_number}` })
        .first()
        .click()
      await drawer.getByText('Stalls R1-6').first().waitFor()
      await goto(page, '/orders?query=typo')
      await text(page, /^No order matches/)
    })

    it('tells who had a seat at a moment, and blocks a row with a reason', async () => {
      const hall = await stage().hall({ seats: 3, perRow: 3, event: { name: 'Stories' } })
      await stage().takeSeat(hall, 1)
      // The venue is in UTC, the browser is not: what is typed are the clocks of the venue.
      const page = await visitAs('organizer', `/events/${hall.eventId}/map`, {
        ...DESK,
        timezoneId: 'Pacific/Auckland',
      })
      const map = page.getByRole('application')
      await page.getByText('Up to date', { exact: true }).first().waitFor()
      // As a caller says it. What the map says of itself stands beside the tools, not on them.
      await page.getByLabel('Find a seat').fill('R1-9')
      await page.keyboard.press('Enter')
      await text(page, 'No seat here has that name.')
      await page.getByLabel('Find a seat').fill('R1-2')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Row R1, seat 2' }).waitFor()
      // So few seats are all in view, and the pin is hidden: it is measured as if it were shown.
      const [end, start] = (await page.evaluate(`(() => {
        const pin = document.querySelector('.seat-map-pin')
        pin.hidden = false
        const tools = document.querySelector('[role=toolbar]')
        return [tools.getBoundingClientRect().right, pin.getBoundingClientRect().left]
      })()`)) as [number, number]
      expect(start).toBeGreaterThanOrEqual(end)
      await page.getByRole('button', { name: 'Close' }).click()
      await map.click()
      await page.getByRole('heading', { name: 'Row R1, seat 2' }).waitFor()
      await text(page, 'Held by a guest')
      const later = new Date(stage().server.clock.now() + 3_600_000)
      await page.getByLabel('At a moment').fill(later.toISOString().slice(0, 16))
      await text(page, /^Held by a guest at /)
      await expectAccessible(page, 'map at work')
      await page.getByRole('button', { name: 'Row', exact: true }).click()
      await map.click()
      await page.getByRole('button', { name: 'Block 2…' }).click()
      await page.getByLabel('Reason').fill('Camera position')
      await page.getByRole('button', { name: 'Block 2', exact: true }).click()
      await text(page, '2 done')
      const seats = await ask('organizer', 'GET', `${hall.url}/availability`)
      expect(seats.body.data.seats.map(({ status }: { status: string }) => status).sort()).toEqual([
        'blocked',
        'blocked',
        'held',
      ])
    })

    it('every screen fits a phone and axe finds nothing; the palette goes anywhere by keys alone', async () => {
      const hall = await stage().hall({ event: { name: 'Everywhere' } })
      const page = await visitAs('admin', '', { viewport: { width: 360, height: 740 } })
      await heading(page, 'Today')
      for (const [path, title] of [
        ['', 'Today'],
        ['/events', 'Events'],
        ['/orders', 'Orders'],
        ['/holds', 'Holds'],
        ['/venues', 'Venues & layouts'],
        ['/audit', 'Audit'],
        ['/system', 'System'],
        [`/events/${hall.eventId}`, 'Everywhere'],
        [`/events/${hall.eventId}/map`, 'Everywhere'],
        [`/events/${hall.eventId}/holds`, 'Everywhere'],
        [`/events/${hall.eventId}/orders`, 'Everywhere'],
      ] as const) {
        await page.goto(`${stage().url}/${stage().shop.slug}/console${path}`)
        await heading(page, title)
        await page.getByText('Loading').first().waitFor({ state: 'detached' })
        if (path === '/system') await page.locator('td', { hasText: 'All copies agree' }).first().waitFor()
        await expectFits(page, `console${path}`)
        expect(await page.evaluate(WIDE_TABLES), `tables of console${path}`).toEqual([])
        await expectAccessible(page, `console${path}, phone`)
      }
      const last = page.getByRole('link', { name: 'Orders' }).and(page.locator('header [aria-current]'))
      const { x, width } = (await last.boundingBox())!
      expect([x >= 0, x + width <= 360], 'the tab one is on is in view').toEqual([true, true])
      await page.setViewportSize(DESK.viewport)
      await page.keyboard.press('Control+k')
      await page.keyboard.type('audit')
      await page.keyboard.press('Enter')
      await heading(page, 'Audit')
      await page.keyboard.press('Control+k')
      await page.keyboard.type('everywh')
      // The page may still be reading its events, and Enter takes the first of what is listed.
      await page.getByRole('option', { name: /^Everywhere/, selected: true }).waitFor()
      await page.keyboard.press('Enter')
      await heading(page, 'Everywhere')
      const tabs = page.getByRole('navigation', { name: 'Parts of the event' })
      await tabTo(page, tabs.getByRole('link', { name: 'Map' }))
      await page.keyboard.press('Enter')
      await page.getByRole('application').waitFor()
    })

    it('in Afrikaans where the browser asks for it, and an address that does not exist says so', async () => {
      const page = await visitAs('admin', '/nothing', { ...DESK, locale: 'af-ZA' })
      await text(page, 'Daar is niks by hierdie adres nie')
      await page.getByRole('link', { name: 'Terug na Tuis' }).click()
      await heading(page, 'Vandag')
    })

    it('a session that the server ended asks to sign in again, at the same place', async () => {
      const page = await visitAs('support', '/audit')
      await page.goto('about:blank')
      // All that it asks for at first is answered: else one of these may hear that the session has ended.
      const first = ['/api/session', '/api/events', '/api/admin/audit'].map(path =>
        page.waitForResponse(answer => new URL(answer.url()).pathname === path),
      )
      await goto(page, '/audit')
      await Promise.all(first)
      await heading(page, 'Audit')
      const me = await ask('support', 'GET', '/api/session')
      const ended = await ask('admin', 'DELETE', `/api/admin/users/${me.body.data.user.id}/sessions`)
      expect(ended.status, ended.text).toBe(200)
      await page.getByRole('link', { name: 'Orders' }).first().click()
      await text(page, 'Your session has ended. Sign in again to go on where you were.')
      await page.getByLabel('Email address').fill(emailOf('support'))
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await heading(page, 'Orders')
    })
  })
}
