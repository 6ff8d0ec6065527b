import { createHmac, timingSafeEqual } from 'node:crypto'
import { isUuid, type OrganizationId } from '@voelgoed/core/ids'
import type { DatabaseClock } from '../postgres/database-clock.ts'

const LIFE_MS = 60_000

/**
 * Tokens for the live feed, to be put into a URL: bound to a session and to one event, good for a minute.
 * They carry the hash of the session's token, so they die with the session and give nothing else away.
 */
export class LiveTokens {
  readonly #key: Buffer
  readonly #clock: Pick<DatabaseClock, 'now'>

  constructor(key: Buffer, clock: Pick<DatabaseClock, 'now'>) {
    this.#key = key
    this.#clock = clock
  }

  make(organizationId: string, eventId: string, sessionHash: Buffer): { token: string; expiresAt: number } {
    // Rounded down: a token is good for a minute at most.
    const expiresAt = Math.floor(this.#clock.now()) + LIFE_MS
    const payload = [organizationId, eventId, sessionHash.toString('base64url'), expiresAt.toString(36)].join(
      '.',
    )
    return { token: `${payload}.${this.#sign(payload).toString('base64url')}`, expiresAt }
  }

  read(token: string, eventId: string): { organizationId: OrganizationId; sessionHash: Buffer } | null {
    const parts = token.split('.')
    const [organizationId, event, sessionHash, expiresAt, signature] = parts
    if (parts.length !== 5 || !signature || !organizationId || !sessionHash || !expiresAt) return null
    const given = Buffer.from(signature, 'base64url')
    const right = this.#sign(parts.slice(0, 4).join('.'))
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null
    if (event !== eventId || Number.parseInt(expiresAt, 36) <= this.#clock.now()) return null
    if (!isUuid(organizationId)) return null
    return {
      organizationId: organizationId as OrganizationId,
      sessionHash: Buffer.from(sessionHash, 'base64url'),
    }
  }

  #sign(payload: string): Buffer {
    return createHmac('sha256', this.#key).update(payload).digest()
  }
}
