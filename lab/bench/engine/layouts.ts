import { setTimeout as delay } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createEvent, publishEvent } from '@voelgoed/contract/events'
import {
  activateLayoutVersion,
  createLayout,
  createLayoutVersion,
  createVenue,
  readEventLayout,
} from '@voelgoed/contract/layouts'
import type { Route } from '@voelgoed/contract/route'
import { generateVenue } from '@voelgoed/core/layout/generate'
import type { RouteAnswer } from '../../call-route.ts'
import { formatBytes, formatMs } from '../../format.ts'
import type { Report, ScenarioInput } from '../scenario.ts'
import type { Site } from '../stage/site.ts'
import { StallWatch, type Stretch, wallClock } from '../stalls.ts'
import { type Row, toFirst } from '../table.ts'

/** A stadium from the organizer's file to the buyer's screen, at several sizes. */
export async function measureLayouts(input: ScenarioInput): Promise<Report> {
  const rows: Row[] = []
  for (const seats of input.list('seats')) rows.push(await measure(seats, input))
  const quoted = [
    ...['requestBytes', 'createMs', 'brWireBytes', 'brFirstReadMs', 'brCachedReadMs'],
    ...['memoryPeakOfAllBytes', 'othersWaitCreateP99Ms'],
  ]
  return { tables: [{ quote: 'layouts.short', rows, ratios: [toFirst(rows, 'createMs')], quoted }] }
}

const ENCODINGS = ['br', 'gzip', 'identity'] as const
type Encoding = (typeof ENCODINGS)[number]

const IDLE_MS = 1_000
const QUICK_IDLE_MS = 100
const REPEATS = 7

/** On a server of its own: a peak of memory would stay for the next size. */
async function measure(seats: number, { seed, say, quick, stage }: ScenarioInput): Promise<Row> {
  say(`${seats.toLocaleString('en')} seats: starting a server …`)
  const body = Buffer.from(
    JSON.stringify({ name: 'Stadium', config: generateVenue({ kind: 'stadium', seats, seed }) }),
  )
  const idleMs = quick ? QUICK_IDLE_MS : IDLE_MS
  return stage.withSite(site => measureOn(site, { seats, body, say, idleMs }))
}

async function measureOn(
  site: Site,
  { seats, body, say, idleMs }: { seats: number; body: Buffer; say: ScenarioInput['say']; idleMs: number },
): Promise<Row> {
  const { caller, organizer: token } = site
  const venue = await caller.get(createVenue, { token, body: { name: 'Stadium' } })
  const baseline = site.memory()
  const stalls = new StallWatch(site.port)
  const stretches = {} as Record<'idle' | 'create' | 'firstRead', Stretch>
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
  const reads: Record<string, number> = {}
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
    reads[`${encoding}WireBytes`] = first.bytes.length
    reads[`${encoding}FirstReadMs`] = first.ms
    reads[`${encoding}CachedReadMs`] = await medianMs(200, read)
    reads[`${encoding}NotModifiedMs`] = await medianMs(304, () => read({ 'if-none-match': etag }))
  }
  const afterReads = site.memory()
  const waits = await stalls.end(stretches)
  const othersWait = Object.entries(waits).map(([name, { p50Ms, p99Ms, maxMs }]) => {
    const during = `othersWait${name[0]!.toUpperCase()}${name.slice(1)}`
    return { [`${during}P50Ms`]: p50Ms, [`${during}P99Ms`]: p99Ms, [`${during}MostMs`]: maxMs }
  })
  return {
    what: `${seats.toLocaleString('en')} seats`,
    figures: {
      requestBytes: body.length,
      // With the start of the thread that reads layouts, as after every longer pause.
      createMs: created.ms,
      // The thread is there.
      createNextVersionMs: again.ms,
      activateMs: activated.ms,
      publishEventMs: published.ms,
      ...reads,
      memoryBeforeBytes: baseline?.rssBytes,
      memoryPeakOfCreateBytes: afterCreate?.peakBytes,
      memoryPeakOfAllBytes: afterReads?.peakBytes,
      ...Object.assign({}, ...othersWait),
    },
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
