import { describe, expect, it } from 'vitest'
import { isEmail, normaliseEmail } from './email.ts'

describe('an e-mail address', () => {
  it.each([
    ['Anna@Example.org', 'anna@example.org'],
    ['İx@example.org', 'i̇x@example.org'],
    ['i̇x@example.org', 'i̇x@example.org'],
    ['ａｎｎａ@example.org', 'anna@example.org'],
    ['e\u0301@example.org', 'é@example.org'],
    ['ﬁ@example.org', 'fi@example.org'],
    ['STRASSE@EXAMPLE.ORG', 'strasse@example.org'],
  ])('%s is %s', (given, normalised) => {
    expect(normaliseEmail(given)).toBe(normalised)
    expect(normaliseEmail(normalised)).toBe(normalised)
    expect(isEmail(normalised)).toBe(true)
  })

  it.each(['a＠b@example.org', `${'ﷺ'.repeat(60)}@example.org`, 'a@example', 'a b@example.org'])(
    '%s is none once it is normalised',
    given => expect(isEmail(normaliseEmail(given))).toBe(false),
  )
})
