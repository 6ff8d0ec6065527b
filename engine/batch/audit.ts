import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import { type EventState, isAccessible } from '@voelgoed/core/event/state'
import type { EventId } from '@voelgoed/core/ids'
import { texts, timestamps, uuids } from '@voelgoed/kit/postgres/binary-arrays'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/** About a wheelchair or companion seat. */
export interface AuditRow {
  readonly change: Extract<Change, { kind: keyof typeof ACCESSIBILITY_ACTIONS }>
  readonly seatId: string
  readonly command: Command
}

const ACCESSIBILITY_ACTIONS = {
  seat_reserved: 'accessibility_seat_held',
  seat_released: 'accessibility_seat_released',
  seat_hold_expired: 'accessibility_seat_expired',
  seat_converted: 'accessibility_seat_booked',
} as const satisfies Partial<Record<Change['kind'], string>>

/** A change of wheelchair and companion seats has an audit entry, if the event's policy wants it. */
export function auditRow(
  { seats, settings }: EventState,
  change: Change,
  command: Command,
): AuditRow | undefined {
  if (!('holdId' in change) || change.ordinal === null || !(change.kind in ACCESSIBILITY_ACTIONS)) return
  if (!isAccessible(seats, change.ordinal) || !settings.policy.accessibility_audit_enabled) return
  return { change: change as AuditRow['change'], seatId: seats.seatIds.at(change.ordinal), command }
}

export function writeAudit(tx: TenantTx, eventId: EventId, rows: readonly AuditRow[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_audit',
    `insert into audit_log (organization_id, event_id, action, actor, user_id, ip, user_agent, entity_type, entity_id,
       subjects, changes, at)
     select $1, $2, a.action, a.actor, a.user_id, a.ip::inet, a.user_agent, 'hold', a.hold_id,
       array[a.seat_id, a.hold_id],
       jsonb_build_object('seat_id', a.seat_id), a.at
     from unnest($3::text[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::uuid[], $9::uuid[], $10::timestamptz[])
       as a (action, actor, user_id, ip, user_agent, hold_id, seat_id, at)`,
    [
      eventId,
      texts(rows, entry => ACCESSIBILITY_ACTIONS[entry.change.kind]),
      texts(rows, entry => (entry.command.actor.person ? 'user' : 'system')),
      uuids(rows, entry => entry.command.actor.person?.userId ?? null),
      texts(rows, entry => entry.command.actor.from?.address ?? null),
      texts(rows, entry => entry.command.actor.from?.userAgent ?? null),
      uuids(rows, entry => entry.change.holdId),
      uuids(rows, entry => entry.seatId),
      timestamps(rows, entry => entry.change.at),
    ],
  )
}
