import type { Books } from './books.ts'
import { type Account, type Complain, capturedOf, evidenceOf, hasMoney, sum } from './ledger.ts'

/**
 * Balances the server's books against the gateway's, order by order, to the cent. After quiet: nothing may
 * wait any more.
 */
export function checkMoney(books: Books, accounts: ReadonlyMap<string, Account>, complain: Complain): void {
  checkIntents(books, accounts, complain)
  for (const account of accounts.values()) checkAccount(account, complain)
  const seen = new Set<string>()
  for (const row of books.news) {
    const add = (rule: string) => complain({ invariant: 15, rule, event: '', evidence: [row] })
    if (seen.has(row.message)) add('a message of the gateway is kept once')
    seen.add(row.message)
    if (row.state !== 'done') add('every message of the gateway is taken')
  }
}

/** Checks that each charge at the gateway belongs to a checkout and asks for what its order costs. */
function checkIntents(books: Books, accounts: ReadonlyMap<string, Account>, complain: Complain): void {
  const back = new Map<string, number>()
  for (const { intent, amount } of books.gatewayRefunds) back.set(intent, (back.get(intent) ?? 0) + amount)
  for (const intent of books.intents) {
    const account = accounts.get(intent.order)
    const add = (invariant: number, rule: string) => {
      const evidence = account ? evidenceOf(account) : [intent]
      complain({ invariant, rule, event: account?.order.event ?? '', evidence })
    }
    if (!account?.order.isCheckout) {
      add(15, 'the gateway takes money for orders that there are')
      continue
    }
    const { total, currency } = account.order
    if (intent.amount !== total || intent.currency !== currency) {
      add(21, 'the gateway is asked for what the order costs')
    }
    if (account.intents.length > 1) add(15, 'an order is charged once')
    const given = back.get(intent.id) ?? 0
    if (given !== intent.refunded || given > (intent.status === 'captured' ? intent.amount : 0)) {
      add(15, 'no more goes back than was taken')
    }
  }
}

function checkAccount(account: Account, complain: Complain): void {
  const { order, payments, refunds, lines, givenBack } = account
  const add = (invariant: number, rule: string) =>
    complain({ invariant, rule, event: order.event, evidence: evidenceOf(account) })
  const captured = capturedOf(account)
  const money = payments.filter(hasMoney)
  const ours = sum(money.filter(({ method }) => method === 'gateway').map(({ amount }) => amount))
  if (captured > ours) add(15, 'money that the gateway has taken is in the books')
  if (ours > captured) add(21, 'no money is in the books that the gateway has not taken')

  const valid = lines.filter(({ refund }) => refund === null)
  const recorded = sum(money.map(({ amount }) => amount))
  const returned = sum(money.map(({ refunded }) => refunded))
  const byRefunds = sum(refunds.map(({ amount }) => amount))
  const byChoice = sum(refunds.map(each => each.byChoice))
  const asked = refunds.filter(({ key, byHand }) => key !== null && !byHand)
  const throughGateway = sum(asked.map(({ amount }) => amount))
  if (throughGateway !== givenBack) add(15, 'the gateway gives back what the books say, once')
  if (byRefunds !== returned) add(21, 'a payment has gone back as far as its refunds say')
  if (byRefunds > recorded) add(21, 'no more goes back than was taken')
  if (order.total !== null && money.length > 0) {
    const extras = lines.length === 0 ? 0 : order.total - sum(lines.map(({ amount }) => amount))
    const kept = valid.length === 0 ? 0 : sum(valid.map(({ amount }) => amount)) + extras
    if (extras < 0 || recorded - byRefunds !== kept - byChoice) {
      add(21, 'captures less refunds are what valid tickets cost, and the fees that are kept')
    }
  }
  // Nothing of it is in the gateway's books where the price is 0, or staff have the money.
  const isKept = captured - givenBack - account.byHand + Math.min(0, byChoice) > 0
  if (captured > 0 && isKept && valid.length === 0) {
    add(15, 'no money without tickets or a refund')
  }
  // A ticket that was free may stay when all that were paid for went back.
  if (captured > 0 && givenBack === captured && byChoice <= 0 && valid.some(({ amount }) => amount !== 0)) {
    add(21, 'no ticket whose money went back')
  }
  checkStatus(account, valid.length, add)
}

type Add = (invariant: number, rule: string) => void

/** Each status says what is there; what waits is not over. */
function checkStatus({ order, payments, refunds, lines }: Account, valid: number, add: Add): void {
  const isSold = lines.length > 0
  const money = payments.some(hasMoney)
  if (isSold && !money) add(21, 'no ticket without money, a price of 0, or a named member of staff')
  if (payments.some(({ method, recordedBy }) => method !== 'gateway' && recordedBy === null)) {
    add(21, 'no ticket without money, a price of 0, or a named member of staff')
  }
  const expected = !money
    ? null
    : valid === 0
      ? 'refunded'
      : valid < lines.length
        ? 'partly_refunded'
        : 'paid'
  if (expected !== null && order.status !== expected) add(15, 'an order says what became of its money')
  if (expected === null && !['cancelled', 'expired', 'open', 'paying'].includes(order.status)) {
    add(15, 'an order says what became of its money')
  }
  if (order.status === 'open' || order.status === 'paying') add(15, 'no order stays open')
  if (payments.some(({ status }) => status === 'created' || status === 'unknown')) {
    add(15, 'no payment stays unknown')
  }
  if (refunds.some(({ status }) => status !== 'done')) add(15, 'every refund is done')
}
