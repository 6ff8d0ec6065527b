/**
 * Takes pictures of the page as it is in the demo, to look at and for the README:
 *
 *   PORT=3100 VOELGOED_LIMITS=off VOELGOED_DATA_DIR=/tmp/pictures-data npm start
 *   npm run screenshots -- http://127.0.0.1:3100 /tmp/pictures
 *
 * It changes what it finds there: it sells seats and shortens a time. Give it a server of its own.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@voelgoed/client'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { CHROMIUM_OPTIONS, findChromium } from '../../scripts/find-chromium.mjs'

const [baseUrl, folder] = process.argv.slice(2)
if (!baseUrl || !folder)
  throw new Error('npm run screenshots -- <address of a server with the demo> <folder>')
await mkdir(folder, { recursive: true })

const phone = { viewport: { width: 390, height: 780 }, hasTouch: true }
const desk = { viewport: { width: 1120, height: 700 } }
const dark = { colorScheme: 'dark' as const }

const theatre = await fill('voelgoed', 'Somerstorm')
const arena = await fill('kaap-arena', 'Winter Tour')
const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_OPTIONS })

await take('storefront-phone', phone, page => openStore(page))
await take('storefront-desk-dark', { ...desk, ...dark }, page => openStore(page))
await take('theatre-phone', phone, page => openEvent(page, theatre))
await take('theatre-phone-held', phone, async page => {
  await openEvent(page, theatre)
  await holdTwo(page, 'E')
  await page
    .getByRole('button', { name: /^Show on the map/ })
    .first()
    .click()
})
await take('theatre-desk-held', desk, async page => {
  await openEvent(page, theatre)
  await holdTwo(page, 'F')
  await page
    .getByRole('button', { name: /^Show on the map/ })
    .first()
    .click()
  await page.getByText('What the signs mean').click()
})
await take('theatre-phone-list-dark', { ...phone, ...dark }, async page => {
  await openEvent(page, theatre)
  await holdTwo(page, 'G')
  await page.getByText('List', { exact: true }).click()
})
await take('theatre-phone-refused', phone, async page => {
  await openEvent(page, theatre)
  await openRow(page, 'A')
  await page
    .getByRole('button', { name: /^Stalls, row A, seat \d+, held by someone/ })
    .first()
    .click({ force: true })
  await page.getByText('Close by and free').waitFor()
})
await take('theatre-phone-offline', phone, async page => {
  await openEvent(page, theatre)
  await page.context().setOffline(true)
  await page.getByText(/No connection/).waitFor()
})
await take('arena-desk-dark', { ...desk, ...dark }, page => openEvent(page, arena))
await take('arena-phone-afrikaans', { ...phone, locale: 'af-ZA' }, page => openEvent(page, arena))
await take('unknown-phone', phone, async page => {
  await page.goto(`${baseUrl}/nobody-of-that-name`)
  await page.getByText(/There is no organizer/).waitFor()
})
await shorten('voelgoed', theatre.id)
await take('theatre-phone-expired', phone, async page => {
  await openEvent(page, theatre)
  await holdTwo(page, 'H')
  await page.getByRole('alertdialog').waitFor()
})
await browser.close()

interface Place {
  readonly organization: string
  readonly id: string
}

async function take(name: string, options: BrowserContextOptions, work: (page: Page) => Promise<void>) {
  const context = await browser.newContext({ locale: 'en-ZA', reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  await work(page)
  // Two frames after all is there, the canvas has caught up.
  await page.evaluate('new Promise(done => requestAnimationFrame(() => setTimeout(done, 500)))')
  await page.screenshot({ path: join(folder!, `${name}.jpg`), type: 'jpeg', quality: 75 })
  await context.close()
  console.log(name)
}

async function openStore(page: Page) {
  await page.goto(`${baseUrl}/voelgoed`)
  await page
    .getByText(/ left$/)
    .nth(1)
    .waitFor()
}

async function openEvent(page: Page, { organization, id }: Place) {
  await page.goto(`${baseUrl}/${organization}/events/${id}`)
  await page.getByText(/^(Live|Regstreeks)$/).waitFor()
}

async function openRow(page: Page, row: string) {
  await page.getByText('List', { exact: true }).click()
  await page
    .getByRole('button', { name: /^Stalls/ })
    .first()
    .click()
  await page.getByRole('button', { name: new RegExp(`^Row ${row} `) }).click()
}

async function holdTwo(page: Page, row: string) {
  await openRow(page, row)
  for (const which of [0, 1]) {
    await page
      .getByRole('button', { name: new RegExp(`^Stalls, row ${row}, seat \\d+, free`) })
      .nth(4)
      .click()
    await page
      .getByRole('listitem')
      .filter({ hasText: /^Row .*Release$/ })
      .nth(which)
      .waitFor()
  }
}

/** Guests who hold seats here and there, so that the hall looks as it does on an evening of sales. */
async function fill(organization: string, name: string): Promise<Place> {
  const visitor = createClient({ baseUrl: baseUrl! })
  const guest = async () => {
    const session = await visitor.call('POST /api/sessions/guest', { body: { organization } })
    return createClient({ baseUrl: baseUrl!, token: session.data.token })
  }
  const client = await guest()
  const event = (await client.call('GET /api/events')).data.find(candidate => candidate.name === name)!
  const params = { event: event.id }
  const layout = await client.call('GET /api/events/:event/layout', { params })
  const seats = layout.data.zones.flatMap(zone => zone.seats).filter(seat => seat.category === 'standard')
  for (let buyer = 0; buyer < 24; buyer += 1) {
    const first = (buyer * buyer * 37 + buyer * 11) % (seats.length - 8)
    const seat_ids = seats.slice(first, first + 2 + (buyer % 5)).map(seat => seat.seat_id)
    await (await guest())
      .call('POST /api/events/:event/holds', { params, body: { seat_ids } })
      .catch(() => {})
  }
  return { organization, id: event.id }
}

/** From now on a hold lives for three seconds. */
async function shorten(organization: string, event: string) {
  const body = { organization, email: `organizer@${organization}.example`, password: 'voelgoed-demo' }
  const session = await createClient({ baseUrl: baseUrl! }).call('POST /api/sessions', { body })
  await createClient({ baseUrl: baseUrl!, token: session.data.token }).call(
    'PATCH /api/admin/events/:event',
    {
      params: { event },
      body: { seating_overrides: { default_hold_ttl_seconds: 3 } },
    },
  )
}
