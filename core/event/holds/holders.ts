import { assert } from '../../result.ts'
import type { HeldBy, HoldTable } from './active-hold.ts'
import { Queue } from './expiry-queue.ts'
import type { PackedKeys } from './packed-keys.ts'
import { moveDown, moveUp, type Stretch, takeOut } from './slot-heap.ts'
import { lengthened, longer } from './typed-arrays.ts'

/**
 * The users, or the addresses, that a state knows, each with a queue of what they hold.
 *
 * Most hold one seat: then `first` is that hold, and takes 4 bytes. The holds of the others are in a block of
 * `blocks`: how many, how many places they have, how large the block is, and then the heap. Blocks are powers
 * of two; those of one size that are not used are a list.
 */
export class Holders<Key extends string> {
  readonly table: HoldTable
  readonly of: 'user' | 'ip'
  readonly keys: PackedKeys<Key>
  /** By holder: the one hold there is; EMPTY; ~ the block; FREE: the slot has no holder. */
  private first = new Int32Array(16)
  private blocks = new Int32Array(64)
  /** No block has been here yet. 0 stands for none. */
  private blocksEnd = 1
  /** By the logarithm of the size: the block freed last. Its first word is the one freed before. */
  private readonly freeBlocks = new Int32Array(32)

  constructor(table: HoldTable, of: 'user' | 'ip', keys: PackedKeys<Key>) {
    this.table = table
    this.of = of
    this.keys = keys
  }

  get size(): number {
    return this.keys.size
  }

  get bytes(): number {
    return this.keys.bytes + this.first.byteLength + this.blocks.byteLength
  }

  get(key: Key): Holder<Key> | undefined {
    const slot = this.keys.find(key)
    return slot < 0 ? undefined : this.at(slot)
  }

  at(slot: number): Holder<Key> {
    return new Holder(this, slot)
  }

  *values(): Generator<Holder<Key>, void, void> {
    for (let slot = 0; slot < this.keys.end; slot += 1) if (this.first[slot] !== FREE) yield this.at(slot)
  }

  /** The slot of the key, which gets one if it has none. */
  slotFor(key: Key): number {
    const known = this.keys.findOrAdd(key)
    if (known >= 0) return known
    const slot = ~known
    if (slot >= this.first.length) this.first = lengthened(this.first, this.keys.capacity)
    this.first[slot] = EMPTY
    return slot
  }

  isEmpty(holder: number): boolean {
    return this.first[holder] === EMPTY
  }

  /** Nothing is known of the holder from now on. */
  forget(holder: number): void {
    assert(this.isEmpty(holder), 'a holder without holds')
    this.keys.remove(holder)
    this.first[holder] = FREE
  }

  add(holder: number, hold: number): void {
    const first = this.first[holder]!
    if (first === EMPTY) {
      this.first[holder] = hold
      this.place[hold] = 0
      return
    }
    const block = first >= 0 ? this.blockFor(holder, first) : this.blockWithRoom(holder, ~first)
    const { blocks } = this
    const size = blocks[block + SIZE]!
    blocks[block + SIZE] = size + 1
    blocks[block + PLACES]! += this.table.quantityOf(hold)
    moveUp(this.table, { heap: blocks, start: block + HEADER, size }, this.place, { slot: hold, from: size })
  }

  remove(holder: number, hold: number): void {
    const first = this.first[holder]!
    if (first >= 0) {
      assert(first === hold, 'the hold is not in the queue')
      this.first[holder] = EMPTY
      return
    }
    const { blocks } = this
    const block = ~first
    const stretch = this.stretchOf(holder)
    assert(blocks[block + HEADER + this.place[hold]!] === hold, 'the hold is not in the queue')
    takeOut(this.table, stretch, this.place, hold)
    blocks[block + SIZE]! -= 1
    blocks[block + PLACES]! -= this.table.quantityOf(hold)
    if (stretch.size > 2) return
    this.first[holder] = blocks[block + HEADER]!
    this.freeBlock(block)
  }

  /** To be called when the hold's heldUntil has moved on. */
  postponed(holder: number, hold: number): void {
    moveDown(this.table, this.stretchOf(holder), this.place, { slot: hold, from: this.place[hold]! })
  }

  /** To be called when a hold of theirs has got smaller. */
  shrunk(holder: number, by: number): void {
    const first = this.first[holder]!
    if (first < EMPTY) this.blocks[~first + PLACES]! -= by
  }

  placesOf(holder: number): number {
    const first = this.first[holder]!
    if (first === EMPTY) return 0
    return first >= 0 ? this.table.quantityOf(first) : this.blocks[~first + PLACES]!
  }

  stretchOf(holder: number): Stretch {
    const first = this.first[holder]!
    // A single hold is a heap as well: of one entry, in `first` itself.
    if (first >= EMPTY) return { heap: this.first, start: holder, size: first === EMPTY ? 0 : 1 }
    return { heap: this.blocks, start: ~first + HEADER, size: this.blocks[~first + SIZE]! }
  }

  get place(): Int32Array {
    return this.of === 'user' ? this.table.placeWithUser : this.table.placeWithIp
  }

  copy(table: HoldTable): Holders<Key> {
    const copy = new Holders(table, this.of, this.keys.copy())
    copy.first = this.first.slice()
    copy.blocks = this.blocks.slice()
    copy.blocksEnd = this.blocksEnd
    copy.freeBlocks.set(this.freeBlocks)
    return copy
  }

  /** For tests: every word of `blocks` belongs to one block, and every block to one holder or to a list. */
  assertBlocks(): void {
    const sizeAt = new Map<number, number>()
    const note = (block: number, log: number) => {
      assert(!sizeAt.has(block), 'a block that is used twice')
      sizeAt.set(block, 1 << log)
    }
    for (let slot = 0; slot < this.keys.end; slot += 1) {
      const first = this.first[slot]!
      if (first < EMPTY && first !== FREE) note(~first, this.blocks[~first + LOG]!)
    }
    this.freeBlocks.forEach((head, log) => {
      for (let block = head; block !== 0; block = this.blocks[block]!) note(block, log)
    })
    let at = 1
    while (at < this.blocksEnd) {
      assert(sizeAt.has(at), 'a block that was lost')
      at += sizeAt.get(at)!
    }
    assert(at === this.blocksEnd, 'blocks end where they should')
  }

  /** A second hold comes: the first one moves into a block. */
  private blockFor(holder: number, hold: number): number {
    const block = this.takeBlock(SMALLEST)
    this.blocks[block + SIZE] = 1
    this.blocks[block + PLACES] = this.table.quantityOf(hold)
    this.blocks[block + HEADER] = hold
    this.first[holder] = ~block
    return block
  }

  private blockWithRoom(holder: number, block: number): number {
    const log = this.blocks[block + LOG]!
    const size = this.blocks[block + SIZE]!
    if (HEADER + size < 1 << log) return block
    const larger = this.takeBlock(log + 1)
    this.blocks.copyWithin(larger, block, block + HEADER + size)
    this.blocks[larger + LOG] = log + 1
    this.freeBlock(block)
    this.first[holder] = ~larger
    return larger
  }

  private takeBlock(log: number): number {
    let block = this.freeBlocks[log]!
    if (block !== 0) this.freeBlocks[log] = this.blocks[block]!
    else {
      block = this.blocksEnd
      this.blocksEnd += 1 << log
      if (this.blocksEnd > this.blocks.length) {
        this.blocks = lengthened(this.blocks, Math.max(this.blocksEnd, longer(this.blocks.length)))
      }
    }
    this.blocks[block + LOG] = log
    return block
  }

  private freeBlock(block: number): void {
    const log = this.blocks[block + LOG]!
    this.blocks[block] = this.freeBlocks[log]!
    this.freeBlocks[log] = block
  }
}

const EMPTY = -1
const FREE = -(2 ** 31)

/** A block starts with these. */
const SIZE = 0
const PLACES = 1
const LOG = 2
const HEADER = 3
/** Eight words: room for five holds. */
const SMALLEST = 3

/** A user or an address, and the queue of what they hold. Made when it is asked for, like ActiveHold. */
export class Holder<Key extends string> extends Queue implements HeldBy<Key> {
  readonly holders: Holders<Key>
  readonly slot: number

  constructor(holders: Holders<Key>, slot: number) {
    super(holders.table)
    this.holders = holders
    this.slot = slot
  }

  get key(): Key {
    return this.holders.keys.keyOf(this.slot)
  }

  get all(): this {
    return this
  }

  override get places(): number {
    return this.holders.placesOf(this.slot)
  }

  protected override get stretch(): Stretch {
    return this.holders.stretchOf(this.slot)
  }

  protected override get place(): Int32Array {
    return this.holders.place
  }
}
