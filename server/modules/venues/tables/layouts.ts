import type { LayoutId, SeatGroupId, SeatId, UserId, VenueId, ZoneId } from '@voelgoed/core/ids'
import type {
  AccessMode,
  GroupType,
  Outline,
  Point,
  PriceCategory,
  SeatCategory,
  Zone,
  ZoneType,
} from '@voelgoed/core/layout/model'
import { CompanionLabels } from '@voelgoed/core/layout/to-config'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/** Shapes that are drawn but not sold. */
export interface Drawing {
  readonly priceCategories: readonly PriceCategory[]
  readonly focalPoint: Point | null
  readonly outlines: readonly Outline[]
}

/**
 * A checked layout in the form in which it goes into the database: made in a worker thread, so that the
 * thread that serves buyers only passes text on. Seats come as one Postgres array literal a column.
 */
export interface PreparedLayout {
  readonly totalCapacity: number
  readonly seatCount: number
  readonly drawing: string
  readonly zones: string
  readonly groups: string
  readonly seatChunks: readonly (readonly string[])[]
}

type LayoutStatus = 'draft' | 'active' | 'archived'

export interface LayoutVersion {
  readonly layoutId: LayoutId
  readonly venueId: VenueId
  readonly name: string
  readonly description: string | null
  readonly version: number
  readonly status: LayoutStatus
  readonly totalCapacity: number
  readonly seatCount: number
  readonly createdAt: Date
  /** The layout changed then: its name, its description, the status of any of its versions. */
  readonly updatedAt: Date
  readonly drawing: Drawing
}

export async function insertLayout(
  tx: TenantTx,
  layout: { layoutId: LayoutId; venueId: VenueId; name: string; description: string | null },
): Promise<void> {
  await tx.query(
    `insert into layouts (organization_id, id, venue_id, name, description, latest_version)
     values ($1, $2, $3, $4, $5, 1)`,
    [layout.layoutId, layout.venueId, layout.name, layout.description],
  )
}

/**
 * The number of the next version. Holds the layout's row, so that two savings get two numbers. A name or a
 * description that is left out stays as it is.
 */
export async function takeNextVersion(
  tx: TenantTx,
  layoutId: string,
  { name, description }: { name: string | undefined; description: string | null | undefined },
): Promise<number | null> {
  const row = await tx.one<{ latest_version: number }>(
    `update layouts set latest_version = latest_version + 1, name = coalesce($3, name),
       description = case when $4 then $5 else description end, updated_at = now()
     where organization_id = $1 and id = $2 returning latest_version`,
    [layoutId, name ?? null, description !== undefined, description ?? null],
  )
  return row?.latest_version ?? null
}

export async function insertLayoutVersion(
  tx: TenantTx,
  layoutId: LayoutId,
  version: number,
  prepared: PreparedLayout,
): Promise<void> {
  await tx.query(
    `insert into layout_versions (organization_id, layout_id, version, total_capacity, seat_count, drawing)
     values ($1, $2, $3, $4, $5, $6)`,
    [layoutId, version, prepared.totalCapacity, prepared.seatCount, prepared.drawing],
  )
  await tx.query(
    `insert into zones (organization_id, layout_id, version, zone_id, position, name, zone_type, capacity, access_mode,
       membership_tier, allowed_roles, allowed_user_ids, metadata, outline, level, first_ordinal, seat_count)
     select $1, $2, $3, z.* from jsonb_to_recordset($4) as z (
       zone_id uuid, position int, name text, zone_type zone_type, capacity int, access_mode access_mode,
       membership_tier text, allowed_roles text[], allowed_user_ids uuid[], metadata jsonb, outline jsonb,
       level text, first_ordinal int, seat_count int)`,
    [layoutId, version, prepared.zones],
  )
  for (const columns of prepared.seatChunks) {
    await tx.query(
      `insert into seats (organization_id, layout_id, version, ordinal, seat_id, zone_id, label, row_label, number,
         category, price_category, x, y, companion_ordinal, aisle_after)
       select $1, $2, $3, s.* from unnest($4::int[], $5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::text[],
         $10::seat_category[], $11::text[], $12::float8[], $13::float8[], $14::int[], $15::boolean[]) as s`,
      [layoutId, version, ...columns],
    )
  }
  await tx.query(
    `insert into seat_groups (organization_id, layout_id, version, group_id, position, group_type, name, ordinals, metadata)
     select $1, $2, $3, g.* from jsonb_to_recordset($4) as g (
       group_id uuid, position int, group_type seat_group_type, name text, ordinals int[], metadata jsonb)`,
    [layoutId, version, prepared.groups],
  )
}

interface VersionRow {
  layout_id: LayoutId
  venue_id: VenueId
  name: string
  description: string | null
  version: number
  status: LayoutStatus
  total_capacity: number
  seat_count: number
  created_at: Date
  updated_at: Date
  drawing: Drawing
}

const VERSION_COLUMNS = `l.id as layout_id, l.venue_id, l.name, l.description, v.version, v.status, v.total_capacity,
  v.seat_count, v.created_at, l.updated_at, v.drawing`

/** `version`: a number, or the latest one there is, or the latest that is active. */
export async function findLayoutVersion(
  tx: TenantTx,
  layoutId: string,
  version: number | 'latest' | 'latest active',
): Promise<LayoutVersion | null> {
  const row = await tx.one<VersionRow>(
    `select ${VERSION_COLUMNS} from layouts l
     join layout_versions v on v.organization_id = l.organization_id and v.layout_id = l.id
     where l.organization_id = $1 and l.id = $2
       and ($3::int is null or v.version = $3) and ($4::layout_status is null or v.status = $4)
     order by v.version desc limit 1`,
    [layoutId, typeof version === 'number' ? version : null, version === 'latest active' ? 'active' : null],
  )
  return row ? toVersion(row) : null
}

/** The same, locked until the end of the transaction: no other transaction changes its status meanwhile. */
export async function lockLayoutVersion(
  tx: TenantTx,
  layoutId: string,
  version: number,
): Promise<LayoutVersion | null> {
  const row = await tx.one<VersionRow>(
    `select ${VERSION_COLUMNS} from layouts l
     join layout_versions v on v.organization_id = l.organization_id and v.layout_id = l.id
     where l.organization_id = $1 and l.id = $2 and v.version = $3 for update of v`,
    [layoutId, version],
  )
  return row ? toVersion(row) : null
}

export async function setLayoutStatus(
  tx: TenantTx,
  layoutId: string,
  version: number,
  status: 'active' | 'archived',
): Promise<void> {
  const stamp = status === 'active' ? 'activated_at' : 'archived_at'
  await tx.query(
    `update layout_versions set status = $4, ${stamp} = now()
     where organization_id = $1 and layout_id = $2 and version = $3`,
    [layoutId, version, status],
  )
  await tx.query('update layouts set updated_at = now() where organization_id = $1 and id = $2', [layoutId])
}

interface LayoutRow extends Record<string, unknown> {
  layout_id: LayoutId
  name: string
  description: string | null
  created_at: Date
  updated_at: Date
}

/** Layouts of a venue, in the order of their creation, each with all its versions. */
export async function listLayouts(
  tx: TenantTx,
  venueId: string,
  page: { after?: string; limit: number },
): Promise<(LayoutRow & { versions: LayoutVersion[] })[]> {
  const layouts = await tx.query<LayoutRow>(
    `select id as layout_id, name, description, created_at, updated_at from layouts
     where organization_id = $1 and venue_id = $2 and ($3::uuid is null or id > $3) order by id limit $4`,
    [venueId, page.after ?? null, page.limit],
  )
  const rows = await tx.query<VersionRow>(
    `select ${VERSION_COLUMNS} from layouts l
     join layout_versions v on v.organization_id = l.organization_id and v.layout_id = l.id
     where l.organization_id = $1 and l.id = any ($2::uuid[]) order by v.version`,
    [layouts.map(layout => layout.layout_id)],
  )
  return layouts.map(layout => ({
    ...layout,
    versions: rows.filter(row => row.layout_id === layout.layout_id).map(toVersion),
  }))
}

export async function readZones(tx: TenantTx, layoutId: string, version: number): Promise<Zone[]> {
  const rows = await tx.query<{
    zone_id: ZoneId
    name: string
    zone_type: ZoneType
    capacity: number
    access_mode: AccessMode
    membership_tier: string | null
    allowed_roles: string[]
    allowed_user_ids: string
    metadata: Record<string, unknown>
    outline: Point[] | null
    level: string | null
    first_ordinal: number
    seat_count: number
  }>(
    `select zone_id, name, zone_type, capacity, access_mode, membership_tier, allowed_roles,
       to_json(allowed_user_ids)::text as allowed_user_ids, metadata, outline, level, first_ordinal, seat_count
     from zones where organization_id = $1 and layout_id = $2 and version = $3 order by position`,
    [layoutId, version],
  )
  return rows.map(row => ({
    zoneId: row.zone_id,
    name: row.name,
    zoneType: row.zone_type,
    capacity: row.capacity,
    accessMode: row.access_mode,
    membershipTier: row.membership_tier,
    allowedRoles: row.allowed_roles,
    allowedUserIds: JSON.parse(row.allowed_user_ids) as UserId[],
    metadata: row.metadata,
    outline: row.outline,
    level: row.level,
    firstOrdinal: row.first_ordinal,
    seatCount: row.seat_count,
  }))
}

export interface SeatRow {
  ordinal: number
  seat_id: SeatId
  label: string
  row_label: string
  number: string
  category: SeatCategory
  price_category: string | null
  x: number
  y: number
  companion_ordinal: number | null
  companion_seat_id: SeatId | null
  /** A wheelchair place lists all its companion seats, a companion seat its place. */
  companion_labels: readonly string[]
  aisle_after: boolean | null
}

/**
 * Seats by ordinal, a page at a time. Companions are few and are read first: a join of the seats with
 * themselves can't use the index under row-level security,
 * and took 27 s for 8,000 seats that had just been saved.
 */
export async function* readSeats(tx: TenantTx, layoutId: string, version: number): AsyncGenerator<SeatRow[]> {
  const companions = await tx.query<
    Pick<SeatRow, 'ordinal' | 'seat_id' | 'label' | 'category' | 'companion_ordinal'>
  >(
    `select ordinal, seat_id, label, category, companion_ordinal from seats
     where organization_id = $1 and layout_id = $2 and version = $3 and companion_ordinal is not null
     order by ordinal`,
    [layoutId, version],
  )
  const idsByOrdinal = new Map(companions.map(seat => [seat.ordinal, seat.seat_id]))
  const labels = new CompanionLabels(companions.map(paired))
  const pages = tx.pages<Omit<SeatRow, 'companion_seat_id' | 'companion_labels'>>(
    `select ordinal, seat_id, label, row_label, number, category, price_category, x, y, companion_ordinal, aisle_after
     from seats where organization_id = $1 and layout_id = $2 and version = $3 order by ordinal`,
    [layoutId, version],
  )
  for await (const page of pages) {
    yield page.map(seat => ({
      ...seat,
      companion_seat_id: idsByOrdinal.get(seat.companion_ordinal ?? -1) ?? null,
      companion_labels: labels.of(paired(seat)),
    }))
  }
}

function paired(row: Pick<SeatRow, 'ordinal' | 'label' | 'category' | 'companion_ordinal'>) {
  const { ordinal, label, category, companion_ordinal: companionOrdinal } = row
  return { ordinal, label, category, companionOrdinal }
}

export interface GroupRow extends Record<string, unknown> {
  group_id: SeatGroupId
  group_type: GroupType
  name: string | null
  ordinals: number[]
  metadata: Record<string, unknown>
}

export async function readGroups(tx: TenantTx, layoutId: string, version: number): Promise<GroupRow[]> {
  return tx.query(
    `select group_id, group_type, name, ordinals, metadata from seat_groups
     where organization_id = $1 and layout_id = $2 and version = $3 order by position`,
    [layoutId, version],
  )
}

export async function findSeat(
  tx: TenantTx,
  layoutId: string,
  version: number,
  seatId: string,
): Promise<{ readonly ordinal: number; readonly zoneId: ZoneId; readonly category: SeatCategory } | null> {
  const row = await tx.one<{ ordinal: number; zone_id: ZoneId; category: SeatCategory }>(
    `select ordinal, zone_id, category from seats
     where organization_id = $1 and layout_id = $2 and version = $3 and seat_id = $4`,
    [layoutId, version, seatId],
  )
  return row ? { ordinal: row.ordinal, zoneId: row.zone_id, category: row.category } : null
}

/** Those of the ids that are no seat in these zones of this layout version. */
export async function unknownSeats(
  tx: TenantTx,
  seats: { layoutId: string; version: number; zoneIds: readonly string[]; seatIds: readonly string[] },
): Promise<Set<string>> {
  if (seats.seatIds.length === 0) return new Set()
  const rows = await tx.query<{ id: string }>(
    `select id from unnest($4::uuid[]) as wanted (id)
     where not exists (select from seats s where s.organization_id = $1 and s.layout_id = $2 and s.version = $3
       and s.seat_id = wanted.id and s.zone_id = any ($5::uuid[]))`,
    [seats.layoutId, seats.version, seats.seatIds, seats.zoneIds],
  )
  return new Set(rows.map(row => row.id))
}

function toVersion(row: VersionRow): LayoutVersion {
  return {
    layoutId: row.layout_id,
    venueId: row.venue_id,
    name: row.name,
    description: row.description,
    version: row.version,
    status: row.status,
    totalCapacity: row.total_capacity,
    seatCount: row.seat_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    drawing: row.drawing,
  }
}
