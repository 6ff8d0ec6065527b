import { assert } from '../../result.ts'
import type { KeyCodec } from './key-codecs.ts'
import { lengthened, longer } from './typed-arrays.ts'

/**
 * Keys, each with a slot: a small number under which other arrays keep what belongs to it. A key takes 8 or
 * 16 bytes, and 5 to 10 in the index. As a string in a Map it took 100.
 *
 * A key that its codec can't pack (the ids of tests and of the simulator) is kept as text in a Map beside.
 *
 * The index is a table with open addressing, at most four fifths full. An entry is the number of the slot,
 * plus one; above it how far the entry stands from where its key's hash wants it; above that as many bits of
 * the hash as there is room for: hardly any other key is looked at on the way to the right one. An entry that
 * is removed leaves no mark: those behind it move up. Their distance says whether they may, and their keys
 * are not looked at.
 *
 * The key asked for last is remembered: a command asks for its hold and its user several times.
 */
export class PackedKeys<Key extends string> {
  /** The number of keys. */
  size = 0
  /** Slots that were ever used: all smaller than this. */
  end = 0
  private readonly codec: KeyCodec
  /** Callers who choose keys must not know it, or they could choose keys with one place in the index. */
  private readonly seed: number
  private words: Int32Array
  private index: Int32Array
  /** The slot that was freed last. Its first word is the one freed before. */
  private free = -1
  /** The key asked for last, and its slot. No part of the state: two that differ only in this are equal. */
  #lastKey: Key | null = null
  #lastSlot = -1
  private readonly slotOfText = new Map<string, number>()
  private readonly textOfSlot = new Map<number, string>()

  constructor(codec: KeyCodec, { capacity = 16, seed = 0 }: { capacity?: number; seed?: number } = {}) {
    this.codec = codec
    this.seed = seed
    this.words = new Int32Array(capacity * codec.words)
    let entries = 32
    while (entries * 0.8 < capacity) entries *= 2
    this.index = new Int32Array(entries)
  }

  /** Slots there is room for. */
  get capacity(): number {
    return this.words.length / this.codec.words
  }

  get bytes(): number {
    return this.words.byteLength + this.index.byteLength
  }

  /** The slot of the key; -1: it has none. */
  find(key: Key): number {
    if (key === this.#lastKey) return this.#lastSlot
    const slot = this.codec.pack(key, packed)
      ? this.search(this.hash(packed, 0))
      : (this.slotOfText.get(key) ?? -1)
    return this.remember(key, slot)
  }

  /** Returns whether this is the key of the slot. */
  isKeyOf(slot: number, key: Key): boolean {
    if (key === this.#lastKey) return slot === this.#lastSlot
    if (!this.codec.pack(key, packed)) return this.slotOfText.get(key) === slot
    return this.textOf(slot) === undefined && this.hasWords(slot)
  }

  /** The slot of the key if it has one; if not it gets one, and the answer is `~slot`. */
  findOrAdd(key: Key): number {
    if (key === this.#lastKey && this.#lastSlot >= 0) return this.#lastSlot
    const canBePacked = this.codec.pack(key, packed)
    const hash = canBePacked ? this.hash(packed, 0) : 0
    const known = canBePacked ? this.search(hash) : (this.slotOfText.get(key) ?? -1)
    if (known >= 0) return this.remember(key, known)
    const slot = this.takeSlot()
    this.size += 1
    if (canBePacked) {
      for (let i = 0; i < this.codec.words; i += 1) this.words[slot * this.codec.words + i] = packed[i]!
      while (this.size > this.index.length * 0.8) this.growIndex()
      this.enter(slot, hash)
    } else {
      this.slotOfText.set(key, slot)
      this.textOfSlot.set(slot, key)
    }
    return ~this.remember(key, slot)
  }

  remove(slot: number): void {
    const text = this.textOf(slot)
    if (text === undefined) this.leave(slot)
    else {
      this.slotOfText.delete(text)
      this.textOfSlot.delete(slot)
    }
    if (slot === this.#lastSlot) this.#lastKey = null
    this.size -= 1
    this.words[slot * this.codec.words] = this.free
    this.free = slot
  }

  keyOf(slot: number): Key {
    if (slot === this.#lastSlot && this.#lastKey !== null) return this.#lastKey
    return (this.textOf(slot) ?? this.codec.unpack(this.words, slot * this.codec.words)) as Key
  }

  /** Returns whether the key of one slot comes before that of another, as text. */
  isBefore(a: number, b: number): boolean {
    if (this.textOfSlot.size > 0) return this.keyOf(a) < this.keyOf(b)
    const { words } = this
    const count = this.codec.words
    for (let i = 0; i < count; i += 1) {
      const x = words[a * count + i]!
      const y = words[b * count + i]!
      if (x !== y) return x >>> 0 < y >>> 0
    }
    return false
  }

  /** A copy of the words of all keys, by slot. No key may be text, and no slot free. */
  packed(): Int32Array {
    assert(this.textOfSlot.size === 0 && this.size === this.end, 'keys that are all packed')
    return this.words.slice(0, this.size * this.codec.words)
  }

  copy(): PackedKeys<Key> {
    const copy = new PackedKeys<Key>(this.codec, { capacity: 0, seed: this.seed })
    copy.size = this.size
    copy.end = this.end
    copy.words = this.words.slice()
    copy.index = this.index.slice()
    copy.free = this.free
    for (const [text, slot] of this.slotOfText) copy.slotOfText.set(text, slot)
    for (const [slot, text] of this.textOfSlot) copy.textOfSlot.set(slot, text)
    return copy
  }

  /** For tests: these slots have keys that are found, and all others are free. */
  assertSlots(used: readonly number[]): void {
    const isUsed = new Set(used)
    assert(isUsed.size === this.size, 'as many keys as slots in use')
    for (const slot of used) assert(this.find(this.keyOf(slot)) === slot, 'a key that is not found')
    const entries = this.index.filter(entry => entry !== 0)
    assert(entries.length === this.size - this.textOfSlot.size, 'an entry for each packed key')
    let free = 0
    for (let slot = this.free; slot >= 0; slot = this.words[slot * this.codec.words]!) {
      assert(slot < this.end && !isUsed.has(slot), 'a slot in use that is free')
      free += 1
    }
    assert(free + this.size === this.end, 'a slot that was lost')
  }

  private textOf(slot: number): string | undefined {
    if (this.textOfSlot.size === 0) return undefined
    return this.textOfSlot.get(slot)
  }

  private remember(key: Key, slot: number): number {
    this.#lastKey = key
    this.#lastSlot = slot
    return slot
  }

  private takeSlot(): number {
    const freed = this.free
    if (freed >= 0) {
      this.free = this.words[freed * this.codec.words]!
      return freed
    }
    if (this.end === this.capacity)
      this.words = lengthened(this.words, longer(this.capacity) * this.codec.words)
    this.end += 1
    return this.end - 1
  }

  /** The slot whose words are those in `packed`. */
  private search(hash: number): number {
    const { index } = this
    const mask = index.length - 1
    let upper = this.upperBits(hash)
    let distance = 0
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const entry = index[at]!
      if (entry === 0) return -1
      if (((entry ^ upper) & ~mask) === 0 && this.hasWords((entry & mask) - 1)) return (entry & mask) - 1
      if (distance < FURTHEST) {
        distance += 1
        upper += index.length
      }
    }
  }

  /** Returns whether the slot's words are those in `packed`. */
  private hasWords(slot: number): boolean {
    const { words } = this
    const count = this.codec.words
    const from = slot * count
    if (words[from] !== packed[0] || words[from + 1] !== packed[1]) return false
    return count === 2 || (words[from + 2] === packed[2] && words[from + 3] === packed[3])
  }

  private enter(slot: number, hash: number): void {
    const { index } = this
    const mask = index.length - 1
    let at = hash & mask
    while (index[at] !== 0) at = (at + 1) & mask
    const distance = Math.min((at - hash) & mask, FURTHEST)
    index[at] = this.upperBits(hash) | (distance * index.length) | (slot + 1)
  }

  private leave(slot: number): void {
    const { index } = this
    const mask = index.length - 1
    const one = index.length
    let hole = this.hash(this.words, slot * this.codec.words) & mask
    while ((index[hole]! & mask) !== slot + 1) hole = (hole + 1) & mask
    for (let at = (hole + 1) & mask; ; at = (at + 1) & mask) {
      const entry = index[at]!
      if (entry === 0) break
      const distance = this.distanceOf(entry, at)
      const toHole = (at - hole) & mask
      // It may stand in the hole if that is not before its own place.
      if (distance < toHole) continue
      const rest = Math.min(distance - toHole, FURTHEST)
      index[hole] = (entry & ~(FURTHEST * one)) | (rest * one)
      hole = at
    }
    index[hole] = 0
  }

  /** Returns how far the entry at `at` is from where its key's hash wants it. */
  private distanceOf(entry: number, at: number): number {
    const { index } = this
    const mask = index.length - 1
    const distance = (entry >>> (32 - Math.clz32(mask))) & FURTHEST
    if (distance < FURTHEST) return distance
    const hash = this.hash(this.words, ((entry & mask) - 1) * this.codec.words)
    return (at - hash) & mask
  }

  /** The bits of the hash that an entry has room for. */
  private upperBits(hash: number): number {
    return hash & ~((FURTHEST + 1) * this.index.length - 1)
  }

  private growIndex(): void {
    const old = this.index
    const mask = old.length - 1
    this.index = new Int32Array(2 * old.length)
    for (const entry of old) {
      if (entry === 0) continue
      const slot = (entry & mask) - 1
      this.enter(slot, this.hash(this.words, slot * this.codec.words))
    }
  }

  private hash(words: Int32Array, from: number): number {
    let hash = this.seed
    const to = from + this.codec.words
    for (let at = from; at < to; at += 1) {
      hash = Math.imul(hash ^ words[at]!, 0x9e3779b1)
      hash ^= hash >>> 15
    }
    hash = Math.imul(hash, 0x85ebca6b)
    return hash ^ (hash >>> 13)
  }
}

/** Bits of an entry for the distance. One that is not smaller is found out by the key's hash. */
const FURTHEST = 63

/** The words of the key that is asked for: one array for all, only read right after it is written. */
const packed = new Int32Array(4)
