import type { RedisConnection } from './connection.ts'
import type { LimitKey } from './keys.ts'

/** A rate allows at most `count` in any `windowMs`, spread evenly after a first burst. */
export interface Rate {
  readonly count: number
  readonly windowMs: number
}

/** Keys in one call: Redis does nothing else meanwhile. */
const MAX_IN_CALL = 200
/** Beyond this many that wait for an answer, further ones do without. */
const MAX_WAITING = 10_000

/**
 * Counts in Redis, for all nodes, what addresses and sessions have done (count-limits.lua). The questions of
 * one turn of the event loop go out together. No answer within the time-out of one command, or no Redis: then
 * the limits of this node alone decide.
 */
export class LimitCounts {
  readonly counts = { allowed: 0, refused: 0, unanswered: 0 }
  readonly #redis: Pick<RedisConnection, 'read'>
  #gathered: Question[] = []
  #waiting = 0

  constructor(redis: Pick<RedisConnection, 'read'>) {
    this.#redis = redis
  }

  /** Counts one. The milliseconds to wait; 0: allowed; null: not known. */
  take(key: LimitKey, rate: Rate): Promise<number | null> {
    return this.#ask({ key, words: ['take', each(rate), burst(rate), 1, rate.windowMs] })
  }

  /** Gives back what was taken and turned out not to count. */
  giveBack(key: LimitKey, rate: Rate): void {
    void this.#ask({ key, words: ['give_back', each(rate), burst(rate), 1, rate.windowMs] })
  }

  /**
   * Counts what has happened on this node within the last `lateMs`. The milliseconds until one more would be
   * allowed; null: not known. It may count up to `mostMs` beyond this moment.
   */
  add(key: LimitKey, rate: Rate, count: number, { lateMs, mostMs }: Late): Promise<number | null> {
    return this.#ask({ key, words: ['add', each(rate), burst(rate) + lateMs, count, mostMs] })
  }

  #ask(question: Omit<Question, 'resolve'>): Promise<number | null> {
    if (this.#waiting >= MAX_WAITING) {
      this.counts.unanswered += 1
      return Promise.resolve(null)
    }
    this.#waiting += 1
    return new Promise(resolve => {
      if (this.#gathered.length === 0) setImmediate(() => this.#sendGathered())
      this.#gathered.push({ ...question, resolve })
    })
  }

  #sendGathered(): void {
    const parts = new Map<number, Question[]>()
    for (const question of this.#gathered) {
      const part = parts.get(question.key.part)
      if (part) part.push(question)
      else parts.set(question.key.part, [question])
    }
    this.#gathered = []
    for (const questions of parts.values()) {
      for (let from = 0; from < questions.length; from += MAX_IN_CALL) {
        void this.#call(questions.slice(from, from + MAX_IN_CALL))
      }
    }
  }

  async #call(questions: readonly Question[]): Promise<void> {
    const keys = questions.map(({ key }) => key.key)
    const words = questions.flatMap(question => question.words)
    // Not an outage either, such as a script that fails: a limit is never a reason for an error.
    const waits = (await this.#redis.read('count-limits', keys, ...words).catch(() => null)) as
      | number[]
      | null
    this.#waiting -= questions.length
    for (const [index, { resolve }] of questions.entries()) {
      const wait = waits?.[index] ?? null
      this.counts[wait === null ? 'unanswered' : wait === 0 ? 'allowed' : 'refused'] += 1
      resolve(wait)
    }
  }
}

interface Late {
  readonly lateMs: number
  readonly mostMs: number
}

interface Question {
  readonly key: LimitKey
  readonly words: readonly (string | number)[]
  readonly resolve: (waitMs: number | null) => void
}

function each({ count, windowMs }: Rate): number {
  return windowMs / count
}

function burst(rate: Rate): number {
  return rate.windowMs - each(rate)
}
