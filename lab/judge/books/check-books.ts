import { Findings } from '../findings.ts'
import type { Books, Heard } from './books.ts'
import { checkAnswers } from './check-answers.ts'
import { checkEntries } from './check-entries.ts'
import { checkMoney } from './check-money.ts'
import { checkTickets } from './check-tickets.ts'
import { accountsOf, type Complain } from './ledger.ts'

/** Balances the books of a run, and holds what was heard against them. */
export function checkBooks(
  books: Books,
  heard: readonly Heard[],
  findings: Findings = new Findings(),
): Findings {
  const complain: Complain = violation => findings.add(violation)
  const accounts = accountsOf(books)
  checkMoney(books, accounts, complain)
  checkTickets(books, accounts, complain)
  checkAnswers(books, accounts, heard, complain)
  checkEntries(books, heard, complain)
  return findings
}
