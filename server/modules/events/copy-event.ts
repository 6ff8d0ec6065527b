import { shiftTimes } from '@voelgoed/core/event/shift-times'
import type { EventId } from '@voelgoed/core/ids'
import { allowedVersionActions } from '@voelgoed/core/layout/versions'
import type { Admission, PriceList } from '@voelgoed/core/prices/price-list'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { readSeatBlocks } from '@voelgoed/engine/tables/seat-blocks'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { findLayoutVersion } from '../venues/tables/layouts.ts'
import { checkEvent, checkSellable } from './check-event.ts'
import { type Event, insertEvent, type NewEvent } from './tables/events.ts'
import { readPolicy } from './tables/policies.ts'
import { readPrices, writePrices } from './tables/prices.ts'

/**
 * Makes a draft like an event, to start at another moment. Prices that name days name the new ones. A layout
 * version that was retired gives its place to the newest one that events may use.
 */
export async function copyEvent(
  tx: TenantTx,
  event: Event,
  wanted: { readonly id: EventId; readonly name: string; readonly startsAt: Date | null },
): Promise<Result<NewEvent, Refusal>> {
  const version = await versionFor(tx, event)
  if (!version.ok) return version
  const time = (at: Date | null) => (at === null ? null : at.getTime())
  const shifted = shiftTimes(
    {
      startsAt: time(event.startsAt),
      endsAt: time(event.endsAt),
      doorsAt: time(event.doorsAt),
      saleStart: time(event.saleStart),
      saleEnd: time(event.saleEnd),
      days: event.days,
    },
    time(wanted.startsAt),
    event.timeZone,
  )
  const date = (at: number | null) => (at === null ? null : new Date(at))
  const copy: NewEvent = {
    ...wanted,
    description: event.description,
    venueId: event.venueId,
    layoutId: event.layoutId,
    layoutVersion: version.value,
    saleStart: date(shifted.saleStart),
    saleEnd: date(shifted.saleEnd),
    doorsAt: date(shifted.doorsAt),
    endsAt: date(shifted.endsAt),
    days: shifted.days,
    overlay: event.wasOnSale
      ? { ...event.overlay, blocked_seat_ids: (await readSeatBlocks(tx, event.id)).overlay }
      : event.overlay,
    seatingOverrides: event.seatingOverrides,
  }
  const refusal = (await checkEvent(tx, copy)) ?? (await checkSellable(tx, copy, await readPolicy(tx)))
  if (refusal) return refuse(refusal)
  await insertEvent(tx, copy)
  const prices = await readPrices(tx, event.id)
  if (prices) await writePrices(tx, copy.id, onOtherDays(prices.list, shifted.dates))
  return ok(copy)
}

async function versionFor(
  tx: TenantTx,
  { layoutId, layoutVersion }: Event,
): Promise<Result<number, Refusal>> {
  const own = await findLayoutVersion(tx, layoutId, layoutVersion)
  if (own?.status === 'active') return ok(own.version)
  const newest = await findLayoutVersion(tx, layoutId, 'latest active')
  if (newest) return ok(newest.version)
  return refuse({
    kind: 'invalid_transition',
    status: own?.status ?? 'archived',
    allowed: own ? allowedVersionActions(own.status) : [],
    detail: 'No version of the layout is active: activate one first.',
  })
}

/** Without days every admission is for all of them. */
function onOtherDays(list: PriceList, dates: ReadonlyMap<string, string>): PriceList {
  const moved = (admission: Admission): Admission => {
    if (admission.days === 'all') return admission
    const days = admission.days.flatMap(day => dates.get(day) ?? [])
    return { ...admission, days: days.length === 0 ? 'all' : days }
  }
  return {
    ...list,
    admission: Object.fromEntries(Object.entries(list.admission).map(([key, one]) => [key, moved(one)])),
  }
}
