import { isUuid } from '@voelgoed/core/ids'

/** What nodes tell each other about sessions. */
export type SessionAnnouncement =
  | { readonly kind: 'token_revoked'; readonly tokenHash: string }
  | { readonly kind: 'user_changed'; readonly organizationId: string; readonly userId: string }
  | { readonly kind: 'organization_changed'; readonly organizationId: string }

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

export const RELIES = 'relies:'

/** `relies:<node>`: that node hears of events through Postgres alone. Null: another message. */
export function readRelying(payload: string): string | null {
  const node = payload.startsWith(RELIES) ? payload.slice(RELIES.length) : ''
  return isUuid(node) ? node : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
