import { setTimeout as delay } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createEvent, publishEvent } from '@voelgoed/core/contract/events'
import {
  activateLayoutVersion,
  createLayout,
  createLayoutVersion,
  createVenue,
  readEventLayout,
} from '@voelgoed/core/contract/layouts'
import type { Route } from '@voelgoed/core/contract/route'
import { generateVenue } from '@voelgoed/core/layout/generate'
import type { RouteAnswer } from '../call-route.ts'
import { formatBytes, formatMs, formatTable } from '../format.ts'
import { asBlock } from './quotes.ts'
import type { Site } from './stage/site.ts'
import { StallWatch, type Stretch, type Waits, wallClock } from './stalls.ts'
import type { Verb, VerbInput } from './verb.ts'

/** A stadium from the organizer's file to the buyer's screen, at several sizes. */
export const layouts: Verb = {
  summary: 'save, activate and read layouts: time, memory, bytes and how long others wait meanwhile',
  options: { seats: { default: '2000,20000,200000', quick: '200', help: 'of the layouts' } },
  async run(input) {
    const figures: LayoutFigures[] = []
    for (const seats of input.list('seats')) figures.push(await measure(seats, input))
    const table = printTable(figures)
    return { table, figures, problems: [], quotes: { 'layouts.table': asBlock(table) } }
  },
}

const ENCODINGS = ['br', 'gzip', 'identity'] as const
type Encoding = (typeof ENCODINGS)[number]

interface ReadFigures {
  readonly wireBytes: number
  /** The document is made, compressed and sent. */
  readonly firstMs: number
  /** It is sent from memory: the median of a few. */
  readonly cachedMs: number
  readonly notModifiedMs: number
}

interface LayoutFigures {
  readonly seats: number
  readonly requestBytes: number
  /** With the start of the thread that reads layouts, as after every longer pause. */
  readonly createMs: number
  /** The same once more, as the next version: the thread is there. */
  readonly nextVersionMs: number
  readonly activateMs: number
  readonly publishMs: number
  readonly reads: Readonly<Record<Encoding, ReadFigures>>
  /** Null where there is no /proc. */
  readonly memory: {
    readonly baselineBytes: number
    readonly peakAfterCreateBytes: number
    readonly peakAfterReadsBytes: number
  } | null
  readonly waits: Readonly<Record<'idle' | 'create' | 'firstRead', Waits>>
}

const IDLE_MS = 1_000
const QUICK_IDLE_MS = 100
const REPEATS = 7

/** On a server of its own: a peak of memory would stay for the next size. */
async function measure(seats: number, { seed, say, quick, stage }: VerbInput): Promise<LayoutFigures> {
  say(`${seats.toLocaleString('en')} seats: starting a server …`)
  const body = Buffer.from(
    JSON.stringify({ name: 'Stadium', config: generateVenue({ kind: 'stadium', seats, seed }) }),
  )
  const idleMs = quick ? QUICK_IDLE_MS : IDLE_MS
  return stage.withSite(site => measureOn(site, { seats, body, say, idleMs }))
}

async function measureOn(
  site: Site,
  { seats, body, say, idleMs }: { seats: number; body: Buffer; say: VerbInput['say']; idleMs: number },
): Promise<LayoutFigures> {
  const { caller, organizer: token } = site
  const venue = await caller.get(createVenue, { token, body: { name: 'Stadium' } })
  const baseline = site.memory()
  const stalls = new StallWatch(site.port)
  const stretches = {} as Record<keyof LayoutFigures['waits'], Stretch>
  const during = async <T>(name: keyof typeof stretches, work: () => Promise<T>): Promise<T> => {
    const from = wallClock()
    const result = await work()
    stretches[name] = { from, to: wallClock() }
    return result
  }
  await stalls.started
  await during('idle', () => delay(idleMs))

  say(`  saving ${formatBytes(body.length)} …`)
  const params = { venue: venue.data.id }
  const created = await during('create', () => caller.call(createLayout, { token, params, bytes: body }))
  expectStatus(created, 201, 'saving')
  const layoutId = created.json().data.layout_id
  const afterCreate = site.memory()
  const again = await caller.call(createLayoutVersion, { token, params: { layout: layoutId }, bytes: body })
  expectStatus(again, 201, 'saving again')
  const activated = await caller.call(activateLayoutVersion, { token, params: { layout: layoutId, v: '1' } })
  expectStatus(activated, 200, 'activating')
  const event = await caller.get(createEvent, {
    token,
    body: { name: 'Final', venue_id: venue.data.id, layout_id: layoutId },
  })
  const published = await caller.call(publishEvent, { token, params: { event: event.data.id } })
  expectStatus(published, 200, 'publishing')

  say('  reading …')
  const reads = {} as Record<Encoding, ReadFigures>
  for (const encoding of ENCODINGS) {
    const read = (headers: Record<string, string> = {}) =>
      caller.call(readEventLayout, {
        token: site.customer,
        params: { event: event.data.id },
        headers: { 'accept-encoding': encoding, ...headers },
      })
    const first = encoding === 'br' ? await during('firstRead', read) : await read()
    expectStatus(first, 200, `reading as ${encoding}`)
    const got = countSeats(first.bytes, encoding)
    if (got !== seats) throw new Error(`Reading as ${encoding} gave ${got} seats`)
    const etag = first.headers.etag ?? ''
    reads[encoding] = {
      wireBytes: first.bytes.length,
      firstMs: first.ms,
      cachedMs: await medianMs(200, read),
      notModifiedMs: await medianMs(304, () => read({ 'if-none-match': etag })),
    }
  }
  const afterReads = site.memory()
  const waits = await stalls.end(stretches)
  return {
    seats,
    requestBytes: body.length,
    createMs: created.ms,
    nextVersionMs: again.ms,
    activateMs: activated.ms,
    publishMs: published.ms,
    reads,
    memory: baseline &&
      afterCreate &&
      afterReads && {
        baselineBytes: baseline.rssBytes,
        peakAfterCreateBytes: afterCreate.peakBytes,
        peakAfterReadsBytes: afterReads.peakBytes,
      },
    waits,
  }
}

function countSeats(bytes: Buffer, encoding: Encoding): number {
  const plain = { br: brotliDecompressSync, gzip: gunzipSync, identity: (same: Buffer) => same }[encoding](
    bytes,
  )
  return plain.toString('latin1').split('"seat_id":').length - 1
}

async function medianMs(status: number, ask: () => Promise<AnyAnswer>): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < REPEATS; count += 1) {
    const answer = await ask()
    expectStatus(answer, status, 'reading again')
    times.push(answer.ms)
  }
  return times.sort((a, b) => a - b)[Math.floor(REPEATS / 2)]!
}

type AnyAnswer = Pick<RouteAnswer<Route>, 'status' | 'bytes' | 'ms'>

function expectStatus({ status, bytes, ms }: AnyAnswer, wanted: number, what: string): void {
  if (status === wanted) return
  const text = bytes.subarray(0, 500).toString('utf8')
  throw new Error(`${what} gave ${status} after ${formatMs(ms)} instead of ${wanted}: ${text}`)
}

const WHEN = { idle: 'idle', create: 'create', firstRead: 'first read' } as const

type Line = readonly [
  name: string,
  value: (figures: LayoutFigures) => number | null,
  format: (value: number) => string,
]

const LINES: readonly Line[] = [
  ['request', ({ requestBytes }) => requestBytes, formatBytes],
  ['create', ({ createMs }) => createMs, formatMs],
  ['create the next version', ({ nextVersionMs }) => nextVersionMs, formatMs],
  ['activate', ({ activateMs }) => activateMs, formatMs],
  ['publish event', ({ publishMs }) => publishMs, formatMs],
  ...ENCODINGS.flatMap((encoding): Line[] => [
    [`${encoding}: on the wire`, ({ reads }) => reads[encoding].wireBytes, formatBytes],
    [`${encoding}: first read`, ({ reads }) => reads[encoding].firstMs, formatMs],
    [`${encoding}: cached read`, ({ reads }) => reads[encoding].cachedMs, formatMs],
    [`${encoding}: 304`, ({ reads }) => reads[encoding].notModifiedMs, formatMs],
  ]),
  ['memory before', ({ memory }) => memory?.baselineBytes ?? null, formatBytes],
  ['memory, peak of create', ({ memory }) => memory?.peakAfterCreateBytes ?? null, formatBytes],
  ['memory, peak of all', ({ memory }) => memory?.peakAfterReadsBytes ?? null, formatBytes],
  ...(['idle', 'create', 'firstRead'] as const).flatMap((stretch): Line[] =>
    (['p50Ms', 'p99Ms', 'maxMs'] as const).map(figure => [
      `others wait, ${WHEN[stretch]}, ${figure.slice(0, 3)}`,
      ({ waits }) => waits[stretch][figure],
      formatMs,
    ]),
  ),
]

/** One column a size, and between two of them by how much each figure grew. */
function printTable(figures: readonly LayoutFigures[]): string {
  const head = figures.flatMap(({ seats }, at) => [
    ...(at > 0 ? ['×'] : []),
    `${seats.toLocaleString('en')} seats`,
  ])
  const rows = LINES.map(([name, value, format]) => [
    name,
    ...figures.flatMap((size, at) => {
      const here = value(size)
      const before = at > 0 ? value(figures[at - 1]!) : null
      const growth = here === null || before === null ? '' : (here / before).toFixed(1)
      return [...(at > 0 ? [growth] : []), here === null ? 'unknown' : format(here)]
    }),
  ])
  return formatTable(['', ...head], rows)
}
