import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { CHROMIUM_OPTIONS, findChromium } from '../../../scripts/find-chromium.mjs'

export const phone = { viewport: { width: 390, height: 780 }, hasTouch: true }
export const desk = { viewport: { width: 1120, height: 700 } }
export const dark = { colorScheme: 'dark' as const }

/** A picture is taken with this, and its name ends so. */
export interface Look {
  readonly name: string
  readonly options: BrowserContextOptions
}

/** On a phone and on a desk, by day and by night. */
export const LOOKS: readonly Look[] = [
  { name: 'phone', options: phone },
  { name: 'phone-dark', options: { ...phone, ...dark } },
  { name: 'desk', options: desk },
  { name: 'desk-dark', options: { ...desk, ...dark } },
]

/** The same in Afrikaans. */
export const LOOKS_AF: readonly Look[] = LOOKS.map(({ name, options }) => ({
  name: `${name}-af`,
  options: { ...options, locale: 'af-ZA' },
}))

/** Fills the page's storage with what this browser keeps of a visitor. */
export function keeping(origin: string, items: Readonly<Record<string, unknown>>): BrowserContextOptions {
  const localStorage = Object.entries(items).map(([name, value]) => ({ name, value: JSON.stringify(value) }))
  return { storageState: { cookies: [], origins: [{ origin, localStorage }] } }
}

/** On a contact sheet: so wide, so many beside each other, so many in all. */
const THUMB_PX = 300
const ACROSS = 6
const PER_SHEET = 24

/** Two frames after all is there, the canvas has caught up; names come after the hall. */
const WHEN_DRAWN = `new Promise(done => {
  const count = name => performance.getEntriesByName(name).length
  const until = performance.now() + 5000
  const look = () => {
    const isNamed = count('seat-map-names') >= count('seat-map-picture')
    if (!isNamed && performance.now() < until) setTimeout(look, 50)
    else requestAnimationFrame(() => setTimeout(done, 50))
  }
  setTimeout(look, 500)
})`

export class Camera {
  readonly #browser: Browser
  readonly #folder: string
  readonly #only: RegExp
  readonly #taken: string[] = []
  readonly #failed: string[] = []

  private constructor(browser: Browser, folder: string, only: RegExp) {
    this.#browser = browser
    this.#folder = folder
    this.#only = only
  }

  /** `only`: of the pictures, those whose names it matches. */
  static async open(folder: string, only: RegExp): Promise<Camera> {
    await mkdir(folder, { recursive: true })
    const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_OPTIONS })
    return new Camera(browser, folder, only)
  }

  get failed(): readonly string[] {
    return this.#failed
  }

  /** One picture. If its screen can't be reached, the end tells of it, and the others are taken. */
  async take(
    name: string,
    options: BrowserContextOptions,
    work: (page: Page) => Promise<unknown>,
    isWhole = false,
  ): Promise<void> {
    if (!this.#only.test(name)) return
    const context = await this.#browser.newContext({
      locale: 'en-ZA',
      timezoneId: 'Africa/Johannesburg',
      reducedMotion: 'reduce',
      serviceWorkers: 'block',
      ...options,
    })
    const page = await context.newPage()
    page.on('pageerror', error => console.error(`${name}: ${error.message}`))
    try {
      await work(page)
      await page.evaluate(WHEN_DRAWN)
      const path = join(this.#folder, `${name}.jpg`)
      await page.screenshot({ path, type: 'jpeg', quality: 75, fullPage: isWhole })
      this.#taken.push(name)
      console.log(name)
    } catch (error) {
      this.#failed.push(name)
      console.error(`${name}: ${error instanceof Error ? error.message.split('\n')[0] : error}`)
    }
    await context.close()
  }

  /** Each of `screens` in each of `looks`. */
  async takeAll(
    looks: readonly Look[],
    screens: Readonly<Record<string, (page: Page, look: Look) => Promise<unknown>>>,
    more: BrowserContextOptions = {},
  ): Promise<void> {
    for (const [screen, work] of Object.entries(screens))
      for (const look of looks)
        await this.take(`${screen}-${look.name}`, { ...look.options, ...more }, page => work(page, look))
  }

  /** All pictures, small and with their names, on a few large ones; a handful needs none. */
  async close(): Promise<void> {
    const viewport = { width: ACROSS * (THUMB_PX + 12) + 12, height: 800 }
    const page = await this.#browser.newPage({ viewport })
    const taken = this.#taken.length > ACROSS ? this.#taken : []
    for (let first = 0, sheet = 1; first < taken.length; first += PER_SHEET, sheet += 1) {
      const html = sheetOf(taken.slice(first, first + PER_SHEET))
      const path = join(this.#folder, `contact-sheet-${sheet}.html`)
      await writeFile(path, html)
      await page.goto(pathToFileURL(path).href)
      await page.evaluate('Promise.all([...document.images].map(image => image.decode()))')
      const picture = join(this.#folder, `contact-sheet-${sheet}.jpg`)
      await page.screenshot({ path: picture, type: 'jpeg', quality: 80, fullPage: true })
    }
    await this.#browser.close()
  }
}

function sheetOf(names: readonly string[]): string {
  const figures = names.map(
    name => `<figure><img src="${name}.jpg" alt=""><figcaption>${name}</figcaption></figure>`,
  )
  return `<!doctype html><meta charset="utf-8"><title>Contact sheet</title><style>
body { display: grid; grid-template-columns: repeat(${ACROSS}, ${THUMB_PX}px); gap: 12px; margin: 12px; background: #ddd }
figure { margin: 0 } img { width: 100%; max-height: 600px; object-fit: cover; object-position: top }
figcaption { font: 12px sans-serif; text-align: center }</style>${figures.join('')}`
}
