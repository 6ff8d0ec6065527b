import type { Findings } from './findings.ts'
import type { Model } from './model.ts'
import type { EventRecord, HoldRow, TicketRow } from './record.ts'

/** At the end the tables are what the journal makes of an empty event. */
export function checkTables(
  { eventId, journal, tables }: EventRecord,
  model: Model,
  findings: Findings,
): void {
  if (!tables) return
  const compare = (invariant: number, rule: string, told: readonly object[], due: readonly object[]) => {
    const index = firstDifference(told, due)
    if (index === null) return
    const evidence = [{ table: told[index] ?? null }, { journal: due[index] ?? null }]
    findings.add({ invariant, rule, event: eventId, evidence })
  }
  const active = [...model.holds.values()].filter(({ status }) => status === 'active')
  const nextExpiry = active.length === 0 ? null : Math.min(...active.map(({ heldUntil }) => heldUntil))
  compare(11, 'the ledger ends where the journal does', [{ seq: tables.seq }], [{ seq: journal.length }])
  compare(8, 'the ledger knows the next expiry', [{ next: tables.nextExpiry }], [{ next: nextExpiry }])
  compare(2, 'holds are what the journal says', sorted(tables.holds), sorted(holdsOf(model)))
  compare(3, 'tickets are what the journal says', sorted(tables.tickets), sorted(ticketsOf(model)))
  const seats = [...model.seats].flatMap(([ordinal, { status, hold, ticket, version }]) =>
    version === 0 ? [] : [{ ordinal, status, hold: hold?.id ?? null, ticket, version }],
  )
  const byOrdinal = (a: { ordinal: number }, b: { ordinal: number }) => a.ordinal - b.ordinal
  compare(2, 'seats are what the journal says', [...tables.seats].sort(byOrdinal), seats.sort(byOrdinal))
  compare(
    5,
    'the counters are the sums of the rows',
    tables.zones,
    model.zones.map(({ held, sold, blocked }) => ({ held, sold, blocked })),
  )
}

function holdsOf(model: Model): HoldRow[] {
  return [...model.holds.values()].map(hold => ({
    id: hold.id,
    user: hold.user,
    ordinal: hold.ordinal,
    zone: hold.zone,
    quantity: hold.quantity,
    status: hold.status,
    heldUntil: hold.heldUntil,
    capUntil: hold.capUntil,
    checkout: hold.checkout,
    endedAt: hold.endedBy?.at ?? null,
    endReason: END_REASONS[hold.status] ?? hold.endedBy?.body.reason ?? null,
  }))
}

const END_REASONS: Readonly<Record<string, string>> = { expired: 'ttl_expired', converted: 'converted' }

function ticketsOf(model: Model): TicketRow[] {
  return [...model.holds.values()].flatMap(hold =>
    hold.status !== 'converted'
      ? []
      : (hold.endedBy?.body.ticketIds ?? []).map(id => ({
          id,
          hold: hold.id,
          user: hold.user,
          ordinal: hold.ordinal,
          zone: hold.zone,
          checkout: hold.endedBy?.body.checkoutId ?? '',
        })),
  )
}

function sorted<Row extends { readonly id: string }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function firstDifference(a: readonly object[], b: readonly object[]): number | null {
  const length = Math.max(a.length, b.length)
  for (let index = 0; index < length; index += 1) {
    if (JSON.stringify(a[index]) !== JSON.stringify(b[index])) return index
  }
  return null
}
