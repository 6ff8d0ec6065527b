import type { Refusal } from '@voelgoed/core/refusal'
import type { AddressLimit, AddressLimits, LimitMetrics } from './address-limits.ts'

interface Limiting extends LimitMetrics {
  /** False: nothing is limited. */
  readonly rateLimits: boolean
  readonly addressLimits: Pick<AddressLimits, 'take'>
}

/** Counts one request of a network address; null: it is allowed. */
export async function tooMany(
  { rateLimits, addressLimits, rateLimited }: Limiting,
  limit: AddressLimit,
  addressKey: string,
): Promise<Refusal | null> {
  if (!rateLimits) return null
  const retryAfterSeconds = await addressLimits.take(limit, addressKey)
  if (retryAfterSeconds === null) return null
  rateLimited.inc({ limit })
  return { kind: 'rate_limited', retryAfterSeconds }
}
