import { ok, type Result, refuse } from '@voelgoed/core/result'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import { ALGORITHMS, type ProviderKeys } from './provider-documents.ts'

/** The provider vouches for this user. */
export interface Vouched {
  readonly subject: string
  /** Many providers leave it out of the token: then they say it when they are asked about the user. */
  readonly hasEmail: boolean
  /** Null: there is none, or the provider has not verified it. */
  readonly verifiedEmail: string | null
}

export interface Expected {
  readonly issuer: string
  readonly clientId: string
  readonly nonce: string
  readonly now: number
}

/** Clocks of two machines. */
const TOLERANCE_SECONDS = 60
/** A token of a sign-in is seconds old. */
const MAX_AGE_SECONDS = 10 * 60
const MAX_SUBJECT = 255

/** `unknown_key`: signed with a key that is not among these. Otherwise a word for the log. */
export async function verifyIdToken(
  token: string,
  keys: ProviderKeys,
  expected: Expected,
): Promise<Result<Vouched, string>> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer: expected.issuer,
      audience: expected.clientId,
      algorithms: ALGORITHMS,
      clockTolerance: TOLERANCE_SECONDS,
      maxTokenAge: MAX_AGE_SECONDS,
      currentDate: new Date(expected.now),
      requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
    })
    return judge(payload, expected)
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return refuse('unknown_key')
    return refuse(error instanceof errors.JOSEError ? `${error.code}: ${error.message}` : 'not readable')
  }
}

function judge(payload: JWTPayload, { nonce, clientId }: Expected): Result<Vouched, string> {
  if (payload.nonce !== nonce) return refuse('other nonce')
  const isForMany = Array.isArray(payload.aud) && payload.aud.length > 1
  // One of several audiences may have got the token in its own sign-in.
  if (isForMany ? payload.azp !== clientId : payload.azp !== undefined && payload.azp !== clientId) {
    return refuse('other azp')
  }
  const subject = payload.sub
  if (
    typeof subject !== 'string' ||
    subject === '' ||
    subject.length > MAX_SUBJECT ||
    subject.includes('\0')
  ) {
    return refuse('sub of the wrong form')
  }
  return ok({ subject, hasEmail: payload.email !== undefined, verifiedEmail: verifiedEmailIn(payload) })
}

/** Reads the address from a token, or from what the provider says of a user. */
export function verifiedEmailIn(claims: Readonly<Record<string, unknown>>): string | null {
  const { email, email_verified: isVerified } = claims
  return isVerified === true && typeof email === 'string' ? email : null
}
