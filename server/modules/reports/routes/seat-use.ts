import { readSeatUse } from '@voelgoed/contract/occupancy'
import { aloneShare, seatUseOf } from '@voelgoed/core/event/seat-use'
import type { EventId } from '@voelgoed/core/ids'
import { ok, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { loadDraft } from '@voelgoed/engine/view/load-event'
import type { SeatMaps } from '@voelgoed/engine/view/seat-maps'
import type { Router } from '@voelgoed/kit/http/serve'
import type { Kit } from '../../module.ts'

/** Tells staff how well the seats of an event are used. */
export function serveSeatUse(
  router: Router,
  { database, lanes, seatMaps }: Pick<Kit, 'database'> & { lanes: Lanes; seatMaps: SeatMaps },
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
