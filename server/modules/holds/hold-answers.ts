import type { HoldAnswer } from '@voelgoed/core/event/decision'
import type { EventHall } from '@voelgoed/engine/view/hot-event'

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
