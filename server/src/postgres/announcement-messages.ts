import { type EventId, isUuid, type OrganizationId } from '@voelgoed/core/ids'

/** What nodes tell each other about sessions. */
export type SessionAnnouncement =
  | { readonly kind: 'token_revoked'; readonly tokenHash: string }
  | { readonly kind: 'user_changed'; readonly organizationId: string; readonly userId: string }
  | { readonly kind: 'organization_changed'; readonly organizationId: string }

/** An event has moved on, up to this seq; or every node is to load it again. */
export interface Moved {
  readonly organizationId: OrganizationId
  readonly eventId: EventId
  readonly seq: number | 'reload'
}

/** Null: not a message of ours. Any login of the database can send any text. */
export function readSession(payload: string): SessionAnnouncement | null {
  const message = parse(payload)
  if (typeof message !== 'object' || message === null) return null
  const { kind, tokenHash, organizationId, userId } = message as Record<string, unknown>
  if (kind === 'token_revoked') {
    return typeof tokenHash === 'string' && /^[0-9a-f]{64}$/.test(tokenHash) ? { kind, tokenHash } : null
  }
  if (typeof organizationId !== 'string' || !isUuid(organizationId)) return null
  if (kind === 'organization_changed') return { kind, organizationId }
  if (kind !== 'user_changed' || typeof userId !== 'string') return null
  return isUuid(userId) ? { kind, organizationId, userId } : null
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
