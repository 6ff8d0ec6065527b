import * as contract from '@voelgoed/contract/prices'
import { isOnSale } from '@voelgoed/core/event/lifecycle'
import type { EventId } from '@voelgoed/core/ids'
import { overlayZones } from '@voelgoed/core/layout/overlay'
import { changedAmounts } from '@voelgoed/core/prices/changed-amounts'
import { checkPrices, type EventToPrice } from '@voelgoed/core/prices/check-prices'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import { pricesWarnings, type ZoneToPrice } from '@voelgoed/core/prices/unpriced'
import { ok, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { checkIfMatch } from '@voelgoed/kit/http/if-match'
import type { Router } from '@voelgoed/kit/http/serve'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { Kit } from '../../module.ts'
import type { Gateway, GatewayName } from '../../payments/gateway.ts'
import { findLayoutVersion, readZones } from '../../venues/tables/layouts.ts'
import { isOpen, notNow } from '../change-an-event.ts'
import { changeEvent } from '../change-event.ts'
import type { PriceLists } from '../price-lists.ts'
import { type Event, findEvent } from '../tables/events.ts'
import { readPrices, readSeatCategories, type StoredPrices, writePrices } from '../tables/prices.ts'
import { visibleTo } from './events.ts'

export interface PriceNeeds {
  readonly lanes: Lanes
  readonly priceLists: PriceLists
  readonly gateway: Gateway
  /** This gateway takes new payments; null: none does, and what costs something can't be paid for here. */
  readonly takesMoney: GatewayName | null
}

/** Tells what places cost: buyers from memory, staff as Postgres has it. */
export function servePrices(
  router: Router,
  { database, log }: Kit,
  { onReplaced, ...needs }: PriceNeeds & { onReplaced(): void },
): void {
  const { lanes, priceLists } = needs
  const gateway = needs.takesMoney ?? 'none'
  router.serve(contract.readPrices, async ({ principal, params }) => {
    const { scope, user } = principal
    const eventId = params.event as EventId
    // Staff who have saved a list read it as buyers do.
    const read = await lanes.readOwn(scope, eventId)
    if (read) {
      const { status } = read.view.state.settings
      if (!visibleTo(user.role, { status, wasOnSale: true })) return refuse({ kind: 'event_not_found' })
      return ok({ status: 200, body: { data: { ...buyersAnswer(await priceLists.of(read.view)), gateway } } })
    }
    const draft = await database.tenant(scope, async tx => {
      const event = await findEvent(tx, eventId)
      return event && { event, prices: await readPrices(tx, event.id) }
    })
    if (!draft || !visibleTo(user.role, draft.event)) return refuse({ kind: 'event_not_found' })
    return ok({ status: 200, body: { data: { ...buyersAnswer(draft.prices?.list ?? null), gateway } } })
  })

  router.serve(contract.readAdminPrices, async ({ principal, params }) => {
    const data = await database.tenant(principal.scope, async tx => {
      const event = await findEvent(tx, params.event)
      if (!event) return null
      const prices = await readPrices(tx, event.id)
      return adminAnswer(prices, await readPlaces(tx, event), needs)
    })
    if (!data) return refuse({ kind: 'event_not_found' })
    return ok({ status: 200, body: { data }, headers: { etag: `"${data.revision}"` } })
  })

  router.serve(contract.replacePrices, async call => {
    let data: ReturnType<typeof adminAnswer> | null = null
    let details: Record<string, unknown> = {}
    const result = await changeEvent({ database, lanes }, call, {
      verb: 'event_prices_replaced',
      details: () => details,
      async next(tx, event) {
        if (!isOpen(event)) return refuse(notNow(event))
        // Read after the event was locked: what came with the event may be older.
        const before = await readPrices(tx, event.id)
        const lost = checkIfMatch(call.headers, before?.revision ?? 0, isOnSale(event.status))
        if (lost) return refuse(lost)
        const places = await readPlaces(tx, event)
        const checked = checkPrices(call.body, places.event)
        if (!checked.ok) return refuse({ kind: 'prices_invalid', errors: checked.problem })
        const after = await writePrices(tx, event.id, checked.value)
        data = adminAnswer(after, places, needs)
        details = changedAmounts(before?.list ?? null, after.list)
        return ok(event)
      },
      answer: () => ({ status: 200, body: { data }, headers: { etag: `"${data?.revision}"` } }),
    })
    if (result.ok && data) {
      const { revision, currency, categories, warnings } = data as ReturnType<typeof adminAnswer>
      onReplaced()
      log.info(
        {
          organization_id: call.principal.scope.organizationId,
          event_id: call.params.event,
          revision,
          currency,
          categories: categories.length,
          not_priced: warnings.length,
        },
        'the prices of an event were replaced',
      )
    }
    return result
  })
}

interface Places {
  readonly event: EventToPrice
  readonly zones: readonly (ZoneToPrice & {
    readonly capacity: number
    readonly seatCounts: readonly number[]
  })[]
}

/** Reads what prices are for: the zones of the event as it has them, and the categories of their seats. */
export async function readPlaces(tx: TenantTx, event: Event): Promise<Places> {
  const { layoutId, layoutVersion } = event
  const zones = overlayZones(await readZones(tx, layoutId, layoutVersion), event.overlay)
  const layout = (await findLayoutVersion(tx, layoutId, layoutVersion))!
  const byZone = new Map<string, { category: string | null; seats: number }[]>()
  for (const { zoneId, ...counted } of await readSeatCategories(tx, layoutId, layoutVersion)) {
    byZone.set(zoneId, [...(byZone.get(zoneId) ?? []), counted])
  }
  const of = (zoneId: string) => byZone.get(zoneId) ?? []
  return {
    event: {
      zones,
      layoutCategories: layout.drawing.priceCategories.map(({ key }) => key),
      days: event.days.map(({ date }) => date),
    },
    zones: zones.map(zone => ({
      ...zone,
      seatCategories: of(zone.zoneId).map(({ category }) => category),
      seatCounts: of(zone.zoneId).map(({ seats }) => seats),
    })),
  }
}

const NO_PRICES = { currency: null, categories: [], zones: {}, fees: [], tax: null }

/** A list without categories gives nothing a price. */
function buyersAnswer(list: PriceList | null) {
  if (!list || list.categories.length === 0) return NO_PRICES
  const { currency, categories, zones, fees, tax } = list
  return { currency, categories, zones, fees, tax }
}

function adminAnswer(
  prices: StoredPrices | null,
  { event, zones }: Places,
  { gateway, takesMoney }: Pick<PriceNeeds, 'gateway' | 'takesMoney'>,
) {
  const list = prices?.list ?? null
  return {
    ...(list ?? { ...NO_PRICES, admission: {} }),
    gateway: takesMoney ?? 'none',
    revision: prices?.revision ?? 0,
    warnings: pricesWarnings(list, zones, event, list ? gateway.amountStep(list.currency) : 1),
  }
}
