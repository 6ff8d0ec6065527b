import * as contract from '@voelgoed/contract/layouts'
import type { VenueId } from '@voelgoed/core/ids'
import { isTimeZone } from '@voelgoed/core/region'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { changedMembers } from '@voelgoed/kit/http/changed-members'
import { readPage, toPage } from '@voelgoed/kit/http/paging'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { Kit } from '../../module.ts'
import { unknownTimeZone } from '../../people/routes/organization.ts'
import { readOrganization } from '../../people/tables/organizations.ts'
import { insertVenue, listVenues, lockVenue, updateVenue, type Venue } from '../tables/venues.ts'

export function serveVenues(router: Router, { database, clock }: Kit): void {
  router.serve(contract.createVenue, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const { name, time_zone = null, address = null } = call.body
      if (!isTimeZoneOrNone(time_zone)) return refuse(unknownTimeZone)
      const venue = await insertVenue(tx, {
        id: uuidV7(clock.now()) as VenueId,
        name,
        time_zone,
        address,
      })
      await appendAudit(tx, call.by, {
        action: 'venue_created',
        entity: { type: 'venue', id: venue.id },
        changes: { name, time_zone, address },
      })
      const organization = await readOrganization(tx)
      return ok({ status: 201, body: { data: venueAnswer(venue, organization.time_zone) } })
    }),
  )

  router.serve(contract.updateVenue, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const before = await lockVenue(tx, call.params.venue)
      if (!before) return refuse({ kind: 'venue_not_found' })
      const after: Venue = { ...before, ...call.body }
      if (!isTimeZoneOrNone(after.time_zone)) return refuse(unknownTimeZone)
      await updateVenue(tx, after)
      await appendAudit(tx, call.by, {
        action: 'venue_updated',
        entity: { type: 'venue', id: after.id },
        changes: changedMembers(before, after),
      })
      const organization = await readOrganization(tx)
      return ok({ status: 200, body: { data: venueAnswer(after, organization.time_zone) } })
    }),
  )

  router.serve(contract.listVenues, async ({ principal, query }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const { after, limit } = page.value
    const { venues, organization } = await database.tenant(principal.scope, async tx => ({
      venues: await listVenues(tx, { after, limit: limit + 1 }),
      organization: await readOrganization(tx),
    }))
    const answer = (venue: Venue) => venueAnswer(venue, organization.time_zone)
    return ok({ status: 200, body: toPage(venues, limit, venue => venue.id, answer) })
  })
}

function isTimeZoneOrNone(name: string | null): boolean {
  return name === null || isTimeZone(name)
}

function venueAnswer(venue: Venue, organizationTimeZone: string): object {
  return {
    id: venue.id,
    name: venue.name,
    time_zone: venue.time_zone ?? organizationTimeZone,
    address: venue.address,
    created_at: venue.created_at.toISOString(),
  }
}
