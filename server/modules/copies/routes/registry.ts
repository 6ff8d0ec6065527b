import * as contract from '@voelgoed/contract/registry'
import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { RateLimit } from '@voelgoed/kit/http/rate-limit'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant, storedAnswer } from '@voelgoed/kit/http/transactions'
import type { Kit } from '../../module.ts'
import type { Compared, Registry, Tier } from '../registry.ts'

/**
 * An organization may ask so often on a node. Each loads an event once or twice, half a second of a processor
 * for 20,000 seats; no screen asks for it, and a person who looks for a fault is not held up by this.
 */
const CHECKS = { count: 20, windowMs: 60_000 }

/** Staff see whether all copies of an event agree, and have all made again. */
export function serveRegistry(
  router: Router,
  { database, nodeId, clock, http }: Pick<Kit, 'database' | 'nodeId' | 'clock' | 'http'>,
  registry: Pick<Registry, 'compare' | 'reconcile'>,
): void {
  const checks = new RateLimit(clock, CHECKS)
  const tooMany = ({ organizationId }: TenantScope): Refusal | null => {
    const retryAfterSeconds = http.rateLimits ? checks.take(organizationId) : null
    if (retryAfterSeconds === null) return null
    http.rateLimited.inc({ limit: 'registry' })
    return { kind: 'rate_limited', retryAfterSeconds }
  }

  router.serve(contract.readRegistry, async ({ principal, params }) => {
    const refusal = tooMany(principal.scope)
    if (refusal) return refuse(refusal)
    const found = await registry.compare({ scope: principal.scope, eventId: params.event as EventId })
    return found.ok ? ok({ status: 200, body: { data: answerOf(nodeId, found.value) } }) : found
  })

  router.serve(contract.reconcileRegistry, async call => {
    const { scope } = call.principal
    const eventId = call.params.event as EventId
    const stored = await storedAnswer(database, scope, call)
    if (stored) return stored
    const refusal = tooMany(scope)
    if (refusal) return refuse(refusal)
    const done = await registry.reconcile({ scope, eventId })
    if (!done.ok) return done
    const { before, after, wasRight, othersAsked } = done.value
    if (!othersAsked) {
      const detail =
        'This node has loaded the event again; the other nodes could not be told. Repeat the request.'
      return refuse({ kind: 'database_unavailable', retryAfterSeconds: 2, detail })
    }
    const state = answerOf(nodeId, after)
    const data = {
      ...state,
      memory_was_right: wasRight,
      other_nodes_told: true,
      before: answerOf(nodeId, before),
      after: state,
    }
    return inTenant(database, scope, call, async tx => {
      await appendAudit(tx, call.by, {
        action: 'registry_reconciled',
        entity: { type: 'event', id: eventId },
        changes: {
          status: [before.status, after.status],
          consistent: [before.consistent, after.consistent],
          memory_was_right: wasRight,
        },
      })
      return ok({ status: 200, body: { data } })
    })
  })
}

function answerOf(
  nodeId: string,
  { hot, redis, postgres, nodes, consistent, status }: Compared,
): Record<string, unknown> {
  const copy = redis?.tier ?? null
  return {
    hot_count: hot?.claim.holds ?? null,
    redis_count: copy?.claim.holds ?? null,
    postgres_count: postgres?.claim.holds ?? 0,
    consistent,
    status,
    seq: {
      hot: hot?.claim.seq ?? null,
      redis: copy?.claim.seq ?? null,
      postgres: postgres?.claim.seq ?? 0,
    },
    epoch: {
      hot: hot?.claim.epoch ?? null,
      redis: copy?.claim.epoch ?? null,
      postgres: postgres?.claim.epoch ?? null,
    },
    age_ms: {
      hot: hot?.ageMs ?? null,
      redis: copy?.ageMs ?? null,
      postgres: postgres?.ageMs ?? null,
    },
    standing: { hot: hot?.standing ?? null, redis: standingOf(redis) },
    redis_copy: redis?.kind ?? 'off',
    nodes: [
      { node_id: nodeId, age_ms: 0, answered: true, ...memoryOf(hot) },
      ...nodes.map(node => ({
        node_id: node.nodeId,
        age_ms: node.seenMs,
        answered: node.answered,
        ...memoryOf(node.tier),
      })),
    ],
  }
}

function standingOf(redis: Compared['redis']): string | null {
  return redis?.kind === 'damaged' ? 'different' : (redis?.tier?.standing ?? null)
}

function memoryOf(tier: Tier | null): Record<string, unknown> {
  return {
    seq: tier?.claim.seq ?? null,
    epoch: tier?.claim.epoch ?? null,
    count: tier?.claim.holds ?? null,
    standing: tier?.standing ?? null,
  }
}
