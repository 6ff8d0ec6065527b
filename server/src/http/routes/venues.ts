import * as contract from '@voelgoed/core/contract/layouts'
import type { VenueId } from '@voelgoed/core/ids'
import { ok } from '@voelgoed/core/result'
import { appendAudit } from '../../postgres/audit-log.ts'
import { insertVenue, listVenues, type VenueRow } from '../../postgres/venues.ts'
import { uuidV7 } from '../../uuid-v7.ts'
import type { AppDeps } from '../app.ts'
import { readPage, toPage } from '../paging.ts'
import type { Router } from '../serve.ts'
import { inTenant } from '../transactions.ts'

export function serveVenues(router: Router, { database, clock }: Pick<AppDeps, 'database' | 'clock'>): void {
  router.serve(contract.createVenue, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const venue = await insertVenue(tx, uuidV7(clock.now()) as VenueId, call.body.name)
      await appendAudit(tx, call.by, {
        action: 'venue_created',
        entity: { type: 'venue', id: venue.id },
        changes: { name: venue.name },
      })
      return ok({ status: 201, body: { data: venueAnswer(venue) } })
    }),
  )

  router.serve(contract.listVenues, async ({ principal, query }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const { after, limit } = page.value
    const rows = await database.tenant(principal.scope, tx => listVenues(tx, { after, limit: limit + 1 }))
    return ok({ status: 200, body: toPage(rows, limit, row => row.id, venueAnswer) })
  })
}

function venueAnswer(venue: VenueRow): object {
  return { id: venue.id, name: venue.name, created_at: venue.created_at.toISOString() }
}
