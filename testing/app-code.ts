import { systemClock } from '@voelgoed/kit/base/clock'
import { stepAt, totpCode } from '../server/modules/sign-in/totp.ts'

/** Returns the code of an authenticator app that has read the QR code. */
export function codeOf(uri: string, stepsAway: number): string {
  const bits = [...new URL(uri).searchParams.get('secret')!].map(letter =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const secret = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map(byte => Number.parseInt(byte, 2)),
  )
  return totpCode(secret, stepAt(systemClock.now() / 1000) + stepsAway)
}
