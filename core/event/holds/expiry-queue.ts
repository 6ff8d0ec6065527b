import { assert } from '../../result.ts'
import type { ActiveHold, HoldQueue, HoldTable } from './active-hold.ts'
import { due, eachDue, moveDown, moveUp, type Stretch, takeOut } from './slot-heap.ts'
import { lengthened, longer } from './typed-arrays.ts'

/** Answers what any queue of holds answers, wherever it keeps them. */
export abstract class Queue implements HoldQueue {
  readonly table: HoldTable

  constructor(table: HoldTable) {
    this.table = table
  }

  abstract get places(): number
  protected abstract get stretch(): Stretch
  /** By hold: its position in the heap. */
  protected abstract get place(): Int32Array

  get size(): number {
    return this.stretch.size
  }

  get first(): ActiveHold | undefined {
    const { heap, start, size } = this.stretch
    return size === 0 ? undefined : this.table.at(heap[start]!)
  }

  get heap(): ActiveHold[] {
    const { heap, start, size } = this.stretch
    return Array.from({ length: size }, (_, position) => this.table.at(heap[start + position]!))
  }

  has({ slot }: ActiveHold): boolean {
    const { heap, start, size } = this.stretch
    const position = this.place[slot]!
    return position >= 0 && position < size && heap[start + position] === slot
  }

  *due(now: number): Generator<ActiveHold, void, void> {
    for (const slot of due(this.table, this.stretch, now)) yield this.table.at(slot)
  }

  eachDue(now: number, visit: (hold: ActiveHold) => void): void {
    eachDue(this.table, this.stretch, now, slot => visit(this.table.at(slot)))
  }

  /**
   * Looks at the leaves of the heap, the last first: if none of them is alive, none of the others is.
   * Nearly always the first look finds one.
   */
  someAlive(now: number): ActiveHold | null {
    const { heap, start, size } = this.stretch
    for (let position = size - 1; position >= size >> 1; position -= 1) {
      const slot = heap[start + position]!
      if (now < this.table.heldUntil[slot]!) return this.table.at(slot)
    }
    return null
  }
}

/** All holds of an event, or of a zone without seats. */
export class ExpiryQueue extends Queue {
  readonly of: 'event' | 'zone'
  override places = 0
  private slots = new Int32Array(16)
  private count = 0

  constructor(table: HoldTable, of: 'event' | 'zone') {
    super(table)
    this.of = of
  }

  override get size(): number {
    return this.count
  }

  get bytes(): number {
    return this.slots.byteLength
  }

  protected override get stretch(): Stretch {
    return { heap: this.slots, start: 0, size: this.count }
  }

  protected override get place(): Int32Array {
    return this.of === 'event' ? this.table.placeInEvent : this.table.placeInZone
  }

  add(slot: number): void {
    if (this.count === this.slots.length) this.slots = lengthened(this.slots, longer(this.count))
    this.places += this.table.quantityOf(slot)
    moveUp(this.table, this.stretch, this.place, { slot, from: this.count })
    this.count += 1
  }

  remove(slot: number): void {
    assert(this.slots[this.place[slot]!] === slot, 'the hold is not in the queue')
    takeOut(this.table, this.stretch, this.place, slot)
    this.count -= 1
    this.places -= this.table.quantityOf(slot)
  }

  /** To be called when the hold's heldUntil has moved on. */
  postponed(slot: number): void {
    moveDown(this.table, this.stretch, this.place, { slot, from: this.place[slot]! })
  }

  /** To be called when a hold in the queue has got smaller. */
  shrunk(by: number): void {
    this.places -= by
  }

  copy(table: HoldTable): ExpiryQueue {
    const copy = new ExpiryQueue(table, this.of)
    copy.places = this.places
    copy.slots = this.slots.slice()
    copy.count = this.count
    return copy
  }
}
