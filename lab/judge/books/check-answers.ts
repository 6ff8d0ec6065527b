import { type Books, CARDS_WITHOUT_MONEY, type Heard } from './books.ts'
import { type Account, type Complain, capturedOf, evidenceOf, groupBy, replacedBy } from './ledger.ts'

/** Staff and platforms ask for orders of others. */
const BY_STAFF: readonly Heard['kind'][] = ['refund', 'move', 'external']
const SOLD = ['paid', 'partly_refunded', 'refunded']

/** Checks that the books agree with every answer that buyers and staff were given. */
export function checkAnswers(
  books: Books,
  accounts: ReadonlyMap<string, Account>,
  heard: readonly Heard[],
  complain: Complain,
): void {
  const byId = new Map(books.tickets.map(ticket => [ticket.id, ticket]))
  const ofOrder = groupBy(
    heard.filter(({ order }) => order !== undefined),
    ({ order }) => order!,
  )
  for (const [order, answers] of ofOrder) {
    const account = accounts.get(order)
    if (account) {
      checkOrder(account, answers, complain)
      continue
    }
    if (!answers.some(({ outcome }) => outcome === 'ok')) continue
    const rule = 'an order that was answered is there'
    complain({ invariant: 9, rule, event: answers[0]!.event, evidence: answers })
  }
  for (const answer of heard) {
    if (answer.outcome !== 'ok') {
      if (answer.status !== 500) continue
      complain({ invariant: 9, rule: 'no request fails inside', event: answer.event, evidence: [answer] })
      continue
    }
    for (const id of answer.tickets ?? []) {
      const ticket = byId.get(id)
      const isThere = ticket !== undefined && ticket.order === answer.order
      const isTaken = answer.kind === 'refund' || answer.kind === 'move'
      const isVoid = !isTaken || ticket?.voidedAt !== null
      if (isThere && isVoid) continue
      const rule = isThere ? 'a ticket that staff took back is void' : 'a ticket that was shown is there'
      complain({ invariant: 9, rule, event: answer.event, evidence: [answer, ticket] })
    }
  }
  checkReplaced(accounts, heard, complain)
  checkMoves(books, heard, complain)
  checkReferences(heard, complain)
}

function checkOrder(account: Account, answers: readonly Heard[], complain: Complain): void {
  const { order, lines } = account
  const kept = capturedOf(account) - account.givenBack - account.byHand
  const valid = lines.filter(({ refund }) => refund === null).length
  const add = (invariant: number, rule: string, ...of: readonly Heard[]) =>
    complain({ invariant, rule, event: order.event, evidence: [...of, ...evidenceOf(account)] })
  const refunds = answers.filter(({ kind, outcome }) => kind === 'refund' && outcome !== 'refused')
  if (refunds.length === 0 && lines.some(({ refund }) => refund !== null)) {
    add(9, 'tickets are taken back by staff alone')
  }
  for (const answer of answers) {
    if (answer.outcome !== 'ok') continue
    const { orderStatus, kind, isAfterQuiet } = answer
    if (kind === 'pay' && orderStatus === 'paid' && (answer.total ?? order.total) !== order.total) {
      add(21, 'no other total is charged than the one that the buyer saw', answer)
    }
    const isOwn = BY_STAFF.includes(kind) || answer.user === order.user
    if (!isOwn) add(13, 'an order opens to its buyer alone', answer)
    if (isAfterQuiet && orderStatus !== order.status) add(9, 'an answer says what is in the books', answer)
    if (orderStatus === 'paid') {
      if (!SOLD.includes(order.status)) add(9, 'an order that was paid stays paid', answer)
      // A refund of all of it without tickets is not what the buyer was told.
      if (lines.length === 0) add(9, 'an order that was paid has tickets', answer)
    }
    if (orderStatus === 'refunded' && (kept > 0 || valid > 0)) {
      add(15, 'a buyer who was told of a refund has the money', answer)
    }
    if (orderStatus === 'cancelled' && valid > 0) add(15, 'a checkout that was cancelled is not sold', answer)
    if (orderStatus === 'cancelled' && kept > 0) add(15, 'no money is kept of what was cancelled', answer)
  }
  checkDeclined(account, answers, add)
  checkExpired(account, answers, add)
}

type Add = (invariant: number, rule: string, ...of: readonly Heard[]) => void

/**
 * Declined is what the gateway has said. A card that takes no money is declined; another may be captured
 * after it. So a buyer who was told "declined" of the only attempt that could take money has kept it.
 */
function checkDeclined(account: Account, answers: readonly Heard[], add: Add): void {
  const attempts = answers.filter(({ kind, card }) => kind === 'pay' && card !== undefined)
  const canTake = attempts.filter(({ card }) => !CARDS_WITHOUT_MONEY.includes(card!))
  const isCaptured = capturedOf(account) > 0
  if (isCaptured && canTake.length === 0) add(15, 'a card that is declined takes no money', ...attempts)
  const [only] = canTake
  if (canTake.length === 1 && only!.isDeclined && only!.card !== 'step' && isCaptured) {
    add(15, 'no money is taken by a payment that was answered with declined', ...attempts)
  }
  // With such a card the gateway takes the money, or has said something else before.
  const wrong = attempts.filter(
    ({ card, isDeclined }) => isDeclined && (card === 'good' || card === 'disputed'),
  )
  if (wrong.length > 0) add(15, 'declined is said when the gateway has said it', ...wrong)
}

/** While the gateway decides, a buyer is not told that the time is over: the money may be taken. */
function checkExpired(account: Account, answers: readonly Heard[], add: Add): void {
  const cards = answers.filter(({ kind }) => kind === 'pay').map(({ card }) => card)
  const told = answers.filter(({ orderStatus }) => orderStatus === 'expired')
  if (told.length === 0 || cards.some(card => card !== 'late') || capturedOf(account) === 0) return
  add(15, 'an order does not expire while the gateway decides', ...told)
}

/**
 * An order that made way for another takes no money: its payment was cancelled at the gateway first. Where
 * the answer to a payment of it was lost, that payment may have come later.
 */
function checkReplaced(
  accounts: ReadonlyMap<string, Account>,
  heard: readonly Heard[],
  complain: Complain,
): void {
  const lost = new Set(
    heard.filter(({ kind, outcome }) => kind === 'pay' && outcome === 'unknown').map(({ order }) => order),
  )
  for (const answer of heard) {
    const id = replacedBy(answer)
    const account = id === null || lost.has(id) ? undefined : accounts.get(id)
    if (!account || capturedOf(account) === 0) continue
    const rule = 'an order that made way for another takes no money'
    complain({ invariant: 15, rule, event: answer.event, evidence: [answer, ...evidenceOf(account)] })
  }
}

/** Tickets go where staff asked for, all of a request or none of it. */
function checkMoves(books: Books, heard: readonly Heard[], complain: Complain): void {
  const seats = new Map(books.tickets.map(({ id, ordinal }) => [id, ordinal]))
  const wentTo = new Map(books.moves.map(({ from, to }) => [from, seats.get(to)]))
  const wanted = new Map<string, Set<number>>()
  for (const answer of heard) {
    if (answer.kind !== 'move' || answer.outcome === 'refused') continue
    const { event, outcome, moves = [] } = answer
    const add = (rule: string) => complain({ invariant: 9, rule, event, evidence: [answer] })
    const done = moves.filter(({ ticket, ordinal }) => wentTo.get(ticket) === ordinal).length
    if (outcome === 'ok' && done < moves.length) add('tickets that were moved are where staff were told')
    if (done > 0 && done < moves.length) add('all tickets of a move go, or none')
    for (const { ticket, ordinal } of moves) {
      wanted.set(ticket, (wanted.get(ticket) ?? new Set()).add(ordinal))
    }
  }
  for (const move of books.moves) {
    if (wanted.get(move.from)?.has(seats.get(move.to) ?? -1)) continue
    complain({ invariant: 9, rule: 'tickets move as staff asked', event: '', evidence: [move] })
  }
}

/** Repeating a reference gives the same order. */
function checkReferences(heard: readonly Heard[], complain: Complain): void {
  const sold = heard.filter(({ kind, outcome }) => kind === 'external' && outcome === 'ok')
  for (const answers of groupBy(sold, ({ reference }) => reference!).values()) {
    if (new Set(answers.map(({ order }) => order)).size === 1) continue
    const rule = 'a reference is one order'
    complain({ invariant: 15, rule, event: answers[0]!.event, evidence: answers })
  }
}
