import { setTimeout as delay } from 'node:timers/promises'
import type { UsefulAnswers } from '../crowd/useful-answers.ts'
import type { FaultLine } from '../judge/history.ts'
import { equalAgain } from './copies.ts'
import type { Fault, Scene } from './fault.ts'
import { NODE_FAULT_NAMES, NODE_FAULTS } from './faults-of-nodes.ts'
import { REDIS_FAULT_NAMES, REDIS_FAULTS } from './faults-of-redis.ts'
import type { LabNode } from './lab-node.ts'
import type { EventOnSale } from './site.ts'

export const FAULT_NAMES = [...NODE_FAULT_NAMES, ...REDIS_FAULT_NAMES] as const
export type FaultName = (typeof FAULT_NAMES)[number]
export const FAULTS: Readonly<Record<FaultName, Fault>> = { ...NODE_FAULTS, ...REDIS_FAULTS }

/** Without those that excuse what was said before them: these have a run of their own. */
const NODE_FAULTS_AS_USUAL: readonly FaultName[] = NODE_FAULT_NAMES.filter(name => name !== 'failover')

export function usualFaults({ withRedis }: { withRedis: boolean }): readonly FaultName[] {
  return withRedis ? [...NODE_FAULTS_AS_USUAL, ...REDIS_FAULT_NAMES] : NODE_FAULTS_AS_USUAL
}

/** Lists the faults that can't be done here, with the reasons. */
export function impossibleFaults(
  names: readonly FaultName[],
  scene: Pick<Scene, 'postgres' | 'redis'>,
): string[] {
  return names.flatMap(name => {
    const why = whyNot(name, scene)
    return why ? [`${name}: ${why}`] : []
  })
}

function whyNot(name: FaultName, scene: Pick<Scene, 'postgres' | 'redis'>): string | null {
  const fault = FAULTS[name]
  if (fault.of === 'redis' && !scene.redis) return 'the run has no Redis'
  return fault.impossible?.(scene) ?? null
}

/** Where the faults are written down, and who says when nodes answer again. */
interface FaultLog extends Pick<UsefulAnswers, 'backAfter'> {
  write(line: FaultLine): void
}

interface NemesisOptions {
  readonly faults: readonly FaultName[]
  /** Between two faults, at most. */
  readonly gapMs: number
  /** All of the run: a fault of Redis is over when their copies are what they should be. */
  readonly events: readonly EventOnSale[]
  /** The copies may take so long to be right again; longer is a violation. */
  readonly equalWithinMs: number
  isOver(): boolean
  /** Told when one begins and when it is over. */
  onFault(description: string | null): void
}

const BACK_WITHIN_MS = 45_000
/** A fault of Redis comes together with one of a node or of Postgres this often. */
const TOGETHER = 0.35

/** Deals the faults like cards, so that each of them comes up as often as the others. */
export async function runNemesis(scene: Scene, recorder: FaultLog, options: NemesisOptions): Promise<void> {
  const { random } = scene
  const possible = options.faults.filter(name => whyNot(name, scene) === null)
  let deck: FaultName[] = []
  const deal = (isWanted: (name: FaultName) => boolean) => {
    const at = deck.findLastIndex(isWanted)
    return at === -1 ? null : deck.splice(at, 1)[0]!
  }
  await delay(random.below(options.gapMs) + 200)
  while (!options.isOver() && possible.length > 0) {
    if (deck.length === 0) {
      deck = random.shuffled([...possible, ...possible.filter(name => name === 'kill-at')])
    }
    const name = deal(() => true)!
    const isOfRedis = FAULTS[name].of === 'redis'
    const other = isOfRedis && random.chance(TOGETHER) ? deal(one => FAULTS[one].of !== 'redis') : null
    const struck = [name, ...(other ? [other] : [])].flatMap(one => {
      const node = random.pick(scene.nodes)
      // Nothing was written through it yet: there is no point to strike at.
      const isPointless = one === 'kill-at' && node.proxy.statements.size === 0
      return isPointless ? [] : [{ name: one, node }]
    })
    options.onFault(struck.map(describe).join(' and '))
    const lines = await Promise.all(struck.map(one => strike(one, scene, recorder)))
    for (const line of lines) {
      const isRedis = FAULTS[line.fault as FaultName].of === 'redis'
      recorder.write(isRedis ? { ...line, equalAfterMs: await equalAfter(line, scene, options) } : line)
    }
    options.onFault(null)
    await delay(random.below(options.gapMs))
  }
}

function describe({ name, node }: { name: FaultName; node: LabNode }): string {
  return FAULTS[name].of === 'node' ? `${name} node ${node.index}` : name
}

async function strike(
  { name, node }: { name: FaultName; node: LabNode },
  scene: Scene,
  recorder: FaultLog,
): Promise<FaultLine> {
  const fault = FAULTS[name]
  const from = performance.now()
  const detail = await fault.strike(scene, node)
  const to = performance.now()
  const busy = scene.nodes.filter(({ isForReaders }) => !isForReaders).map(({ index }) => index)
  const backAt = await recorder.backAfter(to, busy, BACK_WITHIN_MS)
  return {
    type: 'fault',
    fault: name,
    node: fault.of === 'node' ? node.index : null,
    from,
    to,
    backAfterMs: backAt === null ? null : backAt - to,
    detail,
  }
}

async function equalAfter(
  { to }: FaultLine,
  { redis, postgres }: Scene,
  { events, equalWithinMs }: NemesisOptions,
): Promise<number | null> {
  const begun = performance.now() - to
  const ms = await equalAgain({ redis: redis!, postgres, events }, equalWithinMs)
  return ms === null ? null : begun + ms
}
