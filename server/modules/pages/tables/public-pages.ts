import type { EventStatus } from '@voelgoed/core/event/lifecycle'
import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'
import { ALL_IN_OF_LIST, type EventDay, IS_SOLD_OUT, salesEndOf } from '../../events/tables/events.ts'
import { IMAGE, type StoredImage } from '../../images/tables/images.ts'

/** An organization that lets people in. */
export interface PublicOrganization {
  readonly id: OrganizationId
  readonly slug: string
  readonly name: string
  readonly locale: string
  readonly allowed_origins: readonly string[]
}

/** Everyone may know this of an event, without signing in. */
export interface PublicEvent {
  readonly id: EventId
  readonly name: string
  readonly status: EventStatus
  readonly description: string | null
  readonly image: StoredImage | null
  readonly starts_at: Date | null
  readonly doors_at: Date | null
  readonly days: readonly EventDay[]
  readonly sale_start: Date | null
  readonly sale_end: Date | null
  readonly updated_at: Date
  readonly time_zone: string
  readonly venue_name: string
  readonly venue_address: string | null
  readonly currency: string | null
  readonly price_from: number | null
  readonly price_to: number | null
  readonly usual_amounts: readonly number[] | null
  readonly fees: PriceList['fees'] | null
  readonly tax: PriceList['tax']
  /** As its last snapshot says, which is a minute old. */
  readonly is_sold_out: boolean
}

/** When its sales end; null: when it is completed. */
export function publicSalesEnd(event: Pick<PublicEvent, 'sale_end' | 'starts_at' | 'days'>): Date | null {
  return salesEndOf({ saleEnd: event.sale_end, startsAt: event.starts_at, days: event.days })
}

/** A suspended organization has no page: it is left out, like one that never was. */
export async function organizationsBySlug(
  tx: PlatformTx,
  slugs: readonly string[],
): Promise<PublicOrganization[]> {
  return tx.query<PublicOrganization & Record<string, unknown>>(
    'select id, slug, name, locale, allowed_origins from organizations where slug = any ($1::text[]) and suspended_at is null',
    [slugs],
  )
}

/**
 * Events that buyers see: from their publication until they are archived. A draft, and a draft that was
 * cancelled, has no ledger.
 */
export async function findPublicEvents(
  tx: TenantTx,
  ids: readonly string[],
): Promise<Map<string, PublicEvent>> {
  const rows = await tx.query<PublicEvent & Record<string, unknown>>(
    `select e.id, e.name, e.status, e.description, ${IMAGE} as image, e.starts_at, e.doors_at, e.days, e.sale_start, e.sale_end, e.updated_at,
       coalesce(v.time_zone, o.time_zone) as time_zone, v.name as venue_name, v.address as venue_address,
       p.currency, p.price_from::float8 as price_from, ${ALL_IN_OF_LIST},
       (select max((t ->> 'amount')::float8) from jsonb_array_elements(p.list -> 'categories') c,
         jsonb_array_elements(c -> 'ticket_types') t) as price_to,
       ${IS_SOLD_OUT} as is_sold_out
     from events e join venues v on v.organization_id = e.organization_id and v.id = e.venue_id
       join organizations o on o.id = e.organization_id
       join event_ledgers l on l.organization_id = e.organization_id and l.event_id = e.id
       left join event_prices p on p.organization_id = e.organization_id and p.event_id = e.id
       left join images i on i.organization_id = e.organization_id and i.event_id = e.id
     where e.organization_id = $1 and e.id = any ($2::uuid[]) and e.status <> 'archived'`,
    [ids],
  )
  return new Map(rows.map(row => [row.id, row]))
}

/** The names of events that begin next, for the description of a storefront. */
export async function nextEventNames(tx: TenantTx, limit: number): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    `select e.name from events e
       join event_ledgers l on l.organization_id = e.organization_id and l.event_id = e.id
     where e.organization_id = $1 and e.status in ('published', 'live') and e.starts_at > now()
     order by e.starts_at, e.id limit $2`,
    [limit],
  )
  return rows.map(row => row.name)
}

/** An address that search engines should know: a storefront, or an event on sale. */
export interface PublicAddress {
  readonly slug: string
  readonly event_id: string | null
  readonly updated_at: Date | null
}

const ADDRESSES = `(select o.slug, null::uuid as event_id, null::timestamptz as updated_at
    from organizations o where o.suspended_at is null
  union all
  select o.slug, e.id, e.updated_at from events e
    join organizations o on o.id = e.organization_id
    join event_ledgers l on l.organization_id = e.organization_id and l.event_id = e.id
    where e.status in ('published', 'live') and o.suspended_at is null) as address`

export async function countPublicAddresses(tx: PlatformTx): Promise<number> {
  return (await tx.one<{ count: number }>(`select count(*)::int as count from ${ADDRESSES}`))!.count
}

export async function listPublicAddresses(
  tx: PlatformTx,
  page: { skip: number; limit: number },
): Promise<PublicAddress[]> {
  return tx.query<PublicAddress & Record<string, unknown>>(
    `select slug, event_id, updated_at from ${ADDRESSES}
     order by slug, event_id nulls first offset $1 limit $2`,
    [page.skip, page.limit],
  )
}
