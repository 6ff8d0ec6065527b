import type { VenueId } from '@voelgoed/core/ids'
import type { TenantTx } from './database.ts'

export interface VenueRow {
  id: VenueId
  name: string
  created_at: Date
}

export async function insertVenue(tx: TenantTx, id: VenueId, name: string): Promise<VenueRow> {
  return (await tx.one<VenueRow>(
    'insert into venues (organization_id, id, name) values ($1, $2, $3) returning id, name, created_at',
    [id, name],
  ))!
}

export async function findVenue(tx: TenantTx, id: string): Promise<VenueRow | null> {
  return (
    (await tx.one<VenueRow>(
      'select id, name, created_at from venues where organization_id = $1 and id = $2',
      [id],
    )) ?? null
  )
}

export async function listVenues(tx: TenantTx, page: { after?: string; limit: number }): Promise<VenueRow[]> {
  return tx.query(
    `select id, name, created_at from venues
     where organization_id = $1 and ($2::uuid is null or id > $2) order by id limit $3`,
    [page.after ?? null, page.limit],
  )
}
