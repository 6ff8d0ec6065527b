import { utf8ToBytes } from '@noble/hashes/utils.js'
import { sha1 } from './sha1.ts'

declare const brand: unique symbol
type Id<Name extends string> = string & { readonly [brand]: Name }

/** Ids are branded so that a venue's id can't be passed where an event's is meant. */
export type OrganizationId = Id<'organization'>
export type UserId = Id<'user'>
export type VenueId = Id<'venue'>
export type LayoutId = Id<'layout'>
export type ZoneId = Id<'zone'>
export type SeatId = Id<'seat'>
export type SeatGroupId = Id<'seat_group'>
export type EventId = Id<'event'>
export type HoldId = Id<'hold'>
export type TicketId = Id<'ticket'>
/** Names an order: one that a checkout of ours makes, or staff, or a platform with a checkout of its own. */
export type CheckoutId = Id<'checkout'>
export type PaymentId = Id<'payment'>
export type RefundId = Id<'refund'>
export type CommandId = Id<'command'>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Lower case only: one id has one spelling, so ids can be compared and used as keys as they are. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** Id of a zone that was given none: the same layout and name give the same id in every version. */
export function deriveZoneId(layoutId: LayoutId, zoneName: string): ZoneId {
  return nameBasedUuid(layoutId, `zone\0${zoneName}`) as ZoneId
}

/** Id of a seat that was given none: the same zone and label give the same id in every version. */
export function deriveSeatId(zoneId: ZoneId, label: string): SeatId {
  return nameBasedUuid(zoneId, `seat\0${label}`) as SeatId
}

/** Id of a group that was given none: follows from its type and its seats, in their order. */
export function deriveSeatGroupId(
  layoutId: LayoutId,
  groupType: string,
  seatIds: readonly SeatId[],
): SeatGroupId {
  return nameBasedUuid(layoutId, `group\0${groupType}\0${seatIds.join()}`) as SeatGroupId
}

/** UUID version 5 (RFC 9562 §5.5): SHA-1 of a namespace and a name. */
function nameBasedUuid(namespace: string, name: string): string {
  const space = namespace.replaceAll('-', '').match(/../g) ?? []
  const hash = sha1(Uint8Array.of(...space.map(byte => Number.parseInt(byte, 16)), ...utf8ToBytes(name)))
  hash[6] = (hash[6]! & 0x0f) | 0x50
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = Array.from(hash, byte => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}
