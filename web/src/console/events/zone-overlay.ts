import type { Data, Input } from '@voelgoed/client'
import { type AccessMode, hasSeats, ZONE_TYPES, type ZoneType } from '@voelgoed/core/layout/model'

type Overrides = Data<'GET /api/admin/events/:event'>['overrides']
type Body = NonNullable<Input<'PUT /api/admin/events/:event/layout'>['body']>['overrides']
type ZoneOverride = NonNullable<Body['zone_overrides']>[string]

/**
 * Returns what an event changes of its layout, as it is sent: all of it, because the server empties what is
 * left out.
 */
export function bodyOf({ blocked_seat_ids, disabled_zones, zone_overrides, pricing_zones }: Overrides): Body {
  return { blocked_seat_ids, disabled_zones, zone_overrides, pricing_zones } as Body
}

export function withClosed(overlay: Body, zoneIds: readonly string[], isClosed: boolean): Body {
  const disabled = new Set(overlay.disabled_zones)
  for (const zoneId of zoneIds) {
    if (isClosed) disabled.add(zoneId)
    else disabled.delete(zoneId)
  }
  return { ...overlay, disabled_zones: [...disabled] }
}

/**
 * Changes what staff have edited of a zone. The rest of its overrides stays, and what a colleague changes,
 * too.
 */
export function withZone(overlay: Body, zoneId: string, change: ZoneOverride): Body {
  const before = overlay.zone_overrides?.[zoneId] ?? {}
  return { ...overlay, zone_overrides: { ...overlay.zone_overrides, [zoneId]: { ...before, ...change } } }
}

/** The zone is again as the layout has it. Whether it is closed, and its price, are other matters. */
export function asInLayout(overlay: Body, zoneId: string): Body {
  const { [zoneId]: _, ...others } = overlay.zone_overrides ?? {}
  return { ...overlay, zone_overrides: others }
}

export interface ZoneForm {
  readonly name: string
  readonly type: ZoneType
  readonly capacity: number
  readonly mode: AccessMode
  readonly tier: string
  readonly roles: readonly string[]
}

/** The members that differ. Who may book is one matter: its members go together. */
export function changeOf(before: ZoneForm, after: ZoneForm): ZoneOverride {
  const isAccessSame =
    before.mode === after.mode &&
    (after.mode !== 'membership_tier' || before.tier === after.tier) &&
    (after.mode !== 'role_based' || before.roles.join() === after.roles.join())
  const isTypeSame = before.type === after.type
  return {
    ...(before.name !== after.name && { name: after.name }),
    ...(!isTypeSame && { zone_type: after.type }),
    ...(!hasSeats(after.type) && before.capacity !== after.capacity && { capacity: after.capacity }),
    ...(!isAccessSame && {
      access_mode: after.mode,
      membership_tier: after.mode === 'membership_tier' ? after.tier : null,
      allowed_roles: after.mode === 'role_based' ? [...after.roles] : [],
    }),
  } as ZoneOverride
}

/** The types that an event can give a zone: one without chairs in the layout can't get any. */
export function possibleTypes(hasChairs: boolean): readonly ZoneType[] {
  return hasChairs ? ZONE_TYPES : ZONE_TYPES.filter(type => !hasSeats(type))
}
