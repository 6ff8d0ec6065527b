import type { TestedMutant } from './mutant.ts'

const MAILS = 'server/src/postgres/tables/mails.ts'
const NEW_PASSWORD = 'server/src/accounts/new-password.ts'
const MAIL_TEST = 'server/test/mail.test.ts'

/** Mails, and passwords that they lead to. */
export const MAIL_MUTANTS: readonly TestedMutant[] = [
  {
    name: 'a mail twice after a crash',
    about: 'a mail whose node died while it sent it is queued again',
    patches: [
      {
        file: MAILS,
        find: `update mails m set status = 'unknown', lease_until = null, ended_at = now(), last_error = 'node gone'`,
        by: `update mails m set status = 'queued', lease_until = null, last_error = 'node gone'`,
      },
    ],
    test: MAIL_TEST,
  },
  {
    name: 'a mail twice after a lost answer',
    about: 'a mail is tried again although the server may have taken it',
    patches: [
      {
        file: 'server/src/mail/judge-failure.ts',
        find: "if (isWholeOut && !isAnswerToMessage(failure)) return { outcome: 'unknown', error }",
        by: "if (isWholeOut && error === '') return { outcome: 'unknown', error }",
      },
    ],
    test: MAIL_TEST,
  },
  {
    name: 'a reset token twice',
    about: 'a token goes on changing the password after it was used',
    patches: [
      { file: NEW_PASSWORD, find: 'await endPasswordResets(tx, user.userId)', by: 'void endPasswordResets' },
    ],
    test: MAIL_TEST,
  },
  {
    name: 'a reset that keeps sessions',
    about: 'who is signed in with the old password stays signed in',
    patches: [
      {
        file: NEW_PASSWORD,
        find: 'const ended = await deleteSessionsOf(tx, user.userId, exceptSession)',
        by: 'const ended = 0\n  void [deleteSessionsOf, exceptSession]',
      },
    ],
    test: MAIL_TEST,
  },
  {
    name: 'mails in one line',
    about: 'organizations do not take turns: one with many mails keeps the others waiting',
    patches: [
      {
        file: 'server/src/postgres/tables/mails.ts',
        find: 'due_at <= now() and organization_id > $2',
        by: 'due_at <= now() and $2::uuid is not null',
      },
    ],
    test: MAIL_TEST,
  },
]
