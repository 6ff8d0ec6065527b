import { type EventId, isUuid, type OrganizationId } from '@voelgoed/core/ids'

/** An event has moved on, up to this seq. */
export interface Moved {
  readonly organizationId: OrganizationId
  readonly eventId: EventId
  readonly seq: number
}

/** `<organization>:<event>:<seq>`. Null: not a message of ours. */
export function readMoved(payload: string): Moved | null {
  const [organizationId = '', eventId = '', seq = '', ...rest] = payload.split(':', 4)
  if (rest.length > 0 || !isUuid(organizationId) || !isUuid(eventId)) return null
  if (!/^\d{1,15}$/.test(seq)) return null
  return {
    organizationId: organizationId as OrganizationId,
    eventId: eventId as EventId,
    seq: Number(seq),
  }
}
