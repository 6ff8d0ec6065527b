import type { CheckoutId, HoldId, UserId } from '../../ids.ts'
import { assert } from '../../result.ts'
import { ActiveHold } from './active-hold.ts'
import { Holders } from './holders.ts'
import { ADDRESSES, UUIDS } from './key-codecs.ts'
import { PackedKeys } from './packed-keys.ts'
import { lengthened } from './typed-arrays.ts'

/**
 * The active holds of an event, and those who hold them, in arrays: what is known of a hold stands in each of
 * them under its slot. A hold takes about 85 bytes so, with a user and an address of its own 150; as objects
 * and Maps they took 600. docs/decisions/034-holds-in-typed-arrays.md.
 */
export class Holds {
  readonly ids: PackedKeys<HoldId>
  readonly users: Holders<UserId>
  readonly ips: Holders<string>

  heldUntil = new Float64Array(16)
  capUntil = new Float64Array(16)
  lastSeq = new Float64Array(16)
  /** -1: places of a zone without seats. */
  ordinals = new Int32Array(16)
  zoneIndexes = new Uint16Array(16)
  userOf = new Int32Array(16)
  /** -1: none. */
  ipOf = new Int32Array(16)
  /** Positions in the queues the hold is in. -1 in the event's: the slot has no hold. */
  placeInEvent = new Int32Array(16)
  placeWithUser = new Int32Array(16)
  placeWithIp = new Int32Array(16)
  /** Few holds are being paid for at a time. */
  readonly checkouts = new Map<number, CheckoutId>()

  /** Only an event that has zones without seats has these two. */
  private readonly hasPlaces: boolean
  placeInZone: Int32Array
  quantities: Int32Array

  constructor({ hasPlaces }: { hasPlaces: boolean }, copied?: Holds) {
    this.hasPlaces = hasPlaces
    this.placeInZone = new Int32Array(hasPlaces ? 16 : 0)
    this.quantities = new Int32Array(hasPlaces ? 16 : 0)
    this.ids = copied ? copied.ids.copy() : new PackedKeys(UUIDS)
    this.users = copied ? copied.users.copy(this) : new Holders(this, 'user', new PackedKeys(UUIDS))
    this.ips = copied ? copied.ips.copy(this) : new Holders(this, 'ip', new PackedKeys(ADDRESSES))
  }

  get size(): number {
    return this.ids.size
  }

  get bytes(): number {
    let bytes = this.ids.bytes + this.users.bytes + this.ips.bytes
    for (const column of COLUMNS) bytes += this[column].byteLength
    return bytes
  }

  has(holdId: HoldId): boolean {
    return this.ids.find(holdId) >= 0
  }

  get(holdId: HoldId): ActiveHold | undefined {
    const slot = this.ids.find(holdId)
    return slot < 0 ? undefined : this.at(slot)
  }

  at(slot: number): ActiveHold {
    return new ActiveHold(this, slot)
  }

  *values(): Generator<ActiveHold, void, void> {
    for (let slot = 0; slot < this.ids.end; slot += 1) if (this.isUsed(slot)) yield this.at(slot)
  }

  *keys(): Generator<HoldId, void, void> {
    for (const hold of this.values()) yield hold.holdId
  }

  quantityOf(slot: number): number {
    return this.hasPlaces ? this.quantities[slot]! : 1
  }

  /** A slot for a hold that is new. The caller fills the columns. */
  add(holdId: HoldId): number {
    const added = this.ids.findOrAdd(holdId)
    assert(added < 0, 'a hold id used twice')
    const slot = ~added
    if (slot >= this.heldUntil.length) this.grow(this.ids.capacity)
    return slot
  }

  remove(slot: number): void {
    this.ids.remove(slot)
    this.checkouts.delete(slot)
    this.placeInEvent[slot] = -1
  }

  isUsed(slot: number): boolean {
    return this.placeInEvent[slot]! >= 0
  }

  copy(): Holds {
    const copy = new Holds({ hasPlaces: this.hasPlaces }, this)
    for (const column of COLUMNS) copy[column] = this[column].slice() as never
    for (const [slot, checkoutId] of this.checkouts) copy.checkouts.set(slot, checkoutId)
    return copy
  }

  private grow(length: number): void {
    for (const column of COLUMNS) {
      if (this[column].length > 0) this[column] = lengthened(this[column], length) as never
    }
  }
}

const COLUMNS = [
  'heldUntil',
  'capUntil',
  'lastSeq',
  'ordinals',
  'zoneIndexes',
  'userOf',
  'ipOf',
  'placeInEvent',
  'placeWithUser',
  'placeWithIp',
  'placeInZone',
  'quantities',
] as const satisfies readonly (keyof Holds)[]
