import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { AskDeps } from '../crowd/ask.ts'
import { administer, Buyer, type BuyerDeps, cancelEvents, trespass } from '../crowd/buyer.ts'
import { collectBooks } from '../crowd/checkout/collect-books.ts'
import { buyTickets, readAgain, waitUntilSettled, writeBooks } from '../crowd/checkout/crowd.ts'
import { type CheckoutOptions, openProgramme, type Programme } from '../crowd/checkout/programme.ts'
import { QUICK_PAYMENT_MS } from '../crowd/checkout/quick-times.ts'
import { FeedListener } from '../crowd/feed-listener.ts'
import { makeForget, Reader } from '../crowd/reader.ts'
import { Recorder } from '../crowd/recorder.ts'
import { Wire } from '../crowd/send.ts'
import type { Workload } from '../crowd/workloads.ts'
import { checkBooks } from '../judge/books/check-books.ts'
import { countWays, type WayFigures } from '../judge/books/ways.ts'
import { type CheckFigures, checkRun } from '../judge/check.ts'
import type { Findings } from '../judge/findings.ts'
import type { FaultLine, History } from '../judge/history.ts'
import type { Users, Violation } from '../judge/record.ts'
import { Random } from '../random.ts'
import { noticeBusyMachine } from './busy-machine.ts'
import { collect, readClock } from './collect.ts'
import { sampleCopies } from './copies.ts'
import { LabNode } from './lab-node.ts'
import type { LabPostgres } from './lab-postgres.ts'
import type { LabRedis } from './lab-redis.ts'
import { FAULTS, type FaultName, runNemesis } from './nemesis.ts'
import { waitForQuiet } from './quiet.ts'
import { runVerify } from './run-verify.ts'
import { buildSite, type LabEvent, type Site } from './site.ts'

export interface RunOptions {
  readonly postgres: LabPostgres
  readonly seed: number
  /** The crowd goes on for so long at least, until there were enough checkouts and strikes of the nemesis. */
  readonly seconds: number
  /** Events of which the journal is judged; none: only checkouts. */
  readonly workloads: readonly Workload[]
  /** So many buyers hold there. */
  readonly clients: number
  readonly thinkMs: number
  /** Buyers who pay, gates and staff, at events of their own, of which the books are judged. */
  readonly checkouts?: CheckoutOptions
  readonly strikes?: number
  /** Until then the crowd goes on as well: a slow machine takes longer until there is something to judge. */
  readonly isEnough?: (history: History) => boolean
  readonly faults: readonly FaultName[]
  readonly nodes: number
  /** Between two faults, at most. */
  readonly gapMs: number
  /** null: the nodes' reapers are off. */
  readonly tidyWithinMs: number | null
  /** After the last request, for how long nodes and readers may still differ from the tables. */
  readonly agreeWithinMs: number
  /** The nodes run from this tree. */
  readonly root?: string
  /** Where the history goes; without it to a new folder, which only stays if something is wrong. */
  readonly folder?: string
  /** A history that shows something wrong stays; true unless said otherwise. */
  readonly isKept?: boolean
  /** Nodes get this Redis, readers ask a node that forgets its events, and their answers are judged. */
  readonly redis?: LabRedis
  /** Redis may be behind so long after something was done to it. */
  readonly equalWithinMs?: number
  /** Runs `npm run verify` on the database as well. */
  readonly verify: boolean
  progress(line: string): void
}

export interface RunReport {
  readonly seed: number
  readonly findings: Findings
  readonly check: CheckFigures
  readonly history: History
  /** Null: the run had no checkouts. */
  readonly sales: SalesFigures | null
  /** The history is in this folder; null when it was not kept. */
  readonly folder: string | null
  readonly seconds: number
  /** The nodes complained of these, each once. */
  readonly complaints: readonly string[]
}

export interface SalesFigures {
  readonly ways: WayFigures
  readonly events: number
  /** The crowd alone took so long, and then everything took so long until nothing was left to do. */
  readonly crowdSeconds: number
  readonly settledSeconds: number
}

const FREEZE_MS = 3_400
const STRANGERS = 0.05
const ACCOUNTS = 0.1
const CLOCK_EVERY_MS = 2_000
const CLOCK_WITHIN_MS = 60_000
/** A breaker tries again after six seconds at most, and there may be many copies to be made. */
const EQUAL_WITHIN_MS = 30_000
const READERS = 6
const READER_THINKS_MS = 60
const FORGET_EVERY_MS = 250
const SAMPLE_EVERY_MS = 20
const BEAT_MS = 50
const WARM_WITHIN_MS = 30_000

/** Starts nodes, lets a crowd at them and the nemesis at both; then heals, waits for quiet, and judges. */
export async function runFaults(options: RunOptions): Promise<RunReport> {
  const { postgres, seed, checkouts } = options
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'voelgoed-history-')))
  await mkdir(folder, { recursive: true })
  const recorder = new Recorder(join(folder, 'history.jsonl'))
  const wire = new Wire()
  const redis = options.redis ?? null
  const hasHolds = options.workloads.length > 0
  const all: LabNode[] = []
  for (let index = 0; index < options.nodes + (redis && hasHolds ? 1 : 0); index += 1) {
    all.push(
      await LabNode.create(index, postgres, {
        reaper: options.tidyWithinMs !== null,
        ...(options.root !== undefined && { root: options.root }),
        ...(redis && { redis: await redis.addLine() }),
        ...(index === options.nodes && { isForReaders: true }),
        ...(checkouts && { simulatorSeed: 10 * seed + index }),
      }),
    )
  }
  // Buyers and readers of the feed ask these nodes only.
  const nodes = all.slice(0, options.nodes)
  const startedAt = performance.now()
  let programme: Programme | null = null
  try {
    // One after the other: the first one migrates. A node gives up when Postgres has no time for it.
    await nodes[0]!.revive()
    await Promise.all(all.slice(1).map(node => node.revive()))
    const some = (share: number) => (hasHolds ? Math.max(1, Math.round(options.clients * share)) : 0)
    const site = await buildSite(nodes[0]!.url!, {
      workloads: options.workloads,
      seconds: options.seconds,
      guests: hasHolds ? options.clients : 0,
      accounts: some(ACCOUNTS),
      strangers: some(STRANGERS),
      ...(checkouts && { paymentMs: QUICK_PAYMENT_MS }),
    })
    const url = () => nodes.find(node => node.url !== null)?.url ?? null
    programme = checkouts ? await openProgramme(url, { ...checkouts, ours: site.ours }) : null
    const events = site.programme.flat()
    const deps = { wire, recorder, nodes, events: new Map(events.map(event => [event.eventId, event])) }
    const listeners = events.flatMap((event, index) =>
      nodes.map((_, of) => {
        const number = index * nodes.length + of
        // Ten streams a user are the most: the readers are many buyers.
        const reader = { index: number, person: site.guests[number % site.guests.length]!, event }
        return new FeedListener({ ...deps, random: new Random(seed, 10_000 + reader.index) }, reader)
      }),
    )
    const listening = listeners.map(listener => listener.run())
    await untilAllHaveHeard(listeners)
    const crowdSeconds = await play(options, { site, programme, deps, recorder, nodes, all })

    const settled = programme && (await waitUntilSettled(options, programme, checkouts!.settledWithinMs))
    const quiet = hasHolds
      ? await waitForQuiet({
          postgres,
          nodes: all,
          wire,
          staff: site.ours.people.organizer,
          events,
          listeners,
          tidyWithinMs: options.tidyWithinMs,
          agreeWithinMs: options.agreeWithinMs,
          redis,
          mayHaveOrphans: recorder.history.faults.some(({ fault }) => fault === 'redis-types'),
        })
      : []
    for (const listener of listeners) listener.stop()
    await Promise.all(listening)
    if (programme) await readAgain({ wire, recorder, nodes, programme, seed })
    await recordClockSoon(recorder, postgres)
    const records = await collect(postgres, events)
    const books = programme && (await collectBooks(postgres, programme.all))
    await recorder.close()
    const { history } = recorder
    await writeFile(join(folder, 'journal.json'), JSON.stringify(records))
    const users = usersOf(site)
    await writeFile(join(folder, 'users.json'), JSON.stringify([...users]))
    if (books) await writeBooks(join(folder, 'books.json'), books)

    const { findings, figures } = checkRun(history, records, users, redis && isOfRedis)
    const add = (invariant: number, rule: string, evidence: object | string) =>
      findings.add({ invariant, rule, event: '', evidence: [evidence] })
    if (books) checkBooks(books, history.heard, findings)
    for (const violation of [...quiet, ...neverEqual(history.faults)]) findings.add(violation)
    for (const [what, count] of Object.entries(settled?.waiting ?? {})) {
      const seconds = checkouts!.settledWithinMs / 1000
      add(15, `within ${seconds} s of the last request nothing is left to do`, { what, count })
    }
    for (const { index, accident } of all) {
      if (accident) add(9, 'no node ends by itself', { index, accident })
    }
    if (options.verify) {
      const complaint = await runVerify(postgres.url, hasHolds ? [SOLD_WITHOUT_ORDER] : [])
      if (complaint) add(11, 'npm run verify agrees', complaint)
    }
    const isKept = options.folder !== undefined || (!findings.isEmpty && options.isKept !== false)
    if (!isKept) await rm(folder, { recursive: true, force: true })
    const sales = books && {
      ways: countWays(books, history.heard),
      events: programme!.all.length,
      ...{ crowdSeconds, settledSeconds: settled!.seconds },
    }
    return {
      seed,
      findings,
      check: figures,
      history,
      sales,
      folder: isKept ? folder : null,
      seconds: (performance.now() - startedAt) / 1000,
      complaints: complaintsOf(all),
    }
  } finally {
    programme?.close()
    await Promise.all(all.map(node => node.stop().catch(() => {})))
    wire.close()
  }
}

/**
 * So many streams at once make new nodes load every event at once. On a busy machine buyers who came
 * meanwhile would be told to come again, and the run is about faults.
 */
async function untilAllHaveHeard(listeners: readonly FeedListener[]): Promise<void> {
  const end = performance.now() + WARM_WITHIN_MS
  while (performance.now() < end && !listeners.every(listener => listener.hasHeard)) await delay(BEAT_MS)
}

interface Stage {
  readonly site: Site
  /** Null: there are no checkouts. */
  readonly programme: Programme | null
  readonly deps: AskDeps
  readonly recorder: Recorder
  readonly nodes: readonly LabNode[]
  readonly all: readonly LabNode[]
}

/** The run itself: crowd and nemesis, until there was enough of each. Returns the seconds until then. */
async function play(options: RunOptions, stage: Stage): Promise<number> {
  const { site, programme, deps, recorder, nodes, all } = stage
  const { postgres, seed, strikes = 0 } = options
  const begun = performance.now()
  let isEnough = false
  let isOver = false
  const eventOf = (workload: number): LabEvent => {
    const events = site.programme[workload % site.programme.length]!
    const number = (performance.now() - begun) / 1000 / events[0]!.workload.eventSeconds
    return events[Math.min(events.length - 1, Math.floor(number))]!
  }
  const rumours = new Map<string, string[]>()
  const buyerDeps = (stream: number, workload: number): BuyerDeps => ({
    ...deps,
    random: new Random(seed, stream),
    thinkMs: options.thinkMs,
    rumours,
    home: nodes[stream % nodes.length]!,
    account: site.accounts[stream % site.accounts.length]!,
    isOver: () => isOver,
    event: () => eventOf(workload),
  })
  const eventsNow = () => site.programme.map((_, index) => eventOf(index))
  const readers = options.redis && site.guests.length > 0 ? readCopies(options.redis) : []
  const crowd = Promise.all([
    ...readers,
    ...(programme ? buyTickets({ ...deps, programme, seed }, () => isOver) : []),
    ...site.guests.map((person, index) => new Buyer(person, buyerDeps(1 + index, index)).run()),
    ...site.strangers.map((person, index) => trespass(person, buyerDeps(5_000 + index, index))),
    ...options.workloads.flatMap((_, index) => [
      administer(site.ours.people.organizer, buyerDeps(6_000 + index, index)),
      cancelEvents(site.ours.people.organizer, buyerDeps(7_000 + index, index)),
    ]),
  ])
  let struck: string | null = null
  const nemesis = runNemesis(
    {
      postgres,
      redis: options.redis ?? null,
      nodes: all,
      random: new Random(seed, 9_000),
      events: () => [...eventsNow(), ...(programme?.now ?? [])],
      freezeMs: FREEZE_MS,
      struckPoints: new Set(),
    },
    recorder,
    {
      faults: options.faults,
      gapMs: options.gapMs,
      get events() {
        return [...site.programme.flat(), ...(programme?.now ?? [])]
      },
      equalWithinMs: options.equalWithinMs ?? EQUAL_WITHIN_MS,
      isOver: () => isEnough || (strikes > 0 && recorder.history.faults.length >= strikes),
      onFault(description) {
        struck = description
      },
    },
  )
  // Whatever goes wrong with them is heard when they are waited for.
  for (const under of [crowd, nemesis]) under.catch(() => {})
  const telling = setInterval(() => {
    const { ok, refused, unavailable, unknown } = recorder.tally
    const time = Math.round((performance.now() - begun) / 1000)
    const sold = programme ? `${recorder.totals.size} checkouts, ` : ''
    options.progress(
      `${time} s: ${sold}${ok} ok, ${refused} refused, ${unavailable} unavailable, ${unknown} unknown; ${struck ?? 'no fault'}`,
    )
  }, 1_000)
  const stopNoticing = noticeBusyMachine(period => recorder.write({ type: 'busy', ...period }))
  const readings = new Set<Promise<unknown>>()
  const reading = setInterval(() => {
    const read = recordClock(recorder, postgres).finally(() => readings.delete(read))
    readings.add(read)
  }, CLOCK_EVERY_MS)
  try {
    await recordClockSoon(recorder, postgres)
    const { isEnough: isEnoughToJudge = () => true } = options
    const hasEnough = () =>
      performance.now() - begun >= options.seconds * 1000 &&
      recorder.totals.size >= (options.checkouts?.count ?? 0) &&
      recorder.history.faults.length >= strikes &&
      isEnoughToJudge(recorder.history)
    // A crowd that has come to a halt is heard at once.
    while (!hasEnough()) await Promise.race([delay(BEAT_MS), crowd])
    const crowdSeconds = (performance.now() - begun) / 1000
    isEnough = true
    // It heals whatever it is at, and the crowd goes on until that has shown.
    await nemesis
    isOver = true
    await crowd
    return crowdSeconds
  } finally {
    isEnough = isOver = true
    clearInterval(telling)
    clearInterval(reading)
    await stopNoticing()
    // Nothing may be written into the history once it is closed.
    await Promise.all(readings)
  }

  function readCopies(redis: LabRedis): Promise<void>[] {
    const until = { isOver: () => isOver, events: eventsNow }
    return [
      ...Array.from({ length: READERS }, (_, index) => {
        const person = site.guests[index % site.guests.length]!
        const random = new Random(seed, 8_000 + index)
        const { wire } = deps
        return new Reader(index, person, {
          ...{ wire, recorder, nodes: all, random, thinkMs: READER_THINKS_MS, ...until },
        }).run()
      }),
      makeForget(all, { everyMs: FORGET_EVERY_MS, ...until }),
      sampleCopies(redis, recorder, { everyMs: SAMPLE_EVERY_MS, ...until }),
    ]
  }
}

function isOfRedis(fault: string): boolean {
  return FAULTS[fault as FaultName].of === 'redis'
}

function neverEqual(faults: readonly FaultLine[]): Violation[] {
  return faults.flatMap(line => {
    const rule = 'Redis has everything again some time after a fault of it'
    return line.equalAfterMs === null ? [{ invariant: 14, rule, event: '', evidence: [line] }] : []
  })
}

/** Returns how many readings there were: none while Postgres is out of reach. */
async function recordClock(recorder: Recorder, postgres: LabPostgres): Promise<number> {
  const readings = await readClock(postgres)
  for (const reading of readings) recorder.write({ type: 'clock', ...reading })
  return readings.length
}

/** Without a reading no time of the journal could be judged. */
async function recordClockSoon(recorder: Recorder, postgres: LabPostgres): Promise<void> {
  const until = performance.now() + CLOCK_WITHIN_MS
  while ((await recordClock(recorder, postgres)) === 0) {
    if (performance.now() > until) throw new Error('the clock of Postgres could not be read')
    await delay(BEAT_MS)
  }
}

function usersOf({ ours, guests, accounts, strangers }: Site): Users {
  return new Map(
    [ours.people.organizer, ...guests, ...accounts, ...strangers].map(({ userId, organizationId }) => {
      return [userId, { organizationId }]
    }),
  )
}

/** Buyers who only hold buy by the engine's own command: their tickets have no order. */
const SOLD_WITHOUT_ORDER = '21: no ticket without money'

/** Log lines of the nodes, without what differs from one to the next. */
function complaintsOf(nodes: readonly LabNode[]): string[] {
  const alike = new Set<string>()
  for (const { errors } of nodes) {
    for (const line of errors.split('\n')) {
      if (line === '') continue
      try {
        const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } }
        alike.add([msg, err?.message].filter(Boolean).join(': '))
      } catch {
        alike.add(line.slice(0, 300))
      }
    }
  }
  return [...alike].slice(0, 50)
}
