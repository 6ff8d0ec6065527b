import { UUIDS } from './holds/key-codecs.ts'
import { putSeatBits, seatBitsLength } from './seat-bits.ts'
import type { EventState } from './state.ts'
import { occupancy, type ZoneOccupancy } from './view.ts'

/**
 * A digest of what copies of an event must agree on when they are at the same point of its history: every
 * hold, what each seat shows, the counters, the status. The view, the rows of Postgres and the copy in Redis
 * are all digested here, so two that have one digest mean the same.
 *
 * It leaves out whose a hold is (Redis never knows) and the versions of seats. It has 64 bits: it finds
 * mistakes and damage, and proves nothing against a person who chooses the contents.
 */
export interface EventDigest {
  /** 16 hexadecimal digits. */
  readonly digest: string
  readonly holds: number
}

/** A digest is made of this, and of the holds. */
export interface DigestedEvent {
  readonly status: string
  readonly totals: OccupancyTotals
  /** In the order of the zones. */
  readonly zones: readonly ZoneOccupancy[]
  /** seat-bits.ts. */
  readonly seatBits: Uint8Array
}

export interface OccupancyTotals {
  readonly available: number
  readonly held: number
  readonly sold: number
  readonly blocked: number
  readonly total: number
}

export interface DigestedHold {
  readonly holdId: string
  /** Null: places of a zone without seats. */
  readonly ordinal: number | null
  readonly zoneIndex: number
  readonly quantity: number
  readonly heldUntil: number
}

/** Digests any number of holds, in any order. */
export class HoldsDigest {
  count = 0
  #a = 0
  #b = 0

  add({ holdId, ordinal, zoneIndex, quantity, heldUntil }: DigestedHold): void {
    const words = new Words()
    words.addText(holdId)
    words.add(ordinal ?? -1)
    words.add(zoneIndex)
    words.add(quantity)
    words.addLong(heldUntil)
    // Added up, so that the order does not matter.
    this.#a = (this.#a + words.a) | 0
    this.#b = (this.#b + words.b) | 0
    this.count += 1
  }

  addTo(words: Words): void {
    words.add(this.count)
    words.add(this.#a)
    words.add(this.#b)
  }
}

export function digestOf(
  { status, totals, zones, seatBits }: DigestedEvent,
  holds: HoldsDigest,
): EventDigest {
  const words = new Words()
  words.addText(status)
  holds.addTo(words)
  const { available, held, sold, blocked, total } = totals
  for (const count of [available, held, sold, blocked, total]) words.add(count)
  words.add(zones.length)
  for (const zone of zones) {
    words.addText(zone.zoneId)
    for (const count of [zone.capacity, zone.available, zone.held, zone.sold, zone.blocked]) words.add(count)
    words.add(zone.closed ? 1 : 0)
  }
  words.addBytes(seatBits)
  return { digest: hex(words.a) + hex(words.b), holds: holds.count }
}

/** Returns the sum over all zones of the event. */
export function occupancyTotals(zones: readonly ZoneOccupancy[]): OccupancyTotals {
  const totals = { available: 0, held: 0, sold: 0, blocked: 0, total: 0 }
  for (const { available, held, sold, blocked, capacity } of zones) {
    totals.available += available
    totals.held += held
    totals.sold += sold
    totals.blocked += blocked
    totals.total += capacity
  }
  return totals
}

/** Holds, and seats, of one step: well under a millisecond. */
const HOLDS_A_STEP = 1_000
const SEATS_A_STEP = 25_000

/**
 * The digest of a state, in steps: the caller lets other work run between two of them, and must not change
 * the state until the last.
 */
export function* digestSteps(state: EventState): Generator<void, EventDigest, void> {
  const holds = new HoldsDigest()
  for (const hold of state.holds.values()) {
    holds.add(hold)
    if (holds.count % HOLDS_A_STEP === 0) yield
  }
  const { count } = state.seats
  const seatBits = new Uint8Array(seatBitsLength(state))
  for (let from = 0; from < count; from += SEATS_A_STEP) {
    putSeatBits(seatBits, state, from, Math.min(from + SEATS_A_STEP, count))
    yield
  }
  const zones = occupancy(state)
  const { status } = state.settings
  return digestOf({ status, totals: occupancyTotals(zones), zones, seatBits }, holds)
}

/** In one step: for states that are small, or that no caller waits for. */
export function digestState(state: EventState): EventDigest {
  const steps = digestSteps(state)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const packed = new Int32Array(4)

/** Two mixes of 32 bits over a sequence of words (the rounds and the ends are those of MurmurHash3). */
class Words {
  #a = 0x2c1b3c6d
  #b = 0x297a2d39

  get a(): number {
    return finish(this.#a)
  }

  get b(): number {
    return finish(this.#b)
  }

  add(word: number): void {
    this.#a = mix(this.#a, word, 0xcc9e2d51, 0x1b873593)
    this.#b = mix(this.#b, word, 0xab0e9789, 0x38b34ae5)
  }

  /** A whole number beyond 32 bits. */
  addLong(value: number): void {
    this.add(value | 0)
    this.add(Math.floor(value / 2 ** 32))
  }

  /** An id is packed: it is what most texts here are. */
  addText(text: string): void {
    if (UUIDS.pack(text, packed)) {
      for (const word of packed) this.add(word)
      return
    }
    this.add(text.length)
    for (let at = 0; at < text.length; at += 1) this.add(text.charCodeAt(at))
  }

  addBytes(bytes: Uint8Array): void {
    this.add(bytes.length)
    for (let at = 0; at < bytes.length; at += 4) {
      this.add(bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24))
    }
  }
}

function mix(hash: number, word: number, first: number, second: number): number {
  let key = Math.imul(word, first)
  key = (key << 15) | (key >>> 17)
  const mixed = hash ^ Math.imul(key, second)
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0
}

function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0')
}
