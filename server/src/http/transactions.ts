import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { hashSecret } from '../accounts/tokens.ts'
import type { Database, PlatformTx, TenantTx } from '../postgres/database.ts'
import { claimKey, type KeyedTx, platformKeys, storeAnswer } from '../postgres/idempotency-keys.ts'
import { outageKind } from '../postgres/outage.ts'
import type { TenantScope } from '../tenant.ts'
import type { Answer, Call } from './call.ts'

type Work<Tx> = (tx: Tx) => Promise<Result<Answer, Refusal>>

/**
 * A handler's writes as one transaction: a refusal undoes what was done before it, and an Idempotency-Key is
 * stored together with the effect, or not at all.
 */
export function inTenant(
  database: Database,
  scope: TenantScope,
  call: Call,
  work: Work<TenantTx>,
): Promise<Result<Answer, Refusal>> {
  return undoingRefusals(undo =>
    database.tenant(scope, async tx => undo(await oncePerKey(tx, call, () => work(tx)))),
  )
}

export function inPlatform(
  database: Database,
  call: Call,
  work: Work<PlatformTx>,
): Promise<Result<Answer, Refusal>> {
  return undoingRefusals(undo =>
    database.platform('administer organizations', async tx =>
      undo(await oncePerKey(platformKeys(tx), call, () => work(tx))),
    ),
  )
}

class Undo extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.kind)
    this.refusal = refusal
  }
}

async function undoingRefusals(
  run: (undo: <R extends Result<Answer, Refusal>>(result: R) => R) => Promise<Result<Answer, Refusal>>,
): Promise<Result<Answer, Refusal>> {
  try {
    return await run(result => {
      if (!result.ok) throw new Undo(result.problem)
      return result
    })
  } catch (error) {
    if (error instanceof Undo) return refuse(error.refusal)
    throw error
  }
}

async function oncePerKey(
  tx: KeyedTx,
  call: Call,
  work: () => Promise<Result<Answer, Refusal>>,
): Promise<Result<Answer, Refusal>> {
  const key = call.route.idempotencyKey ? call.headers['idempotency-key'] : undefined
  if (typeof key !== 'string') return work()

  const who = call.by.userId ?? call.by.actor
  const path = call.route.path.replace(
    /:(\w+)/g,
    (_, name: string) => (call.params as Record<string, string>)[name]!,
  )
  const keyHash = hashSecret([who, call.route.method, path, key].join('\0'))
  // Bound to the key, so that the row alone does not let anyone guess at a body, which may hold a password.
  const fingerprint = createHmac('sha256', key).update(call.bytes).digest()

  const stored = await claimKey(tx, keyHash).catch(error => {
    if (outageKind(error) === 'busy') return 'in use' as const
    throw error
  })
  if (stored === 'in use') return refuse({ kind: 'idempotency_key_in_use' })
  if (stored) {
    if (!stored.fingerprint.equals(fingerprint)) return refuse({ kind: 'idempotency_key_reused' })
    const body: unknown = JSON.parse(open(stored.answer, key, call.bytes))
    return ok({ status: stored.status, body, headers: { 'idempotency-replayed': 'true' } })
  }
  const result = await work()
  if (result.ok && 'body' in result.value) {
    const { status, body } = result.value
    await storeAnswer(tx, keyHash, {
      fingerprint,
      status,
      answer: seal(JSON.stringify(body), key, call.bytes),
    })
  }
  return result
}

/**
 * Answers may hold a token. They are kept encrypted with what only the sender has, the key and the body, so
 * that the table gives nothing away.
 */
function seal(text: string, key: string, body: Buffer): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealKey(key, body), nonce)
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

function open(sealed: Buffer, key: string, body: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', sealKey(key, body), sealed.subarray(0, 12))
  decipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8')
}

function sealKey(key: string, body: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, hashSecret(body.toString('latin1')), 'idempotent answer', 32))
}
