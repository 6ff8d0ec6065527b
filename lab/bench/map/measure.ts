import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { blockSeats, unblockSeats } from '@voelgoed/contract/holds'
import { WITHIN_MS } from '@voelgoed/testing/wait-until'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { Caller } from '../../call-route.ts'
import { spawnServer } from '../../spawn-server.ts'
import { type Hall, openHall } from './hall.ts'
import { offerPage } from './page.ts'

export interface Spread {
  readonly medianMs: number
  readonly p95Ms: number
  readonly maxMs: number
  readonly count: number
}

export interface MapFigures {
  readonly seats: number
  /** From the start of the navigation. The first visitor's map has to be made; the others' is there. */
  readonly picture: {
    readonly firstVisitorMs: number
    readonly laterMs: number
    /** Names come after the hall. */
    readonly namesMs: number
    readonly decodeMs: number
  }
  readonly wire: { readonly mapBytes: number; readonly availabilityBytes: number }
  /** The buyers' page as it is, with all that is around the map. Null: not asked for. */
  readonly page: { readonly pictureMs: number; readonly scriptBytes: number } | null
  /** Frame after frame while the mouse drags: dots, and seats with numbers; and while the wheel turns. */
  readonly frames: Readonly<Record<'panDots' | 'panSeats' | 'zoom', Spread>>
  /** From a change's arrival in the page to its having been drawn. */
  readonly deltas: Spread & { readonly wantedPerSecond: number; readonly changesPerSecond: number }
  /** Frames while the changes come in and the mouse drags. */
  readonly framesUnderDeltas: Spread
  /** The page uses so much after all of this. Null where there is no /proc. */
  readonly memory: { readonly heapBytes: number; readonly processBytes: number | null }
}

export interface MapRun {
  readonly seats: number
  readonly seed: number
  readonly seconds: number
  readonly deltasPerSecond: number
  readonly loads: number
  readonly withPage: boolean
  readonly folder: string
  readonly say: (line: string) => void
}

const LOOK_EVERY_MS = 20
const VIEWPORT = { width: 1280, height: 800 }
const DOTS_PX = 6
const SEATS_PX = 28

/** One hall on a server of its own, in a browser that has seen nothing yet. */
export async function measureMap(browser: Browser, run: MapRun): Promise<MapFigures> {
  run.say(`${run.seats.toLocaleString('en')} seats: starting a server …`)
  const server = await spawnServer()
  const caller = new Caller(server.url)
  try {
    const hall = await openHall(caller, server.rootKey, run.seats, run.seed)
    return await measureHall(browser, server.url, caller, hall, run)
  } finally {
    caller.close()
    await server.stop()
  }
}

async function measureHall(
  browser: Browser,
  url: string,
  caller: Caller,
  hall: Hall,
  run: MapRun,
): Promise<MapFigures> {
  run.say('  opening the page …')
  const first = await visit(browser, url, hall, run)
  await first.close()
  const later: Loaded[] = []
  for (let count = 1; count < run.loads; count += 1) {
    const loaded = await visit(browser, url, hall, run)
    later.push(loaded)
    await loaded.close()
  }
  const here = await visit(browser, url, hall, run)
  later.push(here)
  const { page } = here
  try {
    await checkWhole(page, FIRST_DIFFERENCE)
    run.say('  panning and zooming …')
    const panDots = await whilePanning(page, DOTS_PX, run.seconds)
    const panSeats = await whilePanning(page, SEATS_PX, run.seconds)
    const zoom = await whileZooming(page, run.seconds)
    run.say(`  ${run.deltasPerSecond.toLocaleString('en')} changes a second …`)
    const { deltas, frames } = await whileChanging(page, caller, hall, run)
    const median = (value: (loaded: Loaded) => number) => spreadOf(later.map(value)).medianMs
    return {
      seats: run.seats,
      picture: {
        firstVisitorMs: first.pictureMs,
        laterMs: median(loaded => loaded.pictureMs),
        namesMs: median(loaded => loaded.namesMs),
        decodeMs: median(loaded => loaded.decodedMs - loaded.receivedMs),
      },
      wire: here.wire,
      page: run.withPage ? await visitPage(browser, url, hall, run.loads) : null,
      frames: { panDots, panSeats, zoom },
      deltas,
      framesUnderDeltas: frames,
      memory: await memoryOf(browser, here.session),
    }
  } finally {
    await here.close()
  }
}

interface Loaded {
  readonly page: Page
  readonly session: CDPSession
  readonly receivedMs: number
  readonly decodedMs: number
  readonly pictureMs: number
  readonly namesMs: number
  readonly wire: MapFigures['wire']
  close(): Promise<void>
}

/** The page of web/bench/main.ts offers this. */
interface Bench {
  readonly ready: Promise<{
    receivedMs: number
    decodedMs: number
    pictureMs: number
    namesMs: number
    seats: number
  }>
  lookAt(pitchPx: number): void
  whole(): void
  recordFrames(): void
  takeFrames(): number[]
  seatsInView(most: number): { seatId: string; ordinal: number }[]
  follow(): Promise<void>
  takeDeltas(): { delaysMs: number[]; changes: number }
  pixelOf(ordinal: number): number[]
  statusOf(ordinal: number): number
  dim(isDimmed: boolean): void
  differsFromWhole(atLeast: number): Promise<number>
  drawn(): Promise<void>
}
declare const bench: Bench

/** As someone who was never here: nothing is in a cache. */
async function visit(browser: Browser, url: string, hall: Hall, run: MapRun): Promise<Loaded> {
  const context = await browser.newContext({ viewport: VIEWPORT })
  context.setDefaultTimeout(WITHIN_MS)
  const page = await context.newPage()
  const failed = new Promise<never>((_, reject) => page.on('pageerror', reject))
  failed.catch(() => {})
  const session = await context.newCDPSession(page)
  const bytesOf = await countBytes(session)
  const address = await offerPage(context, run.folder, url)
  const { token } = hall.organization.people.customer
  await page.goto(`${address}#${new URLSearchParams({ event: hall.eventId, token })}`)
  const isThere = page.waitForFunction('globalThis.bench !== undefined')
  await Promise.race([isThere, failed])
  const loaded = await page.evaluate(() => bench.ready)
  if (loaded.seats !== run.seats) throw new Error(`The page shows ${loaded.seats} of ${run.seats} seats.`)
  const read = (path: string) => onceThereAre(async () => bytesOf(`/api/events/${hall.eventId}/${path}`))
  const [mapBytes, availabilityBytes] = [await read('map'), await read('availability')]
  const wire = { mapBytes, availabilityBytes }
  return { ...loaded, page, session, wire, close: () => context.close() }
}

/** The buyers' page, as a guest who follows a link to the event: so many times, and the median counts. */
async function visitPage(
  browser: Browser,
  url: string,
  hall: Hall,
  loads: number,
): Promise<MapFigures['page']> {
  const times: number[] = []
  let scriptBytes = 0
  for (let count = 0; count < loads; count += 1) {
    const context = await browser.newContext({ viewport: VIEWPORT, serviceWorkers: 'block' })
    try {
      const page = await context.newPage()
      const bytesOf = await countBytes(await context.newCDPSession(page))
      await page.goto(`${url}/${hall.organization.slug}/events/${hall.eventId}`)
      times.push(
        await page.evaluate(
          () =>
            new Promise<number>(resolve => {
              const seen = new PerformanceObserver(list => {
                const [mark] = list.getEntriesByName('seat-map-picture')
                if (mark) resolve(mark.startTime)
              })
              seen.observe({ type: 'mark', buffered: true })
            }),
        ),
      )
      scriptBytes = bytesOf('/assets/')
    } finally {
      await context.close()
    }
  }
  return { pictureMs: spreadOf(times).medianMs, scriptBytes }
}

/** A figure that the browser, or the feed, may have only a moment later. */
async function onceThereAre(count: () => Promise<number>): Promise<number> {
  const until = performance.now() + WITHIN_MS
  for (;;) {
    const found = await count()
    if (found > 0 || performance.now() > until) return found
    await delay(LOOK_EVERY_MS)
  }
}

/** Bytes that came over the wire, by how their address goes on after the origin. */
async function countBytes(session: CDPSession): Promise<(path: string) => number> {
  const paths = new Map<string, string>()
  const bytes = new Map<string, number>()
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    paths.set(requestId, new URL(request.url).pathname)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const path = paths.get(requestId) ?? ''
    bytes.set(path, (bytes.get(path) ?? 0) + encodedDataLength)
  })
  await session.send('Network.enable')
  return start => {
    let sum = 0
    for (const [path, count] of bytes) if (path.startsWith(start)) sum += count
    return sum
  }
}

async function whilePanning(page: Page, pitchPx: number, seconds: number): Promise<Spread> {
  await page.evaluate(px => bench.lookAt(px), pitchPx)
  return recordFrames(page, () => drag(page, seconds))
}

/** In large circles, as one looks around. */
async function drag(page: Page, seconds: number): Promise<void> {
  const until = performance.now() + seconds * 1_000
  const { width, height } = VIEWPORT
  const corners = [
    [0.2, 0.3],
    [0.3, 0.75],
    [0.8, 0.25],
    [0.8, 0.7],
  ] as const
  await page.mouse.move(width * 0.8, height * 0.7)
  await page.mouse.down()
  for (let turn = 0; turn === 0 || performance.now() < until; turn += 1) {
    const [x, y] = corners[turn % corners.length]!
    await page.mouse.move(width * x, height * y, { steps: 30 })
  }
  await page.mouse.up()
}

async function whileZooming(page: Page, seconds: number): Promise<Spread> {
  await page.evaluate(() => bench.whole())
  await page.mouse.move(VIEWPORT.width * 0.3, VIEWPORT.height * 0.4)
  return recordFrames(page, async () => {
    const until = performance.now() + seconds * 1_000
    for (let step = 0; step === 0 || performance.now() < until; step += 1) {
      const direction = Math.floor(step / 40) % 2 === 0 ? -1 : 1
      await page.mouse.wheel(0, direction * 60)
    }
  })
}

async function recordFrames(page: Page, work: () => Promise<void>): Promise<Spread> {
  await page.evaluate(() => bench.recordFrames())
  await work()
  return spreadOf(await page.evaluate(() => bench.takeFrames()))
}

const SEATS_PER_REQUEST = 50

/** Seats on the screen go out of the sale and come back, by the real API and over the real feed. */
async function whileChanging(
  page: Page,
  caller: Caller,
  hall: Hall,
  run: MapRun,
): Promise<{ deltas: MapFigures['deltas']; frames: Spread }> {
  await page.evaluate(px => bench.lookAt(px), DOTS_PX)
  await page.evaluate(() => bench.follow())
  const seats = await page.evaluate(() => bench.seatsInView(2_000))
  await checkPixel(page, caller, hall, seats[0]!)
  for (const pitchPx of [SEATS_PX, DOTS_PX]) await checkRepaint(page, caller, hall, pitchPx)
  await page.evaluate(() => bench.takeDeltas())

  const { token } = hall.organization.people.organizer
  const everyMs = (SEATS_PER_REQUEST * 1_000) / run.deltasPerSecond
  const sent: Promise<unknown>[] = []
  const startedAt = performance.now()
  let frames: Spread | null = null
  const drags = recordFrames(page, () => drag(page, run.seconds)).then(spread => {
    frames = spread
  })
  const groups = Array.from({ length: Math.floor(seats.length / SEATS_PER_REQUEST) }, (_, index) =>
    seats.slice(index * SEATS_PER_REQUEST, (index + 1) * SEATS_PER_REQUEST).map(seat => seat.seatId),
  )
  for (let count = 0; count === 0 || performance.now() - startedAt < run.seconds * 1_000; count += 1) {
    const route = Math.floor(count / groups.length) % 2 === 0 ? blockSeats : unblockSeats
    const body = { seat_ids: groups[count % groups.length]!, reason: 'bench' }
    sent.push(caller.get(route, { token, params: { event: hall.eventId }, body }))
    await delay(Math.max(0, startedAt + (count + 1) * everyMs - performance.now()))
  }
  await Promise.all(sent)
  const seconds = (performance.now() - startedAt) / 1_000
  await drags
  const delaysMs: number[] = []
  let changes = 0
  await onceThereAre(async () => {
    const taken = await page.evaluate(() => bench.takeDeltas())
    delaysMs.push(...taken.delaysMs)
    changes += taken.changes
    return changes
  })
  return {
    deltas: {
      ...spreadOf(delaysMs),
      wantedPerSecond: run.deltasPerSecond,
      changesPerSecond: changes / seconds,
    },
    frames: frames!,
  }
}

/** That a change is drawn at all is seen in the picture itself. */
async function checkPixel(
  page: Page,
  caller: Caller,
  hall: Hall,
  { ordinal, seatId }: { ordinal: number; seatId: string },
): Promise<void> {
  const { token } = hall.organization.people.organizer
  const params = { event: hall.eventId }
  const before = await page.evaluate(at => bench.pixelOf(at), ordinal)
  await caller.get(blockSeats, { token, params, body: { seat_ids: [seatId], reason: 'bench' } })
  await page.waitForFunction(at => bench.statusOf(at) === 3, ordinal)
  await page.evaluate(() => bench.drawn())
  const after = await page.evaluate(at => bench.pixelOf(at), ordinal)
  if (String(before) === String(after)) throw new Error('A seat was blocked, and it looks as it did before.')
  await caller.get(unblockSeats, { token, params, body: { seat_ids: [seatId], reason: 'bench' } })
  await page.waitForFunction(at => bench.statusOf(at) === 0, ordinal)
}

/** Values of pixels: on the edge of a changed part the browser may round otherwise. */
const MOST_DIFFERENT = 200
/** Edges are softer than those of a whole tile, most so where two bands of the first picture meet. */
const DIFFERENCE = 16
const FIRST_DIFFERENCE = 40

/**
 * Checks that the screen shows the same as a hall that is painted whole. A pixel is different from `atLeast`
 * on.
 */
async function checkWhole(page: Page, atLeast: number): Promise<void> {
  const count = await page.evaluate(least => bench.differsFromWhole(least), atLeast)
  if (count > MOST_DIFFERENT)
    throw new Error(`${count} pixels are not those of a hall that is painted whole.`)
}

/** Checks that the hall looks as if painted whole after seats have changed. */
async function checkRepaint(page: Page, caller: Caller, hall: Hall, pitchPx: number): Promise<void> {
  const { token } = hall.organization.people.organizer
  const params = { event: hall.eventId }
  await page.evaluate(px => bench.lookAt(px), pitchPx)
  await page.evaluate(() => bench.dim(true))
  await page.evaluate(() => bench.drawn())
  // Neighbours, whose places overlap, and others.
  const seen = await page.evaluate(() => bench.seatsInView(100_000))
  const changed = [...seen.slice(0, 5), ...seen.filter((_, index) => index % 7 === 0).slice(0, 40)]
  const body = { seat_ids: [...new Set(changed.map(({ seatId }) => seatId))], reason: 'bench' }
  const last = changed.at(-1)!.ordinal
  for (const [route, status] of [
    [blockSeats, 3],
    [unblockSeats, 0],
  ] as const) {
    await caller.get(route, { token, params, body })
    await page.waitForFunction(([at, wanted]) => bench.statusOf(at!) === wanted, [last, status])
    await page.evaluate(() => bench.drawn())
    await checkWhole(page, DIFFERENCE)
  }
  await page.evaluate(() => bench.dim(false))
}

async function memoryOf(browser: Browser, session: CDPSession): Promise<MapFigures['memory']> {
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  const heapBytes = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0
  const system = await browser.newBrowserCDPSession()
  const { processInfo } = await system.send('SystemInfo.getProcessInfo')
  const sizes = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => residentBytes(id))
  const known = sizes.filter(size => size !== null)
  return { heapBytes, processBytes: known.length > 0 ? Math.max(...known) : null }
}

function residentBytes(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'latin1')
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1]) * 1024
  } catch {
    return null
  }
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { medianMs: at(0.5), p95Ms: at(0.95), maxMs: at(1), count: sorted.length }
}
