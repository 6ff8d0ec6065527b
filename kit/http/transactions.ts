import type { Refusal } from '@voelgoed/core/refusal'
import { type Result, refuse } from '@voelgoed/core/result'
import type { TenantScope } from '../base/tenant.ts'
import { CommitUnknown, type Database, type PlatformTx, type TenantTx } from '../postgres/database.ts'
import {
  claimKey,
  findAnswers,
  hasAnswer,
  type KeyedTx,
  platformKeys,
  storeAnswer,
} from '../postgres/idempotency-keys.ts'
import { outageKind } from '../postgres/outage.ts'
import { tookEffect } from '../postgres/unknown-commit.ts'
import type { Answer, Call } from './call.ts'
import { replay, requestKey, seal } from './keyed-request.ts'

type Work<Tx> = (tx: Tx) => Promise<Result<Answer, Refusal>>

/**
 * A handler's writes as one transaction: a refusal undoes what was done before it, and an Idempotency-Key is
 * stored together with the effect, or not at all. A commit that got no answer is looked up by that key.
 */
export function inTenant(
  database: Database,
  scope: TenantScope,
  call: Call,
  work: Work<TenantTx>,
): Promise<Result<Answer, Refusal>> {
  return lookingUp(
    keep =>
      undoingRefusals(undo =>
        database.tenant(scope, async tx => undo(await oncePerKey(tx, call, () => work(tx), keep))),
      ),
    look =>
      database.tenant(scope, tx => {
        tx.discard()
        return look(tx)
      }),
  )
}

export function inPlatform(
  database: Database,
  call: Call,
  work: Work<PlatformTx>,
): Promise<Result<Answer, Refusal>> {
  return lookingUp(
    keep =>
      undoingRefusals(undo =>
        database.platform('administer organizations', async tx =>
          undo(await oncePerKey(platformKeys(tx), call, () => work(tx), keep)),
        ),
      ),
    look => database.platform('administer organizations', tx => look(platformKeys(tx))),
  )
}

/**
 * The answer that is stored under the key of this request, for work that can not be one transaction: it is
 * looked up before the work, and the answer is stored after it (`inTenant`). Null: there is none yet.
 */
export async function storedAnswer(
  database: Database,
  scope: TenantScope,
  call: Call,
): Promise<Result<Answer, Refusal> | null> {
  const found = requestKey(call)
  if (!found) return null
  const answers = await database.tenant(scope, tx => {
    tx.discard()
    return findAnswers(tx, [found.keyHash])
  })
  const stored = answers.get(found.keyHash.toString('latin1'))
  if (!stored) return null
  return stored.fingerprint.equals(found.fingerprint)
    ? replay(call, stored)
    : refuse({ kind: 'idempotency_key_reused' })
}

/** An answer that was stored under its key, with the effect it tells of. */
interface Kept {
  readonly keyHash: Buffer
  readonly answer: Buffer
  readonly result: Result<Answer, Refusal>
}

async function lookingUp(
  run: (keep: (kept: Kept) => void) => Promise<Result<Answer, Refusal>>,
  inTransaction: (look: (tx: KeyedTx) => Promise<boolean>) => Promise<boolean>,
): Promise<Result<Answer, Refusal>> {
  let kept: Kept | null = null as Kept | null
  try {
    return await run(stored => {
      kept = stored
    })
  } catch (error) {
    // Without a key nothing tells this request's effect from another's: the outcome stays unknown.
    if (!(error instanceof CommitUnknown) || !kept) throw error
    const mine = kept
    const effect = await tookEffect(() => inTransaction(tx => hasAnswer(tx, mine)))
    if (effect === true) return mine.result
    return refuse({
      kind: effect === null ? 'outcome_unknown' : 'database_unavailable',
      retryAfterSeconds: 1,
    })
  }
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

/** Also for work under an event's lock, which looks up by its own means what became of a commit. */
export async function oncePerKey(
  tx: KeyedTx,
  call: Call,
  work: () => Promise<Result<Answer, Refusal>>,
  keep: (kept: Kept) => void = () => {},
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
    await storeAnswer(tx, found.keyHash, {
      fingerprint: found.fingerprint,
      status,
      isSealed: true,
      answer,
    })
    keep({ keyHash: found.keyHash, answer, result })
  }
  return result
}
