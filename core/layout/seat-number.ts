/** Numbers of seats that are numbers: the contract takes what an export gives. */
export const SEAT_NUMBERS = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } as const

const CANONICAL = /^(?:0|-?[1-9]\d{0,15})$/

/**
 * `'12'` becomes 12. `'012'`, `'12A'` and what a double can't hold stay text: they would read differently.
 */
export function canonicalNumber(number: number | string): number | string {
  if (typeof number === 'number') return number + 0
  if (!CANONICAL.test(number)) return number
  const whole = Number(number)
  return Number.isSafeInteger(whole) ? whole : number
}

/** The label of a seat that was given none. */
export function defaultLabel(row: string, number: number | string): string {
  return `${row}-${number}`
}
