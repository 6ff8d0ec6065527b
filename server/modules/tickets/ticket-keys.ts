import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { TicketId } from '@voelgoed/core/ids'
import { formatToken, readToken, type TicketName, ticketPayload } from '@voelgoed/core/tickets/token'
import type { Clock } from '@voelgoed/kit/base/clock'
import { KeySeal } from '@voelgoed/kit/base/seal-key'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { TenantDoor } from '@voelgoed/kit/postgres/database'
import type { WholeOrder } from '../orders/tables/orders.ts'
import {
  insertFirstTicketKey,
  liveTicketKeys,
  type NewTicketKey,
  type TicketKeyRow,
} from './tables/ticket-keys.ts'

/** Organizations whose keys are in memory. */
const MAX_CACHED = 1_000
/** A node that did not hear of a rotation uses keys for so long that were replaced or retired. */
const CACHE_MS = 60_000
/** A ticket that no key in memory verifies may be signed by a newer key: so often the node looks. */
const LOOK_AGAIN_MS = 2_000

// On the thread pool: an order may have hundreds of tickets, and a signature takes some 50 µs.
const signLater = promisify(sign)
const verifyLater = promisify(verify) as (
  algorithm: null,
  data: Uint8Array,
  key: KeyObject,
  signature: Uint8Array,
) => Promise<boolean>

interface Keys {
  readonly signing: KeyObject | null
  /** All keys that are not retired verify. */
  readonly verifying: readonly { readonly keyId: string; readonly spki: Buffer; readonly key: KeyObject }[]
  readonly readAt: number
}

interface TicketKeysDeps {
  readonly database: TenantDoor
  /** The key of the installation. */
  readonly signingKey: Buffer
  readonly clock: Clock
}

/**
 * Signs the tickets of an organization with its own key, and verifies them with its own keys: a ticket of
 * another organization is not verified here, whatever it names. The first signature makes the key.
 */
export class TicketKeys {
  readonly #database: TenantDoor
  readonly #clock: Clock
  readonly #seal: KeySeal
  readonly #known = new Map<string, Keys>()
  readonly #reading = new Map<string, Promise<Keys>>()
  /** Counts forgettings: keys that were asked for before one must not be kept after it. */
  #generation = 0

  constructor({ database, signingKey, clock }: TicketKeysDeps) {
    this.#database = database
    this.#clock = clock
    this.#seal = new KeySeal(signingKey, 'ticket keys')
  }

  async sign(scope: TenantScope, ticket: TicketName): Promise<string> {
    const { signing } = await this.#toSign(scope)
    const payload = ticketPayload(ticket)
    return formatToken(payload, await signLater(null, payload, signing))
  }

  /** The tokens of the valid tickets of an order. A void ticket has none. */
  async signOrder(
    scope: TenantScope,
    { order, lines }: Pick<WholeOrder, 'order' | 'lines'>,
  ): Promise<ReadonlyMap<TicketId, string>> {
    const valid = lines.filter(line => line.refund_id === null)
    const signed = await Promise.all(
      valid.map(async ({ ticket_id: ticketId, version }) => {
        const name = { eventId: order.event_id, ticketId, version }
        return [ticketId, await this.sign(scope, name)] as const
      }),
    )
    return new Map(signed)
  }

  /** The ticket that the token names, if a key of this organization has signed it. */
  async verify(scope: TenantScope, token: string): Promise<TicketName | null> {
    const read = readToken(token)
    if (!read) return null
    const { eventId, ticketId, version } = read
    let keys = await this.#of(scope)
    let isGood = await isSigned(keys, read)
    if (!isGood && this.#clock.elapsed() - keys.readAt >= LOOK_AGAIN_MS) {
      keys = await this.#read(scope)
      isGood = await isSigned(keys, read)
    }
    return isGood ? { eventId, ticketId, version } : null
  }

  /** Returns all keys that verify tickets of the organization, the one that signs first. */
  async publicKeys(
    scope: TenantScope,
  ): Promise<readonly { readonly keyId: string; readonly publicKeySpki: Buffer }[]> {
    const { verifying } = await this.#toSign(scope)
    return verifying.map(({ keyId, spki }) => ({ keyId, publicKeySpki: spki }))
  }

  /** A new key, to be stored. */
  make(scope: TenantScope): NewTicketKey {
    const id = uuidV7(this.#clock.now())
    const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
      publicKeyEncoding: { type: 'spki', format: 'der' },
      privateKeyEncoding: { type: 'pkcs8', format: 'der' },
    })
    const place = { organizationId: scope.organizationId, keyId: id }
    return { id, publicKey, sealedPrivateKey: this.#seal.seal(privateKey, place) }
  }

  /** To be called when the keys of an organization have changed. */
  forget(organizationId: string): void {
    this.#generation += 1
    this.#known.delete(organizationId)
    this.#reading.delete(organizationId)
  }

  get cached(): number {
    return this.#known.size
  }

  /** With a key that signs: made now if the organization has none. */
  async #toSign(scope: TenantScope): Promise<Keys & { readonly signing: KeyObject }> {
    const known = await this.#of(scope)
    if (known.signing) return { ...known, signing: known.signing }
    await this.#database.tenant(scope, tx => insertFirstTicketKey(tx, this.make(scope)))
    const made = await this.#read(scope)
    if (!made.signing) throw new Error('the organization has no key for its tickets')
    return { ...made, signing: made.signing }
  }

  async #of(scope: TenantScope): Promise<Keys> {
    const known = this.#known.get(scope.organizationId)
    if (!known || this.#clock.elapsed() - known.readAt >= CACHE_MS) return this.#read(scope)
    // The keys that were used last are at the end.
    this.#known.delete(scope.organizationId)
    this.#known.set(scope.organizationId, known)
    return known
  }

  /** Callers who ask at once share one question. */
  #read(scope: TenantScope): Promise<Keys> {
    const { organizationId } = scope
    const underWay = this.#reading.get(organizationId)
    if (underWay) return underWay
    const generation = this.#generation
    const reading = this.#database
      .tenant(scope, tx => liveTicketKeys(tx))
      .then(rows => {
        const keys = this.#opened(organizationId, rows)
        if (generation === this.#generation) this.#keep(organizationId, keys)
        return keys
      })
      .finally(() => {
        if (this.#reading.get(organizationId) === reading) this.#reading.delete(organizationId)
      })
    this.#reading.set(organizationId, reading)
    return reading
  }

  #opened(organizationId: string, rows: readonly TicketKeyRow[]): Keys {
    const first = rows[0]
    const signing =
      first && first.replaced_at === null
        ? createPrivateKey({
            key: this.#seal.open(first.sealed_private_key, { organizationId, keyId: first.id }),
            format: 'der',
            type: 'pkcs8',
          })
        : null
    const verifying = rows.map(({ id, public_key }) => ({
      keyId: id,
      spki: public_key,
      key: createPublicKey({ key: public_key, format: 'der', type: 'spki' }),
    }))
    return { signing, verifying, readAt: this.#clock.elapsed() }
  }

  #keep(organizationId: string, keys: Keys): void {
    this.#known.delete(organizationId)
    this.#known.set(organizationId, keys)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_CACHED) break
      this.#known.delete(oldest)
    }
  }
}

async function isSigned(
  { verifying }: Keys,
  { payload, signature }: { payload: Uint8Array; signature: Uint8Array },
): Promise<boolean> {
  for (const { key } of verifying) if (await verifyLater(null, payload, key, signature)) return true
  return false
}
