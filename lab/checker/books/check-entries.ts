import type { Books, EntryRow, Heard, TicketRow } from './books.ts'
import { type Complain, groupBy } from './ledger.ts'

/** Gates let a ticket in as often as its admission says, and what they said is written down. */
export function checkEntries(books: Books, heard: readonly Heard[], complain: Complain): void {
  const tickets = new Map(books.tickets.map(ticket => [ticket.id, ticket]))
  const entries = new Map(books.entries.map(entry => [entry.id, entry]))
  for (const rows of groupBy(books.entries, ({ ticket, day }) => `${ticket} ${day}`).values()) {
    checkDay(tickets.get(rows[0]!.ticket), rows, complain)
  }
  const ofTicket = groupBy(books.entries, ({ ticket }) => ticket)
  checkMovedOnes(books, ofTicket, complain)
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
      // What a gate without a network has done stays done: it is written down, right or wrong.
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
  for (const [ticket, scans] of admitted) {
    const days = groupBy(ofTicket.get(ticket) ?? [], ({ day }) => day)
    const allowed = [...days.values()].reduce((sum, rows) => sum + rows[0]!.perDay, 0)
    if (scans.size <= allowed) continue
    const rule = 'gates let a ticket in as often as its admission says'
    complain({
      invariant: 22,
      rule,
      event: tickets.get(ticket)?.event ?? '',
      evidence: [...scans.keys(), ...[...days.values()].flat()],
    })
  }
}

/** A ticket that let someone in is not moved: the other one would open the gate again. */
function checkMovedOnes(
  { moves, tickets }: Books,
  ofTicket: ReadonlyMap<string, readonly EntryRow[]>,
  complain: Complain,
): void {
  const events = new Map(tickets.map(({ id, event }) => [id, event]))
  for (const move of moves) {
    const used = (ofTicket.get(move.from) ?? []).filter(({ conflict }) => conflict === null)
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

function checkDay(ticket: TicketRow | undefined, rows: readonly EntryRow[], complain: Complain): void {
  const event = ticket?.event ?? ''
  const good = rows.filter(({ direction, conflict }) => direction === 'in' && conflict === null)
  if (good.length > rows[0]!.perDay) {
    const rule = 'a ticket is admitted as often as its admission says'
    complain({ invariant: 22, rule, event, evidence: rows })
  }
  if (!ticket) {
    complain({ invariant: 22, rule: 'an entry is of a ticket', event, evidence: rows })
  }
}
