import * as contract from '@voelgoed/contract/running'
import { ok, refuse } from '@voelgoed/core/result'
import { FixedDocument } from '@voelgoed/kit/http/fixed-document'
import type { Router } from '@voelgoed/kit/http/serve'
import type { DatabaseHealth } from '@voelgoed/kit/postgres/database'
import type { Kit } from '../../module.ts'
import { renderDocs } from '../docs-page.ts'
import { buildOpenApi } from '../openapi.ts'

/** It runs every 30 s at least. */
const REAPER_LATE_MS = 90_000

const POSTGRES_STATES = {
  ok: 'ok',
  unreachable: 'down',
  settings_dropped: 'down',
  // It answers, and buyers can look.
  read_only: 'degraded',
  disk_full: 'degraded',
} as const satisfies Record<DatabaseHealth, string>

export interface RunningNeeds {
  /** Metrics are told at this port. Null: at the port of the API. */
  readonly metricsPort: number | null
  /** Metrics of all processes behind the port, for Prometheus; null when they could not be had in time. */
  readonly readMetrics: () => Promise<string | null>
  /** True from the moment a shutdown was asked for. */
  readonly draining: () => boolean
  /** Since the last run of the reaper; infinite before the first, null when it is off. */
  readonly sinceReaperRunMs: () => number | null
}

export function serveRunning(
  router: Router,
  { database, redis, metrics }: Pick<Kit, 'database' | 'redis' | 'metrics'>,
  needs: RunningNeeds,
): void {
  router.serve(contract.healthz, () => ok({ status: 200, body: { status: 'ok' } }))

  router.serve(contract.readyz, async () => {
    const health = await database.ping()
    const reason = needs.draining() ? 'draining' : health === 'ok' ? null : health
    return ok({
      status: reason === null ? 200 : 503,
      body: {
        postgres: POSTGRES_STATES[health],
        redis: redis?.state ?? 'off',
        reaper: reaperState(needs.sinceReaperRunMs()),
        ...(reason !== null && { reason }),
      },
    })
  })

  router.serve(contract.metrics, async () => {
    // They are at an address of their own, and those who reach this one need not know that there are any.
    if (needs.metricsPort !== null) return refuse({ kind: 'not_found' })
    const text = await needs.readMetrics()
    if (text === null) return refuse({ kind: 'busy', retryAfterSeconds: 5 })
    return ok({
      status: 200,
      bytes: Buffer.from(text),
      headers: { 'content-type': metrics.registry.contentType },
    })
  })

  // The contract can't change while the process runs: each is made once, when it is first asked for. A node
  // starts sooner without them, and most of its processes are never asked.
  const openapi = once(buildOpenApi)
  const json = once(
    () => new FixedDocument(JSON.stringify(openapi()), { 'content-type': 'application/json; charset=utf-8' }),
  )
  const docs = once(() => {
    const { page, contentSecurityPolicy } = renderDocs(openapi())
    return new FixedDocument(page, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
    })
  })
  router.serve(contract.openapi, async ({ headers }) => ok(await json().answer(headers)))
  router.serve(contract.docs, async ({ headers }) => ok(await docs().answer(headers)))
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

export function reaperState(sinceRunMs: number | null): 'off' | 'ok' | 'degraded' {
  if (sinceRunMs === null) return 'off'
  return sinceRunMs < REAPER_LATE_MS ? 'ok' : 'degraded'
}
