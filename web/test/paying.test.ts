import { PASSWORD, ROOT_KEY } from '@voelgoed/testing/harness'
import { lifeOf } from '@voelgoed/testing/run-out'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkoutSteps, GOOD } from './checkout-steps.ts'
import { expectAccessible, expectFits, type Stage, setStage, text } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterEach(() => stage.closePages())
afterAll(() => stage.close())

const { visitToPay, fillCard, payWith, atOrder } = checkoutSteps(() => stage)
const TOO_LATE = '4000000000000341'
const MINUTE_MS = 60_000

/** The holds are gone, `meanwhile` happens, and then the money comes. */
async function moneyComesLate(
  { page, holdId }: Awaited<ReturnType<typeof visitToPay>>,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const { server, shop } = stage
  await payWith(page, TOO_LATE)
  await text(page, /^Your bank has not decided yet/)
  const released = await server.request('POST', '/api/admin/seats/release', {
    token: shop.tokens.organizer,
    body: { hold_ids: [holdId], force: true },
  })
  expect(released.status, released.text).toBe(200)
  await meanwhile()
  server.clock.jump(17 * MINUTE_MS)
  await page.reload()
  await page.getByRole('heading', { name: 'Your payment came after your time had run out' }).waitFor()
  server.clock.jump(-17 * MINUTE_MS)
}

const ticketsOf = async (id: string, token: string) =>
  (await stage.server.request('GET', `/api/orders/${id}`, { token })).body.data.tickets as {
    seat_id: string
  }[]

describe('paying', () => {
  it('money that comes late gets the same places while they are free, and the page says so', async () => {
    const visit = await visitToPay()
    await moneyComesLate(visit, async () => {})
    const { page, id, token, hall } = visit
    await text(page, 'The same places were still free, and they are yours.')
    await expectAccessible(page, 'late money, same places')
    await page.getByRole('link', { name: 'See your tickets' }).click()
    await text(page, 'Stalls, row R1, seat 1')
    expect((await ticketsOf(id, token)).map(ticket => ticket.seat_id)).toEqual([hall.seats[0]])
  })

  it('money that comes late gets other places of the same price, if the buyer agreed to it', async () => {
    const visit = await visitToPay({ accept_alternatives: true })
    await moneyComesLate(visit, () => stage.takeSeat(visit.hall, 0))
    const { page, id, token, hall } = visit
    await text(page, 'Your places were gone. You have others of the same price, as you asked for.')
    await expectFits(page, 'late money, other places')
    const [ticket, ...more] = await ticketsOf(id, token)
    expect(more).toEqual([])
    expect(ticket!.seat_id).not.toBe(hall.seats[0])
  })

  it('more time is one press away; when it runs out nothing is charged, and the seats can be taken again', async () => {
    const { page, id, token, holdId, hall } = await visitToPay()
    const holdOf = async ({ eventId }: typeof hall): Promise<string> => {
      const cart = await stage.server.request('GET', `/api/events/${eventId}/cart`, { token })
      return cart.body.data.holds[0].hold_id
    }
    await page.clock.install()
    await page.reload()
    await page.getByLabel('Card number').fill('4242')
    const pass = async (ms: number) => {
      await stage.server.passes(ms)
      await page.clock.fastForward(ms)
    }
    await pass((await lifeOf(stage.server.database, holdId)) - MINUTE_MS / 2)
    // The time that is heard is the time that is left.
    await page
      .getByRole('status')
      .filter({ hasText: /^(2\d|30) seconds left for your seats\.$/ })
      .waitFor()
    await page.getByRole('button', { name: 'More time' }).click()
    await page.getByRole('timer', { name: /^Held for you for another (4:5\d|5:00)$/ }).waitFor()
    await pass(await lifeOf(stage.server.database, holdId))
    await page.getByRole('heading', { name: 'Your time has run out' }).waitFor()
    await text(page, /^The seats are on sale again. You were not charged/)
    expect(await page.getByLabel('Card number').count()).toBe(0)
    await expectAccessible(page, 'time has run out')
    const tried = await stage.server.request('POST', `/api/checkouts/${id}/pay`, {
      token,
      body: { card: { number: GOOD, expiry: '12/40', cvc: '737' } },
    })
    expect(tried.body).toMatchObject({ status: 410, code: 'hold_expired' })
    await page.getByRole('button', { name: 'Take them again' }).click()
    await page.waitForURL('**/events/*/checkout')
    await page.getByRole('button', { name: /^Continue to payment · R\s?815[.,]00$/ }).waitFor()
    // Once more here, where someone else is a moment quicker: it is said, and the way on is there.
    const again = await holdOf(hall)
    await pass(await lifeOf(stage.server.database, again))
    await page.getByRole('button', { name: 'Take them again' }).waitFor()
    await stage.takeSeat(hall, 0)
    await page.getByRole('button', { name: 'Take them again' }).click()
    await page
      .getByRole('alert')
      .getByText(/^Someone was a moment quicker\./)
      .waitFor()
    expect(await page.getByRole('alert').getByRole('link', { name: 'Choose seats' }).count()).toBe(1)
    await expectAccessible(page, 'time has run out at the checkout')
  })

  it('who brings a guest to places of members names them, each at a field of its own', async () => {
    const { server, shop, url } = stage
    const email = 'gold@members.example'
    const made = await server.request('POST', `/api/platform/organizations/${shop.id}/users`, {
      token: ROOT_KEY,
      body: {
        email,
        password: PASSWORD,
        role: 'customer',
        membership_tier: 'gold',
        membership_status: 'active',
      },
    })
    expect(made.status, made.text).toBe(201)
    const gold = { access_mode: 'membership_tier', membership_tier: 'gold' }
    const hall = await stage.hall({
      seats: 2,
      prices: ['gold'],
      zones: [{ name: 'Lounge', zone_type: 'vip_standing', capacity: 6, ...gold }],
      event: { seating_overrides: { allow_vip_zones: true, orphan_avoidance_strict: false } },
    })
    const staff = async (method: 'PUT' | 'POST', path: string, body: object) => {
      const token = shop.tokens.organizer
      const headers = { 'if-match': '*' }
      const answer = await server.request(method, `/api/admin/events/${hall.eventId}${path}`, {
        token,
        headers,
        body,
      })
      expect(answer.status, answer.text).toBeLessThan(300)
    }
    const ticket_types = [{ key: 'adult', name: 'Adult', amount: 80_000 }]
    await staff('PUT', '/prices', {
      currency: 'ZAR',
      categories: [{ key: 'gold', name: 'Gold', ticket_types }],
      zones: { [hall.zones[1]!]: 'gold' },
    })
    await staff('POST', '/whitelist', { entries: [{ email: 'carla@example.org' }] })
    const session = await server.request('POST', '/api/sessions', {
      body: { organization: shop.slug, email, password: PASSWORD },
    })
    const { token } = session.body.data as { token: string }
    const held = await server.request('POST', `${hall.url}/holds`, {
      token,
      body: { zone_id: hall.zones[1], quantity: 2 },
    })
    expect(held.status, held.text).toBe(201)

    const kept = { name: `voelgoed:session:${shop.slug}`, value: JSON.stringify(session.body.data) }
    const storageState = { cookies: [], origins: [{ origin: url, localStorage: [kept] }] }
    const page = await stage.visit(`/${shop.slug}/events/${hall.eventId}/checkout`, { storageState })
    const second = page.getByLabel('Lounge, place 2')
    await second.waitFor()
    const go = page.getByRole('button', { name: /^Continue to payment/ })
    // No bubble of the browser: the field says it, and has the focus.
    await go.click()
    await text(page, 'Enter your name.')
    await page.getByLabel('Full name').and(page.locator(':focus')).waitFor()
    await page.getByLabel('Full name').fill('Gerda Goud')
    await go.click()
    await text(page, 'Name a guest here: only one place can be your own.')
    await second.and(page.locator(':focus')).waitFor()
    await expectAccessible(page, 'naming guests')
    await expectFits(page, 'naming guests')
    await second.fill('stranger@example.org')
    await go.click()
    await text(page, /^This guest cannot have the place/)
    await second.fill('carla@example.org')
    await go.click()
    await page.getByLabel('Card number').waitFor()
    // Changed minds: who comes back finds who was named.
    await page.getByRole('link', { name: 'Change your details' }).click()
    await second.waitFor()
    expect(await second.inputValue()).toBe('carla@example.org')
  })

  it('cancelling without a network says that it is not known', async () => {
    const { page } = await visitToPay()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Cancel and release the seats' }).click()
    await text(page, /^The server did not answer: we do not know whether the order is cancelled/)
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Cancel and release the seats' }).click()
    await page.getByRole('heading', { name: 'This order was cancelled' }).waitFor()
  })

  it('Stripe’s form: can be loaded again, and once the card is sent the page says that the bank decides', async () => {
    const { page, id, token } = await visitToPay()
    const next = { kind: 'stripe', publishable_key: 'pk', client_secret: 'cs', account: null }
    const paying = { status: 'paying', order_id: null, next, declined: null }
    const { data } = (await stage.server.request('GET', `/api/checkouts/${id}`, { token })).body
    const shown = { data: { ...data, status: 'paying', gateway: 'stripe' } }
    await page.route(`**/api/checkouts/${id}`, route => route.fulfill({ json: shown }))
    await page.route(`**/api/checkouts/${id}/pay`, route => route.fulfill({ json: { data: paying } }))
    await page.reload()
    // The page's policy lets nothing of Stripe in here: the form does not load.
    await text(page, /^The card form of our payment company did not load/)
    await expectAccessible(page, 'the form of Stripe did not load')
    await page.evaluate(`window.Stripe = () => ({
      elements: () => ({ create: () => ({ mount() {}, unmount() {} }) }),
      confirmPayment: async () => ({}),
    })`)
    await page.getByRole('button', { name: 'Load the form again' }).click()
    const pay = page.getByRole('button', { name: /^Pay R\s?815[.,]00$/ })
    await pay.waitFor()
    expect(await page.getByText('Your bank has not decided yet').count()).toBe(0)
    await page.unroute(`**/api/checkouts/${id}/pay`)
    await page.route(`**/api/checkouts/${id}/pay`, route =>
      route.fulfill({ json: { data: { ...paying, next: null } } }),
    )
    await pay.click()
    await text(page, /^Your bank has not decided yet/)
    expect(await pay.isDisabled()).toBe(true)
  })

  it('two tabs that pay at once end at one order, charged once', async () => {
    const { page, id, token } = await visitToPay()
    const other = await page.context().newPage()
    await other.goto(page.url())
    const buttons = [await fillCard(page, GOOD), await fillCard(other, GOOD)]
    // As they are now: the tab that is slower may hear that it is paid before its button is pressed.
    const pressed = await Promise.all(buttons.map(button => button.elementHandle()))
    await Promise.all(
      pressed.map(button => button!.evaluate(element => (element as unknown as { click(): void }).click())),
    )
    await Promise.all([atOrder(page, id), atOrder(other, id)])
    expect(await ticketsOf(id, token)).toHaveLength(1)
    const intents = await stage.server.database.sql(
      'select status from simulated_intents where order_key = $1',
      [id],
    )
    expect(intents).toEqual([{ status: 'captured' }])
  })
})

describe('after paying', () => {
  const paid = async () => {
    const visit = await visitToPay()
    await text(visit.page, 'Ben Botha · ben@example.org')
    await payWith(visit.page, GOOD)
    await atOrder(visit.page, visit.id)
    return visit
  }

  it('the page says where the tickets went, and sends them to another address when that was wrong', async () => {
    const { page, id } = await paid()
    // The server of these tests has no mail server.
    await text(page, 'No email has gone out')
    await expectAccessible(page, 'order without mail')
    await expectFits(page, 'order without mail')
    // As if there were one: the node that put the mail aside may have done so already.
    for (const change of [
      `status = 'queued', ended_at = null, due_at = now() + interval '1 day' where status in ('queued', 'kept')`,
      `status = 'sending', attempts = 1, lease_until = now() + interval '1 day' where status = 'queued'`,
      `status = 'sent', ended_at = now(), lease_until = null where status = 'sending'`,
    ]) {
      await stage.server.database.sql(`update mails set ${change} and order_id = $1`, [id])
    }
    await page.reload()
    await text(page, 'Sent to ben@example.org')
    const code = await page.getByRole('img', { name: /^QR/ }).first().getAttribute('src')
    await page.getByRole('button', { name: 'Wrong address?' }).click()
    const sheet = page.getByRole('dialog', { name: 'Where should the tickets go?' })
    const email = sheet.getByLabel('Email address')
    await email.fill('ben@example')
    await sheet.getByRole('button', { name: 'Save and send' }).click()
    await sheet.getByText(/^This is not a complete email address/).waitFor()
    await email.fill('ben.botha@gmial.com')
    await sheet.getByText('Did you mean ben.botha@gmail.com?').waitFor()
    await expectAccessible(page, 'another address')
    await expectFits(page, 'another address')
    await sheet.getByRole('button', { name: 'Use it' }).click()
    expect(await email.inputValue()).toBe('ben.botha@gmail.com')
    await sheet.getByRole('button', { name: 'Save and send' }).click()
    await text(page, /^1 ticket with new codes/)
    await text(page, 'ben.botha@gmail.com')
    await expect.poll(() => page.getByRole('img', { name: /^QR/ }).first().getAttribute('src')).not.toBe(code)
  })

  it('the tickets are one press away from the events, also when the server can’t be reached', async () => {
    const { page, hall } = await paid()
    const { shop, url } = stage
    await page.goto(`${url}/${shop.slug}`)
    const mine = page.getByRole('region', { name: 'Your tickets' })
    await mine.getByText('Stalls R1 1').waitFor()
    await page.goto(`${url}/${shop.slug}/events/${hall.eventId}`)
    await text(page, 'You have 1 ticket')
    await expectFits(page, 'event with tickets')
    await page.getByRole('link', { name: /You have 1 ticket/ }).click()
    await page.getByRole('heading', { name: 'See you there!' }).waitFor()
    await page.context().route('**/api/**', route => route.abort())
    await page.goto(`${url}/${shop.slug}`)
    await page.getByRole('heading', { name: 'Your tickets work offline' }).waitFor()
    await expectAccessible(page, 'storefront without a server')
    await page.getByRole('link', { name: /1 ticket/ }).click()
    await page.getByRole('img', { name: /^QR/ }).waitFor()
  })

  it('an event that is cancelled takes the codes away, says what happens with the money, and the event leads there', async () => {
    const { page, hall } = await paid()
    const { server, shop, url } = stage
    const organizer = shop.tokens.organizer
    const { body } = await server.request('GET', `/api/admin/events/${hall.eventId}`, { token: organizer })
    const cancelled = await server.request('POST', `/api/admin/events/${hall.eventId}/cancel`, {
      token: organizer,
      body: { reason: 'The lead actor is ill' },
    })
    expect([cancelled.status, body.data.status]).toEqual([200, 'published'])
    // As on a phone that is taken out again: the page stays as it was.
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await page.getByRole('heading', { name: `${body.data.name} will not take place` }).waitFor()
    expect(await page.getByRole('img', { name: /^QR/ }).count()).toBe(0)
    expect(await page.getByText('Works offline').count()).toBe(0)
    await text(page, 'The tickets open no door any more.')
    // The money goes back by itself, and the page hears of it.
    await text(page, 'You get back')
    await expectAccessible(page, 'order of a cancelled event')
    await text(page, /^R\s?815[.,]00$/)
    await text(page, 'the card you paid with')
    await expectFits(page, 'order that was paid back')
    await page.goto(`${url}/${shop.slug}/events/${hall.eventId}`)
    await page.getByRole('link', { name: 'See your order' }).waitFor()
    await page.getByRole('button', { name: 'More about this event' }).click()
    expect(await page.getByRole('link', { name: /calendar/ }).count()).toBe(0)
  })
})

it('the page of passwords can be used by everyone: asked for, and with the link of the mail', async () => {
  const page = await stage.visit(`/${stage.shop.slug}/password`)
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor()
  await expectAccessible(page, 'forgotten password')
  await expectFits(page, 'forgotten password')
  const fresh = await stage.visit(`/${stage.shop.slug}/password#token=none`)
  await fresh.getByRole('heading', { name: 'Choose a new password' }).waitFor()
  await expectAccessible(fresh, 'new password')
  await fresh.getByLabel('New password').fill('a long password')
  await fresh.getByRole('button', { name: 'Save the new password' }).click()
  await text(fresh, 'This link has been used or has expired. Ask for another one.')
  await expectAccessible(fresh, 'new password: the link is over')
})
