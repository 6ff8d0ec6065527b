import { buy } from './buyers.ts'
import { Fingerprint } from './fingerprint.ts'
import { judge } from './judge.ts'
import { TIDIED_AFTER_FAULTS_MS } from './judge-times.ts'
import type { NodeParts } from './node.ts'
import type { Plan } from './plan.ts'
import type { Traced } from './scheduler.ts'
import type { SimulatedEvent } from './simulated-event.ts'
import { administer } from './staff.ts'
import { type Finding, World } from './world.ts'

export interface Run {
  readonly plan: Plan
  readonly findings: readonly Finding[]
  readonly trace: readonly Traced[]
  readonly steps: number
  readonly operations: number
  readonly entries: number
  /** A fingerprint of how the event was at the end, whatever its ids are. */
  readonly endsAs: number
}

/** A run has about a thousand steps; one that takes so many never comes to rest. */
const MOST_STEPS = 60_000
/** Longer than the slowest call; and longer than the latest commit and the search for it. */
const REST_MS = 6_000
const LATE_REST_MS = 15_000
/** Longer than it takes a node to look for what it did not hear. */
const LOOK_MS = 3_000

/** Runs a plan to its end and judges it. The same plan always gives the same run. */
export async function simulate(plan: Plan, parts: NodeParts = {}): Promise<Run> {
  const world = new World(plan, parts)
  const { scheduler } = world
  const story = { isOver: false }
  void tell(world).then(
    () => {
      story.isOver = true
    },
    error => world.find('a run comes to its end', (error as Error).stack),
  )
  const restoreDate = useWallClocks(world)
  try {
    if (!(await scheduler.run(MOST_STEPS))) world.find('a run comes to rest', scheduler.steps)
    else if (!story.isOver) world.find('every caller of a lane gets an answer', scheduler.trace.at(-1))
  } finally {
    restoreDate()
  }
  if (story.isOver) judge(world)
  return {
    plan,
    findings: world.findings,
    trace: scheduler.trace,
    steps: scheduler.steps,
    operations: world.lines.filter(({ type }) => type === 'invoke').length,
    entries: world.events.reduce((sum, { journal }) => sum + journal.length, 0),
    endsAs: endOf(world),
  }
}

/** Buyers come and go; then faults end, jobs tidy up, and every node looks for what it did not hear. */
async function tell(world: World): Promise<void> {
  const { scheduler, nodes, plan } = world
  const buyers = Array.from({ length: plan.buyers }, (_, index) => buy(world, index))
  await Promise.all([...buyers, administer(world)])
  world.heal()
  await scheduler.sleep(plan.faults.includes('late commits') ? LATE_REST_MS : REST_MS, 'rest')
  await untilTidy(world)
  world.restedAt = world.database.now
  await Promise.all(nodes.map(node => node.stop()))
  await scheduler.sleep(LOOK_MS, 'looks')
  for (const browser of world.browsers) browser.stop()
  for (const node of nodes) node.close()
}

/** Nodes that failed to tidy up before try again after a while: waits for them, up to a limit. */
async function untilTidy({ events, database, healedAt, scheduler }: World): Promise<void> {
  const isUntidy = ({ nextExpiry, status }: SimulatedEvent) =>
    nextExpiry !== null && (nextExpiry < database.now || status === 'cancelled')
  while (events.some(isUntidy) && database.now <= healedAt + TIDIED_AFTER_FAULTS_MS) {
    await scheduler.sleep(500, 'rest')
  }
}

function endOf({ events }: World): number {
  const hash = new Fingerprint()
  for (const event of events) {
    const { seq, seatStatus, seatVersion, zones, holds } = event.stateAt(event.journal.length)
    hash.add([event.status, seq, seatStatus, seatVersion].join())
    for (const { held, sold, blocked } of zones) hash.add([held, sold, blocked].join())
    for (const { user, ordinal, quantity } of holds.values()) hash.add([user.key, ordinal, quantity].join())
  }
  return hash.value
}

/** Code that asks for the time of day gets that of the node it runs on: only a bug does. */
function useWallClocks({ scheduler, nodes }: World): () => void {
  const real = Date.now
  Date.now = () => nodes.find(({ process }) => process === scheduler.running)?.wallClock ?? real()
  return () => {
    Date.now = real
  }
}
