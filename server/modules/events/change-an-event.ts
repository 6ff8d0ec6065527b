import type { Command, PersonActing } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import { allowedActions, isOnSale } from '@voelgoed/core/event/lifecycle'
import type { CommandId, EventId } from '@voelgoed/core/ids'
import { type Overlay, overlayZones } from '@voelgoed/core/layout/overlay'
import type { SeatingPolicy } from '@voelgoed/core/policy'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { changedZones, inParts } from '@voelgoed/engine/lane/open-event'
import type { UnderLock } from '@voelgoed/engine/round/under-lock'
import { readLedger } from '@voelgoed/engine/tables/ledger'
import {
  addSeatBlocks,
  readSeatBlocks,
  removeSeatBlocks,
  type SeatBlocks,
} from '@voelgoed/engine/tables/seat-blocks'
import { type AuditActor, appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { readZones } from '../venues/tables/layouts.ts'
import { type Event, findEvent, lockEvent, updateEvent } from './tables/events.ts'
import { readPolicy } from './tables/policies.ts'

/** A change of an event: judged, written, audited, in one transaction. */
export interface EventChange {
  readonly eventId: string
  /** As the audit log calls it. */
  readonly verb: string
  readonly by: AuditActor
  /** Gives each command of this change its actor and an id of its own. */
  given(): { readonly commandId: CommandId; readonly actor: PersonActing }
  /** The event as it is to be, or why it may not be. */
  next(tx: TenantTx, event: Event, policy: SeatingPolicy): Promise<Result<Event, Refusal>>
  /** For the audit, besides the members of the event that changed. Asked after `next`. */
  details?(): Record<string, unknown>
}

export interface SavedEvent {
  readonly event: Event
  readonly policy: SeatingPolicy
  readonly blocks: SeatBlocks
}

/** Changes an event that was never on sale. `on sale`: another request put it on sale meanwhile. */
export async function changeBeforeSale(
  tx: TenantTx,
  change: EventChange,
): Promise<Result<SavedEvent, Refusal> | 'on sale'> {
  const event = await lockEvent(tx, change.eventId)
  if (!event) return refuse({ kind: 'event_not_found' })
  if ((await readLedger(tx, event.id)) !== null) return 'on sale'
  const policy = await readPolicy(tx)
  const next = await change.next(tx, event, policy)
  if (!next.ok) return next
  return ok(await save(tx, change, { before: event, after: next.value, policy }))
}

/** Under the event's lock: the change takes effect between two holds, and is in the journal. */
export async function changeOnSale(
  tx: TenantTx,
  change: EventChange,
  give: (command: Command) => Outcome,
  current: UnderLock,
): Promise<Result<SavedEvent, Refusal>> {
  const event = (await lockEvent(tx, change.eventId))!
  const policy = await readPolicy(tx)
  const blocks = await readSeatBlocks(tx, event.id)
  const before: Event = { ...event, overlay: { ...event.overlay, blocked_seat_ids: blocks.overlay } }
  const next = await change.next(tx, before, policy)
  if (!next.ok) return next
  const after = next.value
  const layoutZones = await readZones(tx, event.layoutId, event.layoutVersion)
  const zones = changedZones(
    overlayZones(layoutZones, event.overlay),
    overlayZones(layoutZones, after.overlay),
  )
  const outcome = give({
    kind: 'event_changed',
    ...change.given(),
    ...(after.status !== event.status && { status: after.status }),
    ...(time(after.saleStart) !== time(event.saleStart) && { saleStart: time(after.saleStart) }),
    ...(time(after.saleEnd) !== time(event.saleEnd) && { saleEnd: time(after.saleEnd) }),
    ...(zones.length > 0 && { zones }),
  })
  if (!outcome.ok) return outcome
  const replaced = await replaceOverlayBlocks(tx, change, give, { current, before, after })
  if (!replaced.ok) return replaced
  const stored = { ...after, overlay: { ...after.overlay, blocked_seat_ids: [] } }
  return ok(await save(tx, change, { before: event, after: stored, policy }))
}

/** Seats that staff blocked by hand stay blocked, whether they are in the old or the new overlay. */
async function replaceOverlayBlocks(
  tx: TenantTx,
  change: EventChange,
  give: (command: Command) => Outcome,
  { current, before, after }: { current: UnderLock; before: Event; after: Event },
): Promise<Result<null, Refusal>> {
  const known = new Set(before.overlay.blocked_seat_ids)
  const wanted = new Set(after.overlay.blocked_seat_ids)
  const added = [...wanted].filter(id => !known.has(id))
  const removed = [...known].filter(id => !wanted.has(id))
  await addSeatBlocks(tx, before.id, 'overlay', added)
  const kept = await removeSeatBlocks(tx, before.id, 'overlay', removed)
  const reason = 'the overlay was replaced'
  for (const [kind, ids] of [
    ['block', added],
    ['unblock', removed.filter(id => !kept.has(id))],
  ] as const) {
    for (const some of inParts(ids)) {
      const ordinals = some.map(id => current.seats.map.seatIds.ordinalOf(id)!)
      const done = give({ kind, ...change.given(), ordinals, reason })
      if (!done.ok) return done
      await current.pause()
    }
  }
  return ok(null)
}

async function save(
  tx: TenantTx,
  change: EventChange,
  { before, after, policy }: { before: Event; after: Event; policy: SeatingPolicy },
): Promise<SavedEvent> {
  const saved = await updateEvent(tx, after)
  await appendAudit(tx, change.by, {
    action: change.verb,
    entity: { type: 'event', id: saved.id },
    changes: { ...changedMembers(before, saved), ...change.details?.() },
  })
  const blocks = await readSeatBlocks(tx, saved.id)
  return { event: saved, policy, blocks }
}

/** A ledger has a next expiry for as long as the event has holds. */
export async function hasHolds(tx: TenantTx, eventId: EventId): Promise<boolean> {
  const ledger = await readLedger(tx, eventId)
  return ledger !== null && ledger.nextExpiry !== null
}

/** Says why the event can't have another picture now. An event that is over stays as it was. Null: it can. */
export async function refusalOfPicture(
  tx: TenantTx,
  eventId: EventId,
  { lock }: { readonly lock: boolean },
): Promise<Refusal | null> {
  const event = await (lock ? lockEvent : findEvent)(tx, eventId)
  if (!event) return { kind: 'event_not_found' }
  return isOpen(event) ? null : notNow(event)
}

export function isOpen(event: Event): boolean {
  return event.status === 'draft' || isOnSale(event.status)
}

export function notNow(event: Event): Extract<Refusal, { kind: 'invalid_transition' }> {
  return { kind: 'invalid_transition', status: event.status, allowed: allowedActions(event.status) }
}

/** Before and after of what changed. Of a long list of seats the number says enough. */
function changedMembers(before: Event, after: Event): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const key of Object.keys(after) as (keyof Event)[]) {
    if (key === 'updatedAt' || key === 'layoutMadeAt') continue
    if (JSON.stringify(before[key]) === JSON.stringify(after[key])) continue
    changes[key] = { before: brief(before[key]), after: brief(after[key]) }
  }
  return changes
}

function brief(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('blocked_seat_ids' in value)) return value
  const { blocked_seat_ids, ...rest } = value as Overlay
  return { ...rest, blocked_seats: blocked_seat_ids.length }
}

function time(date: Date | null): number | null {
  return date === null ? null : date.getTime()
}
