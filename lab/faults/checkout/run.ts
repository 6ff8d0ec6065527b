import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Books } from '../../checker/books/books.ts'
import { checkBooks } from '../../checker/books/check-books.ts'
import { countWays, type WayFigures } from '../../checker/books/ways.ts'
import type { Findings } from '../../checker/findings.ts'
import { Random } from '../../random.ts'
import { LabNode } from '../lab-node.ts'
import type { LabPostgres } from '../lab-postgres.ts'
import type { LabRedis } from '../lab-redis.ts'
import { type FaultName, runNemesis } from '../nemesis.ts'
import { complaintsOf } from '../run.ts'
import { runVerify } from '../run-verify.ts'
import { Wire } from '../send.ts'
import type { Person } from '../site.ts'
import { ask } from './ask.ts'
import { Buyer } from './buyer.ts'
import { collectBooks, countWaiting } from './collect-books.ts'
import { CheckoutLog } from './log.ts'
import { openProgramme, type Programme } from './programme.ts'

export interface CheckoutRunOptions {
  readonly postgres: LabPostgres
  /** The nodes get this Redis. */
  readonly redis?: LabRedis
  readonly checkouts: number
  readonly seed: number
  readonly faults: readonly FaultName[]
  readonly nodes: number
  readonly buyers: number
  readonly events: number
  /** The nemesis strikes so often, and buyers go on until then. Left out: while there are buyers. */
  readonly strikes?: number
  /** Between two faults, at most. */
  readonly gapMs: number
  /** Of the copy that the nodes are run from: its times are short. */
  readonly root: string
  /** Where the history goes; without it to a new folder, which only stays if something is wrong. */
  readonly folder?: string
  readonly isKept?: boolean
  /** From the last request until nothing is left to do, at most; longer is a violation. */
  readonly quietWithinMs: number
  /** Runs `npm run verify` on the database as well. */
  readonly verify: boolean
  progress(line: string): void
}

export interface CheckoutReport {
  readonly seed: number
  readonly findings: Findings
  readonly ways: WayFigures
  readonly log: Pick<CheckoutLog, 'heard' | 'faults'>
  /** Of the crowd alone. */
  readonly crowdSeconds: number
  /** From the last request until nothing was left to do. */
  readonly quietSeconds: number
  readonly seconds: number
  readonly events: number
  readonly folder: string | null
  readonly complaints: readonly string[]
}

const FREEZE_MS = 3_400
const EQUAL_WITHIN_MS = 30_000
const QUIET_EVERY_MS = 500
/** After the end, so many checkouts are read by their buyers. */
const READ_AGAIN = 2_000
const READ_AT_ONCE = 16
const BETWEEN_CHECKOUTS = 9_000

/** Nodes with a bad gateway; buyers, gates and staff at them, and the nemesis at all; then the books. */
export async function runCheckouts(options: CheckoutRunOptions): Promise<CheckoutReport> {
  const { postgres, seed } = options
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'voelgoed-checkouts-')))
  await mkdir(folder, { recursive: true })
  const log = new CheckoutLog(join(folder, 'heard.jsonl'))
  const wire = new Wire()
  const nodes: LabNode[] = []
  for (let index = 0; index < options.nodes; index += 1) {
    nodes.push(
      await LabNode.create(index, postgres, {
        root: options.root,
        simulatorSeed: 10 * seed + index,
        ...(options.redis && { redis: await options.redis.addLine() }),
      }),
    )
  }
  const startedAt = performance.now()
  let programme: Programme | null = null
  try {
    // One after the other: the first one migrates.
    await nodes[0]!.start()
    await Promise.all(nodes.slice(1).map(node => node.start()))
    const url = () => nodes.find(node => node.url !== null)?.url ?? null
    programme = await openProgramme(url, options)
    const crowdSeconds = await play(options, { nodes, log, wire, programme })
    const calm = await waitForQuiet(options)
    await readAgain({ nodes, log, wire, programme, seed })
    const books = await collectBooks(postgres, programme.all)
    await log.close()
    await writeBooks(join(folder, 'books.json'), books)

    const findings = checkBooks(books, log.heard)
    for (const [what, count] of Object.entries(calm.waiting)) {
      const rule = `within ${options.quietWithinMs / 1000} s of the last request nothing is left to do`
      findings.add({ invariant: 15, rule, event: '', evidence: [{ what, count }] })
    }
    for (const { index, accident } of nodes) {
      if (!accident) continue
      const evidence = [{ index, accident }]
      findings.add({ invariant: 9, rule: 'no node ends by itself', event: '', evidence })
    }
    if (options.verify) {
      const complaint = await runVerify(postgres.url)
      if (complaint) {
        findings.add({ invariant: 11, rule: 'npm run verify agrees', event: '', evidence: [complaint] })
      }
    }
    const isKept = options.folder !== undefined || (!findings.isEmpty && options.isKept !== false)
    if (!isKept) await rm(folder, { recursive: true, force: true })
    return {
      seed,
      findings,
      ways: countWays(books, log.heard),
      log,
      crowdSeconds,
      quietSeconds: calm.seconds,
      seconds: (performance.now() - startedAt) / 1000,
      events: programme.all.length,
      folder: isKept ? folder : null,
      complaints: complaintsOf(nodes),
    }
  } finally {
    programme?.close()
    await Promise.all(nodes.map(node => node.stop().catch(() => {})))
    wire.close()
  }
}

interface Stage {
  readonly nodes: readonly LabNode[]
  readonly log: CheckoutLog
  readonly wire: Wire
  readonly programme: Programme
}

/** The crowd until there are enough checkouts, and the nemesis meanwhile. Returns the crowd's seconds. */
async function play(options: CheckoutRunOptions, { nodes, log, wire, programme }: Stage): Promise<number> {
  const { postgres, seed, checkouts, strikes = 0 } = options
  const begun = performance.now()
  let started = 0
  let isOver = false
  let struck: string | null = null
  const begin = () => {
    started += 1
    // Some find no seat and begin again: what counts are checkouts.
    const isEnough = started > checkouts && log.opened.size >= checkouts
    return !isOver && (!isEnough || log.faults.length < strikes)
  }
  const crowd = Promise.all(
    programme.buyers.map((person, index) => {
      const random = new Random(seed, 1 + index)
      return new Buyer(person, { nodes, log, wire, programme, random, begin }).run()
    }),
  )
  const nemesis = runNemesis(
    {
      postgres,
      redis: options.redis ?? null,
      nodes,
      random: new Random(seed, BETWEEN_CHECKOUTS),
      events: () => programme.now,
      freezeMs: FREEZE_MS,
      struckPoints: new Set(),
    },
    log,
    {
      faults: options.faults,
      gapMs: options.gapMs,
      get events() {
        return programme.now
      },
      equalWithinMs: EQUAL_WITHIN_MS,
      isOver: () => isOver || (strikes > 0 && log.faults.length >= strikes),
      onFault(description) {
        struck = description
      },
    },
  )
  nemesis.catch(() => {})
  const telling = setInterval(() => {
    const seconds = Math.round((performance.now() - begun) / 1000)
    const done = log.opened.size
    options.progress(
      `${seconds} s: ${done} checkouts, ${Math.round(done / seconds)}/s, ${programme.all.length} events; ${struck ?? 'no fault'}`,
    )
  }, 5_000)
  try {
    await crowd
    const seconds = (performance.now() - begun) / 1000
    isOver = true
    // It heals whatever it is at; buyers go on so that it shows when nodes answer again.
    const after = keepAsking({ nodes, log, wire, programme }, seed)
    await nemesis
    after.stop()
    return seconds
  } finally {
    isOver = true
    clearInterval(telling)
  }
}

/** Reads by a buyer, one after the other. */
function keepAsking({ nodes, log, wire, programme }: Stage, seed: number): { stop(): void } {
  const random = new Random(seed, BETWEEN_CHECKOUTS + 1)
  const order = log.heard.find(({ kind, outcome }) => kind === 'open' && outcome === 'ok')
  const person = programme.buyers.find(({ userId }) => userId === order?.user)
  let isOver = false
  const event = programme.all.find(({ eventId }) => eventId === order?.event)
  const run = async () => {
    while (!isOver && order && person && event) {
      const path = `/api/checkouts/${order.order}`
      const question = { kind: 'read' as const, method: 'GET', path, person, event }
      await ask({ nodes, log, wire, random }, { ...question, about: { order: order.order! } })
      await delay(50)
    }
  }
  void run()
  return {
    stop() {
      isOver = true
    },
  }
}

async function waitForQuiet({ postgres, progress, quietWithinMs }: CheckoutRunOptions) {
  const begun = performance.now()
  for (;;) {
    const waiting = await countWaiting(postgres)
    const seconds = (performance.now() - begun) / 1000
    if (Object.keys(waiting).length === 0 || seconds * 1000 > quietWithinMs) return { waiting, seconds }
    progress(`waiting for quiet: ${JSON.stringify(waiting)}`)
    await delay(QUIET_EVERY_MS)
  }
}

/** What buyers are told now is what is in the books. */
async function readAgain({ nodes, log, wire, programme, seed }: Stage & { seed: number }): Promise<void> {
  const people = new Map<string, Person>(programme.buyers.map(person => [person.userId, person]))
  const events = new Map(programme.all.map(event => [event.eventId, event]))
  const opened = new Map(
    log.heard.flatMap(one => (one.kind === 'open' && one.order ? [[one.order, one]] : [])),
  )
  const random = new Random(seed, BETWEEN_CHECKOUTS + 2)
  const waiting = random.shuffled([...opened.values()]).slice(0, READ_AGAIN)
  const read = async () => {
    for (let one = waiting.pop(); one; one = waiting.pop()) {
      const { order, user, event } = one
      const path = `/api/checkouts/${order}`
      const about = { order: order!, isAfterQuiet: true as const }
      const question = { kind: 'read' as const, method: 'GET', path, about }
      const who = { person: people.get(user)!, event: events.get(event)! }
      await ask({ nodes, log, wire, random }, { ...question, ...who })
    }
  }
  await Promise.all(Array.from({ length: READ_AT_ONCE }, read))
}

/** One row a line: a million of them are too long for one string. */
async function writeBooks(file: string, books: Books): Promise<void> {
  const lines = Object.entries(books).map(([name, rows]) => `"${name}":[\n${rowsAsText(rows)}\n]`)
  await writeFile(file, `{${lines.join(',\n')}}\n`)
}

function rowsAsText(rows: readonly unknown[]): string {
  return rows.map(row => JSON.stringify(row)).join(',\n')
}
