import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes } from 'node:crypto'
import type { Route } from '@voelgoed/contract/route'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result } from '@voelgoed/core/result'
import type { StoredAnswer } from '../postgres/idempotency-keys.ts'
import type { Answer, Call } from './call.ts'
import { hashSecret } from './tokens.ts'

/** An Idempotency-Key, bound to who sent it, where to and with what body. */
export interface RequestKey {
  readonly key: string
  readonly keyHash: Buffer
  readonly fingerprint: Buffer
}

export function requestKey(call: Call): RequestKey | null {
  const key = call.route.idempotencyKey ? call.headers['idempotency-key'] : undefined
  if (typeof key !== 'string') return null
  const { userId, actor } = call.by
  const path = pathOf(call.route, call.params as Record<string, string>)
  return {
    key,
    keyHash: hashSecret(`${userId ?? actor}\0${call.route.method}\0${path}\0${key}`),
    // Bound to the key, so that the row alone does not let anyone guess at a body, which may hold a password.
    fingerprint: hmac(key, call.bytes),
  }
}

/** The parts of each route: texts at even places, names of parameters between them. */
const pathParts = new Map<string, readonly string[]>()

function pathOf({ path }: Route, params: Record<string, string>): string {
  let parts = pathParts.get(path)
  if (!parts) {
    parts = path.split(/:(\w+)/)
    pathParts.set(path, parts)
  }
  let filled = parts[0]!
  for (let at = 1; at < parts.length; at += 2) filled += params[parts[at]!]! + parts[at + 1]!
  return filled
}

const BLOCK_BYTES = 64
/** The second block of an HMAC: filled and hashed in one go, so one is enough. */
const outer = Buffer.alloc(BLOCK_BYTES + 32)
const SHORT_BODY_BYTES = 4_096

/**
 * HMAC-SHA256 (RFC 2104). Of a short body by two hashes in one call each: Node's Hmac is an object with
 * memory outside of the heap, which takes 5 µs to make and to collect, the hashes 2.
 */
export function hmac(key: string, body: Buffer): Buffer {
  const length = Buffer.byteLength(key)
  if (length > BLOCK_BYTES || body.length > SHORT_BODY_BYTES) {
    return createHmac('sha256', key).update(body).digest()
  }
  const inner = Buffer.allocUnsafe(BLOCK_BYTES + body.length)
  inner.fill(0, inner.write(key), BLOCK_BYTES)
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    outer[at] = inner[at]! ^ 0x5c
    inner[at]! ^= 0x36
  }
  body.copy(inner, BLOCK_BYTES)
  outer.write(hash('sha256', inner, 'binary'), BLOCK_BYTES, 'latin1')
  return Buffer.from(hash('sha256', outer, 'binary'), 'latin1')
}

/** The stored answer again, to a caller who has the key and the body. */
export function replay(call: Call, stored: StoredAnswer): Result<Answer, Refusal> {
  const { status, isSealed, answer } = stored
  const headers = { 'idempotency-replayed': 'true' }
  if (!isSealed) return ok({ status, json: answer, headers })
  return ok({ status, json: open(answer, call.headers['idempotency-key'] as string, call.bytes), headers })
}

/**
 * Answers may hold a token. They are kept encrypted with what only the sender has, the key and the body, so
 * that the table gives nothing away.
 */
export function seal(body: unknown, key: string, bytes: Buffer): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealKey(key, bytes), nonce)
  return Buffer.concat([
    nonce,
    cipher.update(JSON.stringify(body), 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ])
}

function open(sealed: Buffer, key: string, bytes: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', sealKey(key, bytes), sealed.subarray(0, 12))
  decipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()])
}

function sealKey(key: string, bytes: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, hashSecret(bytes.toString('latin1')), 'idempotent answer', 32))
}
