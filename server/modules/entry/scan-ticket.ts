import { createHash } from 'node:crypto'
import { exitOf } from '@voelgoed/core/entry/early-exits'
import { type EventDays, eventDayAt } from '@voelgoed/core/entry/event-day'
import {
  admissionOf,
  CLOCK_WRONG,
  type DayUse,
  type Direction,
  isClockWrong,
  judgePlace,
  judgeTicket,
  type LastEntry,
  type ScanCode,
  type ScanFacts,
  timesUsed,
} from '@voelgoed/core/entry/scan'
import { hasGuests } from '@voelgoed/core/guests/guest-rule'
import type { EventId, TicketId, UserId } from '@voelgoed/core/ids'
import type { EventZone } from '@voelgoed/core/layout/overlay'
import type { Admission, PriceList } from '@voelgoed/core/prices/price-list'
import type { EventHall } from '@voelgoed/engine/view/hot-event'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { judgeEntry } from '../guests/guests-of-places.ts'
import { placeOf } from '../holds/price-holds.ts'
import {
  type DayUseRow,
  type EarlyExit,
  hasEnteredElsewhere,
  insertConflict,
  insertEarlyExit,
  insertEntry,
  lastGoodEntry,
  lockTicket,
  lockZoneDay,
  readDay,
  readInside,
  readLastPlace,
  type ScannedTicket,
  type TicketAtGate,
  writeZoneDay,
  type ZoneDayCounts,
} from './tables/entries.ts'

export interface Scan {
  /** The token says this, and its signature was found good. */
  readonly token: { readonly eventId: EventId; readonly ticketId: TicketId; readonly version: number }
  readonly direction: Direction
  readonly gate: string | null
  /** The event that the gate is for; null: it has not said. */
  readonly gateEventId: EventId | null
  readonly deviceId: string
  /** The device's own name for the scan: repeating it gives the same answer. */
  readonly scanId: string | null
  readonly scannedBy: UserId
  /**
   * The scan was made then, without a network, and its gate has let the person through. It is judged as it
   * was then, and written in any case. Null: the person waits for the answer.
   */
  readonly madeAt: number | null
}

/** The event of the ticket: its zones and seats, and its prices. */
export interface ScanHall extends EventHall {
  readonly list: PriceList | null
}

export interface Scanned {
  /** Null: the ticket opens the gate. */
  readonly code: ScanCode | null
  /** The row that was written; null: none was. */
  readonly entry: { readonly id: string; readonly at: number; readonly day: string } | null
  /** Null: there is no such ticket. */
  readonly ticket: ScannedTicket | null
  readonly entriesToday: number
  /** People in the zone, where they are counted. */
  readonly inside: number | null
  /** The place that the entry gave, in a zone that gives places at the entry. */
  readonly place: number | null
  readonly entered: LastEntry | null
  readonly validDays: readonly string[] | null
  readonly isRepeated: boolean
}

const UNKNOWN: Scanned = {
  code: 'unknown_ticket',
  entry: null,
  ticket: null,
  entriesToday: 0,
  inside: null,
  place: null,
  entered: null,
  validDays: null,
  isRepeated: false,
}

/**
 * One scan, under a lock on the ticket and on the first one of those that it was moved from. Locks are taken
 * in this order: the first ticket, the ticket, the person of a members' zone, the counts of the zone.
 */
export async function scanTicket(tx: TenantTx, hall: ScanHall, scan: Scan): Promise<Scanned> {
  const { token, direction, gate, deviceId, scanId, scannedBy, madeAt } = scan
  const device = { deviceId, scanId, direction }
  const asTold = await lockTicket(tx, token.ticketId, { ...device, until: madeAt })
  if (!asTold || asTold.ticket.event_id !== token.eventId) return UNKNOWN
  const { ticket } = asTold
  const zone = hall.zones[ticket.zone_index]!
  if (asTold.repeated) return repeated(tx, asTold, zone)
  const isDoubted = madeAt !== null && isClockWrong(madeAt, clockFactsOf(ticket, token))
  // When it was made is not known: it counts by the time of its upload, after all that is known.
  const found = isDoubted ? (await lockTicket(tx, token.ticketId, { ...device, until: null }))! : asTold
  const { now } = found
  // A gate whose clock is ahead does not write into the future.
  const at = isDoubted ? now : Math.min(madeAt ?? now, now)
  const exit = await earlyExitOf(tx, found, at)
  const uses = exit ? withExit(found, exit, at) : found.uses
  const admission = admissionOf(hall.list, placeOf(hall, ticket.ordinal, ticket.zone_index))
  const verdict = judgeTicket(factsOf(scan, ticket, uses, admission, at))
  const { day } = verdict
  const use = useOf(uses, day)
  const before: Scanned = {
    ...UNKNOWN,
    code: verdict.ok ? null : verdict.code,
    ticket,
    entriesToday: use?.ins ?? 0,
    entered: (!verdict.ok && verdict.entered) || null,
    validDays: (!verdict.ok && verdict.validDays) || null,
  }
  const told = { id: uuidV7(now), eventId: ticket.event_id, at, gate, deviceId, scanId, scannedBy }
  // Their entry may be known later, from a gate without a network.
  if (before.code === 'not_inside') insertEarlyExit(tx, { ...told, ticketId: ticket.ticket_id })
  const isWritten = verdict.ok || (madeAt !== null && direction === 'in')
  if (!isWritten) return { ...before, inside: await insideOf(tx, ticket, zone, day) }

  const way = direction === 'in' ? wayIn(ticket, uses, day) : wayOut(ticket, uses, day)
  const person =
    direction === 'in' && hasGuests(zone) ? await askForPerson(tx, ticket, uses, zone, day) : null
  const counted = await countZone(tx, way, hall.zones[way.zoneIndex]!, {
    ...{ day, direction, use, admission },
    hasLeft: exit !== null,
  })
  const code =
    before.code ?? judgePlace({ direction, membership: person?.refusal ?? null, zone: counted.judged })
  if (code !== null && madeAt === null) return { ...before, code, inside: counted.inside }

  const row = {
    ...told,
    ticketId: way.ticketId,
    zoneIndex: way.zoneIndex,
    direction,
    day,
    position: way.rows + 1,
    entriesPerDay: admission.entries_per_day,
    reentry: admission.reentry,
    personHash: person?.hash ?? null,
    place: counted.newPlace,
  }
  insertEntry(tx, row)
  if (exit) insertEntry(tx, { ...row, ...exitRow(exit), position: way.rows + 2 })
  counted.write()
  if (madeAt !== null) {
    if (isDoubted && direction === 'in') {
      insertConflict(tx, { id: uuidV7(now), eventId: ticket.event_id, entryId: told.id, code: CLOCK_WRONG })
    }
    await noteConflict(tx, found, { entryId: told.id, code, day, use, admission, direction })
  }
  return {
    ...before,
    code,
    entry: { id: told.id, at, day },
    entriesToday: (use?.ins ?? 0) + (direction === 'in' ? 1 : 0),
    inside: way.zoneIndex === ticket.zone_index ? counted.insideAfter : await insideOf(tx, ticket, zone, day),
    place: counted.place,
  }
}

/** The exit that has waited for an entry at this moment, which has become known now. */
async function earlyExitOf(
  tx: TenantTx,
  { ticket, earlyExits }: TicketAtGate,
  at: number,
): Promise<EarlyExit | null> {
  if (earlyExits.length === 0) return null
  const known = await readDay(tx, ticket.ticket_id, eventDayAt(daysOf(ticket), at).day)
  return exitOf(at, known, earlyExits)
}

/** Adds an early exit to the use of the ticket: an entry at this moment makes it count. */
function withExit({ ticket, uses }: TicketAtGate, exit: EarlyExit, at: number): DayUseRow[] {
  const { day } = eventDayAt(daysOf(ticket), at)
  return uses.map(use => {
    if (use.day !== day || use.ticket_id !== ticket.ticket_id) return use
    return { ...use, outs: use.outs + (exit.at < at ? 1 : 0), all_outs: use.all_outs + 1 }
  })
}

/** An early exit as a row of its own, beside that of its entry. What it was called is in its own table. */
function exitRow({ id, at, gate, device_id: deviceId, scanned_by: scannedBy }: EarlyExit) {
  const nothing = { scanId: null, personHash: null, place: null }
  return { id, at, gate, deviceId, scannedBy, direction: 'out', ...nothing } as const
}

/** All tickets that were issued for the place, one after another, used it so on a day. */
interface PlaceUse extends DayUse {
  readonly good_ins: number
  readonly all_outs: number
}

function usesByDay(uses: readonly DayUseRow[]): PlaceUse[] {
  const days = new Map<string, DayUseRow[]>()
  for (const use of uses) days.set(use.day, [...(days.get(use.day) ?? []), use])
  return [...days].map(([day, ofDay]) => {
    const sum = (count: (use: DayUseRow) => number) => ofDay.reduce((total, use) => total + count(use), 0)
    const last = ofDay.reduce((a, b) => ((b.last_at ?? 0) > (a.last_at ?? 0) ? b : a))
    return {
      day,
      ins: sum(use => use.ins),
      outs: sum(use => use.outs),
      inside: sum(use => use.inside),
      last: last.last_at === null ? null : { at: last.last_at, gate: last.last_gate },
      good_ins: sum(use => use.good_ins),
      all_outs: sum(use => use.all_outs),
    }
  })
}

function useOf(uses: readonly DayUseRow[], day: string): PlaceUse | undefined {
  return usesByDay(uses).find(use => use.day === day)
}

/** The ticket that an entry or an exit is written for. */
interface Way {
  readonly ticketId: TicketId
  readonly eventId: EventId
  readonly zoneIndex: number
  /** So many rows it has on the day. */
  readonly rows: number
  /** The place that it was given on the day, in a zone that gives places at the entry. */
  readonly place: number | null
}

/** In: by the ticket that is shown. */
function wayIn(ticket: ScannedTicket, uses: readonly DayUseRow[], day: string): Way {
  const { ticket_id: ticketId, event_id: eventId, zone_index: zoneIndex } = ticket
  const own = uses.find(use => use.day === day && use.ticket_id === ticketId)
  return { ticketId, eventId, zoneIndex, rows: own?.rows ?? 0, place: own?.place ?? null }
}

/** Out: by the ticket that let the person in, whose zone they leave. */
function wayOut(ticket: ScannedTicket, uses: readonly DayUseRow[], day: string): Way {
  const inside = uses.filter(use => use.day === day && use.inside > 0)
  const by = inside.find(use => use.ticket_id === ticket.ticket_id) ?? inside[0]
  return wayIn(by ? { ...ticket, ticket_id: by.ticket_id, zone_index: by.zone_index } : ticket, uses, day)
}

/** The same scan once more, of a device that has had no answer. */
async function repeated(
  tx: TenantTx,
  { ticket, uses, repeated: row }: TicketAtGate,
  zone: EventZone,
): Promise<Scanned> {
  const { id, at, conflict } = row!
  const isEarly = row!.day === null
  const day = row!.day ?? eventDayAt(daysOf(ticket), at).day
  return {
    ...UNKNOWN,
    code: conflict as ScanCode | null,
    entry: isEarly ? null : { id, at, day },
    ticket,
    entriesToday: useOf(uses, day)?.ins ?? 0,
    inside: await insideOf(tx, ticket, zone, day),
    place: isEarly ? null : wayIn(ticket, uses, day).place,
    isRepeated: true,
  }
}

function factsOf(
  scan: Scan,
  ticket: ScannedTicket,
  uses: readonly DayUseRow[],
  admission: Admission,
  at: number,
): ScanFacts {
  const { status, cancelled_at } = ticket
  const hasEnded = status === 'completed' || status === 'archived'
  return {
    direction: scan.direction,
    at,
    token: scan.token,
    gateEventId: scan.gateEventId,
    ticket: {
      eventId: ticket.event_id,
      version: ticket.version,
      reissuedAt: ticket.reissued_at,
      voidedAt: ticket.voided_at,
    },
    event: {
      ...daysOf(ticket),
      // A scan that is uploaded after the event was made while it went on.
      status: hasEnded && scan.madeAt !== null ? 'live' : status,
      cancelledAt: cancelled_at,
    },
    admission,
    uses: usesByDay(uses),
  }
}

/** `token`: the paper that was shown, which may have been issued in place of another. */
function clockFactsOf(ticket: ScannedTicket, { version }: Scan['token']) {
  const { created_at, reissued_at, went_live_at } = ticket
  const issuedAt = version > 1 && version === ticket.version ? (reissued_at ?? created_at) : created_at
  return { issuedAt, wentLiveAt: went_live_at, event: daysOf(ticket) }
}

/** When the event of the ticket is. */
function daysOf({ time_zone, starts_at, ends_at, doors_at, days }: ScannedTicket): EventDays {
  return {
    timeZone: time_zone,
    startsAt: starts_at,
    endsAt: ends_at,
    doorsAt: doors_at,
    days: days.map(({ date, starts_at: start, ends_at: end }) => ({
      date,
      startsAt: start === null ? null : Date.parse(start),
      endsAt: end === null ? null : Date.parse(end),
    })),
  }
}

/** The person whom a place in a members' zone is for, as they are now. */
async function askForPerson(
  tx: TenantTx,
  ticket: ScannedTicket,
  uses: readonly DayUseRow[],
  zone: EventZone,
  day: string,
) {
  const { event_id: eventId } = ticket
  const ticketIds = [ticket.ticket_id, ...uses.map(use => use.ticket_id)]
  let hash: Buffer | null = null
  // A place that was moved took its guest along.
  const moved = ticket.voided_at === null ? null : await readLastPlace(tx, ticket.ticket_id)
  const place = { ...ticket, ...moved, is_void: ticket.voided_at !== null }
  const refusal = await judgeEntry(tx, place, zone, person => {
    const name = 'email' in person ? `email ${person.email}` : `user ${person.userId}`
    hash = createHash('sha256').update(`${tx.organizationId} ${eventId} ${name}`).digest()
    return hasEnteredElsewhere(tx, { eventId, day, personHash: hash, ticketIds })
  })
  return { refusal, hash }
}

function isStanding({ zoneType }: EventZone): boolean {
  return zoneType === 'ga_standing' || zoneType === 'vip_standing'
}

/** The zone has chairs without numbers, and each who comes is shown to the next one. */
function givesPlaces({ zoneType, metadata }: EventZone): boolean {
  return zoneType === 'ga_seated' && metadata.assign_seat_at_entry === true
}

async function insideOf(
  tx: TenantTx,
  { event_id: eventId, zone_index: zoneIndex }: ScannedTicket,
  zone: EventZone,
  day: string,
): Promise<number | null> {
  return isStanding(zone) ? readInside(tx, { eventId, zoneIndex, day }) : null
}

/** Adds an entry to the counts of its zone, which stay locked. */
async function countZone(
  tx: TenantTx,
  { eventId, zoneIndex, place: kept }: Way,
  zone: EventZone,
  entry: {
    day: string
    direction: Direction
    use: PlaceUse | undefined
    admission: Admission
    /** True: an entry that arrives late let the person in, and they do not count any more. */
    hasLeft: boolean
  },
) {
  const { day, direction, use, admission, hasLeft } = entry
  const address = { eventId, zoneIndex, day }
  // A person who comes back has a place already.
  const isBack = admission.reentry && (use?.outs ?? 0) > 0
  const needsPlace = givesPlaces(zone) && direction === 'in' && !(isBack && kept !== null)
  if (!isStanding(zone) && !needsPlace) {
    const place = givesPlaces(zone) ? kept : null
    return { judged: null, inside: null, insideAfter: null, newPlace: null, place, write: () => {} }
  }
  const counts = await lockZoneDay(tx, address)
  const newPlace = needsPlace && counts.places_given < zone.capacity ? counts.places_given + 1 : null
  const after: ZoneDayCounts = needsPlace
    ? { ...counts, places_given: newPlace ?? counts.places_given }
    : { ...counts, inside: counts.inside + (direction === 'out' ? -1 : hasLeft ? 0 : 1) }
  const taken = needsPlace ? counts.places_given : counts.inside
  return {
    judged: hasLeft && !needsPlace ? null : { taken, capacity: zone.capacity },
    inside: isStanding(zone) ? counts.inside : null,
    insideAfter: isStanding(zone) ? after.inside : null,
    newPlace,
    place: newPlace,
    write: () => writeZoneDay(tx, address, after),
  }
}

/**
 * Lists a scan without a network that turned out wrong: it was not allowed, or it was, and makes a later one
 * the second. One entry for each that was too many is listed.
 */
async function noteConflict(
  tx: TenantTx,
  { ticket, uses, now }: TicketAtGate,
  scan: {
    entryId: string
    code: ScanCode | null
    day: string
    use: PlaceUse | undefined
    admission: Admission
    direction: Direction
  },
): Promise<void> {
  const { entryId, code, day, use, admission, direction } = scan
  const conflict = { id: uuidV7(now), eventId: ticket.event_id }
  if (code !== null) return insertConflict(tx, { ...conflict, entryId, code })
  if (direction === 'out' || !use) return
  const all = { ins: use.good_ins + 1, outs: use.all_outs }
  if (timesUsed(all, admission) <= admission.entries_per_day) return
  const later = await lastGoodEntry(
    tx,
    uses.map(each => each.ticket_id),
    day,
  )
  if (later !== null) insertConflict(tx, { ...conflict, entryId: later, code: 'already_entered' })
}
