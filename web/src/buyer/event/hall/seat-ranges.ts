import type { MyHold } from '../cart/holdings.svelte.ts'

/** Seats of one row in brief: `21–24`, `3, 5–7`. What is no number stands alone. */
export function seatRanges(numbers: readonly (number | string)[]): string {
  const whole = numbers.map(Number)
  if (whole.some(number => !Number.isInteger(number))) return numbers.join(', ')
  const sorted = [...new Set(whole)].sort((a, b) => a - b)
  const runs: [first: number, last: number][] = []
  for (const number of sorted) {
    const run = runs.at(-1)
    if (run && run[1] === number - 1) run[1] = number
    else runs.push([number, number])
  }
  return runs
    .map(([first, last]) =>
      first === last ? `${first}` : `${first}${last === first + 1 ? ', ' : '–'}${last}`,
    )
    .join(', ')
}

type SeatHold = Extract<MyHold, { seat_id: string }>

/**
 * Holds of seats of one row together, in the order in which rows were first held; places by themselves.
 * `kindOf`: seats of different kinds are apart, so that one price list fits all seats of a group.
 */
export function groupHolds(
  holds: readonly MyHold[],
  kindOf: (hold: MyHold) => string = () => '',
): (readonly SeatHold[] | Exclude<MyHold, SeatHold>)[] {
  const groups = new Map<string, SeatHold[] | Exclude<MyHold, SeatHold>>()
  for (const hold of holds) {
    if (!('seat_id' in hold)) {
      groups.set(hold.hold_id, hold)
      continue
    }
    const key = `${hold.zone_id} ${kindOf(hold)} ${hold.row}`
    const group = groups.get(key)
    if (Array.isArray(group)) group.push(hold)
    else groups.set(key, [hold])
  }
  for (const group of groups.values()) if (Array.isArray(group)) group.sort(bySeat)
  return [...groups.values()]
}

/** As they stand in the row, not as they were taken. */
function bySeat({ seat_number: a }: SeatHold, { seat_number: b }: SeatHold): number {
  return String(a).localeCompare(String(b), 'en', { numeric: true })
}
