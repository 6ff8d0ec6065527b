import type { Refusal } from '@voelgoed/core/refusal'
import type { AddressLimit } from '../accounts/address-limits.ts'
import type { AppDeps } from './deps.ts'

/** Counts one request of a network address; null: it is allowed. */
export async function tooMany(
  { config, addressLimits, metrics }: Pick<AppDeps, 'config' | 'addressLimits' | 'metrics'>,
  limit: AddressLimit,
  addressKey: string,
): Promise<Refusal | null> {
  if (!config.rateLimits) return null
  const retryAfterSeconds = await addressLimits.take(limit, addressKey)
  if (retryAfterSeconds === null) return null
  metrics.rateLimited.inc({ limit })
  return { kind: 'rate_limited', retryAfterSeconds }
}
