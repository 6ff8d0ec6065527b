import { apply } from '@voelgoed/core/event/apply'
import type { Actor, Command, ZoneUpdate } from '@voelgoed/core/event/command'
import { decide } from '@voelgoed/core/event/decide'
import { createState } from '@voelgoed/core/event/state'
import type { CommandId } from '@voelgoed/core/ids'
import type { EventZone } from '@voelgoed/core/layout/overlay'
import { assert } from '@voelgoed/core/result'
import { BatchBuilder } from '../postgres/batch/batch-rows.ts'
import { writeLedger, writeRows } from '../postgres/batch/write-batch.ts'
import type { TenantTx } from '../postgres/database.ts'
import type { Event } from '../postgres/tables/events.ts'
import { openLedger, readLedger } from '../postgres/tables/ledger.ts'
import { blockedOrdinals, readPlan } from './load-event.ts'
import type { SeatMaps } from './seat-maps.ts'

/**
 * An event goes on sale for the first time: its ledger begins, and the seats that its overlay blocks are
 * blocked by the first entries of its journal. In the transaction that publishes it.
 */
export async function openEvent(
  tx: TenantTx,
  seatMaps: SeatMaps,
  event: Event,
  given: { commandId: CommandId; actor: Actor },
): Promise<void> {
  const { zones, plan, seats } = await readPlan(tx, seatMaps, event)
  await openLedger(tx, event.id, zones)
  const { now } = (await readLedger(tx, event.id))!
  const state = createState(plan)
  const builder = new BatchBuilder(state)
  const ordinals = await blockedOrdinals(tx, event, seats)
  const commands: Command[] = [{ kind: 'event_changed', ...given, status: 'published' }]
  if (ordinals.length > 0) {
    commands.push({ kind: 'block', ...given, ordinals, reason: 'blocked before the event went on sale' })
  }
  for (const command of commands) {
    const outcome = decide(state, command, now)
    assert(outcome.ok, 'an event that no command has touched')
    for (const change of outcome.value.changes) {
      builder.add(change, command)
      apply(state, change)
    }
  }
  writeRows(tx, event.id, builder.take())
  writeLedger(tx, event.id, builder.ledger(null))
}

/** What an overlay changes for the state machine; names and prices are not its business. */
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
