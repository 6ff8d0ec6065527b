import type { EventId, TicketId } from '../ids.ts'
import { fromBase64Url, toBase64Url } from './base64url.ts'

/** Describes what a ticket says of itself. Its organization is not in it: the key that signed it tells. */
export interface TicketName {
  readonly eventId: EventId
  readonly ticketId: TicketId
  /** From 1. A ticket that was issued again has the next one. */
  readonly version: number
}

export interface ReadToken extends TicketName {
  /** The bytes that were signed. */
  readonly payload: Uint8Array
  readonly signature: Uint8Array
}

const BEGINNING = 'VG1.'
const UUID_BYTES = 16
const PAYLOAD_BYTES = 2 * UUID_BYTES + 4
const SIGNATURE_BYTES = 64
export const MAX_VERSION = 2 ** 31 - 1
/** Every token is so long, and longer texts are refused unread. */
export const TOKEN_LENGTH = BEGINNING.length + Math.ceil(((PAYLOAD_BYTES + SIGNATURE_BYTES) * 4) / 3)

/** The bytes that the organization's key signs: event, ticket, and version in four bytes, big-endian. */
export function ticketPayload({ eventId, ticketId, version }: TicketName): Uint8Array {
  const payload = new Uint8Array(PAYLOAD_BYTES)
  writeUuid(payload, 0, eventId)
  writeUuid(payload, UUID_BYTES, ticketId)
  new DataView(payload.buffer).setUint32(2 * UUID_BYTES, version)
  return payload
}

/** Returns the text that the QR code of a ticket holds. */
export function formatToken(payload: Uint8Array, signature: Uint8Array): string {
  const both = new Uint8Array(payload.length + signature.length)
  both.set(payload)
  both.set(signature, payload.length)
  return BEGINNING + toBase64Url(both)
}

/**
 * Null: it has not the form of a token. One token has one spelling. Whether its signature is good, the caller
 * has to find out with the keys of an organization; then, whether the version is that of the ticket.
 */
export function readToken(text: string): ReadToken | null {
  if (text.length !== TOKEN_LENGTH || !text.startsWith(BEGINNING)) return null
  const bytes = fromBase64Url(text.slice(BEGINNING.length))
  if (bytes?.length !== PAYLOAD_BYTES + SIGNATURE_BYTES) return null
  const payload = bytes.slice(0, PAYLOAD_BYTES)
  const version = new DataView(payload.buffer).getUint32(2 * UUID_BYTES)
  if (version < 1 || version > MAX_VERSION) return null
  return {
    eventId: readUuid(payload, 0) as EventId,
    ticketId: readUuid(payload, UUID_BYTES) as TicketId,
    version,
    payload,
    signature: bytes.slice(PAYLOAD_BYTES),
  }
}

function writeUuid(bytes: Uint8Array, at: number, uuid: string): void {
  const hex = uuid.replaceAll('-', '')
  for (let i = 0; i < UUID_BYTES; i += 1) bytes[at + i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16)
}

function readUuid(bytes: Uint8Array, at: number): string {
  let hex = ''
  for (let i = 0; i < UUID_BYTES; i += 1) hex += bytes[at + i]!.toString(16).padStart(2, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
