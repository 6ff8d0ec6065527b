import { expect, it } from 'vitest'
import { judgeFailure } from './judge-failure.ts'

const failure = (members: object) => Object.assign(new Error('550 <ann@example.org> is unknown'), members)

it.each([
  ['a greylisting recipient', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 450 }, false],
  ['an unknown recipient', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 }, true],
  ['a mail that is not wanted', { code: 'EMESSAGE', command: 'DATA', responseCode: 554 }, true],
  ['a full disk after the dot', { code: 'EMESSAGE', command: 'DATA', responseCode: 452 }, false],
  ['a sender that may not send', { code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 553 }, false],
  ['a wrong password', { code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 }, false],
  ['a server that is gone', { code: 'ESOCKET', command: 'CONN', originalCode: 'ECONNREFUSED' }, false],
  ['an address that can not be sent', { code: 'EENVELOPE', command: 'API' }, true],
])('%s surely took nothing', (_name, members, isFinal) => {
  expect(judgeFailure(failure(members), false)).toMatchObject({ outcome: 'refused', isFinal })
})

it.each([
  ['the connection is lost', { code: 'ECONNECTION', command: 'CONN' }],
  ['time is up', { code: 'ETIMEDOUT', command: 'CONN' }],
  ['the server speaks out of turn', { code: 'EPROTOCOL', command: 'CONN', responseCode: 550 }],
])('after the last byte, when %s, the mail may have gone out', (_name, members) => {
  expect(judgeFailure(failure(members), true).outcome).toBe('unknown')
})

it('an answer to the mail is a verdict, also after the last byte', () => {
  const refused = { code: 'EMESSAGE', command: 'DATA', responseCode: 451 }
  expect(judgeFailure(failure(refused), true)).toMatchObject({ outcome: 'refused', isFinal: false })
})

it('the name of a failure repeats nothing that the server said', () => {
  const judged = judgeFailure(failure({ code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 }), false)
  expect(judged).toMatchObject({ error: 'RCPT TO 550' })
})
