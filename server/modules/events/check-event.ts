import { hasSeats } from '@voelgoed/core/layout/model'
import { checkOverlay, checkZonesAgainstPolicy, overlayZones } from '@voelgoed/core/layout/overlay'
import { allowedVersionActions } from '@voelgoed/core/layout/versions'
import {
  checkOverrides,
  effectivePolicy,
  type SeatingOverrides,
  type SeatingPolicy,
} from '@voelgoed/core/policy'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { findLayoutVersion, lockLayoutVersion, readZones, unknownSeats } from '../venues/tables/layouts.ts'
import { findVenue } from '../venues/tables/venues.ts'
import type { NewEvent } from './tables/events.ts'

/**
 * Checks that the event is sound in itself. Holds its layout version, so that no other request archives it
 * meanwhile.
 */
export async function checkEvent(tx: TenantTx, event: NewEvent): Promise<Refusal | null> {
  if (!(await findVenue(tx, event.venueId))) return { kind: 'venue_not_found' }
  const version = await lockLayoutVersion(tx, event.layoutId, event.layoutVersion)
  if (!version) return { kind: 'layout_not_found' }
  if (version.venueId !== event.venueId) return invalid('/layout_id', 'is a layout of another venue')
  if (version.status !== 'active') {
    return {
      kind: 'invalid_transition',
      status: version.status,
      allowed: allowedVersionActions(version.status),
      detail: `Version ${version.version} of the layout is not active: activate it first, or choose another.`,
    }
  }
  if (event.saleStart && event.saleEnd && event.saleStart >= event.saleEnd) {
    return invalid('/sale_end', 'must be later than sale_start')
  }
  if (event.doorsAt && event.startsAt && event.doorsAt > event.startsAt) {
    return invalid('/doors_at', 'must not be later than starts_at')
  }
  if (event.endsAt && event.startsAt && event.endsAt <= event.startsAt) {
    return invalid('/ends_at', 'must be later than starts_at')
  }
  const zones = await readZones(tx, event.layoutId, event.layoutVersion)
  const unknown = await unknownSeats(tx, {
    layoutId: event.layoutId,
    version: event.layoutVersion,
    // A zone that this event runs without its chairs has no seats to block.
    zoneIds: overlayZones(zones, event.overlay).flatMap(zone =>
      hasSeats(zone.zoneType) ? [zone.zoneId] : [],
    ),
    seatIds: event.overlay.blocked_seat_ids,
  })
  const faults = checkOverlay(zones, event.overlay, unknown)
  return faults.length > 0 ? { kind: 'layout_invalid', errors: faults.slice(0, 1_000) } : null
}

/**
 * Only what this request sets is judged:
 * an override that a later lock has put to sleep is no fault of a new name.
 */
export function checkSeatingOverrides(
  policy: SeatingPolicy,
  overrides: SeatingOverrides,
  before: SeatingOverrides = {},
): Refusal | null {
  const checked = checkOverrides(policy, overrides, before)
  if (checked.ok) return null
  return {
    kind: 'invalid_request',
    errors: checked.problem.map(field => ({
      path: `/seating_overrides/${field}`,
      message: "is locked by the organization's seating policy",
    })),
  }
}

/**
 * Checks that the policy lets the event sell its zones. Asked when a layout is attached and when the event is
 * published; and of a new overlay, which must not add anything (`before`) that the policy forbids.
 */
export async function checkSellable(
  tx: TenantTx,
  event: NewEvent,
  policy: SeatingPolicy,
  before: NewEvent | null = null,
): Promise<Refusal | null> {
  const zones = await readZones(tx, event.layoutId, event.layoutVersion)
  const faultsOf = ({ overlay, seatingOverrides }: NewEvent) =>
    checkZonesAgainstPolicy(overlayZones(zones, overlay), effectivePolicy(policy, seatingOverrides))
  const known = new Set(before ? faultsOf(before).map(({ path, code }) => `${path} ${code}`) : [])
  const errors = faultsOf(event).filter(({ path, code }) => !known.has(`${path} ${code}`))
  return errors.length > 0 ? { kind: 'layout_invalid', errors } : null
}

/** The given version, or the newest active one. Only an active version can be sold. */
export async function chooseLayoutVersion(
  tx: TenantTx,
  layoutId: string,
  wanted: number | undefined,
): Promise<Result<number, Refusal>> {
  const version =
    (await findLayoutVersion(tx, layoutId, wanted ?? 'latest active')) ??
    (wanted === undefined ? await findLayoutVersion(tx, layoutId, 'latest') : null)
  return version ? ok(version.version) : refuse({ kind: 'layout_not_found' })
}

function invalid(path: string, message: string): Refusal {
  return { kind: 'invalid_request', errors: [{ path, message }] }
}
