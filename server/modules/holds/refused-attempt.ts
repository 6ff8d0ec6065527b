import type { Refusal } from '@voelgoed/core/refusal'

/** A buyer asked for seats or places and was refused. History, which is above holds, keeps that. */
export interface RefusedAttempt {
  readonly organizationId: string
  readonly eventId: string
  readonly userId: string
  readonly ip: string | null
  readonly userAgent: string | null
  readonly requestId: string
  readonly code: Refusal['kind']
  readonly at: number
  /** Names at most 20 of the seats that were asked for. */
  readonly seatIds: readonly string[]
  readonly zoneId: string | null
  readonly quantity: number
  /** It is about a wheelchair or companion seat, and has an entry of its own, which stays. */
  readonly isAccessible: boolean
}

/** These say nothing about a seat, and a client that goes on asking gets any number of them. */
export const ALWAYS_COUNTED: ReadonlySet<Refusal['kind']> = new Set<Refusal['kind']>([
  'rate_limited',
  'busy',
  'database_unavailable',
])
