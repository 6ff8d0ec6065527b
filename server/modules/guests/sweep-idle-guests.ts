import type { Refusal } from '@voelgoed/core/refusal'
import type { Result } from '@voelgoed/core/result'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { Sweep } from '../module.ts'
import { deleteGuests, type GuestCursor, idleGuests } from './tables/guests.ts'

/** Brings the history of ended holds up to the journal. */
export type CatchUp = (scope: TenantScope, eventId: null) => Promise<Result<null, Refusal>>

/** First those who have no hold, then the history of all ended holds: who is not in it had none. */
export function sweepIdleGuests(database: Database, catchUp: CatchUp, keepDays: number): Sweep {
  let from: GuestCursor | null = null
  return {
    name: 'guests',
    async run(limit) {
      const { guests, cursor, isLast } = await database.platform('sweep what has expired', tx =>
        idleGuests(tx, { keepDays, limit, cursor: from }),
      )
      for (const organizationId of new Set(guests.map(guest => guest.organization_id))) {
        const caughtUp = await catchUp(TenantScope.of(organizationId), null)
        if (!caughtUp.ok)
          throw new Error(`the history of ended holds is not complete: ${caughtUp.problem.kind}`)
      }
      const count =
        guests.length === 0
          ? 0
          : await database.platform('sweep what has expired', tx => deleteGuests(tx, guests))
      from = cursor
      return { count, isLast }
    },
  }
}
