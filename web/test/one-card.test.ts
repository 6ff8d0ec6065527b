import { ROOT_KEY } from '@voelgoed/testing/harness'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { expectAccessible, expectFits, openPanel, type Stage, setStage, text } from './stage.ts'

let stage: Stage

// Where there is no Chromium yet, it is installed first.
beforeAll(async () => {
  stage = await setStage()
})
afterEach(() => stage.closePages())
afterAll(() => stage.close())

const LOUNGE = {
  name: 'Lounge',
  zone_type: 'reserved_seating',
  access_mode: 'membership_tier',
  membership_tier: 'gold',
  seats: [1, 2, 3].map(number => ({
    row: 'E',
    number,
    price_category: 'gold',
    coordinates: { x: number, y: 20 },
  })),
}

/** Seats that cost R 495 and R 255 to pay, a pit of two types, and a lounge for members. */
async function pricedHall() {
  const hall = await stage.hall({ seats: 20, perRow: 10, standing: 9, prices: ['gold'], zones: [LOUNGE] })
  const priced = await stage.server.request('PUT', `/api/admin/events/${hall.eventId}/prices`, {
    token: stage.shop.tokens.organizer,
    headers: { 'if-match': '*' },
    body: {
      currency: 'ZAR',
      categories: [
        {
          key: 'gold',
          name: 'Gold',
          colour: '#7b3fa0',
          ticket_types: [
            { key: 'adult', name: 'Adult', amount: 48_000 },
            { key: 'child', name: 'Child', amount: 24_000, note: 'up to 12' },
          ],
        },
        {
          key: 'pit',
          name: 'Front standing',
          ticket_types: [
            { key: 'adult', name: 'Adult', amount: 60_000 },
            { key: 'student', name: 'Student', amount: 45_000 },
          ],
        },
      ],
      zones: { [hall.zones[1]!]: 'pit' },
      fees: [
        { name: 'Booking fee', amount: 1_500, per: 'ticket' },
        { name: 'Postage', amount: 5_000, per: 'order' },
      ],
    },
  })
  expect(priced.status, priced.text).toBe(200)
  return hall
}

const list = (page: Page) => page.getByText('List', { exact: true }).click()
const card = (page: Page) => page.getByTestId('seat-card')

it('a finger gets one card for a seat and for standing places, with one button that has the sum', async () => {
  const hall = await pricedHall()
  const page = await stage.visitEvent(hall, { hasTouch: true })
  await list(page)
  const zone = page.getByRole('button', { name: /^Stalls/ })
  await zone.filter({ hasText: /20 of 20 free · from R\s?495/ }).tap()
  const row = page.getByRole('button', { name: /^Row R1 .*Gold R\s?495$/ })
  await row.tap()
  const seat = page.getByRole('button', { name: /^Stalls, row R1, seat 4, free, Gold, R\s?495$/ })
  // Its edge is the colour of its price, not that of the organization.
  expect(await seat.evaluate('button => getComputedStyle(button).borderTopColor')).toBe('rgb(123, 63, 160)')
  await seat.tap()
  await card(page)
    .getByText(/^R\s?495$/)
    .waitFor()
  await card(page)
    .getByText(/^incl\. R\s?15 fee$/)
    .first()
    .waitFor()
  expect(await page.getByRole('timer').count()).toBe(0)
  await card(page).getByText('Child').tap()
  await page.getByRole('button', { name: /^Add seat · R\s?255$/ }).tap()
  await page.getByRole('timer').waitFor()

  await page.getByRole('button', { name: /^Pit.*9 of 9 free · from R\s?615/ }).tap()
  const pit = page.getByRole('dialog', { name: 'Pit' })
  await pit
    .getByRole('button', { name: /^Add 2 places/ })
    .and(page.locator(':focus'))
    .waitFor()
  await pit
    .getByRole('group', { name: /^Student R\s?465 incl\. R\s?15 fee$/ })
    .getByRole('button', { name: 'One more' })
    .tap()
  const add = pit.getByRole('button', { name: /^Add 3 places · R\s?1[\s,]?695$/ })
  await add.waitFor()
  await expectFits(page, 'the card of standing places')
  await expectAccessible(page, 'the card of standing places')
  // A change of mind: the card closes, and nothing was taken.
  await pit.press('Escape')
  await pit.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Pit.*9 of 9 free/ }).tap()
  await pit
    .getByRole('group', { name: /^Student/ })
    .getByRole('button', { name: 'One more' })
    .tap()
  await add.tap()
  await page.getByRole('button', { name: /^Pit.*6 of 9 free/ }).waitFor()
  // 255 + 1 695 + 50 for the order, which belongs to no place.
  await text(page, /R\s?2[\s,]?000 incl\. R\s?110 fees/)
  await openPanel(page)
  const total = page.getByTestId('cart-total')
  await total.getByText(/^R\s?2[\s,]?000[.,]00$/).waitFor()
  await total.getByText('Postage').waitFor()
  await total.getByText('Included: Booking fee').waitFor()
  const student = page.getByRole('group', { name: /^Student, 3 places/ })
  expect(await student.getByRole('status').textContent()).toBe('1')
})

it("a members' seat says so before a press, asks to sign in, and is open to a member", async () => {
  const hall = await pricedHall()
  const email = 'lounge@example.org'
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
  const page = await stage.visitEvent(hall, { viewport: { width: 1280, height: 800 } })
  await list(page)
  await page.getByRole('button', { name: /^Lounge .*Members only/ }).click()
  await page.getByRole('button', { name: /^Row E / }).click()
  await page
    .getByRole('button', { name: /^Lounge, row E, seat 2, free, Members only, Gold, R\s?495$/ })
    .press('Enter')
  // Nothing was asked of the server, and nothing is red: the card says what to do.
  await card(page).getByText('Members only.').waitFor()
  const signIn = card(page).getByRole('button', { name: 'Sign in' })
  await signIn.and(page.locator(':focus')).waitFor()
  expect((await card(page).boundingBox())!.height).toBeGreaterThan(100)
  await expectAccessible(page, 'a seat for members')
  await signIn.press('Enter')
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill('a long password')
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
  await card(page).getByText('Open to you as a member').waitFor()
  await card(page)
    .getByRole('button', { name: /^Add seat · R\s?495$/ })
    .click()
  await page
    .getByRole('button', { name: /^Lounge, row E, seat 2, held for you, Open to you as a member/ })
    .waitFor()
})

it('the best seats come with a reason and what costs less, and the map goes to them', async () => {
  const circle = {
    name: 'Circle',
    zone_type: 'reserved_seating',
    seats: [1, 2, 3, 4].map(number => ({ row: 'C', number, coordinates: { x: number, y: 20 } })),
  }
  const hall = await stage.hall({ seats: 16, perRow: 8, prices: ['silver', 'gold'], zones: [circle] })
  const category = (key: string, amount: number) => ({
    key,
    name: key,
    ticket_types: [{ key: 'adult', name: 'Adult', amount }],
  })
  const priced = await stage.server.request('PUT', `/api/admin/events/${hall.eventId}/prices`, {
    token: stage.shop.tokens.organizer,
    headers: { 'if-match': '*' },
    body: {
      currency: 'ZAR',
      categories: [category('gold', 48_000), category('silver', 31_000)],
      fees: [{ name: 'Booking fee', amount: 1_500, per: 'ticket' }],
    },
  })
  expect(priced.status, priced.text).toBe(200)
  const page = await stage.visitEvent(hall, { viewport: { width: 1280, height: 800 } })
  await page.getByRole('button', { name: 'Find the best for me' }).click()
  await text(page, '2 together in row R1')
  await page.getByRole('button', { name: /^Take these · R\s?990$/ }).waitFor()
  await expectAccessible(page, 'an offer with its reason')
  await page.getByRole('button', { name: /^R\s?340 less in Circle$/ }).click()
  await text(page, '2 together in row C')
  await page.getByRole('button', { name: /^Take these · R\s?650$/ }).click()
  await page.getByRole('timer').waitFor()
})
