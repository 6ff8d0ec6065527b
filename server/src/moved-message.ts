import { type EventId, isUuid, type OrganizationId } from '@voelgoed/core/ids'

/** An event has moved on, up to this seq; or every node is to load it again. */
export interface Moved {
  readonly organizationId: OrganizationId
  readonly eventId: EventId
  readonly seq: number | 'reload'
}

/** `<organization>:<event>:<seq>`, or `reload` instead of the seq. Null: not a message of ours. */
export function readMoved(payload: string): Moved | null {
  const [organizationId = '', eventId = '', seq = '', ...rest] = payload.split(':', 4)
  if (rest.length > 0 || !isUuid(organizationId) || !isUuid(eventId)) return null
  if (seq !== 'reload' && !/^\d{1,15}$/.test(seq)) return null
  return {
    organizationId: organizationId as OrganizationId,
    eventId: eventId as EventId,
    seq: seq === 'reload' ? seq : Number(seq),
  }
}
