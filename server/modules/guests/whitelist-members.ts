import type { Person } from '@voelgoed/core/access'
import type { Command } from '@voelgoed/core/event/command'
import type { EventState } from '@voelgoed/core/event/state'
import type { EventId } from '@voelgoed/core/ids'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { AskTogether } from '@voelgoed/kit/postgres/ask-together'
import type { TenantDoor } from '@voelgoed/kit/postgres/database'
import { findOnWhitelists } from './tables/whitelist.ts'

/**
 * Asks Postgres who is on the whitelist of an event: before the event's lock, and only
 * for zones that nothing else opens to the person. Nothing is remembered, so a change counts from the next
 * request on, on every node.
 */
export class WhitelistMembers {
  readonly #asked: AskTogether<true>

  constructor(database: TenantDoor) {
    this.#asked = new AskTogether(database, findOnWhitelists)
  }

  /** The person, with what the whitelist of the event says of them. */
  async know(scope: TenantScope, eventId: EventId, person: Person): Promise<Person> {
    const found = await this.#asked.ask(scope, `${eventId}${person.userId}`)
    return found ? { ...person, isOnWhitelist: true } : person
  }
}

/** True: the answer to a request for places may depend on the whitelist of the event. Every hold asks. */
export function asksForWhitelist({ zones, seats }: EventState, command: Command): boolean {
  const { person } = command.actor
  if (person === null) return false
  switch (command.kind) {
    case 'hold_seats':
      for (const ordinal of command.ordinals) {
        if (isClosedTo(zones[seats.zoneOf[ordinal]!], person)) return true
      }
      return false
    case 'hold_places':
      return isClosedTo(zones[command.zoneIndex], person)
    default:
      return zones.some(zone => isClosedTo(zone, person))
  }
}

/** True: only the whitelist can open this zone to the person. */
function isClosedTo(zone: EventState['zones'][number] | undefined, person: Person): boolean {
  const access = zone?.settings.access
  return access?.accessMode === 'whitelist' && !access.allowedUserIds.includes(person.userId)
}
