/**
 * Measures the buyers' pages in a browser, against a server with the demo:
 *
 *   PORT=3100 VOELGOED_LIMITS=off VOELGOED_DATA_DIR=/tmp/figures-data npm start
 *   npm run page-figures -- http://127.0.0.1:3100           all of it
 *   npm run page-figures -- http://127.0.0.1:3100 time      one part: weigh, work, count or time
 *
 * - how many bytes of script a newcomer loads before the first press (as sent, compressed);
 * - how long the main thread works until a page is there, in its own processor time, which other programs on
 *   the machine do not lengthen, and how much of it would block a phone that is four times slower;
 * - how many presses and fields lie between the storefront and a ticket, and how long machine and network
 *   take for it: people read and think besides;
 * - how long the page takes to answer a press on a processor that is four times slower (event timing: from
 *   the press to the next frame, rounded to 8 ms).
 *
 * It buys tickets: give it a server of its own. What it prints goes into docs/evidence.md by hand.
 */
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { CHROMIUM_OPTIONS, findChromium } from '../../scripts/find-chromium.mjs'
import { phone } from './pictures/camera.ts'
import { Demo } from './pictures/demo.ts'

const SLOWER = 4
const ROUNDS = 5
/** Seats that are pressed at random may leave a single one alone, which is refused. */
const MOST_ATTEMPTS = 5

const [baseUrl, only = ''] = process.argv.slice(2)
if (!baseUrl || !/^(weigh|work|count|time)?$/.test(only)) {
  throw new Error('npm run page-figures -- <address of a server with the demo> [weigh | work | count | time]')
}
const demo = new Demo(baseUrl)
const theatre = await demo.fill('voelgoed', 'Somerstorm')
/** Where they are, and what is there when they are. */
const PAGES = [
  ['storefront', '/voelgoed', 'article .left >> nth=0'],
  ['event', `/voelgoed/events/${theatre.id}`, '.connection .dot'],
  ['checkout, nothing held', `/voelgoed/events/${theatre.id}/checkout`, 'main h1'],
  ['password', '/voelgoed/password', 'main h1'],
  ['home', '/', 'main h1'],
  ['sign-in of the console', '/voelgoed/console', '[autocomplete=current-password]'],
] as const
const launch = () => chromium.launch({ executablePath: findChromium(), args: CHROMIUM_OPTIONS })
const browser = await launch()
const isWanted = (part: string) => only === '' || only === part
if (isWanted('weigh')) await weigh(browser)
if (isWanted('work')) await work()
if (isWanted('count')) await count(browser)
if (isWanted('time')) await time(browser)
await browser.close()

async function newcomer(of: Browser): Promise<Page> {
  const context = await of.newContext({ ...phone, isMobile: true, locale: 'en-ZA', serviceWorkers: 'block' })
  return context.newPage()
}

/** The bytes of script that were sent until a page was there, and until it had fetched what it may need. */
async function weigh(of: Browser): Promise<void> {
  console.log('\n| page | script, first view | files | with what comes later |\n| --- | --- | --- | --- |')
  for (const [name, path, sign] of PAGES) {
    const page = await newcomer(of)
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    const scripts = new Set<string>()
    let bytes = 0
    network.on('Network.responseReceived', ({ requestId, type, response }) => {
      if (type === 'Script' || response.mimeType.includes('javascript')) scripts.add(requestId)
    })
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) bytes += encodedDataLength
    })
    await page.goto(baseUrl + path)
    await page.locator(sign).waitFor({ state: 'attached' })
    const [first, files] = [bytes, scripts.size]
    await page.evaluate('new Promise(done => setTimeout(done, 4_000))')
    console.log(`| ${name} | ${kb(first)} | ${files} | ${kb(bytes)} |`)
    await page.context().close()
  }
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  /** By the thread's own clock. */
  readonly tdur?: number
}

/** The tasks of the main thread, by the thread's own clock, in browsers that have shown no page before. */
async function work(): Promise<void> {
  console.log('\n| page | main thread | longest task | blocks a phone |\n| --- | --- | --- | --- |')
  for (const [name, path, sign] of PAGES) {
    const figures: { total: number; longest: number; blocks: number }[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const fresh = await launch()
      const page = await newcomer(fresh)
      const session = await page.context().newCDPSession(page)
      const events: TraceEvent[] = []
      session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
      const includedCategories = [
        'toplevel',
        'disabled-by-default-lighthouse',
        'devtools.timeline',
        'loading',
      ]
      await session.send('Tracing.start', {
        transferMode: 'ReportEvents',
        traceConfig: { includedCategories },
      })
      await page.goto(baseUrl + path)
      await page.locator(sign).waitFor({ state: 'attached' })
      await page.evaluate('new Promise(done => setTimeout(done, 1_200))')
      const complete = new Promise(done => session.once('Tracing.tracingComplete', done))
      await session.send('Tracing.end')
      await complete
      figures.push(tasksOf(events))
      await fresh.close()
    }
    const median = (key: 'total' | 'longest' | 'blocks') =>
      figures
        .map(figure => figure[key])
        .sort((a, b) => a - b)
        [Math.floor(ROUNDS / 2)]!.toFixed(0)
    console.log(`| ${name} | ${median('total')} ms | ${median('longest')} ms | ${median('blocks')} ms |`)
  }
}

/**
 * Adds up tasks from the first paint on: the time beyond 50 ms that each takes on a slower processor blocks.
 */
function tasksOf(events: readonly TraceEvent[]): { total: number; longest: number; blocks: number } {
  const paint = events.find(event => event.name === 'firstContentfulPaint')!
  let end = 0
  const tasks = events
    .filter(
      ({ name, ph, pid, tid, tdur }) =>
        ph === 'X' && pid === paint.pid && tid === paint.tid && tdur !== undefined && /RunTask$/.test(name),
    )
    .sort((a, b) => a.ts - b.ts || b.dur! - a.dur!)
    // A task that another one runs is counted with it.
    .filter(({ ts, dur }) => {
      if (ts < end) return false
      end = ts + dur!
      return true
    })
  const later = tasks.filter(({ ts, dur = 0 }) => ts + dur >= paint.ts)
  return {
    total: tasks.reduce((sum, { tdur }) => sum + tdur!, 0) / 1_000,
    longest: Math.max(...tasks.map(({ tdur }) => tdur!)) / 1_000,
    blocks: later.reduce((sum, { tdur }) => sum + Math.max(0, (SLOWER * tdur!) / 1_000 - 50), 0),
  }
}

/** From the storefront to a ticket, as someone who has never been here. */
async function count(of: Browser): Promise<void> {
  console.log('\n| way | presses | fields | seconds of machine and network |\n| --- | --- | --- | --- |')
  for (const [name, choose] of [
    ['two seats, best available', chooseBest],
    ['two seats, chosen on the map', chooseOnMap],
  ] as const) {
    let way: string | null = null
    for (let attempt = 0; way === null && attempt < MOST_ATTEMPTS; attempt += 1) way = await buy(of, choose)
    if (way === null) throw new Error(`${MOST_ATTEMPTS} times two seats that leave a single one alone`)
    console.log(`| ${name} | ${way} |`)
  }
}

/** Null: the seats would leave a single one alone. */
async function buy(of: Browser, choose: typeof chooseBest): Promise<string | null> {
  const page = await newcomer(of)
  try {
    const taken = { presses: 0, fields: 0 }
    const press = async (target: Locator) => {
      await target.tap()
      taken.presses += 1
    }
    const fill = async (field: string, value: string) => {
      await page.locator(`[autocomplete=${field}]`).fill(value)
      taken.fields += 1
    }
    await page.goto(`${baseUrl}/voelgoed`)
    const begun = performance.now()
    await press(page.getByRole('link', { name: 'Choose seats: Somerstorm' }))
    await page.locator('.connection .dot').waitFor({ state: 'attached' })
    const onMap = await choose(page, press)
    taken.presses += onMap
    await press(page.getByRole('link', { name: 'Check out' }))
    await fill('name', 'Anika van der Merwe')
    await fill('email', 'anika@example.org')
    await press(page.getByRole('button', { name: /^Continue to payment/ }))
    const refused = page.getByText('would leave a single seat alone')
    await page.locator('[autocomplete=cc-number]').or(refused).first().waitFor()
    if (await refused.isVisible()) return null
    await fill('cc-number', '4242424242424242')
    await fill('cc-exp', '12/40')
    await fill('cc-csc', '737')
    await press(page.getByRole('button', { name: /^Pay / }))
    await page
      .getByRole('img', { name: /^QR code/ })
      .first()
      .waitFor()
    const seconds = (performance.now() - begun) / 1_000
    return `${taken.presses} | ${taken.fields} | ${seconds.toFixed(1)}`
  } finally {
    await page.context().close()
  }
}

type Press = (target: Locator) => Promise<void>

async function chooseBest(page: Page, press: Press): Promise<number> {
  await press(page.getByRole('button', { name: 'Find the best for me' }))
  await press(page.getByRole('button', { name: /^Take these/ }))
  return 0
}

/** Presses on the map count as well: from far the first one goes nearer. */
async function chooseOnMap(page: Page, press: Press): Promise<number> {
  let taps = 0
  for (let seat = 0; seat < 2; seat += 1) {
    taps += await tapFreeSeat(page)
    await press(page.getByRole('button', { name: /^Add seat/ }))
    await page.getByTestId('seat-card').waitFor({ state: 'detached' })
  }
  return taps
}

/** Presses where a free seat may be, beside the last one that was no free seat. */
async function tapFreeSeat(page: Page): Promise<number> {
  const box = (await page.getByRole('application').boundingBox())!
  for (let attempt = 1; attempt <= 40; attempt += 1) {
    // Spread over the middle of the hall: seats that earlier buyers took lie together.
    const across = 0.15 + 0.7 * ((attempt * 0.618) % 1)
    const down = 0.2 + 0.6 * ((attempt * 0.755) % 1)
    await page.touchscreen.tap(box.x + across * box.width, box.y + down * box.height)
    const add = page.getByRole('button', { name: /^Add seat/ })
    const isFree = await add.waitFor({ timeout: 1_500 }).then(
      () => true,
      () => false,
    )
    if (isFree) return attempt
  }
  throw new Error('forty presses on the map, and no free seat')
}

/** From a press to the next frame. */
async function time(of: Browser): Promise<void> {
  const figures = new Map<string, number[]>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await newcomer(of)
    await page.addInitScript(`
      globalThis.longest = 0
      new PerformanceObserver(list => {
        for (const entry of list.getEntries())
          if (entry.interactionId) globalThis.longest = Math.max(globalThis.longest, entry.duration)
      }).observe({ type: 'event', durationThreshold: 16, buffered: true })`)
    const network = await page.context().newCDPSession(page)
    await page.goto(`${baseUrl}/voelgoed/events/${theatre.id}`)
    await page.locator('.connection .dot').waitFor({ state: 'attached' })
    await network.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
    const timed = async (name: string, press: () => Promise<unknown>, done: Locator) => {
      await page.evaluate('globalThis.longest = 0')
      await press()
      await done.waitFor()
      // The browser tells of a press when its frame is on the screen.
      await page.evaluate('new Promise(done => setTimeout(done, 500))')
      const longest = (await page.evaluate('globalThis.longest')) as number
      figures.set(name, [...(figures.get(name) ?? []), longest])
    }
    const card = page.getByTestId('seat-card')
    await timed('press a seat', () => tapFreeSeat(page), card)
    const add = card.getByRole('button', { name: /^Add seat/ })
    await timed('add it', () => add.tap(), page.getByRole('timer'))
    await timed(
      'open the panel',
      () => page.getByRole('button', { name: 'Show my seats' }).tap(),
      page.getByText('Legend'),
    )
    await timed('open the legend', () => page.getByText('Legend').tap(), page.locator('details.legend[open]'))
    const find = page.getByRole('button', { name: 'Find the best for me' })
    await page.getByText('Find more seats').tap()
    await timed('best available', () => find.tap(), page.locator('.offer').first())
    await page.context().close()
  }
  console.log('\n| press | median | longest |\n| --- | --- | --- |')
  for (const [name, all] of figures) {
    const sorted = all.toSorted((a, b) => a - b)
    console.log(`| ${name} | ${sorted[Math.floor(sorted.length / 2)]} ms | ${sorted.at(-1)} ms |`)
  }
}

function kb(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`
}
