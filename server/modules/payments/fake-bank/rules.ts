import type { DeclineCode } from '../declines.ts'
import type { SimulatedIntent } from '../tables/simulated-payments.ts'

/** A test card makes the fake bank do this, and Stripe's books of the tests as well. */
export type Behaviour =
  | 'captures'
  | 'declines'
  | 'has_no_money'
  | 'asks_for_a_step'
  | 'captures_late'
  | 'captures_and_is_disputed'

/** By the last four digits of a number that begins with 4000. */
const BY_ENDING: Readonly<Record<string, Behaviour>> = {
  '0002': 'declines',
  '9995': 'has_no_money',
  '3155': 'asks_for_a_step',
  '0341': 'captures_late',
  '0259': 'captures_and_is_disputed',
}

/** Null: no test card. It may be a real one, which the fake bank must not take. */
export function behaviourOf(digits: string): Behaviour | null {
  if (digits.startsWith('4242')) return 'captures'
  return digits.startsWith('4000') ? (BY_ENDING[digits.slice(-4)] ?? null) : null
}

/** A hold in payment lives for 15 minutes at most: by then its seats may be another buyer's. */
export const LATE_MS = 16 * 60_000
/** For how long the buyer may take on the page of the second step. */
export const STEP_MS = 60 * 60_000

type State = Pick<SimulatedIntent, 'status' | 'declineCode' | 'dueAt' | 'isDisputed' | 'capturedAt'>

const OPEN: Omit<State, 'status'> = { declineCode: null, dueAt: null, isDisputed: false, capturedAt: null }

/**
 *   needs_step ──accept──▶ captured ◀──due── pending
 *        │                    ▲
 *        └─decline, due, cancelled─▶ declined ──another card──▶ any of them
 */
export function pay(behaviour: Behaviour, now: Date): State {
  switch (behaviour) {
    case 'captures':
      return captured(now)
    case 'captures_and_is_disputed':
      return { ...captured(now), isDisputed: true }
    case 'declines':
      return refused('card_declined')
    case 'has_no_money':
      return refused('insufficient_funds')
    case 'asks_for_a_step':
      return { ...OPEN, status: 'needs_step', dueAt: new Date(now.getTime() + STEP_MS) }
    case 'captures_late':
      return { ...OPEN, status: 'pending', dueAt: new Date(now.getTime() + LATE_MS) }
  }
}

/** Applies the buyer's answer on the page of the second step. */
export function answerStep(answer: StepAnswer, now: Date): State {
  return answer === 'accept' ? captured(now) : refused('confirmation_failed')
}

export type StepAnswer = 'accept' | 'decline'

/** The seller does not wait for the buyer any more. */
export function cancelled(): State {
  return refused('cancelled')
}

/** Applies the step that the fake bank takes by itself. Null: none is due. */
export function whenDue({ status, dueAt }: SimulatedIntent, now: Date): State | null {
  if (dueAt === null || dueAt > now) return null
  return status === 'pending' ? captured(dueAt) : refused('confirmation_expired')
}

function captured(at: Date): State {
  return { ...OPEN, status: 'captured', capturedAt: at }
}

function refused(declineCode: DeclineCode): State {
  return { ...OPEN, status: 'declined', declineCode }
}
