import { readSeatUse } from '@voelgoed/core/contract/occupancy'
import { aloneShare, seatUseOf } from '@voelgoed/core/event/seat-use'
import type { EventId } from '@voelgoed/core/ids'
import { ok, refuse } from '@voelgoed/core/result'
import { loadDraft } from '../../lane/load-event.ts'
import type { AppDeps } from '../deps.ts'
import type { Router } from '../serve.ts'

/** How well the seats of an event are used, for staff. */
export function serveSeatUse(
  router: Router,
  { database, lanes, seatMaps }: Pick<AppDeps, 'database' | 'lanes' | 'seatMaps'>,
): void {
  router.serve(readSeatUse, async ({ principal: { scope }, params }) => {
    const eventId = params.event as EventId
    const read = await lanes.read(scope, eventId)
    const draft = read ? null : await loadDraft(database, seatMaps, { scope, eventId })
    const state = read?.view.state ?? draft?.state
    if (!state) return refuse({ kind: 'event_not_found' })
    const use = seatUseOf(state)
    const data = { ...use, alone_share: Math.round(aloneShare(use) * 10_000) / 10_000 }
    return ok({ status: 200, body: { data } })
  })
}
