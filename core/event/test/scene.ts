import type { Person } from '../../access.ts'
import type { NamedGuests } from '../../guests/guest-rule.ts'
import type { CheckoutId, CommandId, HoldId, TicketId } from '../../ids.ts'
import { assert } from '../../result.ts'
import { apply } from '../apply.ts'
import type { Change } from '../change.ts'
import type {
  Actor,
  Command,
  EndHolds,
  EndHoldsByStaff,
  EventUpdate,
  HoldBest,
  PersonActing,
  Sell,
  SoldHold,
  VoidTickets,
} from '../command.ts'
import { decide } from '../decide.ts'
import type { Decision, Outcome } from '../decision.ts'
import { createState, type EventPlan, type EventState } from '../state.ts'
import { type Name, NOW, people, planOf } from './hall.ts'

/** An event to try single commands on, with a clock to move. New holds are h1, h2, … and tickets t1, t2, … */
export class Scene {
  readonly state: EventState
  readonly changes: Change[] = []
  now = NOW
  private holds = 0
  private tickets = 0

  constructor(plan: EventPlan = planOf()) {
    this.state = createState(plan)
  }

  holdSeats(who: Name, ordinals: number[], ip: string | null = null): Outcome {
    const holdIds = ordinals.map(() => this.newHoldId())
    return this.run({ kind: 'hold_seats', ...by(who, ip), ordinals, holdIds })
  }

  holdPlaces(who: Name, zoneIndex: number, quantity: number, ip: string | null = null): Outcome {
    const holdId = this.newHoldId()
    return this.run({ kind: 'hold_places', ...by(who, ip), zoneIndex, quantity, holdId })
  }

  holdBest(
    who: Name,
    { quantity, ...more }: Partial<Omit<HoldBest, 'kind'>> & Pick<HoldBest, 'quantity'>,
    ip: string | null = null,
  ): Outcome {
    const holdIds = Array.from({ length: quantity }, () => this.newHoldId())
    const wish = { wheelchair: 0, companions: 0, zoneIndexes: null, prices: null, together: null }
    return this.run({ kind: 'hold_best', ...by(who, ip), ...wish, quantity, holdIds, ...more })
  }

  extend(who: Name, holdId: string): Outcome {
    return this.run({ kind: 'extend', ...by(who), holdId: holdId as HoldId })
  }

  reduce(who: Name, holdId: string, quantity: number): Outcome {
    return this.run({ kind: 'reduce', ...by(who), holdId: holdId as HoldId, quantity })
  }

  transfer(who: Name, from: Name): Outcome {
    return this.run({ kind: 'transfer', ...by(who), from: people[from].userId })
  }

  startPayment(who: Name | Person, holdIds: string[], checkoutId = 'c1', guests?: NamedGuests): Outcome {
    const more = guests ? { guests } : {}
    return this.run({ kind: 'start_payment', ...by(who), ...named(holdIds, checkoutId), ...more })
  }

  endPayment(who: Name, holdIds: string[], checkoutId = 'c1'): Outcome {
    return this.run({ kind: 'end_payment', ...by(who), ...named(holdIds, checkoutId) })
  }

  /**
   * Staff sell; `ended`: what the history says of holds that were tidied up. `places`: with so many tickets,
   * however many places there are.
   */
  sell(
    buyer: Name | Person,
    holdIds: string[],
    more: Partial<Pick<Sell, 'allowStranding' | 'guests'>> & {
      ended?: SoldHold['ended']
      places?: number
      checkoutId?: string
    } = {},
  ): Outcome {
    const { ended = null, places = null, checkoutId = 'c1', ...rest } = more
    const holds = holdIds.map(holdId => {
      return { holdId: holdId as HoldId, againAs: this.newHoldId(), cartToken: null, ended }
    })
    const known = holds.reduce(
      (sum, { holdId }) => sum + (this.state.holds.get(holdId)?.quantity ?? ended?.quantity ?? 1),
      0,
    )
    return this.run({
      kind: 'sell',
      ...by('dan'),
      buyer: typeof buyer === 'string' ? people[buyer] : buyer,
      holds,
      checkoutId: checkoutId as CheckoutId,
      ticketIds: Array.from({ length: places ?? known }, () => `t${++this.tickets}` as TicketId),
      ...rest,
    })
  }

  voidTickets(tickets: readonly { ticketId: string; ordinal: number | null; zoneIndex: number }[]): Outcome {
    return this.run({
      kind: 'void_tickets',
      ...by('dan'),
      tickets: tickets as VoidTickets['tickets'],
      reason: 'asked to',
    })
  }

  /** Staff move tickets of the buyer to these seats. */
  moveTickets(
    buyer: Name | Person,
    tickets: readonly { ticketId: string; ordinal: number | null; zoneIndex: number }[],
    to: readonly number[],
  ): Outcome {
    return this.run({
      kind: 'move_tickets',
      ...by('dan'),
      buyer: typeof buyer === 'string' ? people[buyer] : buyer,
      checkoutId: 'c1' as CheckoutId,
      moves: (tickets as VoidTickets['tickets']).map((ticket, index) => ({
        ticket,
        to: to[index]!,
        holdId: this.newHoldId(),
        ticketId: `t${++this.tickets}` as TicketId,
        reason: 'asked to',
      })),
    })
  }

  giveBack(who: Name, holdIds: string[]): Outcome {
    const holds = { holdIds: named(holdIds).holdIds }
    return this.run({ kind: 'release', reason: 'user_cancelled', ...by(who), ...holds })
  }

  paymentFailed(holdIds: string[], checkoutId = 'c1'): Outcome {
    return this.run({ kind: 'release', reason: 'payment_failed', ...bySystem, ...named(holdIds, checkoutId) })
  }

  staffRelease(holdIds: string[], more: { notes?: string; force?: boolean } = {}): Outcome {
    return this.run({ kind: 'release', reason: 'admin_override', ...bySystem, ...named(holdIds), ...more })
  }

  expire(limit = 1000): Outcome {
    return this.run({ kind: 'expire', ...bySystem, limit })
  }

  endHolds(chosen: Partial<Omit<EndHoldsByStaff, 'reason'>> & Pick<EndHolds, 'reason'>): Outcome {
    return this.run({ kind: 'end_holds', ...bySystem, limit: 1000, ...chosen } as EndHolds)
  }

  block(ordinals: number[]): Outcome {
    return this.run({ kind: 'block', ...bySystem, ordinals, reason: 'a broken chair' })
  }

  unblock(ordinals: number[]): Outcome {
    return this.run({ kind: 'unblock', ...bySystem, ordinals, reason: 'mended' })
  }

  changeEvent(update: EventUpdate): Outcome {
    return this.run({ kind: 'event_changed', ...bySystem, ...update })
  }

  private run(command: Command): Outcome {
    const outcome = decide(this.state, command, this.now)
    if (outcome.ok) {
      for (const change of outcome.value.changes) {
        apply(this.state, change)
        this.changes.push(change)
      }
    }
    return outcome
  }

  private newHoldId(): HoldId {
    return `h${++this.holds}` as HoldId
  }
}

export function granted(outcome: Outcome): Decision {
  assert(outcome.ok, `refused: ${JSON.stringify(outcome)}`)
  return outcome.value
}

export function kinds(outcome: Outcome): string[] {
  return granted(outcome).changes.map(change => change.kind)
}

const commandId = 'command' as CommandId
const bySystem: { commandId: CommandId; actor: Actor } = {
  commandId,
  actor: { person: null, ip: null, source: 'system' },
}

function by(who: Name | Person, ip: string | null = null): { commandId: CommandId; actor: PersonActing } {
  const person = typeof who === 'string' ? people[who] : who
  return { commandId, actor: { person, ip, source: 'web' } }
}

function named(holdIds: string[], checkoutId = 'c1'): { holdIds: HoldId[]; checkoutId: CheckoutId } {
  return { holdIds: holdIds as HoldId[], checkoutId: checkoutId as CheckoutId }
}
