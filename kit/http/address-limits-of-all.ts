import { addressLimitKey } from '../redis/keys.ts'
import type { LimitCounts } from '../redis/limit-counts.ts'
import { ADDRESS_LIMITS, type AddressLimit, type AddressLimits } from './address-limits.ts'

/**
 * The limits by address, counted in Redis over all nodes. What this machine has counted is looked at first:
 * an address that is beyond its limit here costs Redis nothing, and without an answer of Redis this
 * machine's count decides.
 */
export class AddressLimitsOfAll implements AddressLimits {
  readonly #here: AddressLimits
  readonly #counts: LimitCounts

  constructor(here: AddressLimits, counts: LimitCounts) {
    this.#here = here
    this.#counts = counts
  }

  async take(limit: AddressLimit, addressKey: string): Promise<number | null> {
    const waitHere = await this.#here.take(limit, addressKey)
    if (waitHere !== null) return waitHere
    const waitMs = await this.#counts.take(addressLimitKey(limit, addressKey), ADDRESS_LIMITS[limit])
    if (waitMs === null || waitMs === 0) return null
    // A request that is refused does not count.
    this.#here.giveBack(limit, addressKey)
    return Math.ceil(waitMs / 1000)
  }

  giveBack(limit: AddressLimit, addressKey: string): void {
    this.#here.giveBack(limit, addressKey)
    this.#counts.giveBack(addressLimitKey(limit, addressKey), ADDRESS_LIMITS[limit])
  }
}
