/**
 * The words by which staff find an order: names, parts of the address, the telephone, seats, the order's
 * number. They are stored with the order, and every word of a search must be the beginning of one of them.
 * So that any part of an address and of a number finds it too, their ends are words of their own.
 */
export interface OrderFacts {
  readonly number: string
  readonly reference: string | null
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly places: readonly PlaceFacts[]
}

/** Where a ticket is for, and whose it is. */
export interface PlaceFacts {
  readonly zone: string
  readonly row: string | null
  readonly seat: number | string | null
  readonly attendee: string | null
}

/** An order of a school has 200 seats and as many names. */
export const MAX_WORDS = 1_000
export const MAX_WORD = 40
/** A longer search says no more. */
const MAX_TERMS = 8
/** Shorter ends of words are in too many of them. */
const SHORTEST_END = 3
const SHORTEST_PHONE_END = 4
/** Numbers are written with and without a code of the country: their last nine digits are the same. */
const PHONE_DIGITS = 9
const SHORTEST_PHONE = 7

/** Accents and case do not matter, nor the way in which Unicode writes a letter. */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

function split(folded: string): string[] {
  return folded.split(/[^\p{L}\p{N}]+/u).filter(word => word !== '')
}

export function wordsOfOrder({ number, reference, name, email, phone, places }: OrderFacts): string[] {
  const words = new Set<string>()
  const add = (...found: readonly string[]) => {
    for (const word of found) if (word !== '' && words.size < MAX_WORDS) words.add(word.slice(0, MAX_WORD))
  }
  add(...split(fold(number)))
  if (name !== null) add(...split(fold(name)))
  if (email !== null) add(...wordsOfAddress(fold(email)))
  if (phone !== null) add(...wordsOfPhone(phone))
  if (reference !== null) add(...fold(reference).split(/\s+/), ...split(fold(reference)))
  for (const place of places) {
    add(...split(fold(place.zone)), ...seatWords(place))
    if (place.attendee !== null) add(...split(fold(place.attendee)))
  }
  return [...words]
}

function wordsOfAddress(folded: string): string[] {
  const [own = '', domain = ''] = folded.split('@')
  return [...split(own).flatMap(word => endsOf(word, SHORTEST_END)), ...split(withoutEndings(domain))]
}

/** People say `mweb` of `mweb.co.za`. The rest is in most addresses. */
function withoutEndings(domain: string): string {
  return domain.replace(/(\.[^.]{0,3})+$/, '')
}

function wordsOfPhone(phone: string): string[] {
  const digits = fold(phone).replace(/\D/g, '')
  const own = digits.slice(-PHONE_DIGITS)
  return [digits, ...endsOf(own, SHORTEST_PHONE_END)]
}

function endsOf(word: string, shortest: number): string[] {
  const text = word.slice(0, MAX_WORD)
  const ends = [text]
  for (let from = 1; text.length - from >= shortest; from += 1) ends.push(text.slice(from))
  return ends
}

/** Seat 3 of row "Box L1" is found as `L1-3`, and by the word Box. */
function seatWords({ row, seat }: PlaceFacts): string[] {
  if (row === null || seat === null) return []
  const parts = split(fold(row))
  const number = split(fold(String(seat))).join('')
  if (parts.length === 0) return []
  if (parts.length === 1) return [`${parts[0]}-${number}`]
  return [...parts, `${parts.join('')}-${number}`, `${parts.at(-1)}-${number}`]
}

/** Words from `low` on and before `high`, by the order of their code points. */
export interface WordRange {
  readonly low: string
  readonly high: string
}

/** One of these has to be among the words of the order. */
export type SearchTerm = readonly WordRange[]

const LAST = String.fromCodePoint(0x10ffff)
const begins = (word: string): WordRange => {
  const low = word.slice(0, MAX_WORD)
  return { low, high: low + LAST }
}
const equals = (word: string): WordRange => ({ low: word, high: `${word}\u0001` })

const WORDS_BEFORE_A_ROW = new Set(['row', 'ry', 'rij', 'seat', 'seats', 'sitplek', 'stoel'])
const IS_ROW = /^[\p{L}\p{N}]{1,3}$/u
const IS_NUMBER = /^\d{1,4}\p{L}?$/u
const IS_SEAT = /^([\p{L}\p{N}]{1,6})-(\d{1,4}\p{L}?)$/u
const IS_SHORT_SEAT = /^(\p{L}{1,2})(\d{1,3})$/u

/** Reads a search: words of any kind, in any order. None: it has no letter and no digit. */
export function searchTermsOf(query: string): SearchTerm[] {
  const pieces = fold(query)
    .split(/[\s,;]+/)
    .filter(piece => split(piece).length > 0 && !WORDS_BEFORE_A_ROW.has(piece))
  const terms: SearchTerm[] = []
  let at = 0
  while (at < pieces.length) {
    const numbers = digitsFrom(pieces, at)
    const digits = numbers.join('')
    const piece = pieces[at]!
    const next = pieces[at + 1] ?? ''
    if (digits.length >= SHORTEST_PHONE) {
      terms.push(phoneTerm(digits, numbers.length))
      at += numbers.length
    } else if (IS_ROW.test(piece) && IS_NUMBER.test(next)) {
      terms.push([equals(`${piece}-${next}`)])
      at += 2
    } else {
      terms.push(...termsOfPiece(piece))
      at += 1
    }
  }
  return terms.slice(0, MAX_TERMS)
}

/** The pieces from here on that are parts of a telephone number. */
function digitsFrom(pieces: readonly string[], at: number): string[] {
  const found: string[] = []
  for (const piece of pieces.slice(at)) {
    const digits = piece.replace(/[+()./-]/g, '')
    if (!/^\d+$/.test(digits)) break
    found.push(digits)
  }
  return found
}

/** A reference may be all digits, too. */
function phoneTerm(digits: string, pieces: number): SearchTerm {
  const own = begins(digits.slice(-PHONE_DIGITS).replace(/^0+(?=\d)/, ''))
  return pieces === 1 ? [own, begins(digits)] : [own]
}

function termsOfPiece(piece: string): SearchTerm[] {
  const seat = IS_SEAT.exec(piece)
  if (seat) return [[equals(piece)]]
  const short = IS_SHORT_SEAT.exec(piece)
  if (short) return [[equals(`${short[1]}-${short[2]}`), begins(piece)]]
  return split(withoutDomainEndings(piece)).map(word => {
    const bare = word.replace(/^0+(?=\d+$)/, '')
    return bare === word ? [begins(word)] : [begins(word), begins(bare)]
  })
}

function withoutDomainEndings(piece: string): string {
  const [own = '', domain] = piece.split('@')
  if (domain !== undefined) return `${own}@${withoutEndings(domain)}`
  return /^[^.]+\.[^.]+/.test(own) ? withoutEndings(own) : own
}
