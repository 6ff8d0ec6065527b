import type { Answer, AnsweredHold, Operation } from './history.ts'

/** A refusal of the engine, as a route would answer it. */
export function refusedWith(code: string): { type: Operation['outcome']; answer: Answer } {
  const type = code === 'outcome_unknown' ? 'unknown' : 'refused'
  return { type, answer: { status: STATUSES[code] ?? 409, code } }
}

const STATUSES: Readonly<Record<string, number>> = {
  not_sent: 0,
  busy: 503,
  database_unavailable: 503,
  outcome_unknown: 503,
  internal_error: 500,
  event_not_found: 404,
  idempotency_key_reused: 422,
}

/** The engine answers with such a hold. */
export interface EngineHold {
  readonly holdId: string
  readonly ordinal: number | null
  readonly zoneIndex: number
  readonly quantity: number
  readonly heldUntil: number
}

/** A hold of the engine, as a route would answer it. */
export function answeredHold({ holdId: id, zoneIndex: zone, ...rest }: EngineHold): AnsweredHold {
  const { ordinal, quantity, heldUntil } = rest
  return { id, ordinal, zone, quantity, heldUntil }
}
