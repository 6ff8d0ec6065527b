import type { HoldId } from '../../ids.ts'
import { assert } from '../../result.ts'

/**
 * A group of active holds, the one that ends soonest on top: all holds of the event, of a user, of an
 * address, of a zone without seats, or a user's wheelchair seats.
 *
 * A binary heap in which every hold knows its place, so that a hold that ends or is extended is found at once
 * and no dead entries pile up. Ties are broken by hold id: the order is the same in a state that was replayed
 * and in one that was restored.
 */
export class ExpiryQueue<Hold extends Queued> {
  readonly place: Place
  /** `heap[i]` ends no later than `heap[2i + 1]` and `heap[2i + 2]`. */
  heap: Hold[] = []
  /** Seats and places of all holds in the queue: what limits count. */
  places = 0

  constructor(place: Place) {
    this.place = place
  }

  get size(): number {
    return this.heap.length
  }

  get first(): Hold | undefined {
    return this.heap[0]
  }

  has(hold: Hold): boolean {
    return this.heap[hold[this.place]] === hold
  }

  add(hold: Hold): void {
    this.places += hold.quantity
    // Most users hold one seat, and a push onto an empty array makes room for 17.
    if (this.heap.length === 0) this.heap = [hold]
    else this.heap.push(hold)
    moveUp(this.heap, this.place, hold, this.heap.length - 1)
  }

  remove(hold: Hold): void {
    assert(this.has(hold), 'the hold is not in the queue')
    const hole = hold[this.place]
    const last = this.heap.pop()!
    this.places -= hold.quantity
    if (last === hold) return
    moveDown(this.heap, this.place, last, hole)
    if (last[this.place] === hole) moveUp(this.heap, this.place, last, hole)
  }

  /** To be called when the hold's heldUntil has moved on. */
  postponed(hold: Hold): void {
    assert(this.has(hold), 'the hold is not in the queue')
    moveDown(this.heap, this.place, hold, hold[this.place])
  }

  /** To be called when a hold in the queue has got smaller. */
  shrunk(hold: Hold, by: number): void {
    assert(this.has(hold), 'the hold is not in the queue')
    this.places -= by
  }

  /** The holds that have run out, in no order: k of them in O(k) steps. */
  eachDue(now: number, visit: (hold: Hold) => void): void {
    const positions = [0]
    for (let position = positions.pop(); position !== undefined; position = positions.pop()) {
      const hold = this.heap[position]
      if (hold === undefined || hold.heldUntil > now) continue
      visit(hold)
      positions.push(2 * position + 1, 2 * position + 2)
    }
  }

  /**
   * The holds that have run out, soonest first. Finding k of them takes O(k log k) steps, however many there
   * are, and changes nothing: it walks down from the top and keeps the positions it may visit next in a heap.
   */
  *due(now: number): Generator<Hold, void, void> {
    const heap = this.heap
    const frontier: number[] = []
    const isBefore = (a: number, b: number) => endsBefore(heap[a]!, heap[b]!)
    const offer = (position: number) => {
      const hold = heap[position]
      if (hold !== undefined && hold.heldUntil <= now) pushPosition(frontier, position, isBefore)
    }
    offer(0)
    while (frontier.length > 0) {
      const position = popPosition(frontier, isBefore)
      yield heap[position]!
      offer(2 * position + 1)
      offer(2 * position + 2)
    }
  }
}

/** What a queue knows of a hold. */
export interface Queued {
  readonly holdId: HoldId
  /** The first millisecond in which the hold is not alive any more. Never moves back. */
  heldUntil: number
  /** Places; 1 for a seat. Gets smaller when the buyer gives some of the places back. */
  quantity: number
  // A place for each queue the hold is in. No hold is both of a zone without seats and of a wheelchair seat,
  // so these two share one.
  placeInEvent: number
  placeWithUser: number
  placeWithIp: number
  placeInGroup: number
}

type Place = 'placeInEvent' | 'placeWithUser' | 'placeWithIp' | 'placeInGroup'

function endsBefore(a: Queued, b: Queued): boolean {
  return a.heldUntil < b.heldUntil || (a.heldUntil === b.heldUntil && a.holdId < b.holdId)
}

function moveUp(heap: Queued[], place: Place, hold: Queued, from: number): void {
  let position = from
  while (position > 0) {
    const parent = (position - 1) >> 1
    const above = heap[parent]!
    if (!endsBefore(hold, above)) break
    heap[position] = above
    above[place] = position
    position = parent
  }
  heap[position] = hold
  hold[place] = position
}

function moveDown(heap: Queued[], place: Place, hold: Queued, from: number): void {
  let position = from
  for (;;) {
    let child = 2 * position + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && endsBefore(heap[child + 1]!, heap[child]!)) child += 1
    const below = heap[child]!
    if (!endsBefore(below, hold)) break
    heap[position] = below
    below[place] = position
    position = child
  }
  heap[position] = hold
  hold[place] = position
}

function pushPosition(heap: number[], item: number, isBefore: (a: number, b: number) => boolean): void {
  let position = heap.length
  heap.push(item)
  while (position > 0) {
    const parent = (position - 1) >> 1
    if (!isBefore(item, heap[parent]!)) break
    heap[position] = heap[parent]!
    position = parent
  }
  heap[position] = item
}

function popPosition(heap: number[], isBefore: (a: number, b: number) => boolean): number {
  const top = heap[0]!
  const item = heap.pop()!
  if (heap.length === 0) return top
  let position = 0
  for (;;) {
    let child = 2 * position + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
    if (!isBefore(heap[child]!, item)) break
    heap[position] = heap[child]!
    position = child
  }
  heap[position] = item
  return top
}
