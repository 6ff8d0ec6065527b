import type { Alternative } from '../allocation/alternatives.ts'
import type { StrandingExcuse } from '../allocation/cart-rule.ts'
import type { Explanation } from '../allocation/explain.ts'
import type { HoldId } from '../ids.ts'
import type { HoldRefusal } from '../refusal.ts'
import { ok, type Result } from '../result.ts'
import type { Change } from './change.ts'
import type { ActiveHold } from './holds/active-hold.ts'

export type Outcome = Result<Decision, HoldRefusal>

export interface Decision {
  /** To be applied at once and in order. Empty when there was nothing to do. */
  readonly changes: readonly Change[]
  /** The holds the command was about, in the order asked, as they are after it. */
  readonly holds: readonly HoldAnswer[]
  /** A release passed these over. */
  readonly skipped: readonly Skipped[]
  /** This is why these seats, where the buyer asked for the best ones. */
  readonly explanation?: Explanation
  /** Seats that the buyer's cart leaves alone. Left out: none. */
  readonly stranding?: Stranding
}

/** By ordinal. */
export interface Stranding {
  readonly stranded: readonly number[]
  /** This is why the order may do so; null: it may not. */
  readonly excuse: StrandingExcuse | 'allowed' | 'not_strict' | 'fault' | null
  readonly alternatives: readonly Alternative[]
  /** The bug of ours that kept the rule from judging: nothing is said then, and no buyer is sent away. */
  readonly fault?: unknown
}

export interface HoldAnswer {
  readonly holdId: HoldId
  readonly ordinal: number | null
  readonly zoneIndex: number
  readonly quantity: number
  readonly heldUntil: number
  /** Made by this command. */
  readonly isNew: boolean
}

export interface Skipped {
  readonly holdId: HoldId
  readonly code: 'hold_not_found' | 'hold_expired' | 'hold_in_payment'
}

const none: readonly never[] = Object.freeze([])

export function decided(
  changes: readonly Change[],
  holds: readonly HoldAnswer[] = none,
  skipped: readonly Skipped[] = none,
): Outcome {
  return ok({ changes, holds, skipped })
}

/** New seats, and what is to be said of them. */
export function decidedSeats(
  changes: readonly Change[],
  holds: readonly HoldAnswer[],
  { explanation, stranding }: { explanation: Explanation | null; stranding: Stranding | null },
): Outcome {
  return ok({
    changes,
    holds,
    skipped: none,
    ...(explanation && { explanation }),
    ...(stranding && { stranding }),
  })
}

/** A copy: the hold itself may be changed by the next command before this one is answered. */
export function answerOf(hold: ActiveHold, heldUntil: number = hold.heldUntil): HoldAnswer {
  const { holdId, ordinal, zoneIndex, quantity } = hold
  return { holdId, ordinal, zoneIndex, quantity, heldUntil, isNew: false }
}
