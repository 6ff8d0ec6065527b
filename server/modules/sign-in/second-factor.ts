import { randomBytes } from 'node:crypto'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { KeySeal } from '@voelgoed/kit/base/seal-key'
import { hashSecret } from '@voelgoed/kit/http/tokens'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import {
  lockSecondFactor,
  noteCodeTaken,
  noteWrongCode,
  replaceRecoveryCodes,
  type SecondFactorRow,
  useRecoveryCode,
  writePendingFactor,
} from './tables/second-factors.ts'
import { base32, looksLikeTotp, matchingStep, SECRET_BYTES } from './totp.ts'

/**
 * So many wrong codes in a window, from anywhere; then none is looked at until it ends. Who has the password
 * guesses at most 480 codes a day, of which three in a million are right.
 */
const MAX_WRONG = 5
const WINDOW_SECONDS = 15 * 60

const RECOVERY_CODES = 10
/** 80 random bits: a plain hash of them is safe to store. */
const RECOVERY_BYTES = 10

export type Judgement = Result<'not asked for' | 'app' | 'recovery code', Refusal>

/** Codes of apps and recovery codes. Each works once: what is judged is written in the same transaction. */
export class SecondFactors {
  readonly #seal: KeySeal

  constructor(signingKey: Buffer) {
    this.#seal = new KeySeal(signingKey, 'second factors')
  }

  /** A new secret, which a code confirms (`judgeFirst`). Null: there is one already. */
  async begin(tx: TenantTx, userId: string): Promise<Buffer | null> {
    const factor = await lockSecondFactor(tx, userId)
    if (factor?.confirmed_at) return null
    const secret = randomBytes(SECRET_BYTES)
    await writePendingFactor(tx, userId, this.#seal.seal(secret, placeOf(tx, userId)))
    return secret
  }

  /** The code that ends a set-up. Null: none has begun, or it is over. */
  async judgeFirst(tx: TenantTx, userId: string, code: string): Promise<Judgement | null> {
    const factor = await lockSecondFactor(tx, userId)
    if (!factor || factor.confirmed_at) return null
    return this.#judge(tx, userId, factor, code)
  }

  /** Decides if this person may go on, after their password. Without a factor no code is asked for. */
  async judge(tx: TenantTx, userId: string, code: string | null): Promise<Judgement> {
    const factor = await lockSecondFactor(tx, userId)
    if (!factor?.confirmed_at) return ok('not asked for')
    if (code === null) return refuse({ kind: 'second_factor_required' })
    return this.#judge(tx, userId, factor, code)
  }

  /** Codes that are shown once; those before stop working. */
  async newRecoveryCodes(tx: TenantTx, userId: string): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, () =>
      base32(randomBytes(RECOVERY_BYTES))
        .toLowerCase()
        .replace(/(.{4})(?=.)/g, '$1-'),
    )
    await replaceRecoveryCodes(tx, userId, codes.map(hashRecoveryCode))
    return codes
  }

  async #judge(tx: TenantTx, userId: string, factor: SecondFactorRow, given: string): Promise<Judgement> {
    if (factor.failures >= MAX_WRONG) {
      return refuse({ kind: 'rate_limited', retryAfterSeconds: Math.max(1, factor.wait_seconds) })
    }
    const code = given.replace(/\s/g, '')
    if (looksLikeTotp(code)) {
      const secret = this.#seal.open(factor.sealed_secret, placeOf(tx, userId))
      const step = matchingStep(secret, code, { seconds: factor.seconds, lastStep: factor.last_step })
      if (step !== null) {
        await noteCodeTaken(tx, userId, step)
        return ok('app')
      }
    } else if (await useRecoveryCode(tx, userId, hashRecoveryCode(code))) {
      await noteCodeTaken(tx, userId, null)
      return ok('recovery code')
    }
    await noteWrongCode(tx, userId, WINDOW_SECONDS)
    return refuse({ kind: 'second_factor_wrong' })
  }
}

function placeOf(tx: TenantTx, userId: string) {
  return { organizationId: tx.organizationId, keyId: userId }
}

function hashRecoveryCode(code: string): Buffer {
  return hashSecret(code.toLowerCase().replace(/[^a-z2-7]/g, ''))
}
