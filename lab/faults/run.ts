import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type CheckFigures, checkRun } from '../checker/check.ts'
import type { Findings } from '../checker/findings.ts'
import type { FaultLine, History } from '../checker/history.ts'
import type { Users, Violation } from '../checker/record.ts'
import { Random } from '../random.ts'
import type { AskDeps } from './ask.ts'
import { noticeBusyMachine } from './busy-machine.ts'
import { administer, Buyer, type BuyerDeps, cancelEvents, trespass } from './buyer.ts'
import { collect, readClock } from './collect.ts'
import { sampleCopies } from './copies.ts'
import { FeedListener } from './feed-listener.ts'
import { LabNode } from './lab-node.ts'
import type { LabPostgres } from './lab-postgres.ts'
import type { LabRedis } from './lab-redis.ts'
import { FAULTS, type FaultName, runNemesis } from './nemesis.ts'
import { waitForQuiet } from './quiet.ts'
import { makeForget, Reader } from './reader.ts'
import { Recorder } from './recorder.ts'
import { runVerify } from './run-verify.ts'
import { Wire } from './send.ts'
import { buildSite, type LabEvent, type Site } from './site.ts'
import type { Workload } from './workloads.ts'

export interface RunOptions {
  readonly postgres: LabPostgres
  readonly seconds: number
  readonly seed: number
  readonly workloads: readonly Workload[]
  readonly faults: readonly FaultName[]
  readonly nodes: number
  readonly clients: number
  readonly thinkMs: number
  /** Between two faults, at most. */
  readonly gapMs: number
  /** null: the nodes' reapers are off. */
  readonly tidyWithinMs: number | null
  /** After the last request, for how long nodes and readers may still differ from the tables. */
  readonly agreeWithinMs: number
  /** Of the tree that the nodes are run from. */
  readonly root?: string
  /** Where the history goes; without it to a new folder, which only stays if something is wrong. */
  readonly folder?: string
  /** Whether a history that shows something wrong stays; true unless said otherwise. */
  readonly isKept?: boolean
  /** Nodes get this Redis, readers ask a node that forgets its events, and their answers are judged. */
  readonly redis?: LabRedis
  /** With the gate in front of the lock. */
  readonly withGate?: true
  /** How long Redis may be behind after something was done to it. */
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
  /** Where the history is; null when it was not kept. */
  readonly folder: string | null
  readonly seconds: number
  /** What the nodes complained of, each once. */
  readonly complaints: readonly string[]
}

const FREEZE_MS = 3_200
const STRANGERS = 0.05
const ACCOUNTS = 0.1
const CLOCK_EVERY_MS = 2_000
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
  const { postgres, seed } = options
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'voelgoed-history-')))
  await mkdir(folder, { recursive: true })
  const recorder = new Recorder(join(folder, 'history.jsonl'))
  const wire = new Wire()
  const redis = options.redis ?? null
  const all: LabNode[] = []
  for (let index = 0; index < options.nodes + (redis ? 1 : 0); index += 1) {
    all.push(
      await LabNode.create(index, postgres, {
        reaper: options.tidyWithinMs !== null,
        ...(options.root !== undefined && { root: options.root }),
        ...(redis && { redis: await redis.addLine() }),
        ...(options.withGate && { withGate: true }),
        ...(index === options.nodes && { isForReaders: true }),
      }),
    )
  }
  // Of buyers and of readers of the feed.
  const nodes = all.slice(0, options.nodes)
  const startedAt = performance.now()
  try {
    // One after the other: the first one migrates.
    await nodes[0]!.start()
    await Promise.all(all.slice(1).map(node => node.start()))
    const site = await buildSite(nodes[0]!.url!, {
      workloads: options.workloads,
      seconds: options.seconds,
      guests: options.clients,
      accounts: Math.max(1, Math.round(options.clients * ACCOUNTS)),
      strangers: Math.max(1, Math.round(options.clients * STRANGERS)),
    })
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
    await play(options, { site, deps, recorder, nodes, all })

    const quiet = await waitForQuiet({
      postgres,
      nodes: all,
      wire,
      staff: site.organizer,
      events,
      listeners,
      tidyWithinMs: options.tidyWithinMs,
      agreeWithinMs: options.agreeWithinMs,
      redis,
      mayHaveOrphans: recorder.history.faults.some(({ fault }) => fault === 'redis-types'),
    })
    for (const listener of listeners) listener.stop()
    await Promise.all(listening)
    await recordClock(recorder, postgres)
    const records = await collect(postgres, events)
    await recorder.close()
    await writeFile(join(folder, 'journal.json'), JSON.stringify(records))
    const users = usersOf(site)
    await writeFile(join(folder, 'users.json'), JSON.stringify([...users]))

    const { findings, figures } = checkRun(recorder.history, records, users, redis && isOfRedis, {
      hasGate: options.withGate === true,
    })
    for (const violation of quiet) findings.add(violation)
    for (const violation of neverEqual(recorder.history.faults)) findings.add(violation)
    for (const { index, accident } of all) {
      if (!accident) continue
      findings.add({
        invariant: 9,
        rule: 'no node ends by itself',
        event: '',
        evidence: [{ index, accident }],
      })
    }
    if (options.verify) {
      const complaint = await runVerify(postgres.url, [SOLD_WITHOUT_ORDER])
      if (complaint)
        findings.add({ invariant: 11, rule: 'npm run verify agrees', event: '', evidence: [complaint] })
    }
    const isKept = options.folder !== undefined || (!findings.isEmpty && options.isKept !== false)
    if (!isKept) await rm(folder, { recursive: true, force: true })
    return {
      seed,
      findings,
      check: figures,
      history: recorder.history,
      folder: isKept ? folder : null,
      seconds: (performance.now() - startedAt) / 1000,
      complaints: complaintsOf(all),
    }
  } finally {
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
  readonly deps: AskDeps
  readonly recorder: Recorder
  readonly nodes: readonly LabNode[]
  readonly all: readonly LabNode[]
}

/** The run itself: crowd and nemesis, until time is up. */
async function play(options: RunOptions, { site, deps, recorder, nodes, all }: Stage): Promise<void> {
  const { postgres, seed, seconds } = options
  const begun = performance.now()
  let isTimeUp = false
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
  const readers = options.redis ? readCopies(options.redis) : []
  const crowd = Promise.all([
    ...readers,
    ...site.guests.map((person, index) => new Buyer(person, buyerDeps(1 + index, index)).run()),
    ...site.strangers.map((person, index) => trespass(person, buyerDeps(5_000 + index, index))),
    ...options.workloads.flatMap((_, index) => [
      administer(site.organizer, buyerDeps(6_000 + index, index)),
      cancelEvents(site.organizer, buyerDeps(7_000 + index, index)),
    ]),
  ])
  let struck: string | null = null
  const nemesis = runNemesis(
    {
      postgres,
      redis: options.redis ?? null,
      nodes: all,
      random: new Random(seed, 9_000),
      events: eventsNow,
      freezeMs: FREEZE_MS,
      struckPoints: new Set(),
    },
    recorder,
    {
      faults: options.faults,
      gapMs: options.gapMs,
      events: site.programme.flat(),
      equalWithinMs: options.equalWithinMs ?? EQUAL_WITHIN_MS,
      isOver: () => isTimeUp,
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
    options.progress(
      `${time} s: ${ok} ok, ${refused} refused, ${unavailable} unavailable, ${unknown} unknown; ${struck ?? 'no fault'}`,
    )
  }, 1_000)
  const stopNoticing = noticeBusyMachine(period => recorder.write({ type: 'busy', ...period }))
  const reading = setInterval(() => void recordClock(recorder, postgres), CLOCK_EVERY_MS)
  try {
    await recordClock(recorder, postgres)
    await delay(seconds * 1000)
    isTimeUp = true
    // It heals whatever it is at, and the crowd goes on until that has shown.
    await nemesis
    isOver = true
    await crowd
  } finally {
    isTimeUp = isOver = true
    clearInterval(telling)
    clearInterval(reading)
    await stopNoticing()
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

async function recordClock(recorder: Recorder, postgres: LabPostgres): Promise<void> {
  for (const reading of await readClock(postgres)) recorder.write({ type: 'clock', ...reading })
}

function usersOf({ organizer, guests, accounts, strangers }: Site): Users {
  return new Map(
    [organizer, ...guests, ...accounts, ...strangers].map(({ userId, organizationId }) => {
      return [userId, { organizationId }]
    }),
  )
}

/** The crowd of these runs sells by the engine's own command: its tickets have no order. */
const SOLD_WITHOUT_ORDER = '21: no ticket without money'

/** Log lines of the nodes, without what differs from one to the next. */
export function complaintsOf(nodes: readonly LabNode[]): string[] {
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
