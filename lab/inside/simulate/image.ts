import type { EventState } from '@voelgoed/core/event/state'

/** What a state means, as text; the order inside its maps is left out. */
export function imageOf({ seq, seatStatus, seatVersion, zones, holds, queue }: EventState): string {
  return JSON.stringify({
    seq,
    seats: [...seatStatus],
    versions: [...seatVersion],
    zones: zones.map(({ held, sold, blocked }) => [held, sold, blocked]),
    holds: [...holds.values()]
      .map(({ holdId, user, ordinal, quantity, heldUntil, capUntil, checkoutId }) =>
        [holdId, user.key, ordinal, quantity, heldUntil, capUntil, checkoutId].join(),
      )
      .sort(),
    next: queue.first?.heldUntil ?? null,
  })
}
