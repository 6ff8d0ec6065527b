import { isIPv6 } from 'node:net'
import type { Clock } from '../clock.ts'

/**
 * At most `count` in any `windowMs` per network address, spread evenly after a first burst (GCRA: one number
 * an address). Bounded: when full, the address that was seen longest ago is forgotten, which can only be too
 * kind. Counts on this node alone; the limits that must be exact across nodes are in Postgres.
 */
export class AddressLimit {
  readonly #clock: Clock
  readonly #intervalMs: number
  readonly #burstMs: number
  readonly #maxAddresses: number
  /** The time at which an address has used up nothing; in the order of last use. */
  readonly #freeAt = new Map<string, number>()

  constructor(clock: Clock, options: { count: number; windowMs: number; maxAddresses?: number }) {
    this.#clock = clock
    this.#intervalMs = options.windowMs / options.count
    this.#burstMs = options.windowMs - this.#intervalMs
    this.#maxAddresses = options.maxAddresses ?? 100_000
  }

  /** Counts one; `null` when it is allowed, else the seconds to wait. */
  take(address: string): number | null {
    const now = this.#clock.now()
    const key = networkOf(address)
    const freeAt = Math.max(this.#freeAt.get(key) ?? now, now)
    if (freeAt - now > this.#burstMs) return Math.ceil((freeAt - now - this.#burstMs) / 1000)
    this.#freeAt.delete(key)
    this.#freeAt.set(key, freeAt + this.#intervalMs)
    if (this.#freeAt.size > this.#maxAddresses) this.#freeAt.delete(this.#freeAt.keys().next().value!)
    return null
  }
}

/** A household has a whole /64 of IPv6: counting single addresses would count nothing. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1]!
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const rest = tail === '' ? [] : tail.split(':')
    while (groups.length + rest.length < 8) groups.push('0')
    groups.push(...rest)
  }
  return groups
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')
}
