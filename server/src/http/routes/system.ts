import * as contract from '@voelgoed/core/contract/system'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '../../postgres/tables/audit-log.ts'
import { countMailsByStatus } from '../../postgres/tables/mails.ts'
import { ALIVE_MS, listNodes } from '../../postgres/tables/nodes.ts'
import {
  countGatewayEvents,
  listOpenGatewayEvents,
  retryGatewayEvent,
} from '../../postgres/tables/open-gateway-events.ts'
import { VERSION } from '../../version.ts'
import type { AppDeps } from '../deps.ts'
import { readPage } from '../paging.ts'
import type { Router } from '../serve.ts'
import { reaperState } from './running.ts'

/** The machinery as staff see it: what keeps the seats, and what of their organization waits. */
export function serveSystem(
  router: Router,
  deps: Pick<
    AppDeps,
    | 'database'
    | 'redis'
    | 'nodeId'
    | 'mails'
    | 'takesMoney'
    | 'sinceReaperRunMs'
    | 'clock'
    | 'paymentWork'
    | 'log'
  >,
): void {
  const { database, clock } = deps

  router.serve(contract.readSystem, async ({ principal }) => {
    const most = contract.MAX_COUNTED_SYSTEM
    const began = clock.elapsed()
    const nodes = await database.platform('keep the list of nodes', tx => listNodes(tx))
    const answerMs = clock.elapsed() - began
    const mails = await database.tenant(principal.scope, tx => countMailsByStatus(tx, most))
    const events = await database.platform('take news of the gateway', tx =>
      countGatewayEvents(tx, principal.scope.organizationId, most),
    )
    const sinceReaper = deps.sinceReaperRunMs()
    const data = {
      version: VERSION,
      node_id: deps.nodeId,
      postgres: { state: 'ok', answer_ms: Math.round(answerMs * 10) / 10 },
      redis: { state: deps.redis?.state ?? 'off' },
      reaper: {
        state: reaperState(sinceReaper),
        age_ms: sinceReaper === null || !Number.isFinite(sinceReaper) ? null : Math.round(sinceReaper),
      },
      nodes: nodes.map(node => ({
        node_id: node.id,
        version: node.version,
        started_at: node.startedAt.toISOString(),
        age_ms: node.ageMs,
        alive: node.ageMs < ALIVE_MS,
        events_in_memory: node.eventsInMemory,
        bus: node.bus,
        redis: node.redis,
      })),
      mails: { can_send: deps.mails.canSend, ...mails },
      gateway_events: { gateway: deps.takesMoney ?? 'none', ...events },
    }
    return ok({ status: 200, body: { data } })
  })

  router.serve(contract.listGatewayEvents, async ({ principal, query }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const events = await database.platform('take news of the gateway', tx =>
      listOpenGatewayEvents(tx, principal.scope.organizationId, {
        state: query.state ?? null,
        limit: page.value.limit,
      }),
    )
    return ok({
      status: 200,
      body: {
        data: events.map(({ id, received_at, due_at, ...event }) => ({
          gateway_event_id: id,
          ...event,
          received_at: received_at.toISOString(),
          due_at: due_at.toISOString(),
        })),
        next: null,
      },
    })
  })

  router.serve(contract.retryGatewayEvent, async call => {
    const { scope } = call.principal
    const id = call.body.gateway_event_id
    const isThere = await database.platform('take news of the gateway', tx =>
      retryGatewayEvent(tx, scope.organizationId, id),
    )
    if (!isThere) return refuse({ kind: 'not_found' })
    await database.tenant(scope, tx =>
      appendAudit(tx, call.by, { action: 'gateway_event_retried', changes: { gateway_event_id: id } }),
    )
    deps.paymentWork.wake()
    deps.log.info({ reqId: call.requestId, gateway_event_id: id }, 'news of the gateway is handled again')
    return ok({ status: 202, body: { data: { gateway_event_id: id } } })
  })
}
