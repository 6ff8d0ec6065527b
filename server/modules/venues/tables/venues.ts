import type { VenueId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

export interface Venue {
  id: VenueId
  name: string
  /** Null: the organization's. */
  time_zone: string | null
  address: string | null
  created_at: Date
}

type Row = Venue & Record<string, unknown>

const MEMBERS = 'id, name, time_zone, address, created_at'

export async function insertVenue(tx: TenantTx, venue: Omit<Venue, 'created_at'>): Promise<Venue> {
  return (await tx.one<Row>(
    `insert into venues (organization_id, id, name, time_zone, address) values ($1, $2, $3, $4, $5)
     returning ${MEMBERS}`,
    [venue.id, venue.name, venue.time_zone, venue.address],
  ))!
}

export async function findVenue(tx: TenantTx, id: string): Promise<Venue | null> {
  return (
    (await tx.one<Row>(`select ${MEMBERS} from venues where organization_id = $1 and id = $2`, [id])) ?? null
  )
}

/** Locked until the end of the transaction. */
export async function lockVenue(tx: TenantTx, id: string): Promise<Venue | null> {
  const sql = `select ${MEMBERS} from venues where organization_id = $1 and id = $2 for no key update`
  return (await tx.one<Row>(sql, [id])) ?? null
}

export async function updateVenue(tx: TenantTx, venue: Venue): Promise<void> {
  await tx.query(
    'update venues set name = $3, time_zone = $4, address = $5 where organization_id = $1 and id = $2',
    [venue.id, venue.name, venue.time_zone, venue.address],
  )
}

export async function listVenues(tx: TenantTx, page: { after?: string; limit: number }): Promise<Venue[]> {
  return tx.query<Row>(
    `select ${MEMBERS} from venues
     where organization_id = $1 and ($2::uuid is null or id > $2) order by id limit $3`,
    [page.after ?? null, page.limit],
  )
}
