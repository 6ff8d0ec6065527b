import { describe, expect, it } from 'vitest'
import { readMoved } from '../base/moved-message.ts'
import { readAsk, readRelying, readSession, writeAsk } from './announcement-messages.ts'

const A = '0190f6d2-0000-7000-8000-000000000001'
const B = '0190f6d2-0000-7000-8000-000000000002'
const HASH = 'ab'.repeat(32)

describe('a message of ours', () => {
  it('is read', () => {
    expect(readMoved(`${A}:${B}:17`)).toEqual({ organizationId: A, eventId: B, seq: 17 })
    expect(
      readSession(JSON.stringify({ kind: 'token_revoked', tokenHash: HASH, organizationId: A })),
    ).toEqual({
      kind: 'token_revoked',
      tokenHash: HASH,
    })
    expect(readRelying(`relies:${A}`)).toBe(A)
    for (const what of ['reload', 'report'] as const) {
      const ask = { what, organizationId: A, eventId: B, requestId: A, seq: 17 } as Parameters<
        typeof writeAsk
      >[1]
      expect(readAsk(writeAsk(B, ask))).toEqual({ ...ask, from: B })
    }
    const changed = { kind: 'user_changed', userId: B, organizationId: A }
    expect(readSession(JSON.stringify(changed))).toEqual(changed)
    const keys = { kind: 'ticket_keys_changed', organizationId: A }
    expect(readSession(JSON.stringify(keys))).toEqual(keys)
  })
})

/** Any login of the database may send these. */
const MALFORMED = [
  '',
  '{',
  'relies:',
  'relies:all',
  'null',
  '17',
  '[]',
  '"text"',
  '{}',
  '{"kind":"token_revoked"}',
  '{"kind":"token_revoked","tokenHash":17}',
  '{"kind":"token_revoked","tokenHash":"zz"}',
  `{"kind":"user_changed","organizationId":"${A}"}`,
  `{"kind":"user_changed","organizationId":"${A}","userId":{"toString":1}}`,
  '{"kind":"__proto__"}',
  ':::',
  `${A}:${B}`,
  `${A}:${B}:`,
  `${A}:${B}:-1`,
  `${A}:${B}:1e9`,
  `${A}:${B}:NaN`,
  `${A}:${B}:1:2`,
  `${A}:x:1`,
  `${A}:${B}:${'9'.repeat(400)}`,
  `${A}:${B}:reload`,
  'ask',
  `ask:${A}:reload:${A}:${B}:${A}`,
  `ask:${A}:reload:${A}:${B}:${A}:-1`,
  `ask:${A}:reload:${A}:${B}:${A}:1:2`,
  `ask:${A}:drop:${A}:${B}:${A}:1`,
  `ask:${A}:reload:${A}:x:${A}:1`,
]

describe('anything else', () => {
  for (const payload of MALFORMED) {
    it(`${payload.slice(0, 60) || 'nothing'} is no message`, () => {
      expect(readMoved(payload)).toBeNull()
      expect(readSession(payload)).toBeNull()
      expect(readRelying(payload)).toBeNull()
      expect(readAsk(payload)).toBeNull()
    })
  }
})
