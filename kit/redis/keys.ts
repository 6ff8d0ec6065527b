import type { EventId, HoldId, LayoutId, SeatId } from '@voelgoed/core/ids'
import type { TenantScope } from '../base/tenant.ts'

/** The keys of one event. */
export interface EventKeys {
  /** HASH: epoch, seq, tip, at; `writer` and `writing_since` while it is not whole. */
  readonly seq: string
  /** STRING: two bits a seat, seat n at bits 2n and 2n + 1 as BITFIELD counts them (`GET u2 #n`). */
  readonly seats: string
  /** ZSET: hold ids by when they run out, in milliseconds. */
  readonly holds: string
  /** HASH: the event's status, its counters, and `zone:<index>` for each zone. */
  readonly occupancy: string
  /** STRING, JSON: the hold that a seat has. Expires with it. */
  seatHold(seat: SeatId): string
  /** HASH: what a hold is for, and until when. */
  holdMeta(hold: HoldId): string
}

/**
 * Every key of an event, and there is no other way to make one. The event's id is in braces, so that all keys
 * of an event are in one slot of a Cluster, and a script may use several of them.
 */
export function eventKeys({ organizationId }: TenantScope, eventId: EventId): EventKeys {
  const event = `voelgoed:org:${organizationId}:event:{${eventId}}`
  return {
    seq: `${event}:seq`,
    seats: `${event}:seats:bitmap`,
    holds: `${event}:seat_holds`,
    occupancy: `${event}:occupancy`,
    seatHold: seat => `${event}:seat:${seat}:hold`,
    holdMeta: hold => `${event}:hold:${hold}:meta`,
  }
}

/** A document as it goes to buyers. What it is made of stands in its key, so that it never changes. */
export interface SharedDocument {
  readonly layoutId: LayoutId
  readonly version: number
  /** When the version was made: Postgres may lose one, and have another with the same number later. */
  readonly createdAt: Date
  readonly form: 'layout' | 'map'
  /** The digest of what the event changes about its zones. */
  readonly overlayDigest: string
  readonly encoding: string
}

/** Goes up when documents say more than before: nodes of the two editions then don't share them. */
const DOCUMENT_EDITION = 2

/** STRING: a document of a layout version, with a digest of itself. */
export function documentKey({ organizationId }: TenantScope, document: SharedDocument): string {
  const { layoutId, version, createdAt, form, overlayDigest, encoding } = document
  const made = createdAt.getTime()
  return `voelgoed:org:${organizationId}:layout:{${layoutId}}:${version}:${made}:${form}-${DOCUMENT_EDITION}:${overlayDigest}:${encoding}`
}

/** In so many slots is what belongs to no event: a Cluster spreads it, and one call takes much of it. */
const SPREAD = 4

/** On these, nodes tell each other which events have moved on. Every node listens to all of them. */
export const BUS_CHANNELS: readonly string[] = Array.from(
  { length: SPREAD },
  (_, part) => `voelgoed:platform:bus:{${part}}`,
)

/** The channel of an event. */
export function busChannel(eventId: string): string {
  return BUS_CHANNELS[partOf(eventId)]!
}

/** A key that counts; those of one part are in one slot. */
export interface LimitKey {
  readonly part: number
  readonly key: string
}

/** STRING: what a network address has done of one kind. An address belongs to no organization. */
export function addressLimitKey(limit: string, addressKey: string): LimitKey {
  const part = partOf(addressKey)
  return { part, key: `voelgoed:platform:limits:{${part}}:${limit}:${addressKey}` }
}

/** STRING: what a session has asked. The hash of its token opens nothing. */
export function sessionLimitKey({ organizationId }: TenantScope, tokenHash: Buffer): LimitKey {
  const hash = tokenHash.toString('hex')
  const part = partOf(hash)
  return { part, key: `voelgoed:org:${organizationId}:limits:{${part}}:session:${hash}` }
}

function partOf(text: string): number {
  let sum = 0
  for (let index = 0; index < text.length; index += 1) sum = (sum * 31 + text.charCodeAt(index)) >>> 0
  return sum % SPREAD
}
