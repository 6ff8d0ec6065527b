/** Few left, some, many, all but all of it: apart from each other also for eyes that see no hue. */
const STRENGTHS = [0.15, 0.31, 0.51, 1]

/** Says how strong the colour of a price is where so much is left of so many; 0: nothing is. */
export function strengthOf(free: number, capacity: number): number {
  if (free <= 0 || capacity <= 0) return 0
  return STRENGTHS[Math.min(STRENGTHS.length, Math.ceil((STRENGTHS.length * free) / capacity)) - 1]!
}
