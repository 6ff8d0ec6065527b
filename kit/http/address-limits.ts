import type { Clock } from '../base/clock.ts'
import type { MaybeLater } from './principals.ts'
import { RateLimit } from './rate-limit.ts'

const MINUTE = 60_000

/** Each may be done so often from one network address. */
export const ADDRESS_LIMITS = {
  sign_in: { count: 30, windowMs: 5 * MINUTE },
  sign_in_elsewhere: { count: 30, windowMs: 5 * MINUTE },
  // Bounds how often one address makes us ask Postgres which of the two limits counts.
  sign_in_all: { count: 600, windowMs: 5 * MINUTE },
  sign_up: { count: 30, windowMs: 10 * MINUTE },
  password_reset: { count: 30, windowMs: 15 * MINUTE },
  // Each may go to an address of the buyer's choice.
  order_mail: { count: 30, windowMs: 60 * MINUTE },
  // A crowd shares the address of its network: guests get far more room than passwords do.
  guest: { count: 600, windowMs: 5 * MINUTE },
  // By user, the policy counts more strictly.
  holds: { count: 1_000, windowMs: 5 * MINUTE },
} as const

export type AddressLimit = keyof typeof ADDRESS_LIMITS

/**
 * Limits that count by network address. An address must not get more by asking several processes, so the
 * processes of a machine count together (workers/shared-address-limits.ts), and with Redis all machines do
 * (address-limits-of-all.ts).
 */
export interface AddressLimits {
  /** Counts one; null when it is allowed, else the seconds to wait. */
  take(limit: AddressLimit, addressKey: string): MaybeLater<number | null>
  /** Gives back what was taken and turned out not to count. */
  giveBack(limit: AddressLimit, addressKey: string): void
}

/** Counts the requests that a limit refused. */
export interface LimitMetrics {
  readonly rateLimited: { inc(labels: { readonly limit: AddressLimit | 'session' | 'registry' }): void }
}

/** Counted in the memory of this process. */
export class OwnAddressLimits implements AddressLimits {
  readonly #limits: ReadonlyMap<AddressLimit, RateLimit>

  constructor(clock: Pick<Clock, 'elapsed'>) {
    const names = Object.keys(ADDRESS_LIMITS) as AddressLimit[]
    this.#limits = new Map(names.map(name => [name, new RateLimit(clock, ADDRESS_LIMITS[name])]))
  }

  take(limit: AddressLimit, addressKey: string): number | null {
    return this.#limits.get(limit)!.take(addressKey)
  }

  giveBack(limit: AddressLimit, addressKey: string): void {
    this.#limits.get(limit)!.giveBack(addressKey)
  }
}
