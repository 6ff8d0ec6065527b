import { describe, expect, it } from 'vitest'
import { base32, matchingStep, stepAt, totpCode, totpUri } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

describe('codes of an authenticator app', () => {
  // RFC 6238, appendix B: the last six of their eight digits.
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('at %i s the code is %s', (seconds, code) => {
    expect(totpCode(secret, stepAt(seconds))).toBe(code)
  })

  it('are taken one step early or late, and no further', () => {
    const seconds = 1_234_567_890
    const step = stepAt(seconds)
    const taken = [-2, -1, 0, 1, 2].map(
      away => matchingStep(secret, totpCode(secret, step + away), { seconds, lastStep: 0 }) !== null,
    )
    expect(taken).toEqual([false, true, true, true, false])
  })

  it('are not taken again, nor is one that is older than the last', () => {
    const seconds = 1_234_567_890
    const step = stepAt(seconds)
    const match = (away: number) =>
      matchingStep(secret, totpCode(secret, step + away), { seconds, lastStep: step })
    expect([match(-1), match(0), match(1)]).toEqual([null, null, step + 1])
  })
})

it('the secret is base32 as RFC 4648 writes it', () => {
  expect(['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map(text => base32(Buffer.from(text)))).toEqual([
    '',
    'MY',
    'MZXQ',
    'MZXW6',
    'MZXW6YQ',
    'MZXW6YTB',
    'MZXW6YTBOI',
  ])
})

it('the address for apps names the organization and the account', () => {
  const uri = totpUri(secret, { issuer: 'Karoo & Co', account: 'a+b@example.org' })
  expect(uri).toMatch(
    /^otpauth:\/\/totp\/Karoo%20%26%20Co:a%2Bb%40example\.org\?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&/,
  )
  expect(new URL(uri).searchParams.get('issuer')).toBe('Karoo & Co')
})
