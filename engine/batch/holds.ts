import type { HoldId } from '@voelgoed/core/ids'
import { bigints, texts, timestamps, uuids } from '@voelgoed/kit/postgres/binary-arrays'

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
  /** Null: it began before this batch, and its row in the database has this. */
  readonly made: HoldMade | null
}

interface HoldMade {
  /** The user who took it. */
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

/** hold_id, user_id, held_until, cap_until, checkout_id, last_seq: what may change while a hold lives. */
export function holdColumns(rows: readonly { readonly hold: HoldRow }[]): Buffer[] {
  return [
    uuids(rows, row => row.hold.id),
    uuids(rows, row => row.hold.userId),
    timestamps(rows, row => row.hold.heldUntil),
    timestamps(rows, row => row.hold.capUntil),
    uuids(rows, row => row.hold.checkoutId),
    bigints(rows, row => row.hold.lastSeq),
  ]
}

/** created_at, cart_token, source, ip, taken_by: how a hold was made. */
export function madeColumns(rows: readonly { readonly hold: NewHoldRow }[]): Buffer[] {
  return [
    timestamps(rows, row => row.hold.made.createdAt),
    texts(rows, row => row.hold.made.cartToken),
    texts(rows, row => row.hold.made.source),
    texts(rows, row => row.hold.made.ip),
    uuids(rows, row => takenBy(row.hold)),
  ]
}

/** Returns who took the hold, where that is not its owner any more. */
function takenBy({ made, userId }: NewHoldRow): string | null {
  return made.userId === userId ? null : made.userId
}

export function isNew(hold: HoldRow): hold is NewHoldRow {
  return hold.made !== null
}
