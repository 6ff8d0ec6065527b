import type { Data } from '@voelgoed/client'
import type { DayUse, Direction } from '@voelgoed/core/entry/scan'

export type Bundle = Data<'GET /api/scans/bundle'>

/** The device knows this of an event, beside its tickets. */
export interface GateList {
  readonly slug: string
  readonly event: Bundle['event']
  /** The platform has suspended the organization. Lists that an older page has kept are without. */
  readonly isSuspended?: boolean
  readonly keys: Bundle['public_keys']
  readonly zones: Bundle['zones']
  readonly admissions: Bundle['admissions']
  /** Lists that an older page has kept are without. */
  readonly typeNames?: Bundle['ticket_type_names']
  readonly since: string
  /** All tickets were read once; from then on only news. */
  readonly isComplete: boolean
  /** The time of the server's last answer, by its clock. */
  readonly readAt: number
  /** The server's clock minus the device's. */
  readonly clockOffset: number
}

export interface KnownEntry {
  /** The id of the entry; a scan that waits has its own. */
  readonly id: string
  readonly direction: Direction
  readonly day: string
  readonly at: number
  readonly gate: string | null
}

/** A ticket as the device knows it. */
export interface KnownTicket {
  readonly id: string
  /** Null: something became of a ticket that the list does not have yet. */
  readonly place: Bundle['tickets'][number] | null
  readonly version: number
  readonly reissuedAt: number | null
  readonly voidedAt: number | null
  readonly entries: readonly KnownEntry[]
}

/**
 * A ticket keeps so many entries, so that a device that is never cleared stays small. The last ones decide.
 */
const KEPT_ENTRIES = 100

export function unknownTicket(id: string): KnownTicket {
  return { id, place: null, version: 1, reissuedAt: null, voidedAt: null, entries: [] }
}

/** The news of one page, by ticket. */
export function newsByTicket(bundle: Bundle): Map<string, (known: KnownTicket) => KnownTicket> {
  const news = new Map<string, (known: KnownTicket) => KnownTicket>()
  const add = (id: string, change: (known: KnownTicket) => KnownTicket) => {
    const before = news.get(id)
    news.set(id, before ? known => change(before(known)) : change)
  }
  for (const place of bundle.tickets) add(place.ticket_id, known => ({ ...known, place }))
  for (const { ticket_id, at } of bundle.void)
    add(ticket_id, known => ({ ...known, voidedAt: Date.parse(at) }))
  for (const { ticket_id, version, at } of bundle.replaced)
    add(ticket_id, known => ({ ...known, version, reissuedAt: Date.parse(at) }))
  for (const { entry_id, ticket_id, moved_ticket_ids = [], at, ...entry } of bundle.entries)
    for (const id of [ticket_id, ...moved_ticket_ids])
      add(id, known => withEntry(known, { id: entry_id, at: Date.parse(at), ...entry }))
  return news
}

/** `instead`: of the scan that has become this entry. */
export function withEntry(known: KnownTicket, entry: KnownEntry, instead: string = entry.id): KnownTicket {
  const others = known.entries.filter(({ id }) => id !== entry.id && id !== instead)
  return { ...known, entries: [...others, entry].slice(-KEPT_ENTRIES) }
}

/** The scan did not become an entry: the person was not let in. */
export function withoutEntry(known: KnownTicket, scanId: string): KnownTicket {
  return { ...known, entries: known.entries.filter(({ id }) => id !== scanId) }
}

/** Says how the ticket was used, by day, in the form that the rules want. */
export function usesOf({ entries }: KnownTicket): DayUse[] {
  const days = new Map<string, KnownEntry[]>()
  for (const entry of entries) days.set(entry.day, [...(days.get(entry.day) ?? []), entry])
  return [...days].map(([day, ofDay]) => {
    const ins = ofDay.filter(({ direction }) => direction === 'in').sort((a, b) => a.at - b.at)
    const last = ins.at(-1)
    return {
      day,
      ins: ins.length,
      outs: ofDay.length - ins.length,
      inside: 2 * ins.length - ofDay.length,
      last: last ? { at: last.at, gate: last.gate } : null,
    }
  })
}
