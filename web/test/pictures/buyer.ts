import type { Page } from 'playwright-core'
import { type Camera, LOOKS, LOOKS_AF, phone } from './camera.ts'
import type { Demo, Person, Place } from './demo.ts'

const CARDS = { good: '4242424242424242', declined: '4000000000000002' }

/** Every page of buyers, and what can become of it. Selectors are of no language. */
export async function takeBuyersPages(camera: Camera, demo: Demo, theatre: Place): Promise<void> {
  const { baseUrl } = demo
  const shop = `${baseUrl}/${theatre.organization}`
  const go = (path: string) => async (page: Page) => {
    await page.goto(path)
    await page.locator('main h1').waitFor()
  }
  const openAs = async (page: Page, person: Person, path: string) => {
    const item = [`voelgoed:session:${theatre.organization}`, JSON.stringify(person.session)]
    await page.addInitScript(`localStorage.setItem(...${JSON.stringify(item)})`)
    await page.goto(shop + path)
  }
  const event = (page: Page) => openEvent(page, baseUrl, theatre)
  const eventPath = `/events/${theatre.id}`
  const held = async (page: Page) => {
    await openAs(page, await demo.holder(theatre), eventPath)
    await page.getByRole('timer').waitFor()
  }
  const toPay = async (page: Page) => {
    const payer = await demo.payer(theatre)
    await openAs(page, payer, `/checkout/${payer.checkout}`)
    await page.locator('[autocomplete=cc-number]').waitFor()
  }
  const unfold = async (page: Page) => {
    const handle = page.locator('aside button[aria-expanded=false]')
    if ((await handle.count()) > 0) await handle.click()
  }

  for (const looks of [LOOKS, LOOKS_AF]) {
    await camera.takeAll(looks, {
      home: go(baseUrl),
      storefront: page => openStore(page, shop),
      'storefront-nothing-found': async page => {
        await openStore(page, shop)
        await page.locator('input[type=search]').fill('nothing of that name')
      },
      unknown: go(`${baseUrl}/nobody-of-that-name`),
      password: go(`${shop}/password`),
      account: go(`${shop}/account`),
      event,
      'event-list': async page => {
        await event(page)
        await page.locator('input[name=view][value=list]').check({ force: true })
        await page.locator('.hall button').first().click()
      },
      'event-offer': async page => {
        await event(page)
        await page.locator('form button[type=submit]:visible').first().click()
        await page.locator('.offer').first().waitFor()
      },
      'event-seat': async page => {
        await event(page)
        await tapSeat(page)
      },
      'event-held': held,
      'event-cart': async page => {
        await held(page)
        await unfold(page)
      },
      'event-panel': async page => {
        await event(page)
        await unfold(page)
        await page.locator('details.legend').evaluate(legend => legend.setAttribute('open', ''))
      },
      'event-account': async page => {
        await event(page)
        await page.locator('header .end button').click()
        await page.getByRole('dialog').waitFor()
      },
      'event-offline': async page => {
        await event(page)
        await page.context().setOffline(true)
        await page.locator('.connection.offline').waitFor()
      },
      checkout: async page => {
        await openAs(page, await demo.holder(theatre), `${eventPath}/checkout`)
        await page.locator('[autocomplete=name]').fill('Anika van der Merwe')
        await page.locator('[autocomplete=email]').fill('anika@example.org')
      },
      'checkout-nothing': go(`${shop}${eventPath}/checkout`),
      pay: toPay,
      'pay-declined': async page => {
        await toPay(page)
        await payWith(page, CARDS.declined)
        await page.getByRole('alert').first().waitFor()
      },
      order: async page => {
        await toPay(page)
        await payWith(page, CARDS.good)
        await page.waitForURL('**/orders/**')
        await page.getByRole('img', { name: /^QR/ }).first().waitFor()
      },
      'order-unknown': async page => {
        await page.goto(`${shop}/orders/01970000-0000-7000-8000-000000000000`)
        await page.locator('main').waitFor()
      },
    })
  }
  await camera.takeAll(LOOKS, {
    look: async page => {
      await page.goto(`${baseUrl}/look`)
      await page.getByRole('heading', { name: 'The look' }).waitFor()
    },
  })
}

/** At the end: from then on buyers lose the seats of this event after three seconds. */
export async function takeExpired(camera: Camera, demo: Demo, theatre: Place): Promise<void> {
  for (const look of [...LOOKS, ...LOOKS_AF])
    await camera.take(`event-expired-${look.name}`, look.options, async page => {
      await demo.shorten(theatre)
      await openEvent(page, demo.baseUrl, theatre)
      await page.locator('form button[type=submit]:visible').first().click()
      await page.locator('.offer .primary').first().click()
      await page.getByRole('alertdialog').waitFor()
    })
}

/** Those of the README. */
export async function takeForReadme(camera: Camera, demo: Demo, theatre: Place, arena: Place): Promise<void> {
  const { baseUrl } = demo
  await camera.take('theatre-phone-held', phone, async page => {
    await openEvent(page, baseUrl, theatre)
    await holdTwo(page, 'E')
    await showOnMap(page)
  })
  await camera.take('theatre-phone-list-dark', { ...phone, colorScheme: 'dark' }, async page => {
    await openEvent(page, baseUrl, theatre)
    await holdTwo(page, 'G')
    await page.getByText('List', { exact: true }).click()
  })
  const [deskDark] = LOOKS.filter(({ name }) => name === 'desk-dark')
  await camera.take('arena-desk-dark', deskDark!.options, page => openEvent(page, baseUrl, arena))
  const afrikaans = { ...phone, locale: 'af-ZA' }
  await camera.take('arena-phone-afrikaans', afrikaans, page => openEvent(page, baseUrl, arena))
}

async function openStore(page: Page, shop: string): Promise<void> {
  await page.goto(shop)
  await page.locator('article .left').nth(1).waitFor()
}

async function openEvent(page: Page, baseUrl: string, { organization, id }: Place): Promise<void> {
  await page.goto(`${baseUrl}/${organization}/events/${id}`)
  await page.locator('.connection.live').waitFor({ state: 'attached' })
}

async function payWith(page: Page, number: string): Promise<void> {
  await page.locator('[autocomplete=cc-number]').fill(number)
  await page.locator('[autocomplete=cc-exp]').fill('12/40')
  await page.locator('[autocomplete=cc-csc]').fill('737')
  await page.locator('form button[type=submit]').click()
}

/** Where seats are: a press from far goes nearer, a later one is at a seat, if not between two sections. */
async function tapSeat(page: Page): Promise<void> {
  const isTouch = await page.evaluate('navigator.maxTouchPoints > 0')
  for (let nearer = 0; nearer < 2 && !isTouch; nearer += 1) {
    await page.locator('[data-action=zoomIn]').click()
    await page.evaluate('new Promise(done => setTimeout(done, 400))')
  }
  const box = (await page.getByRole('application').boundingBox())!
  const [x, y] = [box.x + box.width / 2, box.y + 0.45 * box.height]
  const card = page.getByTestId('seat-card')
  for (let attempt = 0; attempt < 24 && (await card.count()) === 0; attempt += 1) {
    const at = [x + ((attempt * 53) % 120) - 60, y + ((attempt * 31) % 90) - 30] as const
    if (isTouch) await page.touchscreen.tap(...at)
    else await page.mouse.move(...at)
    await page.evaluate('new Promise(done => setTimeout(done, 300))')
  }
  await card.waitFor()
}

async function openRow(page: Page, row: string): Promise<void> {
  await page.getByText('List', { exact: true }).click()
  await page
    .getByRole('button', { name: /^Stalls/ })
    .first()
    .click()
  await page.getByRole('button', { name: new RegExp(`^Row ${row} `) }).click()
}

async function holdTwo(page: Page, row: string): Promise<void> {
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
async function showOnMap(page: Page): Promise<void> {
  const open = page.getByRole('button', { name: 'Show my seats' })
  if ((await open.count()) > 0) await open.click()
  await page
    .getByRole('button', { name: /^Show on the map/ })
    .first()
    .click()
}
