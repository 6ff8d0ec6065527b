import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Decision } from '@voelgoed/core/event/decision'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result } from '@voelgoed/core/result'
import { hashSecret } from '../accounts/tokens.ts'
import type { KeyedRequest } from '../lane/batch.ts'
import type { HotEvent } from '../lane/hot-event.ts'
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

/** For the lane, which stores the answer in the transaction of its effect. */
export function keyedRequest(
  call: Call,
  render: (decision: Decision, hot: HotEvent, now: number) => { status: number; body: unknown },
): KeyedRequest | null {
  const found = requestKey(call)
  if (!found) return null
  return {
    keyHash: found.keyHash,
    fingerprint: found.fingerprint,
    keep(decision, hot, now) {
      const { status, body } = render(decision, hot, now)
      return { status, answer: seal(body, found.key, call.bytes) }
    },
  }
}

/** The stored answer again, to a caller who has the key and the body. */
export function replay(call: Call, stored: StoredAnswer): Result<Answer, Refusal> {
  const body = open(stored.answer, call.headers['idempotency-key'] as string, call.bytes)
  return ok({ status: stored.status, body, headers: { 'idempotency-replayed': 'true' } })
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

function open(sealed: Buffer, key: string, bytes: Buffer): unknown {
  const decipher = createDecipheriv('aes-256-gcm', sealKey(key, bytes), sealed.subarray(0, 12))
  decipher.setAuthTag(sealed.subarray(-16))
  const text = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8')
  return JSON.parse(text)
}

function sealKey(key: string, bytes: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, hashSecret(bytes.toString('latin1')), 'idempotent answer', 32))
}
