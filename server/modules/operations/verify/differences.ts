import { isDeepStrictEqual } from 'node:util'
import { type EventPlan, type EventState, holdOf, SEAT_STATUSES } from '@voelgoed/core/event/state'
import { nextExpiry } from '@voelgoed/core/event/view'
import type { ZoneCounter } from '../checks/event-rows.ts'

/** These can be wrong in an event; see REPLAY_CHECKS. */
export type Facet = 'journal' | 'limit' | 'rows' | 'seats' | 'holds' | 'zones' | 'next expiry' | 'settings'

export interface Found {
  readonly facet: Facet
  readonly details: Record<string, unknown>
}

/** The tables say this of an event. */
export interface Tables {
  /** As a node would load it. */
  readonly state: EventState
  readonly plan: EventPlan
  readonly counters: readonly ZoneCounter[]
  readonly nextExpiry: number | null
}

/** Finds where the journal and the tables tell different stories. */
export function* differences(replayed: EventState, tables: Tables): Generator<Found> {
  const { state, plan, counters } = tables
  const differ = (facet: Facet, where: object, journal: unknown, table: unknown): Found[] =>
    isDeepStrictEqual(journal, table)
      ? []
      : [{ facet, details: { ...where, in_journal: journal, in_tables: table } }]

  yield* differ('journal', { what: 'last seq' }, replayed.seq, state.seq)
  for (let ordinal = 0; ordinal < replayed.seats.count; ordinal += 1) {
    if (
      replayed.seatVersion[ordinal] === 0 &&
      state.seatVersion[ordinal] === 0 &&
      state.seatStatus[ordinal] === 0
    )
      continue
    yield* differ('seats', { ordinal }, seatOf(replayed, ordinal), seatOf(state, ordinal))
  }
  for (const holdId of new Set([...replayed.holds.keys(), ...state.holds.keys()])) {
    yield* differ('holds', { hold_id: holdId }, detailsOf(replayed, holdId), detailsOf(state, holdId))
  }
  const counts = replayed.zones.map(({ settings, held, sold, blocked }, index) => {
    return { zone_index: index, capacity: settings.capacity, held, sold, blocked }
  })
  for (const [index, count] of counts.entries()) {
    yield* differ('zones', { zone_index: index }, count, counters[index] && { ...counters[index] })
    const { settings } = replayed.zones[index]!
    yield* differ('settings', { zone_id: settings.zoneId }, settings, plan.zones[index])
    const isReleased = ({ zones }: EventState) => zones[index]!.companionsReleased
    const what = { zone_index: index, what: 'companion seats released' }
    yield* differ('zones', what, isReleased(replayed), isReleased(state))
  }
  const buyers = ({ placeBuyers }: EventState) => [...placeBuyers].sort(([a], [b]) => a - b)
  yield* differ('seats', { what: 'buyers of wheelchair places' }, buyers(replayed), buyers(state))
  yield* differ('next expiry', {}, nextExpiry(replayed), tables.nextExpiry)
  // The policy is not history, and neither is when the event begins.
  const { policy: _old, lastStart: _then, ...told } = replayed.settings
  const { policy: _new, lastStart: _now, ...kept } = plan.settings
  yield* differ('settings', { what: 'status and sale window' }, told, kept)
}

function seatOf(state: EventState, ordinal: number): object {
  return {
    status: SEAT_STATUSES[state.seatStatus[ordinal]!],
    version: state.seatVersion[ordinal],
    hold_id: holdOf(state, ordinal)?.holdId ?? null,
  }
}

function detailsOf(state: EventState, holdId: Parameters<EventState['holds']['get']>[0]): object | null {
  const hold = state.holds.get(holdId)
  if (!hold) return null
  const { user, ip, ordinal, zoneIndex, quantity, heldUntil, capUntil, checkoutId } = hold
  return {
    user_id: user.key,
    ip: ip?.key ?? null,
    ordinal,
    zone_index: zoneIndex,
    quantity,
    held_until: new Date(heldUntil).toISOString(),
    cap_until: new Date(capUntil).toISOString(),
    checkout_id: checkoutId,
  }
}
