import type { OrganizationId } from '@voelgoed/core/ids'
import { hashSecret, makeResetToken } from '@voelgoed/kit/http/tokens'
import { ROOT_KEY } from '@voelgoed/testing/harness'
import { waitUntil } from '@voelgoed/testing/wait-until'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import {
  expectAccessible,
  live,
  openPanel,
  openRow,
  type Stage,
  seatButton,
  seatSays,
  text,
} from '../stage.ts'

const PASSWORD = 'a long password'

/** The page knows who the visitor is and where they are: accounts, the front page, and what has the focus. */
export function visitorTests(stage: () => Stage): void {
  const register = async (email: string) => {
    const answer = await stage().server.request(
      'POST',
      `/api/platform/organizations/${stage().shop.id}/users`,
      { token: ROOT_KEY, body: { email, password: PASSWORD, role: 'customer' } },
    )
    expect(answer.status, answer.text).toBe(201)
  }
  const signIn = async (page: Page, email: string) => {
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: email }).waitFor()
    // It closes once what the guest had is the account's: a page that is left before may never ask for that.
    await dialog.waitFor({ state: 'detached' })
  }

  describe('opening an event', () => {
    const FIRST = ['', '/map', '/prices', '/availability']

    /** Opens the event; its code comes when all that is shown first was asked for. Returns what was asked. */
    const open = async (page: Page, event: string) => {
      const calls: string[] = []
      page.on('request', request => {
        const { pathname } = new URL(request.url())
        if (pathname.startsWith('/api/')) calls.push(`${request.method()} ${pathname}`)
      })
      const count = (call: string) => calls.filter(each => each === call).length
      const first = FIRST.map(part => `GET /api/events/${event}${part}`)
      await page.route('**/assets/EventPage-*.js', async route => {
        await waitUntil('all of it is asked for', () => first.every(call => count(call) === 1))
        await route.continue()
      })
      await page.goto(`${stage().url}/${stage().shop.slug}/events/${event}`)
      await live(page)
      return { first: first.map(count), guests: count('POST /api/sessions/guest') }
    }

    it('asks for its seats while the code is on its way: once, as one guest', async () => {
      const { eventId } = await stage().hall()
      const page = await stage().visit('/look')
      expect(await open(page, eventId)).toEqual({ first: [1, 1, 1, 1], guests: 1 })
      const again = await page.context().newPage()
      expect(await open(again, eventId)).toEqual({ first: [1, 1, 1, 1], guests: 0 })
    })

    it('goes on as a new guest when the session has ended', async () => {
      const { eventId } = await stage().hall()
      const { shop, url } = stage()
      const organization = { slug: shop.slug, name: 'Voelgoed Test' }
      const ended = { token: 'vg1_ended', user: { id: 'x', email: null }, organization }
      const localStorage = [{ name: `voelgoed:session:${shop.slug}`, value: JSON.stringify(ended) }]
      const page = await stage().visit('/look', {
        storageState: { cookies: [], origins: [{ origin: url, localStorage }] },
      })
      expect(await open(page, eventId)).toEqual({ first: [2, 2, 2, 2], guests: 1 })
    })
  })

  describe('the first view of an event', () => {
    it('is painted without the code, and gives way to the page, or to what is wrong', async () => {
      const { eventId } = await stage().hall()
      const address = `${stage().url}/${stage().shop.slug}/events/${eventId}`
      const page = await stage().visit('/look')
      let letThrough = () => {}
      const wait = new Promise<void>(resolve => {
        letThrough = resolve
      })
      await page.route('**/assets/EventPage-*.js', async route => {
        await wait
        await route.continue()
      })
      await page.goto(address, { waitUntil: 'commit' })
      await page.getByText('The seats are loading …').waitFor()
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
      await expectAccessible(page, 'the first view')
      letThrough()
      await live(page)
      expect(await page.locator('#first').count()).toBe(0)
      await page.unrouteAll()
      await page.route('**/assets/EventPage-*.js', route => route.abort())
      await page.reload({ waitUntil: 'commit' })
      await text(page, 'We can’t reach the server.')
      expect(await page.locator('#first').count()).toBe(0)
    })
  })

  describe('signing out', () => {
    it('with seats held it says what happens to them, and offers to release them first', async () => {
      await register('leaving@example.org')
      const hall = await stage().hall()
      const page = await stage().visitEvent(hall)
      await signIn(page, 'leaving@example.org')
      await openRow(page, 1)
      await seatButton(page, 1, 2).click()
      await seatSays(page, 1, 2, 'held for you')
      await page.getByRole('button', { name: 'leaving@example.org' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('1 seat held for you').waitFor()
      await expectAccessible(page, 'signing out')
      await dialog.getByRole('button', { name: 'Release them and sign out' }).click()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      await seatSays(page, 1, 2, 'free')
    })

    it('or to keep them: they are there again after signing in', async () => {
      await register('staying@example.org')
      const hall = await stage().hall()
      const page = await stage().visitEvent(hall)
      await signIn(page, 'staying@example.org')
      await openRow(page, 1)
      await seatButton(page, 1, 2).click()
      await seatSays(page, 1, 2, 'held for you')
      await page.getByRole('button', { name: 'staying@example.org' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Keep them and sign out' }).click()
      await seatSays(page, 1, 2, 'held by someone')
      await signIn(page, 'staying@example.org')
      await seatSays(page, 1, 2, 'held for you')
    })
  })

  it('who bought as a guest finds the order in their account, and keeps the tickets when they sign out', async () => {
    const { server, shop, url } = stage()
    const hall = await stage().hall()
    const page = await stage().visitEvent(hall)
    await openRow(page, 1)
    await seatButton(page, 1, 2).click()
    await seatSays(page, 1, 2, 'held for you')
    const guest = JSON.parse(
      (await page.evaluate(`localStorage.getItem('voelgoed:session:${shop.slug}')`)) as string,
    )
    const holds = (await server.request('GET', '/api/holds', { token: guest.token })).body.data
    const sold = await server.request('POST', '/api/admin/orders', {
      token: shop.tokens.organizer,
      body: {
        event_id: hall.eventId,
        method: 'external',
        hold_ids: holds.map((hold: { hold_id: string }) => hold.hold_id),
        contact: { name: 'Piet', email: 'piet@buyer.example' },
        allow_stranding: true,
      },
    })
    expect(sold.status, sold.text).toBe(201)
    const order = `${url}/${shop.slug}/orders/${sold.body.data.order_id}`
    const number = page.getByText(sold.body.data.order_number).first()
    const openOrder = async () => {
      await page.goto(order)
      await number.waitFor()
      await text(page, 'Works offline')
    }
    await openOrder()
    await page.goto(`${url}/${shop.slug}/events/${hall.eventId}`)
    await live(page)
    await register('piet@buyer.example')
    await signIn(page, 'piet@buyer.example')
    await openOrder()

    await page.goto(`${url}/${shop.slug}/events/${hall.eventId}`)
    await live(page)
    await page.getByRole('button', { name: 'piet@buyer.example' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 ticket is kept on this device.').waitFor()
    await expectAccessible(page, 'signing out with tickets')
    await dialog.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.goto(order)
    await number.waitFor()

    await page.goto(`${url}/${shop.slug}/events/${hall.eventId}`)
    await live(page)
    await signIn(page, 'piet@buyer.example')
    await openOrder()
    await page.goto(`${url}/${shop.slug}/events/${hall.eventId}`)
    await live(page)
    await page.getByRole('button', { name: 'piet@buyer.example' }).click()
    await dialog.getByLabel(/Remove them/).check()
    await dialog.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.goto(order)
    await text(page, 'This order does not exist')
  })

  describe('signing in', () => {
    it('moves what the guest holds to the account, clock and all, and releases nothing on the way', async () => {
      await register('moving@example.org')
      const hall = await stage().hall({ standing: 5 })
      const page = await stage().visitEvent(hall)
      await openRow(page, 1)
      await seatButton(page, 1, 2).click()
      await seatSays(page, 1, 2, 'held for you')
      const released: string[] = []
      page.on('request', request => request.method() === 'DELETE' && released.push(request.url()))
      const watcher = await stage().visitEvent(hall)
      await openRow(watcher, 1)
      await seatSays(watcher, 1, 2, 'held by someone')
      const second = await page.context().newPage()
      await second.goto(page.url())
      await openRow(second, 1)
      await seatSays(second, 1, 2, 'held for you')
      // The other tab looks what the account holds before the seats have moved.
      const looked = second.waitForResponse('**/api/events/*/cart')
      await page.route('**/api/holds/transfer', async route => {
        await looked
        await route.continue()
      })
      await signIn(page, 'moving@example.org')
      await text(page, 'Your seats are now in your account.')
      await seatSays(page, 1, 2, 'held for you')
      await seatSays(second, 1, 2, 'held for you')
      expect(await second.getByText('no longer held for you').count()).toBe(0)
      expect(await page.getByRole('timer').count()).toBe(1)
      expect(released).toEqual([])
    })

    it('says what stays with the guest when the account may not have it, and offers to release it', async () => {
      await register('full@example.org')
      const hall = await stage().hall({ event: { seating_overrides: { max_seats_per_booking: 1 } } })
      const elsewhere = await stage().visitEvent(hall)
      await signIn(elsewhere, 'full@example.org')
      await openRow(elsewhere, 1)
      await seatButton(elsewhere, 1, 1).click()
      await seatSays(elsewhere, 1, 1, 'held for you')
      const page = await stage().visitEvent(hall)
      await openRow(page, 1)
      await seatButton(page, 1, 2).click()
      await seatSays(page, 1, 2, 'held for you')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByLabel('Email address').fill('full@example.org')
      await page.getByLabel('Password').fill(PASSWORD)
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
      await dialog.getByText(/could not be moved to your account/).waitFor()
      await dialog.getByText(/more than you can book/).waitFor()
      await seatSays(page, 1, 1, 'held for you')
      await seatSays(page, 1, 2, 'held by someone')
      await dialog.getByRole('button', { name: 'Release them' }).click()
      await seatSays(page, 1, 2, 'free')
    })
  })

  describe('confirming an address', () => {
    /** The mail would bring this: the stage has no mail server. */
    const linkFor = async (email: string) => {
      const { server, shop } = stage()
      const token = makeResetToken(shop.id as OrganizationId)
      await server.database.sql(
        `insert into password_resets (organization_id, mail_id, user_id, token_hash, expires_at)
         select $1, gen_random_uuid(), id, $2, now() + interval '1 hour' from users
         where organization_id = $1 and email = $3`,
        [shop.id, hashSecret(token), email],
      )
      return `/${shop.slug}/password#token=${token}&confirm=1`
    }
    const mailsTo = (email: string) =>
      stage().server.database.sql(
        `select key from mails where recipient = $1 and kind = 'address_confirmation' and key like '%:asked %'`,
        [email],
      )

    it('opens the places of people who were invited: the page offers a link where they are refused', async () => {
      const email = 'minister@state.example'
      const { server, shop, url } = stage()
      const zone = { name: 'State box', zone_type: 'ga_standing', capacity: 4, access_mode: 'whitelist' }
      const hall = await stage().hall({ seats: 10, zones: [zone] })
      await server.request('POST', `/api/admin/events/${hall.eventId}/whitelist`, {
        token: shop.tokens.organizer,
        body: { entries: [{ email }] },
      })
      const page = await stage().visitEvent(hall)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Create an account' }).click()
      await page.getByLabel('Email address').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('dialog').getByRole('button', { name: 'Create an account', exact: true }).click()
      await page.getByRole('button', { name: email }).waitFor()
      await page.getByText('List', { exact: true }).click()
      const take = async () => {
        await page.getByRole('button', { name: /^State box/ }).click()
        await page.getByRole('button', { name: 'Add 2 places' }).click()
      }
      await take()
      await text(page, 'These places are for people whom the organizer has invited.')
      await text(page, `${email} is not confirmed yet.`)
      await expectAccessible(page, 'an address that is not confirmed')
      await page.getByRole('button', { name: 'Send me a link' }).click()
      await text(page, `An email is on its way to ${email}.`)
      expect(await mailsTo(email)).toHaveLength(1)

      const mailed = await page.context().newPage()
      await mailed.goto(url + (await linkFor(email)))
      await mailed.getByRole('heading', { name: 'Confirm your email address' }).waitFor()
      await text(mailed, `You are signed in as ${email}.`)
      await expectAccessible(mailed, 'confirming an address')
      await mailed.getByRole('button', { name: 'Yes, this is my account' }).click()
      await text(mailed, 'Your email address is confirmed.')
      await take()
      await text(page, '2 places')
    })

    it('asks on another device who they are; an owner who did not make the account takes it', async () => {
      const email = 'owner@state.example'
      const { server, shop } = stage()
      const body = { organization: shop.slug, email, password: PASSWORD }
      const stranger = (await server.request('POST', '/api/accounts', { body })).body.data
      const page = await stage().visit(await linkFor(email))
      await page.getByRole('heading', { name: 'Confirm your email address' }).waitFor()
      await text(page, 'Sign in to the account that the email is about')
      await expectAccessible(page, 'confirming as a guest')
      await page.getByRole('button', { name: 'Choose a new password' }).click()
      await page.getByLabel('New password').fill('the owner chose this')
      await page.getByRole('button', { name: 'Save the new password' }).click()
      await text(page, 'Your password has been changed.')
      expect((await server.request('GET', '/api/session', { token: stranger.token })).status).toBe(401)

      const other = 'other@state.example'
      await server.request('POST', '/api/accounts', { body: { ...body, email: other } })
      const asked = await stage().visit(await linkFor(other))
      await asked.getByRole('button', { name: 'Sign in' }).click()
      await asked.getByLabel('Email address').fill(other)
      await asked.getByLabel('Password').fill(PASSWORD)
      await asked.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
      await asked.getByRole('button', { name: 'Yes, this is my account' }).click()
      await text(asked, 'Your email address is confirmed.')
    })
  })

  describe('the front page', () => {
    it.each([
      ['the short name', (slug: string) => slug],
      ['a name with capitals and spaces', (slug: string) => ` ${slug.toUpperCase().replaceAll('-', ' ')} `],
      ['a whole link', (slug: string) => `${stage().url}/${slug}/events?from=poster`],
      ['a link without its beginning', (slug: string) => `tickets.example/${slug}`],
    ])('takes %s', async (_what, write) => {
      const page = await stage().visit('/')
      await page.getByText(/The short name is the end of the link/).waitFor()
      await page.getByLabel('Link or short name of the organizer').fill(write(stage().shop.slug))
      await page.getByRole('button', { name: 'Open the page' }).click()
      await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
      expect(new URL(page.url()).pathname).toBe(`/${stage().shop.slug}`)
    })

    it('says what it needs when nothing can be made of the text', async () => {
      const page = await stage().visit('/')
      await page.getByLabel('Link or short name of the organizer').fill('!!!')
      await page.getByRole('button', { name: 'Open the page' }).click()
      await page
        .getByRole('alert')
        .getByText(/Write the short name/)
        .waitFor()
    })
  })

  describe('the focus', () => {
    const focused = async (page: Page) =>
      (await page.evaluate(
        'document.activeElement.tagName + " " + document.activeElement.textContent.trim()',
      )) as string
    const untilFocused = (page: Page, what: string) =>
      waitUntil(`the focus on ${what}`, async () => (await focused(page)).startsWith(what))

    it('goes to the heading of each page that is opened from another', async () => {
      await stage().hall({ event: { name: 'Focus play' } })
      const page = await stage().visit(`/${stage().shop.slug}`)
      const link = page.getByRole('link', { name: 'Choose seats: Focus play' })
      await link.focus()
      await page.keyboard.press('Enter')
      await untilFocused(page, 'H1 Focus play')
      await page.getByRole('link', { name: 'Events' }).click()
      await untilFocused(page, 'H1 Events')
      await page.goBack()
      await untilFocused(page, 'H1 Focus play')
    })

    it('stays in the panel when seats are released', async () => {
      const hall = await stage().hall()
      const page = await stage().visitEvent(hall)
      await openRow(page, 1)
      for (const seat of [1, 2]) {
        await seatButton(page, 1, seat).click()
        await seatSays(page, 1, seat, 'held for you')
      }
      const release = (seat: number) =>
        page.getByRole('button', { name: `Release: Stalls, row R1, seat ${seat}`, exact: true })
      await openPanel(page)
      await release(1).focus()
      await page.keyboard.press('Enter')
      await seatSays(page, 1, 1, 'free')
      await page.locator(':focus').and(release(2)).waitFor()
      await page.keyboard.press('Enter')
      await seatSays(page, 1, 2, 'free')
      await untilFocused(page, 'H2 Your seats')
    })

    it('is not on "Close" when a dialog opens, and comes back when it closes', async () => {
      const hall = await stage().hall({ standing: 5 })
      const page = await stage().visitEvent(hall)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('dialog').waitFor()
      expect(await page.evaluate('document.activeElement.name')).toBe('email')
      await page.keyboard.press('Escape')
      await untilFocused(page, 'BUTTON Sign in')
      await page.getByText('List', { exact: true }).click()
      await page.getByRole('button', { name: /^Pit/ }).click()
      await page.getByRole('dialog', { name: 'Pit' }).waitFor()
      expect(await focused(page)).toBe('BUTTON Add 2 places')
      await page.keyboard.press('Enter')
      await text(page, 'Held for you: 2 places in Pit.')
      await untilFocused(page, 'BUTTON Pit')
    })
  })

  it('an address that does not exist says so, with status 404; slashes and capitals find the page', async () => {
    const { slug } = stage().shop
    const page = await stage().visit('/')
    const answer = await page.goto(`${stage().url}/${slug}/nothing`)
    expect(answer!.status()).toBe(404)
    await text(page, 'There is nothing at this address.')
    await expectAccessible(page, 'nothing here')
    await page.goto(`${stage().url}/${slug.toUpperCase()}/`)
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/${slug}`)
    const hall = await stage().hall()
    await page.goto(`${stage().url}/${slug}/events/${hall.eventId}/`)
    await live(page)
  })
}
