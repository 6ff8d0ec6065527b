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

/** Each picture of a sale takes seats of a row of its own. */
const rows = [...'JKLMNPQRSTUVWXYZ']

const theatre = await fill('voelgoed', 'Somerstorm')
const arena = await fill('kaap-arena', 'Winter Tour')
const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_OPTIONS })

await take('theatre-phone', phone, page => openEvent(page, theatre))
await take('theatre-phone-held', phone, async page => {
  await openEvent(page, theatre)
  await holdTwo(page, 'E')
  await showOnMap(page)
})
await take('theatre-desk-held', desk, async page => {
  await openEvent(page, theatre)
  await holdTwo(page, 'F')
  await showOnMap(page)
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
for (const [size, look] of [
  ['phone', phone],
  ['desk', desk],
] as const) {
  for (const [shade, scheme] of [
    ['', {}],
    ['-dark', dark],
  ] as const) {
    await takeSale(`${size}${shade}`, { ...look, ...scheme })
    await take(`look-${size}${shade}`, { ...look, ...scheme }, page => openLook(page), true)
    await take(`storefront-${size}${shade}`, { ...look, ...scheme }, page => openStore(page), true)
  }
}
await takeGate()
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

async function take(
  name: string,
  options: BrowserContextOptions,
  work: (page: Page) => Promise<void>,
  isWhole = false,
) {
  const context = await browser.newContext({ locale: 'en-ZA', reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  await work(page)
  // Two frames after all is there, the canvas has caught up.
  await page.evaluate('new Promise(done => requestAnimationFrame(() => setTimeout(done, 500)))')
  await page.screenshot({ path: join(folder!, `${name}.jpg`), type: 'jpeg', quality: 75, fullPage: isWhole })
  await context.close()
  console.log(name)
}

/** From held seats to tickets, and the page for passwords. */
async function takeSale(look: string, options: BrowserContextOptions) {
  await take(`password-${look}`, options, async page => {
    await page.goto(`${baseUrl}/voelgoed/password`)
    await page.getByRole('button').first().waitFor()
  })
  await take(`checkout-${look}`, options, page => checkOut(page))
  await take(`pay-${look}`, options, page => toPay(page))
  await take(`pay-declined-${look}`, options, async page => {
    await toPay(page)
    await payWith(page, '4000000000000002')
    await page.getByText('Not paid yet').waitFor()
  })
  await take(`order-${look}`, options, async page => {
    await toPay(page)
    await payWith(page, '4242424242424242')
    await page.getByText('See you there').waitFor()
    await page
      .getByRole('img', { name: /^QR code/ })
      .first()
      .waitFor()
  })
}

async function checkOut(page: Page) {
  await openEvent(page, theatre)
  await holdTwo(page, rows.shift()!)
  await page.getByRole('link', { name: 'Check out' }).click()
  await page.getByLabel('Name').fill('Anika van der Merwe')
  await page.getByLabel('Email address').fill('anika@example.org')
}

async function toPay(page: Page) {
  await checkOut(page)
  await page.getByRole('button', { name: /^Continue to payment/ }).click()
  await page.getByLabel('Card number').waitFor()
}

async function payWith(page: Page, number: string) {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry date').fill('12/40')
  await page.getByLabel('Security code').fill('737')
  await page.getByRole('button', { name: /^Pay / }).click()
}

/** The scanner's page with each verdict. It is dark by day and by night: one of each. */
async function takeGate() {
  const [first, second] = await sellAtCounter()
  const atGate = async (page: Page) => {
    await page.goto(`${baseUrl}/scan`)
    await page.getByLabel('Organizer').fill('voelgoed')
    await page.getByLabel('Email address').fill('scanner@voelgoed.example')
    await page.getByLabel('Password').fill('voelgoed-demo')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Event').selectOption(theatre.id)
    await page.getByLabel('Name of the gate').fill('Gate B')
  }
  const scanning = async (page: Page, ...codes: string[]) => {
    await atGate(page)
    await page.getByRole('button', { name: 'Start scanning' }).click()
    await page.getByText(/tickets on this device/).waitFor()
    for (const code of codes) await scanCode(page, code)
  }
  await take('scan-setup-phone', phone, atGate)
  await take('scan-ready-phone', phone, page => scanning(page))
  await take('scan-ready-desk-dark', { ...desk, ...dark }, page => scanning(page))
  await take('scan-admitted-phone', phone, page => scanning(page, first!))
  await take('scan-refused-phone', phone, page => scanning(page, first!))
  await take('scan-offline-phone', phone, async page => {
    await scanning(page)
    await page.context().setOffline(true)
    await scanCode(page, second!)
  })
  await take('scan-waiting-phone', phone, async page => {
    await scanning(page)
    await page.context().setOffline(true)
    await scanCode(page, second!)
    await page.getByRole('button', { name: 'Next' }).click()
  })
}

async function scanCode(page: Page, code: string) {
  await page.getByRole('button', { name: 'Type a code' }).click()
  await page.getByLabel('Code of the ticket').fill(code)
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByTestId('verdict').waitFor()
}

/** What two tickets' codes hold; from now on the gates of the event are open. */
async function sellAtCounter(): Promise<string[]> {
  const body = {
    organization: 'voelgoed',
    email: 'organizer@voelgoed.example',
    password: 'voelgoed-demo',
  }
  const session = await createClient({ baseUrl: baseUrl! }).call('POST /api/sessions', { body })
  const client = createClient({ baseUrl: baseUrl!, token: session.data.token })
  const params = { event: theatre.id }
  const layout = await client.call('GET /api/events/:event/layout', { params })
  const seats = layout.data.zones.flatMap(zone => zone.seats).filter(seat => seat.category === 'standard')
  const seat_ids = seats.slice(-2).map(seat => seat.seat_id)
  const held = await client.call('POST /api/events/:event/holds', { params, body: { seat_ids } })
  const hold_ids = held.data.holds.map(({ hold_id }) => hold_id)
  const sale = { event_id: theatre.id, hold_ids, method: 'cash' as const }
  const sold = await client.call('POST /api/admin/orders', { body: sale })
  await client.call('POST /api/admin/events/:event/go-live', { params })
  const order = await client.call('GET /api/orders/:order', { params: { order: sold.data.order_id } })
  return order.data.tickets.flatMap(({ token }) => token ?? [])
}

async function openStore(page: Page) {
  await page.goto(`${baseUrl}/voelgoed`)
  await page
    .getByText(/ left$/)
    .nth(1)
    .waitFor()
}

async function openLook(page: Page) {
  await page.goto(`${baseUrl}/look`)
  await page.getByRole('heading', { name: 'The look' }).waitFor()
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
      .getByRole('button', { name: new RegExp(`^Stalls, row ${row}, seat \\d+, held for you`) })
      .nth(which)
      .waitFor()
  }
}

/** On a phone what is held is in a sheet, which makes way for the map. */
async function showOnMap(page: Page) {
  const open = page.getByRole('button', { name: 'Show my seats' })
  if ((await open.count()) > 0) await open.click()
  await page
    .getByRole('button', { name: /^Show on the map/ })
    .first()
    .click()
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
