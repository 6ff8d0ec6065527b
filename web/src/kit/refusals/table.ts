import { type Problem, type RefusalCode, Refused } from '@voelgoed/client'
import type { Words } from '../words/en.ts'

/** The eye is here: the sentence stands there. */
export type Place =
  /** At the field that it is about; the form says which. */
  | 'field'
  /** In the form, above the button that was pressed. */
  | 'form'
  /** In the card or the part of the page that it is about. */
  | 'card'
  /** Above the map, the sheet or the gate. */
  | 'notice'
  /** In the dialog that is open. */
  | 'dialog'
  /** In place of the page: there is nothing else to show. */
  | 'page'

/** Each has the words of its button or link; the page says what they do or where they lead. */
const LABELS = {
  again: words => words.account.bringAgain,
  reload: words => words.reload,
  events: words => words.password.back,
  seats: words => words.checkout.chooseAgain,
  cart: words => words.checkout.back,
  details: words => words.pay.changeDetails,
  payment: words => words.panel.goOn,
  tickets: words => words.pay.seeTickets,
  signIn: words => words.account.signIn,
  link: words => words.password.title.ask,
  console: words => words.password.toConsole,
  home: words => words.notFound.home,
} as const satisfies Record<string, (words: Words) => string>
export type Action = keyof typeof LABELS
export const ACTIONS = Object.keys(LABELS) as readonly Action[]

/** There is nothing to press, and this says why. */
export type Rest =
  /** The sentence asks for something in front of the eye: the map, the field, the pressed button. */
  | 'here'
  /** Time mends it, or the page asks again by itself. */
  | 'wait'
  /** Only the organizer can help, and the sentence says so. */
  | 'ask'

/** The page itself shows these: they need more than a word. */
export type Own = 'nearby' | 'whole' | 'alternatives' | 'member' | 'guests'

export type Sentence = (words: Words, problem: Problem) => string

/** A refusal on a page: its place, its way on, and its sentence where the usual one does not fit. */
type Row = readonly [place: Place, way: Action | Rest | Own, sentence?: Sentence]

/** One page: a row for each refusal that can come there (refusals.test.ts). */
export type RefusalTable = Readonly<Partial<Record<RefusalCode, Row>>>

/** Any page may meet these: they say nothing of what was asked. */
export const COMMON = {
  invalid_request: ['form', 'reload'],
  unauthorized: ['form', 'reload'],
  forbidden: ['form', 'events'],
  second_factor_needed: ['form', 'console'],
  organization_suspended: ['form', 'wait'],
  organization_not_found: ['page', 'home'],
  payload_too_large: ['form', 'here'],
  unsupported_media_type: ['form', 'reload'],
  idempotency_key_reused: ['form', 'reload'],
  idempotency_key_in_use: ['form', 'wait'],
  rate_limited: ['form', 'wait'],
  busy: ['form', 'here'],
  database_unavailable: ['form', 'here'],
  outcome_unknown: ['form', 'reload'],
  internal_error: ['form', 'reload'],
} as const satisfies RefusalTable

/** A server that is newer than this page may refuse in a way that the page does not know. */
const UNKNOWN: Row = ['form', 'reload']

export function rowOf(table: RefusalTable, { code }: Refused): Row {
  return table[code] ?? UNKNOWN
}

/** Says why. What failed without an answer is said to be out of reach. */
export function sentenceOf(table: RefusalTable, failure: unknown, words: Words): string {
  if (!(failure instanceof Refused)) return words.unreachable
  // The time to wait stands in a header of the answer, not in its body.
  const problem = { ...failure.problem, retry_after: failure.retryAfter ?? 0 }
  const [, , own] = rowOf(table, failure)
  // The words of the server are all that is known of a new code.
  return own?.(words, problem) ?? words.refusals[failure.code]?.(problem) ?? failure.problem.detail
}

export function labelOf(action: Action, words: Words): string {
  return LABELS[action](words)
}

export function isAction(way: string): way is Action {
  return way in LABELS
}
