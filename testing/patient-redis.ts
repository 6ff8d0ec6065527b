import { Breaker } from '@voelgoed/kit/redis/breaker'
import { Command } from 'ioredis'
import { afterAll, beforeAll } from 'vitest'
import { WITHIN_MS } from './wait-until.ts'

/**
 * To be called at the top of a file whose tests say what Redis answers. A node waits 50 ms for a read and
 * 250 ms for a write, and goes on without Redis then: a machine that is busy with other work is later than
 * that now and then. A Redis that is frozen or gone is noticed all the same: a connection that carries
 * nothing for a second while an answer is due is closed.
 */
export function patientRedis(): void {
  const { run } = Breaker.prototype
  const { setTimeout: endIn } = Command.prototype
  beforeAll(() => {
    Breaker.prototype.run = function <T>(this: Breaker, work: () => Promise<T>) {
      return run.call(this, work, WITHIN_MS) as Promise<T>
    }
    Command.prototype.setTimeout = function (this: Command) {
      endIn.call(this, WITHIN_MS)
    }
  })
  afterAll(() => {
    Breaker.prototype.run = run
    Command.prototype.setTimeout = endIn
  })
}
