import { hasSeats } from '../../layout/model.ts'
import { assert, refuse } from '../../result.ts'
import { missingPlaces } from '../availability.ts'
import type { ChangeEvent } from '../command.ts'
import { decided, type Outcome } from '../decision.ts'
import type { ActiveHold } from '../holds/active-hold.ts'
import type { EventState } from '../state.ts'
import { releaseCompanions } from './companions.ts'
import { NewChanges } from './new-changes.ts'

/**
 * The event was opened or closed, or its policy or overlay changed. Holds that exist keep their times,
 * whatever the new policy says, and stay valid in a zone that is disabled. A zone without seats can't become
 * smaller than what is held and sold in it: zone_at_capacity, with the number of places that are free.
 */
export function changeEvent(state: EventState, command: ChangeEvent, now: number): Outcome {
  const { kind: _kind, commandId: _commandId, actor: _actor, ...update } = command
  const ending = new Map<number, ActiveHold>()
  for (const { zoneIndex, capacity } of update.zones ?? []) {
    const zone = state.zones[zoneIndex]
    assert(zone !== undefined, 'a zone of this event')
    if (hasSeats(zone.settings.zoneType)) {
      assert(capacity === zone.settings.capacity, 'a zone with seats keeps its capacity')
      continue
    }
    const tooMany = missingPlaces(state, { zoneIndex, capacity }, 0, ending, now)
    if (tooMany > 0) {
      const taken = capacity + tooMany
      return refuse({ kind: 'zone_at_capacity', available: zone.settings.capacity - taken })
    }
  }
  const made = new NewChanges(state, now)
  for (const hold of ending.values()) made.expire(hold)
  made.changeEvent(update)
  releaseCompanions(state, made, update.policy)
  return decided(made.changes)
}
