import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result } from '@voelgoed/core/result'
import { hashSecret } from '../accounts/tokens.ts'
import type { Rider } from '../lane/rider.ts'
import type { StoredAnswer } from '../postgres/tables/idempotency-keys.ts'
import type { Answer, Call } from './call.ts'

/** An Idempotency-Key, bound to who sent it, where to and with what body. */
export interface RequestKey {
  readonly key: string
  readonly keyHash: Buffer
  readonly fingerprint: Buffer
}

export function requestKey(call: Call): RequestKey | null {
  const key = call.route.idempotencyKey ? call.headers['idempotency-key'] : undefined
  if (typeof key !== 'string') return null
  const who = call.by.userId ?? call.by.actor
  const params = call.params as Record<string, string>
  const path = call.route.path.replace(/:(\w+)/g, (_, name: string) => params[name]!)
  return {
    key,
    keyHash: hashSecret([who, call.route.method, path, key].join('\0')),
    // Bound to the key, so that the row alone does not let anyone guess at a body, which may hold a password.
    fingerprint: createHmac('sha256', key).update(call.bytes).digest(),
  }
}

/** For the lane, which stores the answer in the transaction of its effect. It carries no secret. */
export function riderOf(call: Call, render: Rider['render']): Rider | null {
  const found = requestKey(call)
  return found && { keyHash: found.keyHash, fingerprint: found.fingerprint, render }
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
