import { Refused } from '@voelgoed/client'
import type { Session } from '../../kit/state/session.svelte.ts'

/** Seats, and places of zones without seats, whose time has run out. */
export interface LostPlaces {
  readonly seatIds: readonly string[]
  readonly zones: readonly { readonly zoneId: string; readonly quantity: number }[]
}

/** A seat that someone else has by now is left out, and the others are asked for again: so often. */
const MOST_ATTEMPTS = 3

/** Holds again what is still free of it. Returns the last failure; null: all of it is held. */
export async function takeAgain(session: Session, event: string, lost: LostPlaces): Promise<unknown> {
  let failure: unknown = null
  const hold = (body: { seat_ids: string[] } | { zone_id: string; quantity: number }) =>
    session.run(() => session.client.call('POST /api/events/:event/holds', { params: { event }, body }))
  for (const { zoneId, quantity } of lost.zones) {
    await hold({ zone_id: zoneId, quantity }).catch((error: unknown) => {
      failure = error
    })
  }
  let wanted = [...lost.seatIds]
  for (let attempt = 0; attempt < MOST_ATTEMPTS && wanted.length > 0; attempt += 1) {
    try {
      await hold({ seat_ids: wanted })
      break
    } catch (error) {
      failure = error
      const gone = error instanceof Refused ? error.problem.seat_ids : null
      const left = Array.isArray(gone) ? wanted.filter(id => !gone.includes(id)) : wanted
      if (left.length === wanted.length) break
      wanted = left
    }
  }
  return failure
}
