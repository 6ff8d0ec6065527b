import type { HoldAnswer, Stranding } from '@voelgoed/core/event/decision'
import type { EventHall } from '../../lane/hot-event.ts'
import { warningAnswers } from './seats-answers.ts'

/** A hold as its owner sees it. */
export function holdAnswer(
  eventId: string,
  hall: EventHall,
  hold: HoldAnswer,
  now: number,
): Record<string, unknown> {
  const zone = hall.zones[hold.zoneIndex]!
  const { held_until, held_until_unix, expires_in_seconds } = timing(hold.heldUntil, now)
  const answer: Record<string, unknown> = {
    hold_id: hold.holdId,
    event_id: eventId,
    zone_id: zone.zoneId,
    zone_name: zone.name,
    block_name: zone.name,
    status: 'held',
    held_until,
    held_until_unix,
    expires_in_seconds,
    message: message(hold, now),
  }
  if (hold.ordinal === null) {
    answer.quantity = hold.quantity
  } else {
    answer.seat_id = hall.seats.map.seatIds.at(hold.ordinal)
    answer.row = hall.seats.rows.at(hold.ordinal)
    answer.seat_number = hall.seats.numbers.at(hold.ordinal)
  }
  return answer
}

export function holdsAnswer(
  eventId: string,
  hall: EventHall,
  holds: readonly HoldAnswer[],
  now: number,
): Record<string, unknown> {
  // The first of them to run out counts for the countdown they share.
  const heldUntil = Math.min(...holds.map(hold => hold.heldUntil))
  const { held_until, expires_in_seconds } = timing(heldUntil, now)
  return { holds: holds.map(hold => holdAnswer(eventId, hall, hold, now)), held_until, expires_in_seconds }
}

/** Everything a buyer has in an event. Nothing has a price yet, so there is nothing to add up. */
export function cartAnswer(
  eventId: string,
  hall: EventHall | null,
  { holds, warning }: { readonly holds: readonly HoldAnswer[]; readonly warning: Stranding | null },
  now: number,
): Record<string, unknown> {
  const cart =
    hall && holds.length > 0
      ? holdsAnswer(eventId, hall, holds, now)
      : { holds: [], held_until: null, expires_in_seconds: null }
  const warnings = hall ? warningAnswers(hall, warning) : []
  return { ...cart, warnings, lines: [], total: null, currency: null }
}

function timing(heldUntil: number, now: number) {
  return {
    held_until: new Date(heldUntil).toISOString(),
    held_until_unix: Math.floor(heldUntil / 1000),
    expires_in_seconds: Math.max(0, Math.floor((heldUntil - now) / 1000)),
  }
}

function message(hold: HoldAnswer, now: number): string {
  const seconds = Math.max(0, Math.round((hold.heldUntil - now) / 1000))
  const time =
    seconds >= 120
      ? `${Math.round(seconds / 60)} minutes`
      : `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  return hold.ordinal === null
    ? `${hold.quantity} ${hold.quantity === 1 ? 'place' : 'places'} held for ${time}.`
    : `Seat held for ${time}.`
}
