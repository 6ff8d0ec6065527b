/**
 * Measures the screens of the console in a large organization, against a server with the demo:
 *
 *   PORT=3100 VOELGOED_LIMITS=off VOELGOED_DATA_DIR=/tmp/large-data npm start
 *   npm run console-times -- http://127.0.0.1:3100 /tmp/large-data
 *   npm run console-times -- http://127.0.0.1:3100 /tmp/large-data small     to try the script itself
 *
 * First it fills the demo's organization: 500 events, 100,000 orders and 1,000,000 entries of the journal in
 * one event, 50,000 people, and an event of 200,000 seats. A server that was filled before is measured as it
 * is. Then it opens each screen as an admin, in a browser that has the files of the page, and prints how long
 * it takes until what the screen is for is there; and how the map of 200,000 seats moves while it is zoomed
 * and dragged, and what memory the page has then. Give it a server of its own. `small`: the same steps once
 * each, in a small organization and a hall of 2,000 seats: its figures say nothing of a large one.
 * What it prints goes into docs/evidence.md by hand.
 */
import type { Client } from '@voelgoed/client'
import { generateVenue } from '@voelgoed/core/layout/generate'
import { runningEmbeddedUrl } from '@voelgoed/kit/postgres/embedded/launch'
import { fillOrganization } from '@voelgoed/testing/large-organization'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { CHROMIUM_OPTIONS, findChromium } from '../../scripts/find-chromium.mjs'
import { keeping } from './pictures/camera.ts'
import { Demo } from './pictures/demo.ts'

const [baseUrl, dataDir, size] = process.argv.slice(2)
const isSmall = size === 'small'
const EVENTS = isSmall ? 5 : 500
const ON_SALE = isSmall ? 4 : 20
const ORDERS = isSmall ? 100 : 100_000
const ENTRIES = isSmall ? 1_000 : 1_000_000
const PEOPLE = isSmall ? 100 : 50_000
const SEATS = isSmall ? 2_000 : 200_000
const ROUNDS = isSmall ? 1 : 5
const WITHIN_MS = 120_000
const DESK = { width: 1280, height: 800 }

if (!baseUrl || !dataDir || (size !== undefined && !isSmall))
  throw new Error(
    'npm run console-times -- <address of a server with the demo> <its VOELGOED_DATA_DIR> [small]',
  )
const demo = new Demo(baseUrl)
const { session, client } = await demo.staff('voelgoed', 'admin')
const events = await fill(client)
const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_OPTIONS })
const kept = keeping(baseUrl, { 'voelgoed:console:voelgoed': session })
const context = await browser.newContext({ viewport: DESK, locale: 'en-ZA', ...kept })
context.setDefaultTimeout(WITHIN_MS)
await timeScreens(context)
await moveMap(context)
await browser.close()

async function fill(of: Client): Promise<{ large: string; seats: string; venue: string; layout: string }> {
  const named = async (name: string) => {
    let after: string | null = null
    do {
      const query: { limit: string; after?: string } = { limit: '200', ...(after !== null && { after }) }
      const page = await of.call('GET /api/events', { query })
      const found = page.data.find(event => event.name === name)
      if (found) return found
      after = page.next
    } while (after !== null)
    return null
  }
  const known = [await named('A large one'), await named('Stadium')]
  if (!known[0] || !known[1]) await write(of)
  const [large, seats] = [(await named('A large one'))!, (await named('Stadium'))!]
  return { large: large.id, seats: seats.id, venue: seats.venue.id, layout: seats.layout.id }
}

async function write(of: Client): Promise<void> {
  console.error('filling the organization …')
  const venue = (await of.call('POST /api/admin/venues', { body: { name: 'Fields' } })).data.id
  const layoutOf = async (name: string, config: object) => {
    const body = { name, config } as never
    const made = await of.call('POST /api/admin/venues/:venue/layouts', { params: { venue }, body })
    const params = { layout: made.data.layout_id, v: '1' }
    await of.call('POST /api/admin/layouts/:layout/versions/:v/activate', { params })
    return made.data.layout_id
  }
  const make = async (name: string, layout_id: string, isOnSale: boolean) => {
    const starts_at = new Date(Date.now() + 30 * 86_400_000).toISOString()
    const body = { name, venue_id: venue, layout_id, starts_at }
    const { id } = (await of.call('POST /api/admin/events', { body })).data
    if (isOnSale) await of.call('POST /api/admin/events/:event/publish', { params: { event: id } })
    return id
  }
  const field = await layoutOf('Field', {
    zones: [{ name: 'Field', zone_type: 'ga_standing', capacity: 250_000 }],
  })
  for (let n = 3; n <= EVENTS; n += 1) await make(`Evening ${n}`, field, n <= ON_SALE)
  const stadium = await layoutOf('Stadium', generateVenue({ kind: 'stadium', seats: SEATS, seed: 1 }))
  await make('Stadium', stadium, true)
  const eventId = await make('A large one', field, true)
  const url = await runningEmbeddedUrl(dataDir!)
  if (url === null) throw new Error(`no server runs on ${dataDir}`)
  const large = { slug: 'voelgoed', eventId, orders: ORDERS, entries: ENTRIES, people: PEOPLE }
  await fillOrganization(url, large)
}

/** From the address to what the screen is for. */
async function timeScreens(of: BrowserContext): Promise<void> {
  const large = `events/${events.large}`
  console.log('\n| screen | median | longest | slowest request |\n| --- | --- | --- | --- |')
  for (const [name, path, sign] of [
    ['home', '', 'tbody tr'],
    ['events', 'events', 'tbody tr'],
    ['event: overview', large, '.zones li'],
    ['event: report', `${large}/report`, 'table tbody tr'],
    ['event: orders', `${large}/orders`, 'tbody tr'],
    ['event: holds', `${large}/holds`, 'section.panel :is(h2, h3), tbody tr'],
    ['event: attendance', `${large}/attendance`, 'tbody tr'],
    ['orders', 'orders', 'tbody tr'],
    ['orders, by an address', `orders?query=buyer${Math.round(ORDERS * 0.77777)}%40`, 'tbody tr'],
    ['holds of a person', 'holds?person=person5%40example.org', 'section.panel h2'],
    ['audit', 'audit', 'tbody tr'],
    ['reports', 'reports', 'table tbody tr'],
    ['people', 'people', 'tbody tr'],
    ['system', 'system', 'tbody tr'],
  ] as const) {
    const times: number[] = []
    let slowest = { what: '', ms: 0 }
    // The first visit fetches the files of the page.
    for (let round = -1; round < ROUNDS; round += 1) {
      const page = await of.newPage()
      const begun = performance.now()
      await page.goto(`${baseUrl}/voelgoed/console/${path}`)
      await page.locator(sign).first().waitFor()
      const took = performance.now() - begun
      const asked = await requestsOf(page)
      if (round >= 0) {
        times.push(took)
        for (const one of asked) if (one.ms > slowest.ms) slowest = one
      }
      await page.close()
    }
    times.sort((a, b) => a - b)
    const [median, longest] = [times[Math.floor(times.length / 2)]!, times.at(-1)!]
    console.log(`| ${name} | ${ms(median)} | ${ms(longest)} | ${slowest.what} ${ms(slowest.ms)} |`)
  }
}

/** Returns what the page asked the API for, and how long each answer took. */
async function requestsOf(page: Page): Promise<{ what: string; ms: number }[]> {
  const entries = (await page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ name }) => name.includes('/api/'))
    .map(({ name, duration }) => ({ what: new URL(name).pathname, ms: duration }))`)) as {
    what: string
    ms: number
  }[]
  return entries.map(one => ({ ...one, what: one.what.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…') }))
}

/** The hall of 200,000 seats: until it is there, frame after frame while it is dragged, and memory. */
async function moveMap(of: BrowserContext): Promise<void> {
  console.log('\n| map | open | frames: median · p95 · longest | heap |\n| --- | --- | --- | --- |')
  for (const [name, path] of [
    ['layout preview', `venues/${events.venue}/${events.layout}`],
    ['map at work', `events/${events.seats}/map`],
  ] as const) {
    const page = await of.newPage()
    const begun = performance.now()
    await page.goto(`${baseUrl}/voelgoed/console/${path}`)
    const map = page.getByRole('application')
    await map.waitFor()
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
    const opened = performance.now() - begun
    const box = (await map.boundingBox())!
    await page.evaluate(`
      globalThis.frames_ = []
      let last = performance.now()
      const next = now => { frames_.push(now - last); last = now; requestAnimationFrame(next) }
      requestAnimationFrame(next)`)
    const at = (x: number, y: number) => [box.x + box.width * x, box.y + box.height * y] as const
    await page.mouse.move(...at(0.5, 0.5))
    for (let step = 0; step < 20; step += 1) await page.mouse.wheel(0, -60)
    await page.mouse.down()
    for (const [x, y] of [
      [0.2, 0.3],
      [0.8, 0.7],
      [0.3, 0.8],
      [0.7, 0.2],
    ] as const) {
      await page.mouse.move(...at(x, y), { steps: 40 })
    }
    await page.mouse.up()
    const frames = ((await page.evaluate('frames_')) as number[]).sort((a, b) => a - b)
    const network = await of.newCDPSession(page)
    const { usedSize } = await network.send('Runtime.getHeapUsage')
    const [median, p95] = [0.5, 0.95].map(part => frames[Math.floor(frames.length * part)]!)
    const spread = `${ms(median!)} · ${ms(p95!)} · ${ms(frames.at(-1)!)}`
    console.log(`| ${name} | ${ms(opened)} | ${spread} | ${(usedSize / 1e6).toFixed(0)} MB |`)
    await page.close()
  }
}

function ms(value: number): string {
  return `${Math.round(value)} ms`
}
