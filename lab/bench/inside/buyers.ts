import { randomUUID } from 'node:crypto'
import type { HoldSeats, ReleaseByUser } from '@voelgoed/core/event/command'
import type { CommandId, HoldId, UserId } from '@voelgoed/core/ids'
import type { LaneAnswer } from '@voelgoed/engine/lane/lane-answer'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { Random } from '../../random.ts'

/** Commands as the HTTP layer makes them: for one seat each, of many buyers at many addresses. */
export class Buyers {
  readonly #persons: HoldSeats['actor'][]
  #next = 0

  /** Each has an address of their own, unless they are more than 16 million: `from` says the first one. */
  constructor(count: number, { from = 0 }: { from?: number } = {}) {
    this.#persons = Array.from({ length: count }, (_, i) => from + i).map(index => ({
      person: {
        userId: uuidV7(Date.now()) as UserId,
        role: 'customer',
        membershipTier: null,
        membershipStatus: null,
      },
      ip: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
      source: 'web',
    }))
  }

  wish(ordinal: number): HoldSeats {
    this.#next += 1
    return {
      kind: 'hold_seats',
      commandId: randomUUID() as CommandId,
      actor: this.#persons[this.#next % this.#persons.length]!,
      ordinals: [ordinal],
      holdIds: [uuidV7(Date.now()) as HoldId],
    }
  }
}

/** The release of what a request was granted. */
export function giveBack({ actor, holdIds }: HoldSeats): ReleaseByUser {
  return { kind: 'release', reason: 'user_cancelled', commandId: randomUUID() as CommandId, actor, holdIds }
}

export function assertHeld(answer: LaneAnswer): void {
  if (answer.kind === 'decided' && answer.outcome.ok) return
  const why = answer.kind === 'decided' && !answer.outcome.ok ? answer.outcome.problem : answer
  throw new Error(`a free seat was not held: ${JSON.stringify(why)}`)
}

/** All seats of an event once, in an order that only follows from the seed. */
export function shuffledOrdinals(count: number, seed: number): number[] {
  return new Random(seed).shuffled(Array.from({ length: count }, (_, ordinal) => ordinal))
}
