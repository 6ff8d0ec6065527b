import type { Page } from 'playwright-core'
import { EVENT_TABS } from '../../src/console/kit/place.ts'
import { type Camera, keeping, LOOKS } from './camera.ts'
import type { Demo, Place } from './demo.ts'

/** Screens whose address is all there is to them. */
const PLAIN = [
  'events',
  'events/new',
  'orders',
  'holds',
  'reports',
  'venues',
  'policy',
  'people',
  'audit',
  'account',
  'settings',
  'system',
  'no-such-screen',
]

/** Every screen of the console, as an admin sees it. */
export async function takeConsole(camera: Camera, demo: Demo, theatre: Place): Promise<void> {
  await demo.workAtCounter(theatre)
  const { session, client } = await demo.staff(theatre.organization, 'admin')
  const kept = keeping(demo.baseUrl, { [`voelgoed:console:${theatre.organization}`]: session })
  const base = `${demo.baseUrl}/${theatre.organization}/console`
  const open = (path: string) => async (page: Page) => {
    await page.goto(path === '' ? base : `${base}/${path}`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  }
  const { data: event } = await client.call('GET /api/admin/events/:event', { params: { event: theatre.id } })
  const orders = await client.call('GET /api/admin/orders', {})
  const people = await client.call('GET /api/admin/users', {})
  const venue = `venues/${event.venue.id}`
  const layout = `${venue}/${event.layout.id}`
  const paths = [
    '',
    ...PLAIN,
    ...EVENT_TABS.map(tab => `events/${theatre.id}${tab === 'overview' ? '' : `/${tab}`}`),
    venue,
    `${venue}/new-layout`,
    layout,
    `${layout}/new-version`,
    ...orders.data.slice(0, 1).map(({ order_id }) => `orders/${order_id}`),
    ...people.data.slice(0, 1).map(({ id }) => `people/${id}`),
  ]
  await camera.takeAll(LOOKS, {
    'console-sign-in': async page => {
      await page.goto(base)
      await page.locator('[autocomplete=current-password]').waitFor()
    },
    'console-which': async page => {
      await page.goto(`${demo.baseUrl}/console`)
      await page.locator('[name=organization]').waitFor()
    },
  })
  for (const path of paths) {
    const name = `console-${path === '' ? 'home' : path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'one').replaceAll('/', '-')}`
    await camera.takeAll(LOOKS, { [name]: open(path) }, kept)
  }
  await camera.takeAll(
    LOOKS,
    {
      'console-palette': async page => {
        await open('')(page)
        await page.keyboard.press('Control+k')
        await page.getByRole('dialog').waitFor()
      },
    },
    kept,
  )
}
