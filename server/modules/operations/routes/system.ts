import * as contract from '@voelgoed/contract/system'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { VERSION } from '@voelgoed/kit/base/version'
import { readPage } from '@voelgoed/kit/http/paging'
import type { Router } from '@voelgoed/kit/http/serve'
import { ALIVE_MS, listNodes } from '../../copies/tables/nodes.ts'
import { countMailsByStatus } from '../../mail/tables/mails.ts'
import type { Kit } from '../../module.ts'
import type { GatewayName } from '../../payments/gateway.ts'
import {
  countGatewayEvents,
  listOpenGatewayEvents,
  retryGatewayEvent,
} from '../../payments/tables/open-gateway-events.ts'
import { type RunningNeeds, reaperState } from './running.ts'

export interface SystemNeeds extends Pick<RunningNeeds, 'sinceReaperRunMs'> {
  readonly mails: { readonly canSend: boolean }
  readonly takesMoney: GatewayName | null
  readonly paymentWork: { wake(): void }
}

/** The machinery as staff see it: what keeps the seats, and what of their organization waits. */
export function serveSystem(
  router: Router,
  { database, clock, redis, nodeId, log }: Pick<Kit, 'database' | 'clock' | 'redis' | 'nodeId' | 'log'>,
  needs: SystemNeeds,
): void {
  router.serve(contract.readSystem, async ({ principal }) => {
    const most = contract.MAX_COUNTED_SYSTEM
    const began = clock.elapsed()
    const nodes = await database.platform('keep the list of nodes', tx => listNodes(tx))
    const answerMs = clock.elapsed() - began
    const mails = await database.tenant(principal.scope, tx => countMailsByStatus(tx, most))
    const events = await database.platform('take news of the gateway', tx =>
      countGatewayEvents(tx, principal.scope.organizationId, most),
    )
    const sinceReaper = needs.sinceReaperRunMs()
    const data = {
      version: VERSION,
      node_id: nodeId,
      postgres: { state: 'ok', answer_ms: Math.round(answerMs * 10) / 10 },
      redis: { state: redis?.state ?? 'off' },
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
      mails: { can_send: needs.mails.canSend, ...mails },
      gateway_events: { gateway: needs.takesMoney ?? 'none', ...events },
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
    needs.paymentWork.wake()
    log.info({ reqId: call.requestId, gateway_event_id: id }, 'news of the gateway is handled again')
    return ok({ status: 202, body: { data: { gateway_event_id: id } } })
  })
}
