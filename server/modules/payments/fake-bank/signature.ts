import { createHmac, timingSafeEqual } from 'node:crypto'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { WebhookRefusal } from '../gateway.ts'

export const SIGNATURE_HEADER = 'simulator-signature'
/** An older signature is a replay. The fake bank signs each attempt when it sends it. */
const TOLERANCE_MS = 300_000

/** The same scheme as Stripe's: the time and the body, signed with a secret that both sides have. */
export function signWebhook(secret: Buffer, body: string, now: number): string {
  const seconds = Math.floor(now / 1000)
  return `t=${seconds},v1=${hmac(secret, seconds, Buffer.from(body)).toString('hex')}`
}

export function checkSignature(
  secret: Buffer,
  body: Buffer,
  header: string | string[] | undefined,
  now: number,
): Result<null, WebhookRefusal> {
  const match = typeof header === 'string' ? /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) : null
  if (!match) return refuse({ kind: 'bad_signature' })
  const seconds = Number(match[1])
  const isRight = timingSafeEqual(hmac(secret, seconds, body), Buffer.from(match[2]!, 'hex'))
  if (!isRight) return refuse({ kind: 'bad_signature' })
  return Math.abs(now - seconds * 1000) > TOLERANCE_MS ? refuse({ kind: 'too_old' }) : ok(null)
}

function hmac(secret: Buffer, seconds: number, body: Buffer): Buffer {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest()
}
