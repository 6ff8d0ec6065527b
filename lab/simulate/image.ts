import type { EventState } from '@voelgoed/core/event/state'

/** Turns what a state means into text; the order inside its maps is left out. */
export function imageOf({ seq, seatStatus, seatVersion, zones, holds, queue }: EventState): string {
  return JSON.stringify({
    seq,
    seats: [...seatStatus],
    versions: [...seatVersion],
    zones: zones.map(({ held, sold, blocked, companionsReleased }) => {
      return [held, sold, blocked, companionsReleased]
    }),
    holds: [...holds.values()]
      .map(({ holdId, user, ordinal, quantity, heldUntil, capUntil, checkoutId }) =>
        [holdId, user.key, ordinal, quantity, heldUntil, capUntil, checkoutId].join(),
      )
      .sort(),
    next: queue.first?.heldUntil ?? null,
  })
}

/**
 * The same as a number, in a tenth of the time: states that mean the same have the same one, and others
 * hardly ever do (48 bits).
 */
export function digestOf({ seq, seatStatus, seatVersion, zones, holds, queue }: EventState): number {
  let hash = mixed(0, seq)
  for (let ordinal = 0; ordinal < seatStatus.length; ordinal += 1) {
    hash = mixed(hash, seatStatus[ordinal]! + 4 * seatVersion[ordinal]!)
  }
  for (const { held, sold, blocked, companionsReleased } of zones) {
    hash = mixed(mixed(mixed(hash, held), sold), 2 * blocked + (companionsReleased ? 1 : 0))
  }
  // A sum: in whatever order they are.
  let low = 0
  let high = 0
  for (const { holdId, user, ordinal, quantity, heldUntil, capUntil, checkoutId } of holds.values()) {
    let hold = mixedText(mixedText(17, holdId), user.key)
    hold = mixed(mixed(hold, ordinal ?? -1), quantity)
    hold = mixed(mixed(hold, heldUntil % 2 ** 31), capUntil % 2 ** 31)
    if (checkoutId !== null) hold = mixedText(hold, checkoutId)
    low = (low + hold) | 0
    high = (high + Math.imul(hold ^ (hold >>> 15), 0x2c1b3c6d)) | 0
  }
  hash = mixed(hash, (queue.first?.heldUntil ?? 0) % 2 ** 31)
  return (mixed(hash, low) >>> 0) * 2 ** 16 + (mixed(hash, high) >>> 16)
}

function mixed(hash: number, value: number): number {
  const bits = Math.imul(hash ^ value, 0x9e3779b1)
  return bits ^ (bits >>> 15)
}

function mixedText(hash: number, text: string): number {
  let bits = hash
  for (let index = 0; index < text.length; index += 1) {
    bits = Math.imul(bits ^ text.charCodeAt(index), 0x5f356495)
  }
  return bits ^ (bits >>> 13)
}
