import type { History } from '../judge/history.ts'
import type { SimulatedEvent } from './simulated-event.ts'
import type { World } from './world.ts'

/** Without a fault: how late a hold is tidied up that has run out, and how long an answer takes. */
const TIDIED_MS = 400
const ANSWERED_MS = 400
/** So often the event's lock is given away before an answer is there, for each node that asks for it. */
const TURNS_PER_NODE = 8
/** After the last fault: a reaper that was not told of a hold looks by itself every thirty seconds. */
export const TIDIED_AFTER_FAULTS_MS = 36_000

/**
 * No request waits for long where no fault is in its way, neither a buyer's nor one of staff: batches and
 * exclusive work take turns, and what is the matter with one event does not hold up another.
 */
export function judgeWaits(world: World, { operations }: History): void {
  const { plan, turns, events } = world
  if (plan.faults.some(fault => fault !== 'stuck event')) return
  const isStuck = plan.faults.length > 0
  for (const operation of operations) {
    const { op, from, to, event, command } = operation
    // The first event is the one that is stuck; a transfer is about all of them.
    if (isStuck && (event === events[0]!.address.eventId || command.kind === 'transfer')) continue
    if (to - from > ANSWERED_MS) world.find('an answer is there in time', to - from, operation)
    if (!isStuck && (turns.get(op) ?? 0) > TURNS_PER_NODE * plan.nodes) {
      world.find('no request waits for more than its turn', turns.get(op), operation)
    }
  }
}

/** A hold that has run out is tidied up soon: at once without a fault, and in any case after the last one. */
export function judgeTidying(world: World, { journal }: SimulatedEvent): void {
  const { plan, healedAt, restedAt } = world
  const isCalm = plan.faults.length === 0
  const [within, notBefore] = isCalm ? [TIDIED_MS, 0] : [TIDIED_AFTER_FAULTS_MS, healedAt]
  const ends = new Map<string, number>()
  const judge = (hold: string, until: number, tidiedAt: number) => {
    const lateMs = tidiedAt - Math.max(until, notBefore)
    if (lateMs > within) world.find('a hold that has run out is tidied up in time', hold, lateMs)
  }
  for (const { change } of journal) {
    if (!('holdId' in change)) continue
    const { holdId } = change
    if (change.kind === 'seat_hold_expired') judge(holdId, ends.get(holdId)!, change.at)
    if ('heldUntil' in change) ends.set(holdId, change.heldUntil)
    else if (change.kind !== 'hold_reduced') ends.delete(holdId)
  }
  for (const [hold, until] of ends) judge(hold, until, restedAt)
}
