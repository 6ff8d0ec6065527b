import { describe, expect, it } from 'vitest'
import { soldTickets } from '../sold-tickets.ts'
import { expectAccessible, expectFits, PICTURE, type Stage, text } from '../stage.ts'
import { heading, staffOf } from './console-staff.ts'

/** The screens on which an event is made ready, watched and counted. */
export function consoleDeskTests(stage: () => Stage): void {
  const { ask, goto, visitAs } = staffOf(stage)

  const PRICES = (zoneId: string, adult: number) => ({
    currency: 'ZAR',
    categories: [
      { key: 'standard', name: 'Standard', ticket_types: [{ key: 'adult', name: 'Adult', amount: adult }] },
    ],
    zones: { [zoneId]: 'standard' },
  })

  describe('the desk of an event', () => {
    it('an event is created in the time of its venue, and its times change', async () => {
      const hall = await stage().hall({ event: { name: 'Where it is' } })
      const there = await ask('organizer', 'GET', `/api/admin/events/${hall.eventId}`)
      const page = await visitAs('organizer', '/events')
      await page.getByRole('link', { name: 'New event' }).click()
      await heading(page, 'New event')
      // The button says what is missing, instead of being grey.
      const create = page.getByRole('button', { name: 'Create the draft' })
      await create.click()
      await text(page, 'This is missing.')
      const focused = () => page.evaluate('document.activeElement.labels?.[0]?.textContent.trim()')
      expect(await focused()).toBe('Name')
      await page.getByLabel('Name').fill('Die Laaste Trein')
      await page.getByLabel(/^Description/).fill('A train.\n\nThe last one.')
      await page.getByLabel('File: Picture', { exact: true }).setInputFiles(PICTURE)
      await page.getByRole('button', { name: 'Remove: Picture' }).waitFor()
      await page.getByLabel('Venue').selectOption(there.body.data.venue.id)
      await page.getByLabel('Layout').selectOption(there.body.data.layout.id)
      await page.getByLabel(/^Event starts/).fill('2027-03-01T19:30')
      expect(await page.getByLabel(/^Sales close/).inputValue()).toBe('2027-03-01T19:30')
      await page.getByLabel(/^Event ends/).fill('2027-03-01T19:30')
      await text(page, 'The event must end after it starts.')
      await page.getByLabel(/^Event ends/).fill('2027-03-01T21:45')
      await page.getByLabel(/^Doors open/).fill('2027-03-01T20:00')
      await text(page, 'Doors must open before the event starts.')
      await page.getByLabel(/^Doors open/).fill('2027-03-01T18:30')
      await page.getByLabel(/^Sales open/).fill('2027-02-01T09:00')
      await page.getByLabel(/^Sales close/).fill('2027-01-01T09:00')
      await text(page, 'Sales must close after they open; left empty, they close when the event begins.')
      await expectAccessible(page, 'new event')
      await create.click()
      await text(page, 'One field is not right yet: it is marked.')
      expect(await focused()).toMatch(/^Sales close/)
      await page.getByLabel(/^Sales close/).fill('2027-03-01T19:00')
      await create.click()
      await heading(page, 'Die Laaste Trein')
      const [, id] = /events\/([^/]+)\/prices$/.exec(page.url())!
      const zone = there.body.data.time_zone
      const made = (await ask('organizer', 'GET', `/api/admin/events/${id}`)).body.data
      expect(made).toMatchObject({
        status: 'draft',
        time_zone: zone,
        sale_start: '2027-02-01T09:00:00.000Z',
        doors_at: '2027-03-01T18:30:00.000Z',
        ends_at: '2027-03-01T21:45:00.000Z',
        description: 'A train.\n\nThe last one.',
        image: { width: 192, height: 192 },
      })

      // The draft gets another hall: all of its screens show that one.
      const places = `/api/admin/venues/${there.body.data.venue.id}/layouts`
      const zones = [{ name: 'Gallery', zone_type: 'ga_standing', capacity: 30 }]
      const other = await ask('organizer', 'POST', places, { name: 'Upstairs', config: { zones } })
      await ask('organizer', 'POST', `/api/admin/layouts/${other.body.data.layout_id}/versions/1/activate`)
      await page.getByLabel(/^Stalls, 20 places/).waitFor()
      const tabs = page.getByRole('navigation', { name: 'Parts of the event' })
      await tabs.getByRole('link', { name: 'Settings' }).click()
      await page.getByLabel('Layout').selectOption(other.body.data.layout_id)
      await page.keyboard.press('Control+s')
      await text(page, 'Saved.')
      await tabs.getByRole('link', { name: 'Prices' }).click()
      await page.getByLabel(/^Gallery, 30 places/).waitFor()
      expect(await page.getByLabel(/^Stalls/).count()).toBe(0)

      await goto(page, `/events/${id}/settings`)
      // An event that moves keeps its length.
      await page.getByLabel(/^Event starts/).fill('2027-03-02T20:00')
      await text(page, '2 unsaved changes')
      await page.keyboard.press('Control+s')
      await text(page, 'Saved.')
      const moved = (await ask('organizer', 'GET', `/api/admin/events/${id}`)).body.data
      expect(moved.starts_at).toBe('2027-03-02T20:00:00.000Z')
      expect(moved.ends_at).toBe('2027-03-02T22:15:00.000Z')
      expect(moved.sale_start).toBe(made.sale_start)
      expect(moved.description).toBe(made.description)
      await page.getByRole('button', { name: 'Remove: Picture' }).click()
      await text(page, 'Drawn from the name')
      const without = (await ask('organizer', 'GET', `/api/admin/events/${id}`)).body.data
      expect(without).toMatchObject({ image: null, starts_at: '2027-03-02T20:00:00.000Z' })
    })

    it('a check-list leads to what is missing; an event is published, taken back, copied and thrown away', async () => {
      const hall = await stage().hall({ event: { name: 'The hall' } })
      const { venue, layout } = (await ask('organizer', 'GET', `/api/admin/events/${hall.eventId}`)).body.data
      const body = { name: 'Carols', venue_id: venue.id, layout_id: layout.id }
      const { id } = (await ask('organizer', 'POST', '/api/admin/events', body)).body.data
      const page = await visitAs('organizer', `/events/${id}`)
      const dialog = page.getByRole('dialog')
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
      await press('Publish…')
      const wrong = dialog.getByRole('list', { name: 'What is to be looked at' }).getByRole('listitem')
      await wrong.filter({ hasText: 'It has no date' }).waitFor()
      await wrong.filter({ hasText: 'It has no prices' }).waitFor()
      expect(await dialog.getByRole('button', { name: 'Publish', exact: true }).isDisabled()).toBe(true)
      await expectAccessible(page, 'a check-list')
      await wrong.first().getByRole('link', { name: 'Mend: It has no date' }).click()
      const starts = page.getByLabel(/^Event starts/)
      const named = 'document.activeElement.labels?.[0]?.textContent.trim()'
      await expect.poll(() => page.evaluate(named)).toMatch(/^Event starts/)
      await starts.fill('2099-03-01T19:30')
      await page.keyboard.press('Control+s')
      await text(page, 'Saved.')
      await press('Publish…')
      await dialog.getByRole('listitem').filter({ hasText: 'Sales close' }).waitFor()
      await dialog.getByText('Buyers see it', { exact: true }).waitFor()
      await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
      await text(page, 'The event is on sale.')

      // Going live long before it says so, and can be left.
      const tabs = page.getByRole('navigation', { name: 'Parts of the event' })
      await tabs.getByRole('link', { name: 'Overview' }).click()
      await press('Go live…')
      await dialog.getByText(/^The event starts .+ 2099.* days\.$/).waitFor()
      await page.keyboard.press('Escape')

      // A buyer holds a seat: it is not taken back any more, and the dialog says why.
      const held = await ask('customer', 'POST', `/api/events/${id}/seats/${hall.seats[0]}/reserve`)
      await press('Unpublish…')
      await dialog.getByRole('button', { name: 'Unpublish', exact: true }).click()
      await dialog.getByText(/^It cannot be unpublished: /).waitFor()
      await ask('customer', 'DELETE', `/api/holds/${held.body.data.hold_id}`)
      await dialog.getByRole('button', { name: 'Unpublish', exact: true }).click()
      await text(page, 'The event is a draft again.')
      expect((await ask('customer', 'GET', `/api/events/${id}`)).status).toBe(404)
      await text(page, /^Only staff see it\. It was on sale before/)
      expect(await page.getByRole('button', { name: 'Delete draft…' }).count()).toBe(0)

      await press('Copy…')
      expect(await dialog.getByLabel('The copy starts').inputValue()).toBe('2099-03-08T19:30')
      await expectAccessible(page, 'a copy')
      await dialog.getByRole('button', { name: 'Make the copy' }).click()
      await heading(page, 'Carols (copy)')
      expect(await starts.inputValue()).toBe('2099-03-08T19:30')
      await tabs.getByRole('link', { name: 'Overview' }).click()
      await press('Delete draft…')
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the draft' }).click()
      await text(page, '“Carols (copy)” is deleted.')
      await heading(page, 'Events')
      const left = (await ask('organizer', 'GET', '/api/events?limit=100')).body.data as { name: string }[]
      expect(left.some(({ name }) => name === 'Carols (copy)')).toBe(false)
    })

    it('prices: a category for a zone, what a buyer pays, and a colleague who saved meanwhile', async () => {
      const hall = await stage().hall({ event: { name: 'Priced' } })
      const page = await visitAs('organizer', `/events/${hall.eventId}/prices`)
      await text(page, /^No prices yet/)
      await page.getByRole('button', { name: 'Category', exact: true }).click()
      await page.getByLabel('Name of category 1').fill('Standard')
      await page.getByLabel('Standard, Adult').fill('450')
      await page.getByLabel(/^Stalls, 20 places/).selectOption({ label: 'Standard' })
      await page.getByRole('button', { name: 'Fee', exact: true }).click()
      await page.getByRole('button', { name: 'Save prices' }).click()
      await text(page, 'This is missing.')
      expect(await page.evaluate('document.activeElement.labels?.[0]?.textContent.trim()')).toBe('Amount')
      await page.getByLabel('Amount').fill('15')
      await text(page, /R\s?930/)
      await expectAccessible(page, 'prices')
      await page.getByRole('button', { name: 'Save prices' }).click()
      await text(page, 'The prices are saved. Buyers see them from the next click.')
      const path = `/api/admin/events/${hall.eventId}/prices`
      const saved = (await ask('support', 'GET', path)).body.data
      expect(saved).toMatchObject({
        currency: 'ZAR',
        zones: { [hall.zones[0]!]: 'standard' },
        categories: [{ key: 'standard', ticket_types: [{ key: 'adult', amount: 45_000 }] }],
        fees: [{ amount: 1_500, per: 'ticket' }],
        warnings: [],
      })

      const body = PRICES(hall.zones[0]!, 50_000)
      const colleague = await ask('admin', 'PUT', path, body, { 'if-match': `"${saved.revision}"` })
      expect(colleague.status, colleague.text).toBe(200)
      await page.getByLabel('Standard, Adult').fill('475')
      await page.getByRole('button', { name: 'Save prices' }).click()
      await text(page, 'A colleague changed the prices meanwhile')
      await text(page, /Standard, Adult: R\s?450 → R\s?500/)
      expect((await ask('support', 'GET', path)).body.data.categories[0].ticket_types[0].amount).toBe(50_000)
      await page.getByRole('button', { name: 'Save mine over theirs' }).click()
      await page.getByText('A colleague changed the prices meanwhile').waitFor({ state: 'detached' })
      expect((await ask('support', 'GET', path)).body.data.categories[0].ticket_types[0].amount).toBe(47_500)
    })

    it('rules: the organization’s, what the event says, what an admin locked', async () => {
      const hall = await stage().hall({ event: { name: 'Ruled' } })
      const admin = await visitAs('admin', '/policy')
      await admin.getByLabel('Locked for events Leave no single seats').check()
      // A colleague saves other rules meanwhile: both are kept.
      await ask('admin', 'PATCH', '/api/admin/policy', {
        max_seats_per_booking: 9,
        lock: ['max_group_split'],
      })
      await admin.getByRole('button', { name: 'Save rules' }).click()
      await text(admin, 'Saved.')
      const rules = (await ask('admin', 'GET', '/api/admin/policy')).body.data
      expect(rules).toMatchObject({
        max_seats_per_booking: 9,
        locked_fields: expect.arrayContaining(['max_group_split', 'orphan_avoidance_strict']),
      })
      await expectAccessible(admin, 'rules of the organization')

      const page = await visitAs('organizer', `/events/${hall.eventId}/policy`)
      expect(await page.getByLabel('Leave no single seats').isDisabled()).toBe(true)
      // The page names them as soon as the audit log has.
      await text(page, /Locked by admin@/)
      await page.getByLabel('Hold time').fill('8')
      await text(page, '10 min → 8 min')
      await expectAccessible(page, 'rules of an event')
      const event = `/api/admin/events/${hall.eventId}`
      await ask('admin', 'PATCH', event, { seating_changes: { set: { max_holds_per_user: 7 } } })
      await page.getByRole('button', { name: 'Save rules' }).click()
      await text(page, 'Saved.')
      const saved = (await ask('organizer', 'GET', event)).body.data
      expect(saved.seating_overrides).toEqual({ default_hold_ttl_seconds: 480, max_holds_per_user: 7 })
      await ask('admin', 'PATCH', event, { seating_changes: { reset: ['max_holds_per_user'] } })
      await page.getByRole('button', { name: 'Reset Hold time' }).click()
      await page.getByRole('button', { name: 'Save rules' }).click()
      await page.getByText('1 unsaved change').waitFor({ state: 'detached' })
      const reset = (await ask('organizer', 'GET', `/api/admin/events/${hall.eventId}`)).body.data
      expect(reset.seating_overrides).toEqual({})
      await ask('admin', 'PUT', '/api/admin/policy', { locked_fields: [] })

      await goto(admin, '/settings')
      await admin.getByLabel(/^Support address/).fill('help@example.org')
      await ask('admin', 'PATCH', '/api/admin/organization', { currency: 'EUR' })
      await admin.getByRole('button', { name: 'Save', exact: true }).click()
      await text(admin, 'Saved.')
      const settings = (await ask('admin', 'GET', '/api/admin/organization')).body.data
      expect(settings).toMatchObject({ currency: 'EUR', support_email: 'help@example.org' })
      await ask('admin', 'PATCH', '/api/admin/organization', { currency: 'ZAR', support_email: null })

      await admin.getByLabel('Legal name').fill('Karoo Stage (Pty) Ltd')
      await admin.getByLabel('Telephone for buyers').fill('call us')
      await admin.getByLabel('When do buyers get money back?').fill('Until two days before.')
      await admin.getByLabel('Terms of sale').selectOption('A link')
      await admin.getByLabel('Address of the terms').fill('http://karoo.example/terms')
      await admin.getByRole('button', { name: 'Save the seller' }).click()
      await text(admin, /^Use digits, spaces and/)
      await text(admin, 'Use a complete address that begins with https://')
      await expectAccessible(admin, 'a seller with faults')
      await admin.getByLabel('Telephone for buyers').fill('044 123 4567')
      await admin.getByLabel('Address of the terms').fill('https://karoo.example/terms')
      await admin.getByRole('button', { name: 'Save the seller' }).click()
      await text(admin, 'Buyers see it from now on.')
      const seller = (
        await ask('support', 'GET', `/api/organization/seller?organization=${stage().shop.slug}`)
      ).body.data
      expect(seller).toMatchObject({
        legal_name: 'Karoo Stage (Pty) Ltd',
        phone: '044 123 4567',
        terms_url: 'https://karoo.example/terms',
        refund_rule: 'Until two days before.',
        vat_number: null,
      })
      await goto(page, '/settings')
      expect(await page.getByLabel('Legal name').isDisabled()).toBe(true)
    })

    it('days, and a whitelist that is pasted: every line that is not right is named', async () => {
      const hall = await stage().hall({ event: { name: 'Long', starts_at: '2027-03-01T18:00:00Z' } })
      const page = await visitAs('organizer', `/events/${hall.eventId}/days`)
      await page.getByRole('button', { name: 'Day', exact: true }).click()
      await page.getByRole('button', { name: 'Day', exact: true }).click()
      await page.getByLabel(/^Name/).nth(1).fill('Second night')
      await page.getByRole('button', { name: 'Save days' }).click()
      await text(page, 'Saved.')
      const { days } = (await ask('support', 'GET', `/api/admin/events/${hall.eventId}`)).body.data
      expect(days.map(({ date, name }: { date: string; name: string | null }) => [date, name])).toEqual([
        ['2027-03-01', null],
        ['2027-03-02', 'Second night'],
      ])

      await goto(page, `/events/${hall.eventId}/whitelist`)
      await page.getByRole('button', { name: 'Paste a list…' }).click()
      await page.getByLabel('Lines').fill('anna@example.org, Sponsor\nnot an address\nben@example.org')
      await page.getByRole('button', { name: 'Add all' }).click()
      await text(page, /^Line 2: /)
      await expectAccessible(page, 'a list with faults')
      await page.getByLabel('Lines').fill('anna@example.org, Sponsor\nben@example.org')
      await page.getByRole('button', { name: 'Add all' }).click()
      await text(page, '2 people were added, 0 known before. 2 on the list now.')
      await page.getByRole('button', { name: 'Remove ben@example.org' }).click()
      await text(page, 'ben@example.org was removed. 1 on the list now.')
      const left = await ask('support', 'GET', `/api/admin/events/${hall.eventId}/whitelist`)
      expect(left.body.data).toMatchObject([{ email: 'anna@example.org', note: 'Sponsor' }])
    })

    it('zones: closed, larger, and for members alone, while a colleague changes others', async () => {
      const hall = await stage().hall({ standing: 50, event: { name: 'Zones' } })
      const [stalls, pit] = hall.zones as [string, string]
      const address = `/api/admin/events/${hall.eventId}`
      const read = async () => (await ask('support', 'GET', address)).body.data
      const guest = await stage().server.request('POST', '/api/sessions/guest', {
        body: { organization: stage().shop.slug },
      })
      const reserve = async () =>
        (
          await stage().server.request('POST', `${hall.url}/seats/${hall.seats[0]}/reserve`, {
            token: guest.body.data.token,
          })
        ).status
      const page = await visitAs('organizer', `/events/${hall.eventId}/zones`)
      await page.getByLabel('Choose Stalls').check()
      await page.getByRole('button', { name: 'Close', exact: true }).click()
      const closing = page.getByRole('dialog', { name: 'Close Stalls?' })
      await closing
        .getByRole('listitem')
        .filter({ hasText: 'Leaves the sale' })
        .getByText('20 places')
        .waitFor()
      await expectAccessible(page, 'closing a zone')
      await closing.getByRole('button', { name: 'Close Stalls' }).click()
      await text(page, '1 zone closed. Tickets that were sold stay valid')
      expect((await read()).overrides.disabled_zones).toEqual([stalls])
      expect(await reserve()).toBe(409)
      // A colleague saves after this page has read.
      const { overrides, revision } = await read()
      const theirs = { ...overrides, zone_overrides: { [stalls]: { name: 'Floor' } } }
      const put = await ask(
        'admin',
        'PUT',
        `${address}/layout`,
        { overrides: theirs },
        { 'if-match': `"${revision}"` },
      )
      expect(put.status, put.text).toBe(200)
      await page.getByRole('button', { name: 'Change… Pit' }).click()
      const dialog = page.getByRole('dialog', { name: 'Change Pit' })
      await expectAccessible(page, 'a zone')
      await dialog.getByLabel('Places').fill('80')
      await dialog.getByLabel('Who may book').selectOption('Members')
      await dialog.getByLabel('Membership tier').fill('gold')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await text(page, 'Pit was changed.')
      await page.getByRole('row', { name: /Pit/ }).getByText('Members: gold').waitFor()
      // The colleague's change is there too, and is shown.
      await page.getByLabel('Choose Floor').check()
      await page.getByRole('button', { name: 'Open', exact: true }).click()
      await text(page, '1 zone open.')
      expect((await read()).overrides).toMatchObject({
        disabled_zones: [],
        zone_overrides: {
          [stalls]: { name: 'Floor' },
          [pit]: { capacity: 80, access_mode: 'membership_tier', membership_tier: 'gold' },
        },
      })
      expect(await reserve()).toBe(201)
      // Closed by mistake: one press takes it back.
      await page.getByLabel('Choose Pit').check()
      await page.getByRole('button', { name: 'Close', exact: true }).click()
      await page.getByRole('button', { name: 'Close Pit' }).click()
      await text(page, 'Closed: Pit.')
      await page.getByRole('button', { name: 'Open again' }).click()
      await text(page, 'The zone is open again.')
      expect((await read()).overrides.disabled_zones).toEqual([])
      await page.getByRole('button', { name: 'Change… Pit' }).click()
      await dialog.getByRole('button', { name: 'As in the layout' }).click()
      // On sale, a zone does not get smaller.
      await dialog.getByText("can't shrink from 80 to 50").waitFor()
    })

    it('support reads what it may not change: nothing to press, and the server refuses', async () => {
      const hall = await stage().hall({ event: { name: 'Read only' } })
      await ask('organizer', 'PUT', `/api/admin/events/${hall.eventId}/prices`, PRICES(hall.zones[0]!, 100), {
        'if-match': '"0"',
      })
      const page = await visitAs('support', `/events/${hall.eventId}/prices`)
      await text(page, 'Your role may look at prices, and not change them.')
      expect(await page.getByLabel('Standard, Adult').isDisabled()).toBe(true)
      expect(await page.getByRole('button', { name: 'Category', exact: true }).count()).toBe(0)
      await goto(page, `/events/${hall.eventId}/zones`)
      await page.getByRole('row', { name: /Stalls/ }).waitFor()
      expect(await page.getByRole('button', { name: 'Change… Stalls' }).count()).toBe(0)
      await goto(page, '/events/new')
      await text(page, 'Your account may not open this')
      await goto(page, '/events')
      await heading(page, 'Events')
      expect(await page.getByRole('link', { name: 'New event' }).count()).toBe(0)
      const refused = await ask('support', 'PATCH', `/api/admin/events/${hall.eventId}`, { name: 'x' })
      expect(refused.status).toBe(403)
    })

    it('attendance: who came, by zone, gate and hour, as gates scan', async () => {
      const hall = await stage().hall({ event: { name: 'Doors' } })
      const page = await visitAs('support', `/events/${hall.eventId}/attendance`)
      await text(page, 'No ticket has been scanned yet')
      const tickets = await soldTickets(stage(), hall, [0, 1, 2])
      const scan = async (at: number, name: string, gate: string) => {
        const body = { token: tickets[at]!.token, device_id: gate, scan_id: name, gate }
        return (await ask('scanner', 'POST', '/api/scans', body)).body.data
      }
      expect((await scan(0, crypto.randomUUID(), 'North')).result).toBe('admitted')
      expect((await scan(1, crypto.randomUUID(), 'South')).result).toBe('admitted')
      // The screen asks again by itself.
      await page.getByText('Inside now').first().waitFor()
      await page.getByRole('listitem').filter({ hasText: 'North' }).waitFor()
      await page.getByRole('listitem').filter({ hasText: 'South' }).waitFor()
      await text(page, 'of 3')
      const row = page.getByRole('row', { name: /^Stalls/ })
      expect(await row.getByRole('cell').allTextContents()).toEqual(['2', '3', '2'])
      // The last scan is the first in the list.
      const scans = page.getByRole('region', { name: 'Last scans' }).getByRole('row')
      await scans.nth(1).filter({ hasText: 'Stalls, row R1, seat 2' }).filter({ hasText: 'South' }).waitFor()
      await scans.nth(2).filter({ hasText: 'Stalls, row R1, seat 1' }).filter({ hasText: 'North' }).waitFor()
      await expectAccessible(page, 'attendance')
    })

    it('every screen fits a phone and axe finds nothing', async () => {
      const hall = await stage().hall({ event: { name: 'Small' } })
      const page = await visitAs('admin', '/events/new', { viewport: { width: 360, height: 740 } })
      await heading(page, 'New event')
      await expectFits(page, 'new event')
      for (const tab of [
        'report',
        'zones',
        'prices',
        'policy',
        'days',
        'whitelist',
        'attendance',
        'settings',
      ]) {
        await goto(page, `/events/${hall.eventId}/${tab}`)
        await heading(page, 'Small')
        await page.getByText('Loading').first().waitFor({ state: 'detached' })
        await expectFits(page, tab)
        await expectAccessible(page, `${tab}, phone`)
      }
    })
  })
}
