import type { EventStatus } from '../event/lifecycle.ts'
import type { EntryRefusal } from '../guests/entry-rule.ts'
import type { EventId } from '../ids.ts'
import { type Admission, categoryOf, type PlaceToPrice, type PriceList } from '../prices/price-list.ts'
import { datesOf, type EventDays, eventDayAt } from './event-day.ts'

/*
 * This says whether a ticket opens the gate. Pure: the server gives the facts, read under a lock on the
 * ticket; the rules say who comes in. Two steps, because what the second one asks costs more:
 *
 *   judgeTicket   the ticket, the day, and how often it was used
 *   judgePlace    the person of a place in a members' zone, and how full the zone is
 */

export const DIRECTIONS = ['in', 'out'] as const
export type Direction = (typeof DIRECTIONS)[number]

export const SCAN_CODES = [
  'unknown_ticket',
  'wrong_event',
  'void',
  'replaced',
  'too_early',
  'not_valid_today',
  'already_entered',
  'not_inside',
  'membership_not_active',
  'guest_not_named',
  'zone_full',
] as const
export type ScanCode = (typeof SCAN_CODES)[number]

/** A ticket without a category, or with one that says nothing of it, lets its holder do this. */
export const DEFAULT_ADMISSION: Admission = { days: 'all', entries_per_day: 1, reentry: false }

/**
 * Returns how often a ticket of this place opens the gate, by the price list as it is now. Null: there is
 * none.
 */
export function admissionOf(list: PriceList | null, place: PlaceToPrice): Admission {
  const category = list && categoryOf(list, place)
  if (!category || !Object.hasOwn(list.admission, category.key)) return DEFAULT_ADMISSION
  return list.admission[category.key]!
}

/** So much the clock of a device may be off. */
const CLOCK_TOLERANCE_MS = 15 * 60_000
/** An event is made live in time for its doors, or forgotten and made live later. */
const DOORS_BEFORE_LIVE_MS = 12 * 3_600_000

/** The conflict of a scan whose device can not have made it when it says. It is counted by its upload. */
export const CLOCK_WRONG = 'clock_wrong'

/**
 * True: no gate can have made this scan at that time: the paper that was shown did not exist, or the event
 * had long to go. The clock of the device was wrong then, and by how much is not known.
 */
export function isClockWrong(
  madeAt: number,
  { issuedAt, wentLiveAt, event }: { issuedAt: number; wentLiveAt: number | null; event: EventDays },
): boolean {
  if (madeAt < issuedAt - CLOCK_TOLERANCE_MS) return true
  if (wentLiveAt === null || madeAt >= wentLiveAt - DOORS_BEFORE_LIVE_MS) return false
  return datesOf(event).length === 0 || eventDayAt(event, madeAt).kind === 'before'
}

/** Describes how a ticket was used on one day of the event. */
export interface DayUse {
  readonly day: string
  readonly ins: number
  readonly outs: number
  /** So many may leave. Of a scan that arrives late: without those who left later, as is known by now. */
  readonly inside: number
  /** The last time that it let its holder in. */
  readonly last: LastEntry | null
}

export interface LastEntry {
  readonly at: number
  readonly gate: string | null
}

export interface ScanFacts {
  readonly direction: Direction
  /** When the ticket was shown, in milliseconds. */
  readonly at: number
  /** This is what the token says, after its signature was found good. */
  readonly token: { readonly eventId: EventId; readonly version: number }
  /** The event that the gate is for; null: it has not said. */
  readonly gateEventId: EventId | null
  readonly ticket: {
    readonly eventId: EventId
    readonly version: number
    /** When it got this version; null: it has the first. */
    readonly reissuedAt: number | null
    readonly voidedAt: number | null
  }
  readonly event: EventDays & {
    readonly status: EventStatus
    /** Null: it was not, or the time is not known. */
    readonly cancelledAt: number | null
  }
  readonly admission: Admission
  /** By day, without days on which it was not used. */
  readonly uses: readonly DayUse[]
}

export type TicketVerdict =
  /** `day`: of the event, to which the entry counts. */
  { readonly ok: true; readonly day: string } | ScanRefusal

interface ScanRefusal {
  readonly ok: false
  readonly code: ScanCode
  /** The day that a person who was let in all the same came on. */
  readonly day: string
  /** Only `already_entered` has it. */
  readonly entered?: LastEntry
  /** `too_early` and `not_valid_today` say when the ticket is valid. */
  readonly validDays?: readonly string[]
}

export function judgeTicket(facts: ScanFacts): TicketVerdict {
  const { direction, at, token, gateEventId, ticket, event } = facts
  const moment = eventDayAt(event, at)
  const refused = (code: ScanCode, more: Partial<ScanRefusal> = {}): ScanRefusal => {
    return { ok: false, code, day: moment.day, ...more }
  }
  if (token.eventId !== ticket.eventId || token.version > ticket.version) return refused('unknown_ticket')
  if (gateEventId !== null && gateEventId !== ticket.eventId) return refused('wrong_event')
  // Those who leave are not asked for more: they were let in.
  if (direction === 'out') return judgeLeaving(facts, refused)
  if ((ticket.voidedAt !== null && ticket.voidedAt <= at) || isCancelled(facts)) return refused('void')
  if (isReplaced(facts)) return refused('replaced')
  return judgeDay(facts, moment, refused) ?? judgeUse(facts, moment.day, refused)
}

type Refuse = (code: ScanCode, more?: Partial<ScanRefusal>) => ScanRefusal

/** Without a time it was cancelled from the beginning. */
function isCancelled({ event: { status, cancelledAt }, at }: ScanFacts): boolean {
  return cancelledAt === null ? status === 'cancelled' : cancelledAt <= at
}

/** A scan that arrives late is judged by the version that was valid then, as far as that is known. */
function isReplaced({ token, ticket, at }: ScanFacts): boolean {
  if (token.version === ticket.version) return false
  const wasLast = token.version === ticket.version - 1
  return !(wasLast && ticket.reissuedAt !== null && at < ticket.reissuedAt)
}

function judgeDay(
  { event, admission }: ScanFacts,
  { kind, day }: ReturnType<typeof eventDayAt>,
  refused: Refuse,
): ScanRefusal | null {
  const validDays = admission.days === 'all' ? datesOf(event) : admission.days
  const isOver = event.status === 'completed' || event.status === 'archived'
  if (isOver || kind === 'between' || kind === 'after') return refused('not_valid_today', { validDays })
  // An organizer who says that the event has begun opens its gates, whatever day it was planned for.
  if (kind === 'before' && event.status !== 'live') return refused('too_early', { validDays })
  const isValid = admission.days === 'all' || admission.days.includes(day)
  return isValid ? null : refused('not_valid_today', { validDays })
}

function judgeUse({ admission, uses }: ScanFacts, day: string, refused: Refuse): TicketVerdict {
  const use = uses.find(each => each.day === day)
  if (!use || timesUsed(use, admission) < admission.entries_per_day) return { ok: true, day }
  return refused('already_entered', use.last ? { entered: use.last } : {})
}

/** With re-entry those who have left count no more: as many may be inside at once as there are entries. */
export function timesUsed({ ins, outs }: Pick<DayUse, 'ins' | 'outs'>, { reentry }: Admission): number {
  return reentry ? ins - outs : ins
}

/** The person leaves the day that they came in on, also after the event's next one has begun. */
function judgeLeaving({ uses }: ScanFacts, refused: Refuse): TicketVerdict {
  const days = uses.filter(({ inside }) => inside > 0).map(use => use.day)
  const day = days.sort().at(-1)
  return day === undefined ? refused('not_inside') : { ok: true, day }
}

export interface PlaceFacts {
  readonly direction: Direction
  /** This is what the rule for members' zones says; null: it lets the person in, or it is no such zone. */
  readonly membership: EntryRefusal | null
  /** Null: the zone is not counted. `taken`: people inside, or places given to those who came. */
  readonly zone: { readonly taken: number; readonly capacity: number } | null
}

export function judgePlace({ direction, membership, zone }: PlaceFacts): ScanCode | null {
  if (direction === 'out') return null
  if (membership !== null) return membership
  return zone !== null && zone.taken >= zone.capacity ? 'zone_full' : null
}
