import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  circuitBreaker,
  DelegateBackoff,
  handleWhen,
  type IBreaker,
} from 'cockatiel'

export type BreakerState = 'closed' | 'half_open' | 'open'

/** Redis is out of reach, or too slow: do without it. Never a caller's error. */
export class RedisUnavailable extends Error {}

const IN_A_ROW = 5
const HALF_OF = 20
const HALF_OPEN_AFTER_MS = 5_000

export interface BreakerOptions {
  readonly halfOpenAfterMs?: number
  onChange?(to: BreakerState): void
}

/**
 * Keeps callers from waiting for a Redis that does not answer. It opens after 5 failures in a row, or when
 * half of the last 20 have failed; 5 s later, give or take, one piece of work tries again, and all others are
 * refused at once meanwhile.
 */
export class Breaker {
  /** It went so often into each state. */
  readonly changes: Record<BreakerState, number> = { closed: 0, half_open: 0, open: 0 }
  /** `answered`: also when the answer was an error. `refused`: not asked, because the breaker was open. */
  readonly calls = { answered: 0, failed: 0, refused: 0 }
  readonly #policy

  constructor({ halfOpenAfterMs = HALF_OPEN_AFTER_MS, onChange = () => {} }: BreakerOptions = {}) {
    this.#policy = circuitBreaker(handleWhen(isOutage), {
      // Nodes that lost Redis together do not come back together.
      halfOpenAfter: new DelegateBackoff(() => halfOpenAfterMs * (0.8 + 0.4 * Math.random())),
      breaker: new EitherBreaker(
        new ConsecutiveBreaker(IN_A_ROW),
        new CountBreaker({ threshold: 0.5, size: HALF_OF, minimumNumberOfCalls: HALF_OF }),
      ),
    })
    this.#policy.onStateChange(() => {
      this.changes[this.state] += 1
      onChange(this.state)
    })
  }

  get state(): BreakerState {
    const { state } = this.#policy
    return state === CircuitState.Closed ? 'closed' : state === CircuitState.HalfOpen ? 'half_open' : 'open'
  }

  /** Throws `RedisUnavailable` at once while it is open, and when the work takes longer than it may. */
  async run<T>(work: () => Promise<T>, withinMs: number): Promise<T> {
    // The policy would make this caller wait for the one that tries: longer than one time-out.
    if (this.state === 'half_open') throw this.#refused('another call finds out whether Redis is back')
    try {
      const answer = await this.#policy.execute(() => within(work(), withinMs))
      this.calls.answered += 1
      return answer
    } catch (error) {
      if (error instanceof BrokenCircuitError) throw this.#refused('Redis did not answer lately')
      if (!isOutage(error)) {
        this.calls.answered += 1
        throw error
      }
      this.calls.failed += 1
      throw unavailable(error)
    }
  }

  #refused(why: string): RedisUnavailable {
    this.calls.refused += 1
    return new RedisUnavailable(why)
  }
}

/** Opens when one of the two would. */
class EitherBreaker implements IBreaker {
  state: unknown = null
  readonly #breakers: readonly IBreaker[]

  constructor(...breakers: readonly IBreaker[]) {
    this.#breakers = breakers
  }

  success(state: CircuitState): void {
    for (const breaker of this.#breakers) breaker.success(state)
  }

  failure(state: CircuitState): boolean {
    return this.#breakers.map(breaker => breaker.failure(state)).some(opens => opens)
  }
}

/**
 * Tells an outage from a refusal: what a server says of one command or script is none; that it can not serve
 * now is one.
 */
function isOutage(error: unknown): boolean {
  const { name, message } = error as Error
  return !(name === 'ReplyError' && /^(ERR|WRONGTYPE|NOSCRIPT|NOPERM)\b/.test(message))
}

function unavailable(error: unknown): RedisUnavailable {
  return error instanceof RedisUnavailable
    ? error
    : new RedisUnavailable((error as Error).message, { cause: error })
}

/**
 * An answer that has arrived while this process was busy counts: when the time is over, the sockets are read
 * once more before the caller is told.
 */
function within<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      setImmediate(() => reject(new RedisUnavailable(`Redis did not answer within ${ms} ms`)))
    }, ms)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
