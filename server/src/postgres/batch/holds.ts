import type { HoldId } from '@voelgoed/core/ids'

/** A hold as the row of its seat, or of its places, has it. */
export interface HoldRow {
  readonly id: HoldId
  userId: string
  quantity: number
  heldUntil: number
  capUntil: number
  checkoutId: string | null
  /** Its last entry in the journal. */
  lastSeq: number
  /** Null: it began before this batch, and its row knows. */
  readonly made: HoldMade | null
}

interface HoldMade {
  /** Who took it. */
  readonly userId: string
  readonly createdAt: number
  readonly cartToken: string | null
  readonly source: string
  readonly ip: string | null
}

/** A hold that began in this batch. */
export interface NewHoldRow extends HoldRow {
  readonly made: HoldMade
}

/** Who took the hold, where that is not its owner any more. */
export function takenBy({ made, userId }: NewHoldRow): string | null {
  return made.userId === userId ? null : made.userId
}

export function isNew(hold: HoldRow): hold is NewHoldRow {
  return hold.made !== null
}
