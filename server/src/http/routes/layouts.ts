import * as contract from '@voelgoed/core/contract/layouts'
import type { LayoutId, VenueId } from '@voelgoed/core/ids'
import type { LayoutFault } from '@voelgoed/core/layout/model'
import { allowedVersionActions, nextVersionStatus } from '@voelgoed/core/layout/versions'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { FinishedDocument } from '../../layouts/growing-document.ts'
import { AskTogether } from '../../postgres/ask-together.ts'
import type { TenantTx } from '../../postgres/database.ts'
import { appendAudit } from '../../postgres/tables/audit-log.ts'
import { findEvents, openEventOnLayout } from '../../postgres/tables/events.ts'
import {
  findLayoutVersion,
  insertLayout,
  insertLayoutVersion,
  type LayoutVersion,
  listLayouts,
  lockLayoutVersion,
  type PreparedLayout,
  setLayoutStatus,
  takeNextVersion,
} from '../../postgres/tables/layouts.ts'
import { findVenue } from '../../postgres/tables/venues.ts'
import { uuidV7 } from '../../uuid-v7.ts'
import { acceptedEncoding } from '../accepted-encoding.ts'
import type { Answer, Call } from '../call.ts'
import type { AppDeps } from '../deps.ts'
import { readPage, toPage } from '../paging.ts'
import type { Router } from '../serve.ts'
import { inTenant } from '../transactions.ts'
import { visibleTo } from './events.ts'

export function serveLayouts(
  router: Router,
  deps: Pick<AppDeps, 'database' | 'clock' | 'compiler' | 'documents' | 'metrics'>,
): void {
  const { database, clock, compiler, documents, metrics } = deps
  const events = new AskTogether(database, findEvents)

  router.serve(
    contract.createLayout,
    call =>
      timed(async () => {
        const { scope } = call.principal
        const venue = await database.tenant(scope, tx => findVenue(tx, call.params.venue))
        if (!venue) return refuse({ kind: 'venue_not_found' })
        const layoutId = uuidV7(clock.now()) as LayoutId
        const compiled = await compiler.run(
          { layoutId, kind: 'layout', body: call.bytes },
          scope.organizationId,
        )
        if (!compiled.ok) return compiled
        const { name, description = null, prepared, warnings } = compiled.value
        return inTenant(database, scope, call, async tx => {
          const venueId = call.params.venue as VenueId
          await insertLayout(tx, { layoutId, venueId, name: name!, description })
          await saveVersion(tx, call, layoutId, 1, prepared)
          return ok(savedVersion(layoutId, 1, prepared, warnings))
        })
      }),
    { rawBody: true },
  )

  router.serve(
    contract.createLayoutVersion,
    call =>
      timed(async () => {
        const { scope } = call.principal
        const layoutId = call.params.layout as LayoutId
        const known = await database.tenant(scope, tx => findLayoutVersion(tx, layoutId, 'latest'))
        if (!known) return refuse({ kind: 'layout_not_found' })
        const compiled = await compiler.run(
          { layoutId, kind: 'version', body: call.bytes },
          scope.organizationId,
        )
        if (!compiled.ok) return compiled
        const { name, description, prepared, warnings } = compiled.value
        return inTenant(database, scope, call, async tx => {
          const version = await takeNextVersion(tx, layoutId, { name, description })
          if (version === null) return refuse({ kind: 'layout_not_found' })
          await saveVersion(tx, call, layoutId, version, prepared)
          return ok(savedVersion(layoutId, version, prepared, warnings))
        })
      }),
    { rawBody: true },
  )

  router.serve(contract.listLayouts, async ({ principal, params, query }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const { after, limit } = page.value
    const rows = await database.tenant(principal.scope, async tx =>
      (await findVenue(tx, params.venue)) ? listLayouts(tx, params.venue, { after, limit: limit + 1 }) : null,
    )
    if (!rows) return refuse({ kind: 'venue_not_found' })
    return ok({
      status: 200,
      body: toPage(
        rows,
        limit,
        row => row.layout_id,
        row => ({
          layout_id: row.layout_id,
          name: row.name,
          description: row.description,
          created_at: row.created_at.toISOString(),
          updated_at: row.updated_at.toISOString(),
          versions: row.versions.map(versionSummary),
        }),
      ),
    })
  })

  router.serve(contract.readLayout, async call => {
    const { scope } = call.principal
    const wanted = call.query.version === undefined ? 'latest' : Number(call.query.version)
    const version = await database.tenant(scope, tx => findLayoutVersion(tx, call.params.layout, wanted))
    const document = version && (await documents.ofVersion(scope, version, acceptedEncoding(call.headers)))
    return document ? ok(documentAnswer(call, document)) : refuse({ kind: 'layout_not_found' })
  })

  router.serve(contract.readEventLayout, async call => {
    const { scope, user } = call.principal
    const event = await events.ask(scope, call.params.event)
    if (!event || !visibleTo(user.role, event)) return refuse({ kind: 'event_not_found' })
    const document = await documents.ofEvent(scope, event, acceptedEncoding(call.headers))
    return document ? ok(documentAnswer(call, document)) : refuse({ kind: 'event_not_found' })
  })

  router.serve(contract.readEventMap, async call => {
    const { scope, user } = call.principal
    const event = await events.ask(scope, call.params.event)
    if (!event || !visibleTo(user.role, event)) return refuse({ kind: 'event_not_found' })
    const document = await documents.mapOfEvent(scope, event, acceptedEncoding(call.headers))
    if (document === 'busy') return refuse({ kind: 'busy', retryAfterSeconds: 5 })
    if (!document) return refuse({ kind: 'event_not_found' })
    return ok(documentAnswer(call, document, 'application/octet-stream'))
  })

  router.serve(contract.activateLayoutVersion, call => changeStatus(call, 'activate'))
  router.serve(contract.archiveLayoutVersion, call => changeStatus(call, 'archive'))

  function changeStatus(
    call: Call<typeof contract.activateLayoutVersion | typeof contract.archiveLayoutVersion>,
    action: 'activate' | 'archive',
  ): Promise<Result<Answer, Refusal>> {
    const { layout: layoutId, v } = call.params
    return inTenant(database, call.principal.scope, call, async tx => {
      const version = await lockLayoutVersion(tx, layoutId, Number(v))
      if (!version) return refuse({ kind: 'layout_not_found' })
      const status = nextVersionStatus(version.status, action)
      if (status === null) {
        const allowed = allowedVersionActions(version.status)
        return refuse({ kind: 'invalid_transition', status: version.status, allowed })
      }
      const user = action === 'archive' ? await openEventOnLayout(tx, layoutId, version.version) : null
      if (user) {
        const reason = `The event "${user.name}" (${user.status}) uses this version. Move or finish it first.`
        return refuse({ kind: 'layout_in_use', reason })
      }
      await setLayoutStatus(tx, layoutId, version.version, status)
      await appendAudit(tx, call.by, {
        action: action === 'activate' ? 'layout_activated' : 'layout_archived',
        entity: { type: 'layout', id: layoutId },
        changes: { version: version.version, status: { before: version.status, after: status } },
      })
      return ok({
        status: 200,
        body: { data: { layout_id: layoutId, version: version.version, status } },
      })
    })
  }

  async function timed(work: () => Promise<Result<Answer, Refusal>>): Promise<Result<Answer, Refusal>> {
    const stop = metrics.layoutsSaved.startTimer()
    const result = await work()
    stop({ outcome: result.ok ? 'ok' : result.problem.kind })
    return result
  }
}

async function saveVersion(
  tx: TenantTx,
  call: Call,
  layoutId: LayoutId,
  version: number,
  prepared: PreparedLayout,
): Promise<void> {
  await insertLayoutVersion(tx, layoutId, version, prepared)
  await appendAudit(tx, call.by, {
    action: version === 1 ? 'layout_created' : 'layout_version_created',
    entity: { type: 'layout', id: layoutId },
    changes: { version, total_capacity: prepared.totalCapacity, seat_count: prepared.seatCount },
  })
}

function savedVersion(
  layoutId: LayoutId,
  version: number,
  prepared: PreparedLayout,
  warnings: readonly LayoutFault[],
): Answer {
  const data = {
    layout_id: layoutId,
    version,
    status: 'draft',
    total_capacity: prepared.totalCapacity,
    seat_count: prepared.seatCount,
    warnings,
  }
  return { status: 201, body: { data } }
}

function versionSummary(version: LayoutVersion): object {
  return {
    version: version.version,
    status: version.status,
    total_capacity: version.totalCapacity,
    seat_count: version.seatCount,
    created_at: version.createdAt.toISOString(),
  }
}

function documentAnswer(
  call: Call,
  document: FinishedDocument,
  contentType = 'application/json; charset=utf-8',
): Answer {
  const headers = {
    etag: document.etag,
    vary: 'accept-encoding, authorization',
    // Kept by the browser, asked about each time: the overlay may have changed.
    'cache-control': 'private, no-cache',
  }
  const known = String(call.headers['if-none-match'] ?? '')
    .split(',')
    .map(tag => tag.trim().replace(/^W\//, ''))
  if (known.includes(document.etag) || known.includes('*')) return { status: 304, bytes: null, headers }
  return {
    status: 200,
    bytes: document.bytes,
    headers: {
      ...headers,
      'content-type': contentType,
      ...(document.encoding !== 'identity' && { 'content-encoding': document.encoding }),
    },
  }
}
