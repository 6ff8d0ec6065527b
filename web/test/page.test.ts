import { readdirSync, readFileSync, statSync } from 'node:fs'
import { ROOT_KEY } from '@voelgoed/testing/harness'
import { RedisProxy } from '@voelgoed/testing/redis/proxy'
import { startListeningNode } from '@voelgoed/testing/second-node'
import type { Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  closePanel,
  expectAccessible,
  expectFits,
  live,
  mapIsThere,
  openPanel,
  openRow,
  type Stage,
  seatButton,
  seatSays,
  setStage,
  tabTo,
  text,
} from './stage.ts'
import { checkoutTests } from './topics/checkout.ts'
import { findingTests } from './topics/finding.ts'
import { lookTests } from './topics/look.ts'
import { saleTests } from './topics/sale.ts'
import { scanTests } from './topics/scan.ts'
import { screenTests } from './topics/screens.ts'
import { shareTests } from './topics/share.ts'
import { troubleTests } from './topics/trouble.ts'
import { visitorTests } from './topics/visitor.ts'

let stage: Stage

// Where there is no Chromium yet, it is installed first.
beforeAll(async () => {
  stage = await setStage()
})
afterEach(() => stage.closePages())
afterAll(() => stage.close())

// One server and one browser for all of them.
/** The other tests make more events than the storefront shows at first. */
const search = (page: Page, name: string) => page.getByRole('searchbox').fill(name)

saleTests(() => stage)
visitorTests(() => stage)
screenTests(() => stage)
troubleTests(() => stage)
findingTests(() => stage)
checkoutTests(() => stage)
scanTests(() => stage)
shareTests(() => stage)
lookTests(() => stage)

describe('choosing', () => {
  it('from the storefront to a seat on the map; a reload and a second tab show the same seat and time', async () => {
    // Three seats in a row: the one in the middle is in the middle of the map.
    const hall = await stage.hall({ seats: 3, perRow: 3, event: { name: 'In the middle' } })
    const page = await stage.visit(`/${stage.shop.slug}`)
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
    await search(page, 'In the middle')
    await page.locator('li', { hasText: '3 of 3 left' }).getByRole('link').click()
    await live(page)
    expect(page.url()).toContain(hall.eventId)
    await mapIsThere(page)
    const map = page.getByRole('application')
    await map.click()
    await text(page, /Row R1, seat 2/)
    await page.getByRole('timer', { name: /^Held for you for another (10:00|9:\d\d)$/ }).waitFor()

    await page.reload()
    await text(page, /Row R1, seat 2/)
    const second = await page.context().newPage()
    await second.goto(page.url())
    await openPanel(second)
    await second.getByRole('button', { name: /^Release: Stalls, row R1, seat 2/ }).click()
    // Released in one tab, it is gone from the other, without a word of alarm.
    await text(page, 'Nothing chosen yet.')
    expect(await page.getByRole('alertdialog').count()).toBe(0)
  })

  it('says what seats cost: from the storefront to the total of the cart, in both languages', async () => {
    const hall = await stage.hall({ standing: 5, prices: ['gold'], event: { name: 'Priced' } })
    const price = async (pit: number) => {
      const priced = await stage.server.request('PUT', `/api/admin/events/${hall.eventId}/prices`, {
        token: stage.shop.tokens.organizer,
        headers: { 'if-match': '*' },
        body: {
          currency: 'ZAR',
          categories: [
            { key: 'gold', name: 'Gold', ticket_types: [{ key: 'adult', name: 'Adult', amount: 80_050 }] },
            { key: 'pit', name: 'Pit', ticket_types: [{ key: 'any', name: 'Any', amount: pit }] },
          ],
          zones: { [hall.zones[1]!]: 'pit' },
          fees: [{ name: 'Booking fee', amount: 1_500, per: 'ticket' }],
          tax: { name: 'VAT', percent: 15, included: true },
        },
      })
      expect(priced.status, priced.text).toBe(200)
    }
    await price(25_000)
    const page = await stage.visit(`/${stage.shop.slug}`)
    await search(page, 'Priced')
    await page
      .locator('li', { hasText: 'Priced' })
      .getByText(/^From R\s?250$/)
      .waitFor()
    await page.locator('li', { hasText: 'Priced' }).getByRole('link').click()
    await live(page)
    await openRow(page, 1)
    await page.getByRole('button', { name: /^Stalls, row R1, seat 4, free, Gold, R\s?800[.,]50$/ }).click()
    await seatSays(page, 1, 4, 'held for you')
    await page.getByRole('button', { name: /^Pit/ }).click()
    await text(page, /^R\s?250[.,]00 a place$/)
    await page.getByRole('button', { name: 'Hold 2 places' }).click()
    await openPanel(page)
    const total = page.getByTestId('cart-total')
    // 800.50 + 2 × 250.00 + 3 × 15.00
    await total.getByText(/^R\s?1[\s,]?345[.,]50$/).waitFor()
    await total.getByText('Included: VAT').waitFor()
    await expectAccessible(page, 'a cart with prices')
    await page.getByRole('button', { name: /^Release: Stalls, row R1, seat 4/ }).click()
    await total.getByText(/^R\s?530[.,]00$/).waitFor()
    // The organizer asks for more: the page says so without a reload.
    await price(30_000)
    await total.getByText(/^R\s?630[.,]00$/).waitFor()
    const there = await stage.visit(`/${stage.shop.slug}`, { locale: 'af-ZA' })
    await search(there, 'Priced')
    await there
      .locator('li', { hasText: 'Priced' })
      .getByText(/^Vanaf R\s?300$/)
      .waitFor()
  })

  it("another browser's seat turns grey the moment it is taken", async () => {
    const hall = await stage.hall()
    const [anna, ben] = await Promise.all([stage.visitEvent(hall), stage.visitEvent(hall)])
    await Promise.all([openRow(anna, 1), openRow(ben, 1)])
    await seatButton(anna, 1, 4).click()
    await seatSays(ben, 1, 4, 'held by someone')
    await seatSays(anna, 1, 4, 'held for you')
    await seatButton(ben, 1, 4).click({ force: true })
    await text(ben, 'Stalls, row R1, seat 4 is held by someone else just now.')
    await ben.getByRole('status').getByRole('button', { name: 'Close' }).click()
    await seatButton(ben, 1, 4).and(ben.locator(':focus')).waitFor()
    await openPanel(anna)
    await anna.getByRole('button', { name: /^Release: Stalls, row R1, seat 4/ }).click()
    await seatSays(ben, 1, 4, 'free')
  })

  it('who loses a race is told so kindly and offered the nearest seats', async () => {
    const hall = await stage.hall()
    const page = await stage.visitEvent(hall)
    await openRow(page, 2)
    // The other is quicker by the length of our way to the server.
    const overtake = async (route: Route) => {
      await stage.takeSeat(hall, 14)
      await route.continue()
    }
    await page.route('**/holds', overtake, { times: 1 })
    await seatButton(page, 2, 5).click()
    await text(page, /Someone was a moment quicker/)
    await seatSays(page, 2, 5, 'held by someone')
    await page.getByRole('button', { name: /^Take Stalls, row R\d, seat \d$/ }).click()
    await page.getByRole('timer').waitFor()
    // The button went with its notice: the focus is where it was before.
    await seatButton(page, 2, 5).and(page.locator(':focus')).waitFor()
  })

  it('places that staff release are told to the buyer who held them, while the page is open', async () => {
    const hall = await stage.hall({ seats: 0, standing: 5 })
    const page = await stage.visitEvent(hall)
    await page.getByText('List', { exact: true }).click()
    await page.getByRole('button', { name: /^Pit.*5 of 5 free/ }).click()
    await page.getByRole('dialog', { name: 'Pit' }).getByRole('button', { name: 'Hold 2 places' }).click()
    // The clock comes with the answer; the words “2 places” are on the pressed button as well.
    await page.getByRole('timer').waitFor()
    const { server, shop } = stage
    const released = await server.request('POST', `/api/admin/events/${hall.eventId}/release`, {
      token: shop.tokens.organizer,
      body: { all: true, notes: 'The floor is needed for the band' },
    })
    expect(released.body.data).toMatchObject({ holds_released: 1, seats_released: 2 })
    await text(page, 'These seats are no longer held for you. Choose again.')
    await page.getByText('2 places', { exact: true }).waitFor({ state: 'detached' })
  })

  it('places without numbers are chosen by how many', async () => {
    const hall = await stage.hall({ seats: 0, standing: 5 })
    const page = await stage.visitEvent(hall)
    await page.getByText('List', { exact: true }).click()
    await page.getByRole('button', { name: /^Pit.*5 of 5 free/ }).click()
    await page.getByRole('dialog', { name: 'Pit' }).getByRole('button', { name: 'One more' }).click()
    await page.getByRole('button', { name: 'Hold 3 places' }).click()
    await page.getByRole('button', { name: /^Pit.*2 of 5 free/ }).waitFor()
    await text(page, '3 places')
  })

  it("a member's zone asks who you are, and takes the seats of the guest along", async () => {
    const lounge = {
      name: 'Lounge',
      zone_type: 'ga_standing',
      capacity: 4,
      access_mode: 'membership_tier',
      membership_tier: 'gold',
    }
    const hall = await stage.hall({ seats: 10, zones: [lounge] })
    const email = 'gold@example.org'
    const member = await stage.server.request('POST', `/api/platform/organizations/${stage.shop.id}/users`, {
      token: ROOT_KEY,
      body: {
        email,
        password: 'a long password',
        role: 'customer',
        membership_tier: 'gold',
        membership_status: 'active',
      },
    })
    expect(member.status, member.text).toBe(201)
    const page = await stage.visitEvent(hall)
    await openRow(page, 1)
    await seatButton(page, 1, 1).click()
    await seatSays(page, 1, 1, 'held for you')
    await page.getByRole('button', { name: /^Lounge/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill('not the password')
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true })
    await submit.click()
    await text(page, /do not match/)
    await page.getByLabel('Password').fill('a long password')
    await submit.click()
    await text(page, 'Your seats are now in your account.')
    await seatSays(page, 1, 1, 'held for you')
    await page.getByRole('button', { name: /^Lounge/ }).click()
    await page.getByRole('button', { name: 'Hold 2 places' }).click()
    await text(page, '2 places')
  })
})

describe('time', () => {
  it('a hold that runs out is told of at once, with what was lost; trying again brings it back', async () => {
    const hall = await stage.hall({ event: { seating_overrides: { default_hold_ttl_seconds: 3 } } })
    const page = await stage.visitEvent(hall)
    await openRow(page, 1)
    await seatButton(page, 1, 2).click()
    const lost = page.getByRole('alertdialog', { name: 'Your time has run out' })
    await lost.getByText('Stalls, row R1, seat 2').waitFor()
    await expectAccessible(page, 'expired')
    // The next hold lives longer, so that a slow machine sees it.
    const changed = await stage.server.request('PATCH', `/api/admin/events/${hall.eventId}`, {
      token: stage.shop.tokens.organizer,
      body: { seating_overrides: {} },
    })
    expect(changed.status).toBe(200)
    await lost.getByRole('button', { name: 'Take them again' }).click()
    await seatSays(page, 1, 2, 'held for you')
  })

  it('seats that are taken one after the other have one clock and end together', async () => {
    const hall = await stage.hall()
    const page = await stage.visit('/')
    await page.clock.install()
    await page.goto(`${stage.url}/${stage.shop.slug}/events/${hall.eventId}`)
    await live(page)
    await openRow(page, 1)
    for (const seat of [2, 3]) {
      await seatButton(page, 1, seat).click()
      await seatSays(page, 1, seat, 'held for you')
      // A minute goes by in the browser, whose monotonic clock keeps the server's time. The page takes a feed
      // that was silent for a minute for broken, and opens another.
      await page.clock.fastForward(60_000)
      await live(page)
    }
    expect(await page.getByRole('timer').count()).toBe(1)
    // The server answers twelve minutes later: the page asks it if the time is really over.
    await page.route('**/api/events/*/cart', async route => {
      const response = await route.fetch()
      const { data } = await response.json()
      const timestamp = new Date(Date.parse(data.timestamp) + 720_000).toISOString()
      const empty = { holds: [], held_until: null, expires_in_seconds: null, timestamp }
      await route.fulfill({ response, json: { data: { ...data, ...empty } } })
    })
    await page.clock.fastForward(600_000)
    const lost = page.getByRole('alertdialog', { name: 'Your time has run out' })
    await lost.waitFor()
    expect(await lost.getByRole('listitem').allTextContents()).toEqual([
      'Stalls, row R1, seat 2',
      'Stalls, row R1, seat 3',
    ])
  })

  it('more time can be had once it is short', async () => {
    const hall = await stage.hall({ event: { seating_overrides: { default_hold_ttl_seconds: 200 } } })
    const page = await stage.visitEvent(hall)
    await openRow(page, 1)
    await seatButton(page, 1, 2).click()
    await page.getByRole('button', { name: 'More time' }).click()
    await page.getByRole('timer', { name: /another (5:00|4:\d\d)$/ }).waitFor()
  })
})

it('a part of the hall that the organizer closes goes from the page without a reload', async () => {
  const hall = await stage.hall({ standing: 10 })
  const page = await stage.visitEvent(hall)
  await page.getByText('List', { exact: true }).click()
  const pit = page.getByRole('button', { name: /^Pit/ })
  await pit.waitFor()
  const closing = await stage.server.request('PUT', `/api/admin/events/${hall.eventId}/layout`, {
    token: stage.shop.tokens.organizer,
    headers: { 'if-match': '*' },
    body: { overrides: { disabled_zones: [hall.zones[1]] } },
  })
  expect(closing.status, closing.text).toBe(200)
  await pit.waitFor({ state: 'detached' })
})

describe('trouble', () => {
  it('offline it says so and promises nothing; back again it knows what happened meanwhile', async () => {
    const hall = await stage.hall()
    const page = await stage.visitEvent(hall)
    await openRow(page, 1)
    await page.context().setOffline(true)
    await text(page, /No connection/)
    await seatButton(page, 1, 3).click()
    await text(page, /Without a connection no seat can be taken/)
    await stage.takeSeat(hall, 7)
    await page.context().setOffline(false)
    await live(page)
    await seatSays(page, 1, 8, 'held by someone')
  })

  it('without a server there is the shell, and it comes back by itself', async () => {
    const hall = await stage.hall()
    const first = await startListeningNode(stage.server.database.url)
    // The address stays ours while no server is there: a port that is let go may be another's by then.
    const line = await RedisProxy.start(first.url)
    const url = `http://127.0.0.1:${new URL(line.url).port}`
    const page = await stage.visit('/', { serviceWorkers: 'allow' })
    await page.goto(`${url}/${stage.shop.slug}/events/${hall.eventId}`)
    await live(page)
    await page.evaluate('navigator.serviceWorker.ready.then(() => null)')
    await first.close()
    line.shut()
    await page.reload()
    // The server's last words on the event are there, and marked as old; elsewhere there is nothing to show.
    await text(page, 'No connection. What you see may be out of date.')
    await page.goto(`${url}/${stage.shop.slug}`)
    await text(page, 'We can’t reach the server.')
    await page.goBack()
    await text(page, 'No connection. What you see may be out of date.')
    const again = await startListeningNode(stage.server.database.url)
    line.leadTo(again.url)
    line.open()
    await live(page)
    await page.close()
    await line.close()
    await again.close()
  })

  it('what does not exist gets a page that says so', async () => {
    const page = await stage.visit('/nobody-of-that-name')
    await text(page, /There is no organizer with this short name/)
    await expectAccessible(page, 'unknown organization')
    await page.goto(`${stage.url}/${stage.shop.slug}/events/01970000-0000-7000-8000-000000000000`)
    await text(page, 'This event does not exist, or no longer exists.')
    await page.getByRole('link', { name: 'Events' }).click()
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
  })
})

describe('for everyone', () => {
  it('the whole way by keyboard alone', async () => {
    await stage.hall({ event: { name: 'By keyboard' } })
    const page = await stage.visit(`/${stage.shop.slug}`)
    const link = page.getByRole('link', { name: 'Choose seats: By keyboard' })
    await tabTo(page, page.getByRole('searchbox', { name: 'Search an event or a venue' }))
    await page.keyboard.type('keyboard')
    await link.waitFor()
    await tabTo(page, link)
    await page.keyboard.press('Enter')
    await live(page)
    await tabTo(page, page.getByRole('radio', { name: 'Map' }))
    await page.keyboard.press('ArrowRight')
    await tabTo(page, page.getByRole('button', { name: /^Stalls/ }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: /^Row R2 / }))
    await page.keyboard.press('Enter')
    await tabTo(page, seatButton(page, 2, 1))
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    // The message goes by itself after a while; the seat stays.
    await page.getByRole('status').filter({ hasText: 'Held for you: Stalls, row R2, seat 3.' }).waitFor()
    await seatSays(page, 2, 3, 'held for you')
    await tabTo(page, page.getByRole('button', { name: 'Show my seats' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: /^Release: Stalls, row R2, seat 3/ }))
    await page.keyboard.press('Enter')
    await seatSays(page, 2, 3, 'free')
  })

  it('320 pixels wide, and with letters twice as large, nothing sticks out', async () => {
    const hall = await stage.hall({ standing: 10 })
    const page = await stage.visit(`/${stage.shop.slug}`, { viewport: { width: 320, height: 640 } })
    await page
      .getByRole('link', { name: /Choose seats/ })
      .first()
      .waitFor()
    await expectFits(page, 'storefront')
    await page.goto(`${stage.url}/${stage.shop.slug}/events/${hall.eventId}`)
    await live(page)
    await expectFits(page, 'map')
    await openRow(page, 1)
    await seatButton(page, 1, 1).click()
    await page.getByRole('timer').waitFor()
    await expectFits(page, 'list')
    await page.evaluate('document.documentElement.style.fontSize = "200%"')
    await expectFits(page, 'list with large letters')
    await page.getByRole('button', { name: /^Pit/ }).click()
    await expectFits(page, 'dialog with large letters')
  })

  it('in Afrikaans where the browser asks for it, in English when told to, and so it stays', async () => {
    const hall = await stage.hall()
    const page = await stage.visitEvent(hall, { locale: 'af-ZA' })
    await text(page, 'Jou sitplekke')
    expect(await page.locator('html').getAttribute('lang')).toBe('af')
    await page.getByLabel('Taal').selectOption('English')
    await text(page, 'Your seats')
    await page.reload()
    await text(page, 'Your seats')
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
  })

  it('axe finds nothing on any screen, light or dark', async () => {
    const hall = await stage.hall({ standing: 10 })
    const page = await stage.visit('/')
    await page.getByRole('heading').waitFor()
    await expectAccessible(page, 'front page')
    await page.goto(`${stage.url}/${stage.shop.slug}`)
    await page
      .getByText(/ left$/)
      .first()
      .waitFor()
    await expectAccessible(page, 'storefront')
    await page.goto(`${stage.url}/${stage.shop.slug}/events/${hall.eventId}`)
    await live(page)
    await expectAccessible(page, 'map')
    await openPanel(page)
    await text(page, 'Legend')
    await expectAccessible(page, 'map with an open panel')
    await closePanel(page)
    await stage.takeSeat(hall, 2)
    await openRow(page, 1)
    await seatButton(page, 1, 1).click()
    await page.getByRole('timer').waitFor()
    await seatButton(page, 1, 3).click({ force: true })
    await text(page, 'Close by and free:')
    await expectAccessible(page, 'list with a hold and a message')
    await page.getByRole('button', { name: /^Pit/ }).click()
    await page.getByRole('dialog').waitFor()
    await expectAccessible(page, 'how many')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expectAccessible(page, 'sign in')
  })
})

it('all that a buyer loads is at most 161 KB of script, and the first view of an event at most 105', () => {
  const dist = new URL('../dist/', import.meta.url).pathname
  const scripts = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    // Buyers neither load nor keep what is the scanner's, the console's, or for other sites.
    name =>
      name.endsWith('.js.br') &&
      !/^assets\/(scan|console|look|simulator|password)-|^voelgoed-seats/.test(name),
  )
  expect(scripts.length).toBeGreaterThan(0)
  // One language counts: a device neither loads nor keeps the words of the other before it is chosen.
  const sizes = scripts.map(name => [name, statSync(dist + name).size] as const)
  const words = sizes.filter(([name]) => /^assets\/(en|af)-/.test(name)).map(([, size]) => size)
  expect(words).toHaveLength(2)
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0) - Math.min(...words)
  expect(bytes).toBeLessThanOrEqual(161 * 1024)
  // The files that the document of a page names, and those that they import before anything is opened.
  const parts = JSON.parse(readFileSync(`${dist}page-parts.json`, 'utf8')) as Record<string, string[]>
  const shell = readFileSync(`${dist}index.html`, 'utf8')
  const first = new Set<string>()
  const follow = (name: string) => {
    if (first.has(name)) return
    first.add(name)
    const source = readFileSync(`${dist}assets/${name}`, 'utf8')
    for (const [, imported] of source.matchAll(/(?:from|import)\s*["`']\.\/([\w.-]+\.js)["`']/g))
      follow(imported!)
  }
  const named = [shell, ...parts.event!, ...parts.en!].join('\n')
  for (const [, name] of named.matchAll(/\/assets\/([\w.-]+\.js)/g)) follow(name!)
  // All of them: a file that only another one imports would come a trip later.
  for (const name of first) expect(named).toContain(`/assets/${name}`)
  expect([...first].some(name => /^(af|Storefront|AccountDialog)-/.test(name))).toBe(false)
  const atFirst = [...first].reduce((sum, name) => sum + packedSize(`${dist}assets/${name}`), 0)
  expect(atFirst).toBeGreaterThan(10 * 1024)
  expect(atFirst).toBeLessThanOrEqual(105 * 1024)
})

it('asks first for the small file that asks the server, and has the others compiled while they load', () => {
  const dist = new URL('../dist/', import.meta.url).pathname
  const shell = readFileSync(`${dist}index.html`, 'utf8')
  const [first] = /<(?:script|link)[^>]*\/assets\/[^>]*>/.exec(shell)!
  expect(first).toMatch(/^<script type="module" async fetchpriority="high" src="\/assets\/early-/)
  const parts = JSON.parse(readFileSync(`${dist}page-parts.json`, 'utf8')) as Record<string, string[]>
  const named = [shell, ...parts.event!, ...parts.storefront!, ...parts.en!, ...parts.af!].join('\n')
  const large = new Set(
    [...named.matchAll(/\/assets\/([\w.-]+\.js)/g)]
      .map(([, name]) => `${dist}assets/${name}`)
      .filter(path => statSync(path).size > 1_500),
  )
  expect(large.size).toBeGreaterThanOrEqual(8)
  for (const path of large) {
    expect(readFileSync(path, 'utf8').split('\n', 1)).toEqual(['//# allFunctionsCalledOnLoad'])
  }
})

/** Small files are sent as they are. */
function packedSize(path: string): number {
  return statSync(`${path}.br`, { throwIfNoEntry: false })?.size ?? statSync(path).size
}
