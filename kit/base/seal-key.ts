import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Names the row to which a sealed key belongs: moved to another one, it can't be opened. */
export interface KeyPlace {
  readonly organizationId: string
  readonly keyId: string
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals private keys, and the secrets of second factors and identity providers, with the installation's
 * signing key, which the role of tenants' requests can't read: a copy of their tables, or a query under
 * row-level security, gives no key away. The platform's key seals nothing: the server knows only its hash,
 * so a new one changes nothing here.
 */
export class KeySeal {
  readonly #key: Buffer

  /** `purpose`: what is sealed for one can't be opened for another. */
  constructor(signingKey: Buffer, purpose: 'ticket keys' | 'second factors' | 'identity providers') {
    this.#key = Buffer.from(hkdfSync('sha256', signingKey, '', purpose, 32))
  }

  seal(plain: Buffer, place: KeyPlace): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(nameOf(place))
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }

  /** Throws when it was sealed by another installation or for another row. */
  open(sealed: Buffer, place: KeyPlace): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(nameOf(place)).setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  }
}

function nameOf({ organizationId, keyId }: KeyPlace): Buffer {
  return Buffer.from(`${organizationId}/${keyId}`)
}
