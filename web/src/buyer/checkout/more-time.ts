import type { Countdown } from '../../kit/state/countdown.svelte.ts'
import type { Session } from '../../kit/state/session.svelte.ts'

/** Asking brings five minutes from now: earlier there is nothing to gain. */
const GAINED_BELOW = 300

/** More time is worth asking for. */
export function isShort(left: number | null): boolean {
  return left !== null && left > 0 && left < GAINED_BELOW
}

/** By one hold its cart has more time. Throws what the client throws; false: there is no more to be had. */
export async function extendBy(session: Session, hold: string, countdown: Countdown): Promise<boolean> {
  const before = countdown.left ?? 0
  let askedAt = 0
  const ask = () => {
    askedAt = performance.now()
    return session.client.call('POST /api/holds/:hold/extend', { params: { hold } })
  }
  const { data } = await session.run(ask)
  countdown.start(data.expires_in_seconds, askedAt)
  session.tellTabs({ eventId: data.event_id, released: [] })
  return data.expires_in_seconds > before
}
