import * as contract from '@voelgoed/core/contract/running'
import { ok, refuse } from '@voelgoed/core/result'
import type { DatabaseHealth } from '../../postgres/database.ts'
import type { AppDeps } from '../deps.ts'
import { renderDocs } from '../docs-page.ts'
import { FixedDocument } from '../fixed-document.ts'
import { buildOpenApi } from '../openapi.ts'
import type { Router } from '../serve.ts'

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

export function serveRunning(
  router: Router,
  deps: Pick<
    AppDeps,
    'config' | 'database' | 'redis' | 'metrics' | 'readMetrics' | 'draining' | 'sinceReaperRunMs'
  >,
): void {
  router.serve(contract.healthz, () => ok({ status: 200, body: { status: 'ok' } }))

  router.serve(contract.readyz, async () => {
    const health = await deps.database.ping()
    const reason = deps.draining() ? 'draining' : health === 'ok' ? null : health
    return ok({
      status: reason === null ? 200 : 503,
      body: {
        postgres: POSTGRES_STATES[health],
        redis: deps.redis?.state ?? 'off',
        reaper: reaperState(deps.sinceReaperRunMs()),
        ...(reason !== null && { reason }),
      },
    })
  })

  router.serve(contract.metrics, async () => {
    // They are at an address of their own, and those who reach this one need not know that there are any.
    if (deps.config.metricsPort !== null) return refuse({ kind: 'not_found' })
    const text = await deps.readMetrics()
    if (text === null) return refuse({ kind: 'busy', retryAfterSeconds: 5 })
    return ok({
      status: 200,
      bytes: Buffer.from(text),
      headers: { 'content-type': deps.metrics.registry.contentType },
    })
  })

  // The contract can't change while the process runs: both are made once.
  const openapi = buildOpenApi()
  const { page, contentSecurityPolicy } = renderDocs(openapi)
  const json = new FixedDocument(JSON.stringify(openapi), {
    'content-type': 'application/json; charset=utf-8',
  })
  const docs = new FixedDocument(page, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
  })
  router.serve(contract.openapi, async ({ headers }) => ok(await json.answer(headers)))
  router.serve(contract.docs, async ({ headers }) => ok(await docs.answer(headers)))
}

export function reaperState(sinceRunMs: number | null): 'off' | 'ok' | 'degraded' {
  if (sinceRunMs === null) return 'off'
  return sinceRunMs < REAPER_LATE_MS ? 'ok' : 'degraded'
}
