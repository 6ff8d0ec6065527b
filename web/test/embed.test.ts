import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hall } from '@voelgoed/testing/hall'
import { temporaryFolder } from '@voelgoed/testing/process'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type Stage, setStage } from './stage.ts'

const DOCS = new URL('../../docs/guide/embedding.md', import.meta.url)
/** A new setting may need this long until it counts. */
const KNOWN_MS = 10_000

let stage: Stage
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let hall: Hall
let shop: { readonly process: ChildProcess; readonly url: string }

beforeAll(async () => {
  stage = await setStage()
  folder = await temporaryFolder()
  // One seat, in the middle of the map.
  hall = await stage.hall({
    seats: 3,
    perRow: 3,
    event: { seating_overrides: { orphan_avoidance_strict: false } },
  })
  const ticket_types = [{ key: 'adult', name: 'Adult', amount: 10_000 }]
  const priced = await stage.server.request('PUT', `/api/admin/events/${hall.eventId}/prices`, {
    token: stage.shop.tokens.organizer,
    headers: { 'if-match': '"0"' },
    body: {
      currency: 'ZAR',
      categories: [{ key: 'all', name: 'All', ticket_types }],
      zones: { [hall.zones[0]!]: 'all' },
    },
  })
  expect(priced.status, priced.text).toBe(200)
  shop = await startShop()
})
afterEach(() => stage.closePages())
afterAll(async () => {
  shop.process.kill()
  await stage.close()
  await folder.remove()
})

/** The page and the server of docs/guide/embedding.md, with the addresses of this test. */
async function startShop(): Promise<typeof shop> {
  const docs = readFileSync(DOCS, 'utf8')
  const block = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(docs)![1]!
  const page = block('html')
    .replaceAll('https://tickets.example.org', stage.url)
    .replace('karoo-stage', stage.shop.slug)
    .replace('0197a000-0000-7000-8000-000000000006', hall.eventId)
  await writeFile(join(folder.path, 'page.html'), page)
  await writeFile(join(folder.path, 'shop.mjs'), block('js'))
  const key = await stage.server.request('POST', '/api/admin/api-keys', {
    token: stage.shop.tokens.admin,
    body: { name: 'Shop', role: 'organizer' },
  })
  const child = spawn(process.execPath, [join(folder.path, 'shop.mjs')], {
    env: { TICKETS: stage.url, API_KEY: key.body.data.key, PAGE: join(folder.path, 'page.html'), PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>(resolve => {
    child.stdout!.once('data', (line: Buffer) => resolve(line.toString().trim()))
  })
  return { process: child, url }
}

async function allow(origins: readonly string[]): Promise<void> {
  const answer = await stage.server.request('PATCH', '/api/admin/organization', {
    token: stage.shop.tokens.organizer,
    body: { allowed_origins: origins },
  })
  expect(answer.status, answer.text).toBe(200)
  stage.server.clock.advance(KNOWN_MS)
}

it('a site that is not allowed shows no seats, and says so', async () => {
  await allow([])
  const page = await stage.visit('/')
  await page.goto(shop.url)
  await page.getByText('The ticket server cannot be reached. Please try again later.').waitFor()
})

it('on a page of another origin a seat is chosen, held and bought', async () => {
  await allow([shop.url])
  const page = await stage.visit('/')
  const requests: string[] = []
  page.on('request', request => requests.push(JSON.stringify(request.headers())))
  await page.goto(shop.url)
  expect(new URL(page.url()).origin).not.toBe(stage.url)
  const map = page.getByRole('application', { name: /^Seat map/ })
  await map.waitFor()
  await page.getByText('Choose your seats', { exact: true }).waitFor()
  const seat = page.getByRole('button', { name: 'Release: Stalls, row R1, seat 2' })
  // Before the first snapshot no seat can be chosen.
  await page.locator('voelgoed-seats[data-state=live]').waitFor()
  await map.click()
  await seat.waitFor()
  await page.getByText('1 in the cart').waitFor()
  await page.getByText(/^Held for you: \d+:\d\d$/).waitFor()
  // The keyboard says where it is; what is released leaves the focus on the map.
  const inside = (what: string) =>
    page.evaluate(`document.querySelector('voelgoed-seats').shadowRoot.${what}`)
  await map.focus()
  const says = (what: string) => page.getByRole('status').filter({ hasText: what }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await says('Stalls, row R1, seat 1, free')
  await page.keyboard.press('ArrowRight')
  await says('Stalls, row R1, seat 2, held for you')
  await seat.press('Enter')
  await page.getByText('0 in the cart').waitFor()
  expect(await inside('activeElement.getAttribute("role")')).toBe('application')
  const takeByKeys = async () => {
    await page.keyboard.press('ArrowLeft')
    await says('Stalls, row R1, seat 1, free')
    await page.keyboard.press('ArrowRight')
    await says('Stalls, row R1, seat 2, free')
    await page.keyboard.press('Enter')
    await seat.waitFor()
  }
  await takeByKeys()
  // Staff release it: the page hears of it, and the site too.
  await page.evaluate(
    `document.querySelector('voelgoed-seats').addEventListener('end', event => { window.ended = event.detail.ended.length })`,
  )
  const token = String(
    await page.evaluate('Object.entries(localStorage).find(([key]) => key.startsWith("voelgoed-seats:"))[1]'),
  )
  const holds = (await stage.server.request('GET', '/api/holds', { token })).body.data
  const released = await stage.server.request('POST', '/api/admin/seats/release', {
    token: stage.shop.tokens.organizer,
    body: { hold_ids: [holds[0].hold_id], force: true },
  })
  expect(released.status, released.text).toBe(200)
  await seat.waitFor({ state: 'detached' })
  expect(await page.evaluate('window.ended')).toBe(1)
  await takeByKeys()
  // A reload shows the same guest's seat.
  await page.reload()
  await seat.waitFor()
  await page.getByRole('button', { name: 'Checkout' }).click()
  const result = page.getByText(/^Order /)
  await result.waitFor()
  const number = (await result.textContent())!.replace('Order ', '')
  const orders = await stage.server.request('GET', `/api/admin/orders?query=${number}`, {
    token: stage.shop.tokens.organizer,
  })
  expect(orders.body.data).toHaveLength(1)
  expect(orders.body.data[0]).toMatchObject({ order_number: number, status: 'paid' })
  const sold = await stage.server.request('GET', `${hall.url}/seats/${hall.seats[1]}`, {
    token: stage.shop.tokens.customer,
  })
  expect(sold.body.data.status).toBe('sold')
  expect(requests.some(headers => /"cookie"/.test(headers))).toBe(false)
  // Nothing of the component is on the page of the shop: its styles live in its shadow.
  const styles = await page.evaluate('document.querySelectorAll("style, link[rel=stylesheet]").length')
  expect(styles).toBe(1)
})
