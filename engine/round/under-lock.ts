import type { Command } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import { type Chosen, countChosen } from '@voelgoed/core/event/rules/end-holds'
import type { Refusal } from '@voelgoed/core/refusal'
import type { Result } from '@voelgoed/core/result'
import type { Time } from '@voelgoed/kit/base/time'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { EventHall } from '../view/hot-event.ts'
import type { Round } from './round.ts'

/** Exclusive work may ask this of the event under its lock; the commands that it has given are part of it. */
export interface UnderLock extends EventHall {
  readonly seq: number
  countHolds(chosen: Chosen): ReturnType<typeof countChosen>
  /**
   * Between the parts of much work: what was decided goes out, so that Postgres does not end a transaction
   * that seems to do nothing, and buyers of other events are served.
   */
  pause(): Promise<void>
}

/** Work that a lane does alone, under the lock of its event. */
export type Exclusive<T> = (
  tx: TenantTx,
  give: (command: Command) => Outcome,
  event: UnderLock,
) => Promise<Result<T, Refusal>>

export function underLock(round: Round, time: Time): UnderLock {
  const { state, zones, seats } = round.hot
  return {
    pause() {
      round.send()
      return new Promise(resolve => time.soon(resolve))
    },
    zones,
    seats,
    get seq() {
      return state.seq
    },
    countHolds: chosen => countChosen(state, chosen),
  }
}
