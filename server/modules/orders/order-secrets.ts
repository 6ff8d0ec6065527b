import { createHmac, hkdfSync } from 'node:crypto'

/**
 * The secrets of orders that a platform books under a reference. They follow from the installation's signing
 * key, which the role of tenants' requests can't read: so a booking that is sent again because its answer was
 * lost has the same one, and no table has more than its hash.
 */
export class OrderSecrets {
  readonly #key: Buffer

  constructor(signingKey: Buffer) {
    this.#key = Buffer.from(hkdfSync('sha256', signingKey, 'voelgoed', 'order secrets', 32))
  }

  of(organizationId: string, orderId: string): string {
    return createHmac('sha256', this.#key).update(`${organizationId} ${orderId}`).digest('base64url')
  }
}
