import { processTime, type Time } from '../base/time.ts'

/** For how long a node tries to find out what became of a commit. */
const UNKNOWN_MS = 5_000
const AGAIN_MS = 50

/**
 * The connection broke after COMMIT had been sent: has the transaction taken effect? `look` takes the lock
 * that the transaction held, which waits until the old backend has ended one way or the other, and then looks
 * for what only that transaction can have written. It is tried again while Postgres is out of reach.
 * Null: can't be found out.
 *
 * Every commit without an answer is looked up here, of a batch, of exclusive work and of administration.
 */
export async function tookEffect(
  look: () => Promise<boolean>,
  time: Pick<Time, 'now' | 'after'> = processTime,
): Promise<boolean | null> {
  const until = time.now() + UNKNOWN_MS
  while (time.now() < until) {
    try {
      return await look()
    } catch {
      await new Promise<void>(resolve => time.after(AGAIN_MS, resolve))
    }
  }
  return null
}
