import type { Refusal } from '@voelgoed/core/refusal'
import { type Result, refuse } from '@voelgoed/core/result'
import type { Database, PlatformTx, TenantTx } from '../postgres/database.ts'
import { claimKey, type KeyedTx, platformKeys, storeAnswer } from '../postgres/idempotency-keys.ts'
import { outageKind } from '../postgres/outage.ts'
import type { TenantScope } from '../tenant.ts'
import type { Answer, Call } from './call.ts'
import { replay, requestKey, seal } from './keyed-request.ts'

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
  const found = requestKey(call)
  if (!found) return work()
  const stored = await claimKey(tx, found.keyHash).catch(error => {
    if (outageKind(error) === 'busy') return 'in use' as const
    throw error
  })
  if (stored === 'in use') return refuse({ kind: 'idempotency_key_in_use' })
  if (stored) {
    if (!stored.fingerprint.equals(found.fingerprint)) return refuse({ kind: 'idempotency_key_reused' })
    return replay(call, stored)
  }
  const result = await work()
  if (result.ok && 'body' in result.value) {
    const { status, body } = result.value
    const answer = seal(body, found.key, call.bytes)
    await storeAnswer(tx, found.keyHash, { fingerprint: found.fingerprint, status, answer })
  }
  return result
}
