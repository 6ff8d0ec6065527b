import type { ScanWords } from './scan-en.ts'
import type { ShownTicket, Verdict } from './verdict.ts'

export function titleOf(words: ScanWords, verdict: Verdict): string {
  if (verdict.kind === 'undecided') return words.verdict.undecided
  if (verdict.kind === 'refused') return words.verdict.refused[verdict.code]
  if (verdict.direction === 'out') return words.verdict.left
  return verdict.look === null ? words.verdict.admitted : words.verdict.look
}

/** Null: the zone is all there is to say. */
export function placeName(words: ScanWords, { row, seatNumber }: ShownTicket): string | null {
  if (seatNumber === null) return null
  const number = String(seatNumber)
  return row === null ? words.verdict.place(number) : words.verdict.seat(row, number)
}

/** A screen reader says this at once: the verdict, then what helps to act on it. */
export function announcement(words: ScanWords, verdict: Verdict): string {
  const { ticket } = verdict
  const parts = [
    titleOf(words, verdict),
    verdict.kind === 'refused' ? words.verdict.explain[verdict.code] : null,
    verdict.kind === 'undecided' ? words.verdict.why[verdict.why] : null,
    verdict.kind === 'admitted' && verdict.look ? words.verdict.lookAt[verdict.look] : null,
    ticket?.zoneName ?? null,
    ticket && placeName(words, ticket),
    ticket?.attendee ?? null,
    ...(ticket?.flags.map(flag => words.verdict[flag]) ?? []),
    verdict.isOffline && verdict.kind !== 'undecided' ? words.verdict.offline : null,
  ]
  return parts
    .filter(part => part !== null && part !== '')
    .map(part => (part!.endsWith('.') ? part : `${part}.`))
    .join(' ')
}

/** 19:42 at the venue. */
export function clockTime(locale: string, at: number, timeZone: string | undefined): string {
  const options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  return new Intl.DateTimeFormat(locale, { ...options, ...(timeZone && { timeZone }) }).format(at)
}
