import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Hall, type HallPlan, openHall } from '@voelgoed/testing/hall'
import { startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { temporaryFolder } from '@voelgoed/testing/process'
import { WITHIN_MS } from '@voelgoed/testing/wait-until'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { CHROMIUM_OPTIONS, findChromium } from '../../scripts/find-chromium.mjs'

/** One server and one browser for all tests of the page. */
export interface Stage {
  readonly server: TestServer
  readonly shop: TestOrganization
  readonly url: string
  /** Cameras see this: a video that is written here before a page opens the camera. */
  readonly cameraFile: string
  hall(plan?: HallPlan): Promise<Hall>
  /** A browser of its own, as another person has one. `before` runs in each document before its scripts. */
  visit(path: string, options?: BrowserContextOptions & { readonly before?: string }): Promise<Page>
  /** The same, at an event, with the feed open and the map there. */
  visitEvent(hall: Hall, options?: BrowserContextOptions): Promise<Page>
  /** Another buyer, without a browser: takes a seat. */
  takeSeat(hall: Hall, ordinal: number): Promise<void>
  closePages(): Promise<void>
  close(): Promise<void>
}

const ROOT = new URL('../../', import.meta.url).pathname

/** A file that is an image, 192 pixels wide. */
export const PICTURE = join(ROOT, 'web/public/icon-192.png')

export async function setStage(): Promise<Stage> {
  // The page as it would be served: built again only when its sources have changed.
  await promisify(execFile)(process.execPath, ['scripts/build/page.mjs', '--if-needed'], { cwd: ROOT })
  const server = await startTestServer({ VOELGOED_PRIVATE_PROVIDERS: 'on' })
  const shop = await server.organization('Voelgoed Test')
  const url = await server.node.listen()
  const folder = await temporaryFolder()
  const cameraFile = join(folder.path, 'camera.y4m')
  const camera = ['--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${cameraFile}`]
  const args = [...CHROMIUM_OPTIONS, ...camera]
  const browser: Browser = await chromium.launch({ executablePath: findChromium(), args })
  const others = new Map<string, string>()

  const visit: Stage['visit'] = async (path, { before, ...options } = {}) => {
    const context = await browser.newContext({
      locale: 'en-ZA',
      viewport: { width: 390, height: 844 },
      reducedMotion: 'reduce',
      // It fetches every file of the page once more, for each visitor: only tests of it have it.
      serviceWorkers: 'block',
      ...options,
    })
    context.setDefaultTimeout(WITHIN_MS)
    if (before !== undefined) await context.addInitScript(before)
    const page = await context.newPage()
    page.on('pageerror', error => {
      throw error
    })
    // A warning of Svelte in a page that buyers have is a fault of ours.
    page.on('console', message => {
      if (message.text().includes('svelte.dev/e/')) throw new Error(message.text())
    })
    await page.goto(url + path)
    return page
  }

  return {
    server,
    shop,
    url,
    cameraFile,
    visit,
    hall: plan => openHall(server.request, shop.tokens.organizer, plan),
    async visitEvent(hall, options) {
      const page = await visit(`/${shop.slug}/events/${hall.eventId}`, options)
      await live(page)
      await mapIsThere(page)
      return page
    },
    async takeSeat(hall, ordinal) {
      const key = hall.eventId
      if (!others.has(key)) {
        const guest = await server.request('POST', '/api/sessions/guest', {
          body: { organization: shop.slug },
        })
        others.set(key, guest.body.data.token)
      }
      const answer = await server.request('POST', `${hall.url}/seats/${hall.seats[ordinal]}/reserve`, {
        token: others.get(key)!,
      })
      expect(answer.status, answer.text).toBe(201)
    },
    async closePages() {
      // A test's change to an answer may be under way when it ends: that fails then, and means nothing.
      const pages = browser.contexts().flatMap(context => context.pages())
      await Promise.all(pages.map(page => page.unrouteAll({ behavior: 'ignoreErrors' })))
      await Promise.all(browser.contexts().map(context => context.close()))
    },
    async close() {
      await browser.close()
      await server.close()
      await folder.remove()
    },
  }
}

export async function live(page: Page): Promise<void> {
  await page.getByText(/^(Live|Regstreeks)$/).waitFor()
}

/**
 * The page comes in pieces: the feed may be open before there is a map, and the map hears presses, keys and
 * the mouse a task after its place is on the page.
 */
export const mapIsThere = (page: Page): Promise<void> =>
  page.locator('.seat-map-canvas').first().waitFor({ state: 'attached' })

/** Waits until the page says so, wherever. */
export const text = (page: Page, what: string | RegExp): Promise<void> =>
  page.getByText(what).first().waitFor()

export const seatButton = (page: Page, row: number, seat: number): Locator =>
  page.getByRole('button', { name: new RegExp(`^Stalls, row R${row}, seat ${seat},`) })

/** Opens a row of the list. */
export async function openRow(page: Page, row: number): Promise<void> {
  await page.getByText('List', { exact: true }).click()
  await page.getByRole('button', { name: /^Stalls/ }).click()
  await page.getByRole('button', { name: new RegExp(`^Row R${row} `) }).click()
}

/** Waits until a seat of an open row is said to be in this state. */
export async function seatSays(page: Page, row: number, seat: number, state: string): Promise<void> {
  await page
    .getByRole('button', { name: new RegExp(`^Stalls, row R${row}, seat ${seat}, ${state}`) })
    .waitFor()
}

/** On a phone the panel is a sheet that shows little until it is opened. */
export async function openPanel(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show my seats' }).click()
  await page.getByRole('button', { name: 'Hide my seats' }).waitFor()
}

export async function closePanel(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Hide my seats' }).press('Escape')
  await page.getByRole('button', { name: 'Show my seats' }).waitFor()
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Colours go over from light to dark, also in no time: a busy browser may not have drawn them yet. */
const COLOURS_ARE_THERE = `new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  .then(() => Promise.allSettled(
    document.getAnimations().filter(one => one instanceof CSSTransition).map(one => one.finished)))
  .then(() => null)`

const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/**
 * Expects that axe finds nothing on the page as it is, in light and in dark, and on buyers' pages in forced
 * colours as well. After the first time only colours are different.
 */
export async function expectAccessible(page: Page, screen: string): Promise<void> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe)
  await expectNoFindings(page, `${screen}, light`, { colorScheme: 'light' }, ALL_RULES)
  await expectNoFindings(page, `${screen}, dark`, { colorScheme: 'dark' }, ['color-contrast'])
  if (!/\/(console|scan|look)\b/.test(new URL(page.url()).pathname)) {
    const forced = { colorScheme: 'dark', forcedColors: 'active' } as const
    await expectNoFindings(page, `${screen}, forced colours`, forced, ['color-contrast'])
  }
  await page.emulateMedia({ colorScheme: null, forcedColors: null })
}

async function expectNoFindings(
  page: Page,
  screen: string,
  media: NonNullable<Parameters<Page['emulateMedia']>[0]>,
  rules: readonly string[],
): Promise<void> {
  await page.emulateMedia(media)
  await page.evaluate(COLOURS_ARE_THERE)
  const found = (await page.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(rules)} })
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
  )) as string[]
  expect(found, screen).toEqual([])
}

/** Nothing sticks out at the side. */
export async function expectFits(page: Page, screen: string): Promise<void> {
  const [needed, width] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number]
  expect(needed, screen).toBeLessThanOrEqual(width)
}

/** Presses Tab until the focus is there, as someone without a mouse does. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  // A browser is quicker with its presses than with code and answers that are on their way.
  await target.waitFor({ state: 'attached' })
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await page.locator(':focus').and(target).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`60 times Tab, and the focus is not on ${target}`)
}
