import type { Change } from '@voelgoed/core/event/change'
import type { HoldId } from '@voelgoed/core/ids'

/**
 * Keeps which holds, seats and zones of an event have changed since its copy was last written, but not how. A
 * write takes them from the view as it is then. So a hold that changes ten times is written once, and there
 * is never more to write than the event has seats and holds.
 */
export class Unwritten {
  /** The seat of each hold, by ordinal; null: places. */
  readonly holds = new Map<HoldId, number | null>()
  readonly seats = new Set<number>()
  readonly zones = new Set<number>()
  /** Some of it was committed by this node. */
  hasOwn = false
  /** When the oldest change was made, by the database's clock. */
  oldestAt: number | null = null
  /** A counter or the status: nothing else tells that there is something to write. */
  hasOther = false

  get isEmpty(): boolean {
    return this.holds.size === 0 && this.seats.size === 0 && !this.hasOther
  }

  get size(): number {
    return this.holds.size + this.seats.size
  }

  /** Counts the parts that it takes with so many holds and seats in each; at least one. */
  parts(most: number): number {
    return Math.max(1, Math.ceil(Math.max(this.holds.size, this.seats.size) / most))
  }

  note(change: Change): void {
    this.oldestAt ??= change.at
    if (change.kind === 'event_changed') {
      this.hasOther = true
      return
    }
    this.zones.add(change.zoneIndex)
    if (change.kind === 'companions_released') {
      for (const seat of change.ordinals) this.seats.add(seat)
      this.hasOther = true
      return
    }
    const { ordinal } = change
    if (ordinal !== null) this.seats.add(ordinal)
    if ('holdId' in change) this.holds.set(change.holdId, ordinal)
  }

  /** A write has failed, so its changes are still to be written. */
  putBack(other: Unwritten): void {
    for (const [hold, ordinal] of other.holds) this.holds.set(hold, ordinal)
    for (const seat of other.seats) this.seats.add(seat)
    for (const zone of other.zones) this.zones.add(zone)
    this.hasOwn ||= other.hasOwn
    this.hasOther ||= other.hasOther
    this.oldestAt = other.oldestAt ?? this.oldestAt
  }
}
