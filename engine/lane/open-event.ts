import { setImmediate } from 'node:timers/promises'
import type { Actor, Command, ZoneUpdate } from '@voelgoed/core/event/command'
import { createState, type EventState } from '@voelgoed/core/event/state'
import type { CommandId } from '@voelgoed/core/ids'
import type { EventZone } from '@voelgoed/core/layout/overlay'
import { assert } from '@voelgoed/core/result'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { KeptEvent } from '../ports/event-source.ts'
import { PostgresWriter } from '../postgres/postgres-store.ts'
import { Round } from '../round/round.ts'
import { openLedger, readLedger } from '../tables/ledger.ts'
import type { HotEvent } from '../view/hot-event.ts'
import { blockedOrdinals, readPlan } from '../view/load-event.ts'
import type { SeatMaps } from '../view/seat-maps.ts'

/**
 * An event goes on sale for the first time: its ledger begins, and the seats that its overlay blocks are
 * blocked by the first entries of its journal. In the transaction that publishes it.
 */
export async function openEvent(
  tx: TenantTx,
  seatMaps: SeatMaps,
  event: KeptEvent,
  given: { commandId: CommandId; actor: Actor },
): Promise<void> {
  const { zones, plan, seats } = await readPlan(tx, seatMaps, event)
  await openLedger(tx, event.id, zones)
  const ledger = (await readLedger(tx, event.id))!
  const state = createState(plan)
  const hot: HotEvent = { ...UNSEEN, state, zones, seats }
  const write = (before: EventState) => new PostgresWriter(tx, event.id, before, ledger)
  const round = new Round(hot, { tx, ledger, stored: new Map(), rows: new Map(), write }, 0)
  const blocked = await blockedOrdinals(tx, event, hot)
  const give = (command: Command) =>
    assert(round.give(command).outcome.ok, 'an event that no caller has touched')
  give({ kind: 'event_changed', ...given, status: 'published' })
  const reason = 'blocked before the event went on sale'
  for (const ordinals of inParts(blocked)) {
    give({ kind: 'block', ...given, ordinals, reason })
    round.send()
    await setImmediate()
  }
  round.finish()
}

/** So many seats are blocked in one go: 200,000 would keep the thread from all buyers for a second. */
const MOST_AT_ONCE = 2_000

export function inParts<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / MOST_AT_ONCE)
  return Array.from({ length: count }, (_, at) => all.slice(at * MOST_AT_ONCE, (at + 1) * MOST_AT_ONCE))
}

/** The rest of an event in memory that only its first round sees. */
const UNSEEN = { tip: null, epoch: 1, lostUpTo: 0, eventRevision: 0, policyRevision: 0, clockOffset: 0 }

/** Lists what an overlay changes for the state machine, which has no use for names and prices. */
export function changedZones(before: readonly EventZone[], after: readonly EventZone[]): ZoneUpdate[] {
  const update = (zone: EventZone, zoneIndex: number): ZoneUpdate => ({
    zoneIndex,
    capacity: zone.capacity,
    access: {
      accessMode: zone.accessMode,
      membershipTier: zone.membershipTier,
      allowedRoles: zone.allowedRoles,
      allowedUserIds: zone.allowedUserIds,
    },
    disabled: zone.disabled,
  })
  return after
    .map(update)
    .filter((next, index) => JSON.stringify(next) !== JSON.stringify(update(before[index]!, index)))
}
