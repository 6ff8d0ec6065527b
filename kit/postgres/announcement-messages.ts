import { type EventId, isUuid, type OrganizationId } from '@voelgoed/core/ids'

/** Nodes tell each other this about sessions and keys. */
export type SessionAnnouncement =
  | { readonly kind: 'token_revoked'; readonly tokenHash: string }
  | { readonly kind: 'user_changed'; readonly organizationId: string; readonly userId: string }
  | { readonly kind: 'organization_changed' | 'ticket_keys_changed'; readonly organizationId: string }

/** Null: not a message of ours. Any login of the database can send any text. */
export function readSession(payload: string): SessionAnnouncement | null {
  const message = parse(payload)
  if (typeof message !== 'object' || message === null) return null
  const { kind, tokenHash, organizationId, userId } = message as Record<string, unknown>
  if (kind === 'token_revoked') {
    return typeof tokenHash === 'string' && /^[0-9a-f]{64}$/.test(tokenHash) ? { kind, tokenHash } : null
  }
  if (typeof organizationId !== 'string' || !isUuid(organizationId)) return null
  if (kind === 'organization_changed' || kind === 'ticket_keys_changed') return { kind, organizationId }
  if (kind !== 'user_changed' || typeof userId !== 'string') return null
  return isUuid(userId) ? { kind, organizationId, userId } : null
}

export const RELIES = 'relies:'

/** `relies:<node>`: that node hears of events through Postgres alone. Null: another message. */
export function readRelying(payload: string): string | null {
  const node = payload.startsWith(RELIES) ? payload.slice(RELIES.length) : ''
  return isUuid(node) ? node : null
}

/** A node asks the others this about an event: that they load it again, or what they have in memory of it. */
export interface Ask {
  readonly what: 'reload' | 'report'
  readonly organizationId: OrganizationId
  readonly eventId: EventId
  /** Under this, each node writes what it has then (tables/node-reports.ts). */
  readonly requestId: string
  /** All that was committed up to here should be in the answer. */
  readonly seq: number
}

const ASK = 'ask'

export function writeAsk(from: string, { what, organizationId, eventId, requestId, seq }: Ask): string {
  return [ASK, from, what, organizationId, eventId, requestId, seq].join(':')
}

/** Null: another message. */
export function readAsk(payload: string): (Ask & { readonly from: string }) | null {
  const [kind, from = '', what, organizationId = '', eventId = '', requestId = '', seq = '', ...rest] =
    payload.split(':', 8)
  if (kind !== ASK || (what !== 'reload' && what !== 'report') || rest.length > 0) return null
  if (![from, organizationId, eventId, requestId].every(isUuid) || !/^\d{1,15}$/.test(seq)) return null
  return {
    from,
    what,
    organizationId: organizationId as OrganizationId,
    eventId: eventId as EventId,
    requestId,
    seq: Number(seq),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
