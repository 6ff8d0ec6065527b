import type { Refused } from '@voelgoed/client'
import type { Words } from '../../../kit/words/en.ts'

/** The page shows its text in the language of that moment. */
interface Notice {
  readonly tone: 'good' | 'bad'
  /** Null: it tells of what the server refused. */
  readonly text: ((words: Words) => string) | null
  /** Its sentence and the way on stand in the table of the page. */
  readonly refused: Refused | null
  /** Free seats close to those that were asked for. */
  readonly nearby: readonly number[]
  /** Seats that must be taken together with those that were asked for. */
  readonly whole: readonly number[]
  /** The order that was paid; null: it is of none. */
  readonly orderId: string | null
  /** It is true only until the server is heard again. */
  readonly isOfConnection: boolean
}

type Help = Partial<Pick<Notice, 'nearby' | 'whole' | 'orderId' | 'isOfConnection'>>
const NONE = { nearby: [], whole: [], orderId: null, isOfConnection: false } as const

/** One notice at a time: what is said last counts. */
export class Notices {
  #shown: Notice | null = $state.raw(null)

  get shown(): Notice | null {
    return this.#shown
  }

  say(tone: Notice['tone'], text: (words: Words) => string, help: Help = {}): void {
    this.#shown = { ...NONE, tone, text, refused: null, ...help }
  }

  /** Tells what the server refused, and what the buyer can do instead. */
  refused(refused: Refused, help: Help = {}): void {
    this.#shown = { ...NONE, tone: 'bad', text: null, refused, ...help }
  }

  /** The server is heard: what was said of the connection is not true any more. */
  reconnected(): void {
    if (this.#shown?.isOfConnection) this.#shown = null
  }

  dismiss(): void {
    this.#shown = null
  }
}
