import { occupancyTotals } from '@voelgoed/core/event/digest'
import { shownCode } from '@voelgoed/core/event/seat-bits'
import type { EventState } from '@voelgoed/core/event/state'
import { occupancy, type ZoneOccupancy } from '@voelgoed/core/event/view'
import type { HoldId, ZoneId } from '@voelgoed/core/ids'
import type { EventKeys } from '@voelgoed/kit/redis/keys'

/** This file writes an event down in the words of scripts/put-event.lua. */

/** One part of what is to be written. */
export interface Part {
  readonly keys: readonly string[]
  /** From ARGV[16] on. */
  readonly words: readonly string[]
}

/** Some holds as they are in the state now: those that it does not have any more have ended. */
export function partOf(
  state: EventState,
  keys: EventKeys,
  {
    holds,
    seats,
    fields,
  }: {
    readonly holds: Iterable<readonly [HoldId, number | null]>
    readonly seats: Iterable<number>
    readonly fields: readonly string[]
  },
): Part {
  const { seatIds } = state.seats
  const bits: string[] = []
  for (const ordinal of seats) bits.push('SET', 'u2', `#${ordinal}`, String(shownCode(state, ordinal)))
  const ended: string[] = []
  const endedKeys: string[] = []
  const living: string[] = []
  const livingKeys: string[] = []
  for (const [holdId, ordinal] of holds) {
    const seat = ordinal === null ? '' : seatIds.at(ordinal)
    const hold = state.holds.get(holdId)
    const theirs = hold ? livingKeys : endedKeys
    theirs.push(keys.holdMeta(holdId))
    if (seat !== '') theirs.push(keys.seatHold(seat))
    if (hold) {
      const zone = state.zones[hold.zoneIndex]!.settings.zoneId
      living.push(holdId, seat, String(ordinal ?? ''), zone, String(hold.quantity), String(hold.heldUntil))
    } else ended.push(holdId, seat)
  }
  const counts = [bits.length, fields.length, ended.length / 2, living.length / 6].map(String)
  return {
    keys: [...endedKeys, ...livingKeys],
    words: [...counts, ...bits, ...fields, ...ended, ...living],
  }
}

/** Fields and values of the occupancy: the event's, and those of some zones. */
export function occupancyFields(state: EventState, chosen: ReadonlySet<number> | 'all'): string[] {
  const zones = occupancy(state)
  const fields = ['status', state.settings.status]
  for (const [index, { zoneId, capacity, available, held, sold, blocked, closed }] of zones.entries()) {
    if (chosen !== 'all' && !chosen.has(index)) continue
    const counts = [zoneId, capacity, available, held, sold, blocked, Number(closed)]
    fields.push(`zone:${index}`, counts.join(' '))
  }
  for (const [name, count] of Object.entries(occupancyTotals(zones))) fields.push(name, String(count))
  return fields
}

/** The zones of an occupancy that was read. Null: that is nothing we write. */
export function zonesOf(fields: ReadonlyMap<string, string>): ZoneOccupancy[] | null {
  const zones: ZoneOccupancy[] = []
  for (let index = 0; ; index += 1) {
    const line = fields.get(`zone:${index}`)
    if (line === undefined) return zones
    const [zoneId, ...numbers] = line.split(' ')
    const [capacity, available, held, sold, blocked, closed] = numbers.map(Number)
    if (closed === undefined || numbers.some(number => !/^-?\d+$/.test(number))) return null
    zones.push({
      zoneId: zoneId as ZoneId,
      capacity: capacity!,
      available: available!,
      held: held!,
      sold: sold!,
      blocked: blocked!,
      closed: closed === 1,
    })
  }
}

/** Reads the text under a seat's key. Null: we never write such a text. */
export function parseHold(text: string): { readonly holdId: HoldId; readonly until: number } | null {
  const found = /^\{"hold_id":"([^"]+)","until":(\d+)\}$/.exec(text)
  return found && { holdId: found[1] as HoldId, until: Number(found[2]) }
}
