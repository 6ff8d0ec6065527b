import type { SeatId } from '../ids.ts'
import { assert } from '../result.ts'
import { UUIDS } from './holds/key-codecs.ts'
import { PackedKeys } from './holds/packed-keys.ts'

/**
 * The ids of the seats of a layout version, by ordinal, and their ordinals by id: 21 bytes a seat. As strings
 * in an array and a Map they took 120.
 */
export class SeatIds implements Iterable<SeatId> {
  private readonly keys: PackedKeys<SeatId>

  /** In the order of their ordinals. Callers who choose ids must not know the seed: packed-keys.ts. */
  constructor(ids: Iterable<SeatId>, { count, seed = 0 }: { count?: number; seed?: number } = {}) {
    this.keys = new PackedKeys(UUIDS, { ...(count === undefined ? {} : { capacity: count }), seed })
    let ordinal = 0
    for (const id of ids) {
      this.add(id, ordinal)
      ordinal += 1
    }
  }

  /** To be called in the order of ordinals. */
  add(id: SeatId, ordinal: number): void {
    assert(ordinal === this.keys.size, 'seats in the order of their ordinals')
    assert(this.keys.findOrAdd(id) < 0, 'a seat id used twice')
  }

  at(ordinal: number): SeatId {
    assert(ordinal >= 0 && ordinal < this.keys.size, 'a seat of the layout')
    return this.keys.keyOf(ordinal)
  }

  ordinalOf(id: string): number | undefined {
    const ordinal = this.keys.find(id as SeatId)
    return ordinal < 0 ? undefined : ordinal
  }

  /** A copy of the ids, four words each. All of them must be UUIDs. */
  packed(): Int32Array {
    return this.keys.packed()
  }

  *[Symbol.iterator](): Generator<SeatId, void, void> {
    for (let ordinal = 0; ordinal < this.keys.size; ordinal += 1) yield this.at(ordinal)
  }
}
