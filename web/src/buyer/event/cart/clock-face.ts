/** A clock of what is held, as it looks and as it was last said. */
export interface HeldClock {
  /** Seconds. */
  readonly left: number
  /** Its ring is full at so many. */
  readonly full: number
  /** From so many on it is late. */
  readonly warnAt: number
  /** So many were left when the lateness was last said; null: it is not late. */
  readonly said: number | null
}

const LAST = 10

/**
 * The clock a moment later. `usual`: the time that holds have. More time than before, or more than is usual
 * while it is being paid, is a new full ring. What is said is the time that is really left.
 */
export function nextClock(before: HeldClock | null, left: number, usual: number): HeldClock {
  // Answers round the seconds: one more is no more time.
  const isNew = before === null || left > before.left + 1
  const full = isNew ? (left > usual || before ? left : usual) : before.full
  const warnAt = Math.min(60, Math.ceil(Math.max(full, usual) / 5))
  const isLate = left > 0 && left <= warnAt
  const goesOn = before !== null && before.said !== null && !isNew && before.left > LAST === left > LAST
  return { left, full, warnAt, said: isLate ? (goesOn ? before.said : left) : null }
}
