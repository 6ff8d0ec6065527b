import type { Refused } from '@voelgoed/client'
import { mayNeedAddress } from '../../../kit/state/may-need-address.ts'
import type { Words } from '../../../kit/words/en.ts'

/** The page shows its text in the language of that moment. */
interface Notice {
  readonly tone: 'good' | 'bad'
  readonly text: (words: Words) => string
  /** Free seats close to those that were asked for. */
  readonly nearby: readonly number[]
  /** Seats that must be taken together with those that were asked for. */
  readonly whole: readonly number[]
  /** A confirmed address may open what was refused. */
  readonly needsAddress: boolean
  /** The order that was paid; null: it is of none. */
  readonly orderId: string | null
  /** It is true only until the server is heard again. */
  readonly isOfConnection: boolean
}

type Help = Partial<Pick<Notice, 'nearby' | 'whole' | 'needsAddress' | 'orderId' | 'isOfConnection'>>

/** One notice at a time: what is said last counts. */
export class Notices {
  #shown: Notice | null = $state.raw(null)

  get shown(): Notice | null {
    return this.#shown
  }

  say(
    tone: Notice['tone'],
    text: Notice['text'],
    { nearby = [], whole = [], needsAddress = false, orderId = null, isOfConnection = false }: Help = {},
  ): void {
    this.#shown = { tone, text, nearby, whole, needsAddress, orderId, isOfConnection }
  }

  /** Tells what the server refused, and what the buyer can do instead. */
  refused(refused: Refused, help: Help = {}): void {
    // The time to wait stands in a header of the answer, not in its body.
    const problem = { ...refused.problem, retry_after: refused.retryAfter ?? 0 }
    const needsAddress = mayNeedAddress(refused)
    this.say('bad', words => words.refusals[refused.code](problem), { ...help, needsAddress })
  }

  /** The server is heard: what was said of the connection is not true any more. */
  reconnected(): void {
    if (this.#shown?.isOfConnection) this.#shown = null
  }

  dismiss(): void {
    this.#shown = null
  }
}
