import { isOnSale } from '@voelgoed/core/event/lifecycle'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { Bus } from '@voelgoed/engine/ports/bus'
import type { EventAddress } from '@voelgoed/engine/ports/store'
import { agesOf } from '@voelgoed/engine/tables/journal'
import { SharedTurns } from '@voelgoed/kit/base/shared-turns'
import type { RedisConnection } from '@voelgoed/kit/redis/connection'
import { FairLine } from '@voelgoed/kit/threads/fair-line'
import { findEvent } from '../events/tables/events.ts'
import { type Answered, AskNodes, type AskNodesDeps } from './ask-nodes.ts'
import { claimOf, GRACE_MS, within } from './claims.ts'
import { type CopyRead, copyPoint, readCopy } from './copy-claim.ts'
import type { Claim } from './tables/node-reports.ts'
import { readTruth, type Standing, type Truth, type TruthDeps } from './truth.ts'
import type { WarmTier } from './warm-tier.ts'

export interface RegistryDeps extends TruthDeps, AskNodesDeps {
  readonly lanes: Pick<Lanes, 'inMemory' | 'lane'>
  readonly bus: Pick<Bus, 'ask' | 'isListening'>
  /** Null: there is no Redis. */
  readonly redis: RedisConnection | null
  readonly warm: Pick<WarmTier, 'makeAgain'> | null
  readonly database: TruthDeps['database'] & AskNodesDeps['database']
}

/** One place where an event is kept, and how it stands to Postgres. */
export interface Tier {
  readonly claim: Claim
  readonly standing: Standing
  /** Since the last change that it has was made; null: it has none, or one that Postgres does not know. */
  readonly ageMs: number | null
}

interface NodeTier {
  readonly nodeId: string
  /** Since it last said that it lives. */
  readonly seenMs: number
  readonly answered: boolean
  /** Null: the event is not in its memory, or it did not answer. */
  readonly tier: Tier | null
}

/** Shows what all copies of an event have, and if they agree. */
export interface Compared {
  /** Null: the event was never on sale. */
  readonly postgres: (Omit<Tier, 'standing'> & { readonly isOnSale: boolean }) | null
  /** In the memory of this node. */
  readonly hot: Tier | null
  /** Null: there is no Redis. */
  readonly redis: (Pick<CopyRead, 'kind'> & { readonly tier: Tier | null }) | null
  readonly nodes: readonly NodeTier[]
  readonly consistent: boolean
  readonly status: 'ok' | 'stale' | 'degraded'
}

/** Each loads the event once: so many at a time on a node, and so many that wait. */
const AT_ONCE = 2
const MAX_WAITING = 50
/** A copy in Redis may take so long to be made again. */
const REMAKE_MS = 5_000

/** Compares what the tiers and the nodes have of an event with what Postgres has, and mends what is wrong. */
export class Registry {
  readonly asking: AskNodes
  readonly #deps: RegistryDeps
  readonly #waiting = new FairLine<() => void>(MAX_WAITING)
  readonly #comparing = new SharedTurns<Result<Compared, Refusal>>()
  readonly #reconciling = new SharedTurns<Result<Reconciled, Refusal>>()
  #running = 0

  constructor(deps: RegistryDeps) {
    this.#deps = deps
    this.asking = new AskNodes(deps)
  }

  /** With the other nodes, or for this one alone. Callers who come meanwhile share the next answer. */
  compare(
    event: EventAddress,
    whom: 'all nodes' | 'this node' = 'all nodes',
  ): Promise<Result<Compared, Refusal>> {
    return this.#comparing.take(`${keyOf(event)} ${whom}`, () => this.#compareInTurn(event, whom))
  }

  async #compareInTurn(
    event: EventAddress,
    whom: 'all nodes' | 'this node',
  ): Promise<Result<Compared, Refusal>> {
    const { organizationId } = event.scope
    if (this.#running >= AT_ONCE) {
      if (!this.#waiting.hasRoomFor(organizationId)) return refuse({ kind: 'busy', retryAfterSeconds: 2 })
      await new Promise<void>(resolve => this.#waiting.push(organizationId, resolve))
    }
    this.#running += 1
    try {
      return await this.#compare(event, whom)
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }

  async #compare(event: EventAddress, whom: 'all nodes' | 'this node'): Promise<Result<Compared, Refusal>> {
    const { lanes, time, database } = this.#deps
    const { scope, eventId } = event
    const truth = await readTruth(this.#deps, event)
    if (!truth && !(await database.tenant(scope, tx => findEvent(tx, eventId)))) {
      return refuse({ kind: 'event_not_found' })
    }
    const seq = truth?.point.seq ?? 0
    const view = () => lanes.inMemory(scope, eventId)
    const [hot, copy, others] = await Promise.all([
      within(GRACE_MS, time, () => (view()?.seq ?? seq) >= seq).then(() => {
        const found = view()
        return found && claimOf(found, time)
      }),
      this.#readCopy(event, truth),
      whom === 'all nodes' ? this.asking.ask(event, 'report', seq) : { asked: true, nodes: [] },
    ])
    return ok(await this.#judge(event, { truth, hot, copy, others }))
  }

  /** Reads the copy in Redis. A change that is on its way to it gets a moment to arrive. */
  async #readCopy(event: EventAddress, truth: Truth | null): Promise<CopyRead | null> {
    const { redis, time } = this.#deps
    if (!redis) return null
    if (!truth) return { kind: 'absent' }
    await within(GRACE_MS, time, async () => {
      const point = await copyPoint(redis, event)
      if (point === 'being written') return false
      return point === null || point.epoch !== truth.point.epoch || point.seq >= truth.point.seq
    })
    return readCopy(redis, event, truth.now)
  }

  async #judge(
    event: EventAddress,
    found: {
      readonly truth: Truth | null
      readonly hot: Claim | null
      readonly copy: CopyRead | null
      readonly others: { readonly asked: boolean; readonly nodes: readonly Answered[] }
    },
  ): Promise<Compared> {
    const { truth, hot, copy, others } = found
    const { redis, bus } = this.#deps
    const ofCopy = copy?.kind === 'read' ? copy.claim : null
    const claims = [hot, ofCopy, ...others.nodes.map(({ report }) => report?.claim ?? null)]
    const made = claims.flatMap(claim => claim ?? [])
    const standings = truth ? await truth.judge(made) : made.map(() => 'lost' as const)
    const ages = await this.#ages(event, [...made, ...(truth ? [truth.point] : [])])
    const tierOf = (claim: Claim | null): Tier | null => {
      if (!claim) return null
      const standing = standings[made.indexOf(claim)]!
      return { claim, standing, ageMs: standing === 'lost' ? null : (ages.get(claim.seq) ?? null) }
    }
    const nodes = others.nodes.map(({ node, report }) => ({
      nodeId: node.id,
      seenMs: node.ageMs,
      answered: report !== null,
      tier: tierOf(report?.claim ?? null),
    }))
    const tiers = [tierOf(hot), tierOf(ofCopy), ...nodes.map(({ tier }) => tier)].flatMap(tier => tier ?? [])
    const isInMemory = hot !== null || nodes.some(({ tier }) => tier !== null)
    const isSold = truth !== null && isOnSale(truth.state.settings.status)
    const consistent =
      copy?.kind !== 'damaged' && tiers.every(({ standing }) => standing === 'same' || standing === 'unknown')
    // An event on sale that is in memory has a copy.
    const isMissing = copy?.kind === 'absent' && isSold && isInMemory
    const isDegraded =
      !bus.isListening ||
      !others.asked ||
      copy?.kind === 'unavailable' ||
      redis?.state === 'degraded' ||
      nodes.some(({ answered }) => !answered)
    return {
      postgres: truth && {
        claim: { ...truth.point, ...truth.digest },
        ageMs: ages.get(truth.point.seq) ?? null,
        isOnSale: isSold,
      },
      hot: tierOf(hot),
      redis: copy && { kind: copy.kind, tier: tierOf(ofCopy) },
      nodes,
      consistent,
      status: isDegraded ? 'degraded' : consistent && !isMissing ? 'ok' : 'stale',
    }
  }

  #ages({ scope, eventId }: EventAddress, points: readonly { readonly seq: number }[]) {
    const seqs = [...new Set(points.map(({ seq }) => seq))]
    return this.#deps.database.tenant(scope, tx => {
      tx.discard()
      return agesOf(tx, eventId, seqs)
    })
  }

  /**
   * Every node throws away what it has of the event and loads it again, and the copy in Redis is made again;
   * waits for that, for a bounded time. Once for all who ask meanwhile.
   */
  reconcile(event: EventAddress): Promise<Result<Reconciled, Refusal>> {
    return this.#reconciling.take(keyOf(event), () => this.#reconcile(event))
  }

  async #reconcile(event: EventAddress): Promise<Result<Reconciled, Refusal>> {
    const { lanes } = this.#deps
    const before = await this.compare(event)
    if (!before.ok) return before
    const seq = before.value.postgres?.claim.seq ?? 0
    const [wasRight, others] = await Promise.all([
      lanes.lane(event.scope, event.eventId).reload(),
      this.asking.ask(event, 'reload', seq),
    ])
    await this.remakeCopy(event)
    const after = await this.compare(event)
    if (!after.ok) return after
    return ok({ before: before.value, after: after.value, wasRight, othersAsked: others.asked })
  }

  /** Resolves when the copy in Redis was made again, or could not be. */
  async remakeCopy(event: EventAddress): Promise<void> {
    const { warm, redis, time } = this.#deps
    if (!warm || !redis) return
    const isDone = warm.makeAgain(event)
    // Without Redis the tier does it as soon as Redis is back: the caller is not kept waiting for that.
    await within(REMAKE_MS, time, () => isDone() || redis.breaker.state !== 'closed')
  }
}

function keyOf({ scope, eventId }: EventAddress): string {
  return `${scope.organizationId}/${eventId}`
}

export interface Reconciled {
  readonly before: Compared
  readonly after: Compared
  /** Null: there was nothing in the memory of this node to compare. */
  readonly wasRight: boolean | null
  readonly othersAsked: boolean
}
