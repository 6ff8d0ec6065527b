import { createHmac, timingSafeEqual } from 'node:crypto'

/** RFC 6238 as all authenticator apps know it: SHA-1, six digits, a new code every 30 seconds. */
const STEP_SECONDS = 30
const DIGITS = 6
/** Clocks of telephones are a little off: the code before and the one after this step are taken, too. */
const STEPS_AROUND = 1
export const SECRET_BYTES = 20

export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const at = mac[mac.length - 1]! & 0xf
  const number = mac.readUInt32BE(at) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

export function stepAt(seconds: number): number {
  return Math.floor(seconds / STEP_SECONDS)
}

/** The step whose code this is, if it is one of those around this moment that come after `lastStep`. */
export function matchingStep(
  secret: Buffer,
  code: string,
  { seconds, lastStep }: { readonly seconds: number; readonly lastStep: number },
): number | null {
  const now = stepAt(seconds)
  let found: number | null = null
  for (let step = now - STEPS_AROUND; step <= now + STEPS_AROUND; step += 1) {
    const isRight = timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code))
    if (isRight && step > lastStep) found ??= step
  }
  return found
}

export function looksLikeTotp(code: string): boolean {
  return /^\d{6}$/.test(code)
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, without padding: what people type into an app. */
export function base32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += BASE32[(value >>> bits) & 31]
    }
    value &= (1 << bits) - 1
  }
  return bits > 0 ? text + BASE32[(value << (5 - bits)) & 31] : text
}

/** Writes the address that a QR code tells the app. */
export function totpUri(secret: Buffer, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const query = new URLSearchParams({
    secret: base32(secret),
    issuer,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
  return `otpauth://totp/${label}?${query.toString().replaceAll('+', '%20')}`
}
