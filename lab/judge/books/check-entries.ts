import type { Books, EntryRow, Heard, TicketRow } from './books.ts'
import { type Complain, groupBy } from './ledger.ts'

/** The clock of a gate without a network. */
const CLOCKS_DIFFER_MS = 15 * 60_000

/**
 * Gates let a ticket in as often as its admission says, and what they said is written down. A ticket and
 * those that it was moved to are one admission.
 */
export function checkEntries(books: Books, heard: readonly Heard[], complain: Complain): void {
  const tickets = new Map(books.tickets.map(ticket => [ticket.id, ticket]))
  const entries = new Map(books.entries.map(entry => [entry.id, entry]))
  const firstOf = firstTickets(books)
  for (const rows of groupBy(books.entries, ({ ticket, day }) => `${firstOf(ticket)} ${day}`).values()) {
    checkDay(rows, tickets, complain)
  }
  const ofFirst = groupBy(books.entries, ({ ticket }) => firstOf(ticket))
  checkMovedOnes(books, complain)
  const admitted = new Map<string, Map<string, number>>()
  const voidSince = whenVoid(heard)
  for (const { kind, event, from, to, scans = [] } of heard) {
    for (const scan of scans) {
      const name = `${scan.device} ${scan.scan}`
      if (scan.result !== 'admitted' && kind === 'scan') {
        if (from <= (admitted.get(scan.ticket)?.get(name) ?? Number.POSITIVE_INFINITY)) continue
        const rule = 'a scan that is sent again is answered as it was'
        complain({ invariant: 10, rule, event, evidence: [scan] })
        continue
      }
      const entry = scan.entry === null ? undefined : entries.get(scan.entry)
      // A gate without a network has let the person in already, so the server writes the entry down even when
      // it was wrong.
      if (scan.result === 'admitted' && (entry?.ticket !== scan.ticket || entry.direction !== 'in')) {
        const rule = 'a person who was let in is in the list of entries'
        complain({ invariant: 9, rule, event, evidence: [scan, entry] })
      }
      if (kind !== 'scan') continue
      // One entry for each scan, however often it is sent.
      const known = admitted.get(scan.ticket) ?? new Map<string, number>()
      // A scan that is repeated is answered as it was, also when the ticket is void by then.
      if (!known.has(name) && from > (voidSince.get(scan.ticket) ?? Number.POSITIVE_INFINITY)) {
        complain({ invariant: 22, rule: 'no void ticket is admitted', event, evidence: [scan, entry] })
      }
      admitted.set(scan.ticket, known.set(name, Math.min(to, known.get(name) ?? to)))
    }
  }
  for (const [first, known] of groupBy([...admitted], ([ticket]) => firstOf(ticket))) {
    const scans = known.flatMap(([, names]) => [...names.keys()])
    const days = groupBy(ofFirst.get(first) ?? [], ({ day }) => day)
    const allowed = [...days.values()].reduce((sum, rows) => sum + rows[0]!.perDay, 0)
    if (scans.length <= allowed) continue
    const rule = 'gates let a ticket in as often as its admission says'
    complain({
      invariant: 22,
      rule,
      event: tickets.get(first)?.event ?? '',
      evidence: [...scans, ...[...days.values()].flat()],
    })
  }
}

/** By a ticket: the first one of those that it was moved from, or itself. */
function firstTickets({ moves }: Books): (ticket: string) => string {
  const before = new Map(moves.map(({ from, to }) => [to, from]))
  return ticket => {
    const seen = new Set<string>()
    let first = ticket
    // Books that are wrong may go round in a circle.
    for (let from = before.get(first); from !== undefined && !seen.has(from); from = before.get(first)) {
      seen.add(from)
      first = from
    }
    return first
  }
}

/**
 * A ticket that let someone in is not moved. What a gate without a network did may become known later: then
 * it counts for the other ticket as well.
 */
function checkMovedOnes({ moves, tickets, entries }: Books, complain: Complain): void {
  const events = new Map(tickets.map(({ id, event }) => [id, event]))
  const ofTicket = groupBy(entries, ({ ticket }) => ticket)
  for (const move of moves) {
    const used = (ofTicket.get(move.from) ?? []).filter(({ conflict, recordedAt }) => {
      return conflict === null && recordedAt < move.at
    })
    if (used.length === 0) continue
    const rule = 'a ticket that let someone in is not moved'
    complain({ invariant: 22, rule, event: events.get(move.from) ?? '', evidence: [move, ...used] })
  }
}

/** When staff had heard of it that a ticket is void, by the lab's clock. */
function whenVoid(heard: readonly Heard[]): Map<string, number> {
  const since = new Map<string, number>()
  for (const { kind, outcome, to, tickets = [] } of heard) {
    if ((kind !== 'refund' && kind !== 'move') || outcome !== 'ok') continue
    for (const ticket of tickets) since.set(ticket, Math.min(to, since.get(ticket) ?? to))
  }
  return since
}

function checkDay(
  rows: readonly EntryRow[],
  tickets: ReadonlyMap<string, TicketRow>,
  complain: Complain,
): void {
  const event = tickets.get(rows[0]!.ticket)?.event ?? ''
  const good = rows.filter(({ direction, conflict }) => direction === 'in' && conflict === null)
  if (good.length > rows[0]!.perDay) {
    const rule = 'a ticket is admitted as often as its admission says'
    complain({ invariant: 22, rule, event, evidence: rows })
  }
  // By the clock of a gate that is wrong it would count to a day on which its holder did not come.
  const isTooOld = ({ ticket, at }: EntryRow) => at < (tickets.get(ticket)?.issuedAt ?? 0) - CLOCKS_DIFFER_MS
  if (rows.some(isTooOld)) {
    complain({ invariant: 22, rule: 'an entry is not older than its ticket', event, evidence: rows })
  }
  if (rows.some(({ ticket }) => !tickets.has(ticket))) {
    complain({ invariant: 22, rule: 'an entry is of a ticket', event, evidence: rows })
  }
}
