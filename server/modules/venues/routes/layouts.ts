import * as contract from '@voelgoed/contract/layouts'
import type { LayoutId, VenueId } from '@voelgoed/core/ids'
import type { LayoutFault } from '@voelgoed/core/layout/model'
import { allowedVersionActions, nextVersionStatus } from '@voelgoed/core/layout/versions'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { acceptedEncoding } from '@voelgoed/kit/http/accepted-encoding'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import { readPage, toPage } from '@voelgoed/kit/http/paging'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { Kit } from '../../module.ts'
import type { LayoutCompiler } from '../compiler.ts'
import { documentAnswer } from '../document-answer.ts'
import type { LayoutDocuments } from '../layout-documents.ts'
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
} from '../tables/layouts.ts'
import { findVenue } from '../tables/venues.ts'
import type { VenueMetrics } from '../venue-metrics.ts'

interface Needs {
  readonly compiler: LayoutCompiler
  readonly documents: LayoutDocuments
  readonly metrics: VenueMetrics
  readonly eventOnLayout: EventOnLayout
}

/** Finds an event that still needs this layout version; null: none does. Events are above venues. */
export type EventOnLayout = (
  tx: TenantTx,
  layoutId: string,
  version: number,
) => Promise<{ readonly name: string; readonly status: string } | null>

export function serveLayouts(
  router: Router,
  { database, clock }: Kit,
  { compiler, documents, metrics, eventOnLayout }: Needs,
): void {
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
      const user = action === 'archive' ? await eventOnLayout(tx, layoutId, version.version) : null
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
    const stop = metrics.saved.startTimer()
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
