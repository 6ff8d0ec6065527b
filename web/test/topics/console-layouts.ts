import { readFile } from 'node:fs/promises'
import type { Role } from '@voelgoed/core/access'
import { PASSWORD, type TestOrganization } from '@voelgoed/testing/harness'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, live, type Stage, text } from '../stage.ts'

const DESK = { viewport: { width: 1280, height: 800 } }

const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><g id="Stalls">
  ${[1, 2, 3, 4].map(n => `<circle id="A-${n}" cx="${n * 10}" cy="0" r="4"/>`).join('')}
  <circle id="circle99" cx="25" cy="20" r="4"/><circle id="A-4" cx="10" cy="40" r="4"/></g></svg>`

/** Two rows of four. */
const STUDIO = ['A', 'B']
  .flatMap((name, y) => [1, 2, 3, 4].map(number => `Stalls,${name},${number},${number * 10},${y * 16}`))
  .reduce((lines, line) => `${lines}${line}\n`, 'section,row,seat,x,y\n')

const row = (name: string, numbers: readonly number[], y: number) =>
  numbers.map(number => ({ row: name, number, coordinates: { x: number * 10, y } }))

/** Venues, layouts and the way to a first event. */
export function layoutTests(stage: () => Stage): void {
  const visitAs = async (
    organization: TestOrganization,
    role: Role,
    path: string,
    options: BrowserContextOptions = DESK,
  ) => {
    const body = {
      organization: organization.slug,
      email: `${role}@${organization.slug}.example`,
      password: PASSWORD,
    }
    const session = (await stage().server.request('POST', '/api/sessions', { body })).body.data
    const kept = { name: `voelgoed:console:${organization.slug}`, value: JSON.stringify(session) }
    const storageState = { cookies: [], origins: [{ origin: stage().url, localStorage: [kept] }] }
    return stage().visit(`/${organization.slug}/console${path}`, { storageState, ...options })
  }
  const ask = async (organization: TestOrganization, method: string, path: string, body?: object) => {
    const token = organization.tokens.organizer
    const answer = await stage().server.request(method, path, { token, ...(body && { body }) })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body.data
  }
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const venueOf = (organization: TestOrganization, name: string) =>
    ask(organization, 'POST', '/api/admin/venues', { name })

  /** Two versions: a seat is gone, one is new, one moved, one has another number. */
  const twoVersions = async (venue: string) => {
    const { shop } = stage()
    const config = {
      zones: [{ name: 'Stalls', zone_type: 'reserved_seating', seats: row('A', [1, 2, 3, 4], 0) }],
    }
    const made = await ask(shop, 'POST', `/api/admin/venues/${venue}/layouts`, { name: 'Hall', config })
    const read = await ask(shop, 'GET', `/api/admin/layouts/${made.layout_id}`)
    const [first, second, third] = read.config.zones[0].seats
    const moved = { ...second, coordinates: { x: 20, y: 8 } }
    read.config.zones[0].seats = [first, moved, { ...third, number: 33 }, ...row('B', [1], 16)]
    delete read.config.zones[0].capacity
    await ask(shop, 'POST', `/api/admin/layouts/${made.layout_id}/versions/1/activate`)
    await ask(shop, 'PUT', `/api/admin/layouts/${made.layout_id}`, { config: read.config })
    return made.layout_id as string
  }

  describe('venues and layouts', () => {
    it('leads from an empty organization to a first buyer, by what is there', async () => {
      const fresh = await stage().server.organization('Fresh')
      const page = await visitAs(fresh, 'organizer', '')
      const home = () => page.goto(`${stage().url}/${fresh.slug}/console`)
      await text(page, '0 of 7 done')
      // It says where it is: guessed, and confirmed. The venue is next, and says which zone it gets.
      await text(page, /^It is \d\d:\d\d there now\.$/)
      await expectAccessible(page, 'first run')
      await page.getByLabel('Time zone').selectOption('Africa/Windhoek')
      await text(page, /^Your browser is in another zone/)
      await page.getByLabel('Currency').selectOption('NAD')
      await page.getByLabel('Language of emails').selectOption('af-ZA')
      await page.getByRole('button', { name: 'Yes, next: your venue' }).click()
      const asked = page.getByRole('dialog')
      await asked.getByText("The organization's: Africa/Windhoek").waitFor({ state: 'attached' })
      const region = await ask(fresh, 'GET', '/api/admin/organization')
      expect(region).toMatchObject({ time_zone: 'Africa/Windhoek', currency: 'NAD', locale: 'af-ZA' })
      // Not now: the list goes on where it was.
      await asked.getByRole('button', { name: 'Not now' }).click()
      await text(page, '1 of 7 done')
      await page.getByRole('button', { name: 'Add your venue' }).click()
      await asked.getByLabel('Name').fill('Town Hall')
      await page.getByRole('button', { name: 'Create venue' }).click()
      await heading(page, 'New layout')
      await text(page, '230 seats')
      await text(page, '0 warnings')
      await page.getByRole('application').waitFor()
      await expectAccessible(page, 'new layout')
      await page.getByRole('button', { name: 'Save and activate' }).click()
      await heading(page, 'Main hall')
      await page.getByRole('link', { name: 'Create the event' }).waitFor()
      const [venue_id, layout_id] = new URL(page.url()).pathname.split('/').slice(-2)

      // A second hall of the venue comes from a file, and is looked at before it is stored.
      await page.getByRole('link', { name: 'Town Hall' }).click()
      await heading(page, 'Town Hall')
      await page.getByRole('link', { name: 'New layout' }).click()
      await page.getByText('Import', { exact: true }).click()
      await page.getByLabel('Name of the layout').fill('Studio')
      const file = { name: 'studio.csv', mimeType: 'text/csv', buffer: Buffer.from(STUDIO) }
      await page.locator('input[type=file]').setInputFiles(file)
      await text(page, 'CSV table, recognised')
      await text(page, '8 seats')
      await page.getByRole('application').waitFor()
      await page.getByRole('button', { name: 'Save and activate' }).click()
      await heading(page, 'Studio')

      await home()
      await text(page, '3 of 7 done')
      await page.getByRole('link', { name: 'Create the event' }).click()
      await heading(page, 'New event')
      await page.getByLabel('Name').fill('Opening')
      await page.getByLabel('Layout').selectOption({ label: 'Studio' })
      await text(page, '8 numbered seats.')
      await page.getByLabel(/^Event starts/).fill('2030-03-01T19:30')
      await page.getByRole('button', { name: 'Create the draft' }).click()
      await heading(page, 'Opening')

      // The first category is for every place that has none.
      await page.getByRole('button', { name: 'Category', exact: true }).click()
      await page.getByLabel('Category 1, Adult').fill('120')
      const zone = page.getByLabel(/^Stalls, 8 places/)
      await zone.locator('option:checked', { hasText: 'Category 1' }).waitFor({ state: 'attached' })
      await page.getByRole('button', { name: 'Save prices' }).click()
      await text(page, 'The prices are saved. Publish the event when it is ready.')
      await page.getByRole('button', { name: 'Publish…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Buyers see it').waitFor()
      const publish = dialog.getByRole('button', { name: 'Publish', exact: true })
      await expect.poll(() => publish.isEnabled()).toBe(true)
      expect(await dialog.getByText('It has no prices').count()).toBe(0)
      await publish.click()
      await text(page, 'The event is on sale.')

      await home()
      await text(page, '6 of 7 done')
      await expectFits(page, 'first run')
      const opened = page.context().waitForEvent('page')
      await page.getByRole('link', { name: 'Open as buyer' }).click()
      const buyer = await opened
      await live(buyer)
      await buyer.getByText('List', { exact: true }).click()
      await buyer.getByRole('button', { name: /^Stalls/ }).click()
      await buyer.getByRole('button', { name: /^Row A / }).click()
      await buyer.getByRole('button', { name: /^Stalls, row A, seat 2,/ }).click()
      await buyer.getByRole('button', { name: /^Stalls, row A, seat 2, held for you/ }).waitFor()
      await text(buyer, /\$\s?120/)

      // The layout gives every place of the main hall a category: one of the event's own would have no place.
      const second = await ask(fresh, 'POST', '/api/admin/events', { name: 'Second', venue_id, layout_id })
      await page.setViewportSize({ width: 390, height: 600 })
      await page.goto(`${stage().url}/${fresh.slug}/console/events/${second.id}/prices`)
      await page.getByRole('button', { name: 'Standard, of the layout' }).click()
      expect(await page.getByRole('button', { name: 'Category', exact: true }).count()).toBe(0)
      await page.getByLabel('Standard, Adult').fill('120')
      // A refusal of the server is told where the organizer looks, in words for an organizer.
      const problem = {
        type: '/problems/prices_invalid',
        title: 'Prices',
        status: 422,
        code: 'prices_invalid',
      }
      const errors = [{ path: '/categories/0/key', code: 'category_not_used', message: 'It has no place.' }]
      await page.route('**/prices', route =>
        route.request().method() === 'PUT'
          ? route.fulfill({
              status: 422,
              contentType: 'application/problem+json',
              body: JSON.stringify({ ...problem, errors }),
            })
          : route.continue(),
      )
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      await page.getByRole('button', { name: 'Save prices' }).click()
      const said = page.getByText('It was not saved: there are mistakes in it.')
      await said.waitFor()
      const { y } = (await said.boundingBox())!
      expect([y > 0, y < 600], 'it is in view').toEqual([true, true])

      // From now on Home is about what sells.
      await home()
      await page.getByRole('link', { name: 'Opening' }).first().waitFor()
      await text(page, 'Tickets today')
      const [event] = await ask(fresh, 'GET', '/api/events')
      const occupancy = await ask(fresh, 'GET', `/api/events/${event.id}/occupancy`)
      expect(occupancy).toMatchObject({ held: 1, total: 8 })
    })

    it('draws a hall by numbers, says what is wrong at the field, and stores nothing before', async () => {
      const { shop } = stage()
      const venue = await venueOf(shop, 'Drawn')
      const page = await visitAs(shop, 'organizer', `/venues/${venue.id}/new-layout`)
      await text(page, '230 seats')
      await page.getByLabel('Rows', { exact: true }).fill('0')
      await text(page, 'This is too small.')
      expect(await page.getByRole('button', { name: 'Save as draft' }).isDisabled()).toBe(true)
      await page.getByLabel('Rows', { exact: true }).fill('2')
      await text(page, '30 seats')
      await page.getByRole('button', { name: 'Add standing zone' }).click()
      await text(page, '200 standing places')
      await page.getByRole('button', { name: 'Add section' }).click()
      await text(page, '60 seats')
      expect(await ask(shop, 'GET', `/api/admin/venues/${venue.id}/layouts`)).toEqual([])
      await page.getByRole('button', { name: 'Save as draft' }).click()
      await heading(page, 'Main hall')
      const [layout] = await ask(shop, 'GET', `/api/admin/venues/${venue.id}/layouts`)
      expect(layout.versions).toMatchObject([{ status: 'draft', seat_count: 60, total_capacity: 260 }])
    })

    it('imports a drawing: every warning leads to its place on the map', async () => {
      const { shop } = stage()
      const venue = await venueOf(shop, 'Imported')
      const page = await visitAs(shop, 'organizer', `/venues/${venue.id}/new-layout`)
      await page.getByText('Import', { exact: true }).click()
      const put = (name: string, content: string) =>
        page
          .locator('input[type=file]')
          .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })
      await put('plan.csv', 'section,row,seat\nStalls,A,\n')
      await text(page, '/lines/2/seat')
      await text(page, 'This cannot be drawn')
      await put('plan.svg', SVG)
      await text(page, 'SVG drawing, recognised')
      await text(page, '5 seats')
      await text(page, '2 warnings')
      const warning = page.getByRole('button', { name: /A shape without a label/ })
      await warning.click()
      expect(await warning.getAttribute('aria-pressed')).toBe('true')
      await expectAccessible(page, 'import')
      await page.getByLabel('It says').selectOption('section-row-seat')
      await text(page, 'This cannot be drawn')
      await page.getByLabel('It says').selectOption('auto')
      await text(page, '5 seats')
      await page.getByRole('button', { name: 'Save as draft' }).click()
      await heading(page, 'Main hall')
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export CSV' }).click()
      const csv = await readFile(await (await download).path(), 'utf8')
      expect(csv.split('\r\n')[1]).toMatch(/^Stalls,A,1,10,0,/)
    })

    it('shows what changed between two versions, activates one and refuses to archive one in use', async () => {
      const { shop } = stage()
      const venue = await venueOf(shop, 'Compared')
      const layout = await twoVersions(venue.id)
      await ask(shop, 'POST', '/api/admin/events', { name: 'On v1', venue_id: venue.id, layout_id: layout })
      const page = await visitAs(shop, 'organizer', `/venues/${venue.id}/${layout}`)
      await heading(page, 'Hall')
      await page.getByRole('button', { name: /^v2/ }).click()
      await page.getByLabel('Compare with').selectOption('1')
      const list = page.getByRole('heading', { name: 'From v1 to v2' }).locator('..')
      for (const kind of ['1 added', '1 moved', '1 removed', '1 renumbered', '1 the same']) {
        await list.getByText(kind, { exact: true }).waitFor()
      }
      await list.getByRole('button', { name: 'Stalls A-3 → A-33' }).click()
      await expectAccessible(page, 'comparison')
      await page.getByRole('button', { name: 'Activate v2…' }).click()
      await page.getByRole('dialog').getByText('On v1').waitFor()
      await expectAccessible(page, 'activate')
      await page.getByRole('button', { name: 'Activate v2', exact: true }).click()
      await text(page, 'Version 2 is active.')
      await page.getByRole('button', { name: /^v1/ }).click()
      await page.getByRole('button', { name: 'Archive v1…' }).click()
      await text(page, /It is in use: On v1/)
    })

    it('support looks and changes nothing; every screen fits a phone', async () => {
      const { shop } = stage()
      const venue = await venueOf(shop, 'Looked at')
      const layout = await twoVersions(venue.id)
      const phone = { viewport: { width: 360, height: 740 } }
      const page = await visitAs(shop, 'support', `/venues/${venue.id}/${layout}`, phone)
      await heading(page, 'Hall')
      for (const name of [/^Activate/, /^Archive/])
        expect(await page.getByRole('button', { name }).count()).toBe(0)
      expect(await page.getByRole('link', { name: 'New version' }).count()).toBe(0)
      await page.goto(`${stage().url}/${shop.slug}/console/venues/${venue.id}/new-layout`)
      await text(page, 'There is nothing at this address')
      const organizer = await visitAs(shop, 'organizer', '/venues', phone)
      for (const [path, title] of [
        ['/venues', 'Venues & layouts'],
        [`/venues/${venue.id}`, 'Looked at'],
        [`/venues/${venue.id}/new-layout`, 'New layout'],
        [`/venues/${venue.id}/${layout}`, 'Hall'],
        [`/venues/${venue.id}/${layout}/new-version`, 'New version of Hall'],
      ] as const) {
        await organizer.goto(`${stage().url}/${shop.slug}/console${path}`)
        await heading(organizer, title)
        await organizer.getByText('Loading').first().waitFor({ state: 'detached' })
        await expectFits(organizer, path)
        await expectAccessible(organizer, `${path}, phone`)
      }
    })
  })
}
