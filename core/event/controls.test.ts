import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ok, refuse } from '../result.ts'
import { apply } from './apply.ts'
import type { Change } from './change.ts'
import type { Command, EndHolds, EndHoldsByStaff, StartPayment } from './command.ts'
import { copyState } from './copy-state.ts'
import { decide } from './decide.ts'
import type { Outcome } from './decision.ts'
import { restoreState } from './restore.ts'
import { AVAILABLE, createState, type EventState, SOLD } from './state.ts'
import { openPolicy, people, plans } from './test/hall.ts'
import { watched } from './test/image.ts'
import { type Machine, play } from './test/play.ts'
import { history } from './test/steps.ts'

/**
 * The properties are believed only because they catch these: the same machine with one mistake in it.
 * Most of the mistakes are taken from real systems.
 */
type Decide = Machine['decide']

const mistakes: Record<string, Partial<Machine>> = {
  'a hold that has run out is sold as if it lived': {
    decide: on(['sell'], (state, command, now) => at(now, decide(state, command, 0))),
  },
  'a hold that has run out is extended': {
    decide: on(['extend'], (state, command, now) => at(now, decide(state, command, 0))),
  },
  'an extension ignores the cap': {
    decide: on(['extend'], (state, command, now) => {
      const copy = copyState(state)
      copy.holds.capUntil.fill(Infinity)
      return decide(copy, command, now)
    }),
  },
  'an extension may shorten': {
    decide: on(['extend'], (state, command, now) => until(now + 1000, decide(state, command, now))),
  },
  'any user may release a hold': {
    decide: on(['release'], (state, command, now) => decide(state, asOwner(state, command), now)),
  },
  'any user may extend a hold': {
    decide: on(['extend'], (state, command, now) => decide(state, asOwner(state, command), now)),
  },
  'one place too many is sold': {
    decide: on(['hold_places'], (state, command, now) => {
      const roomier = state.zones.map(zone => {
        return { ...zone, settings: { ...zone.settings, capacity: zone.settings.capacity + 1 } }
      })
      return decide({ ...state, zones: roomier }, command, now)
    }),
  },
  'a hold that has run out is in the way until the reaper ends it': {
    decide: on(['hold_seats', 'hold_places'], (state, command, now) => {
      const outcome = decide(state, command, now)
      const hasExpired = outcome.ok && outcome.value.changes.some(({ kind }) => kind === 'seat_hold_expired')
      return hasExpired ? refuse({ kind: 'zone_at_capacity', available: 0 }) : outcome
    }),
  },
  'a hold that has run out counts against its user': {
    decide: on(['hold_seats', 'hold_places'], (state, command, now) => {
      const limit = state.settings.policy.max_holds_per_user
      const user = command.actor.person && state.users.get(command.actor.person.userId)
      const outcome = decide(state, command, now)
      if (!outcome.ok || limit === null || !user || user.all.places < limit) return outcome
      return refuse({ kind: 'quota_exceeded', limit, quota: 'max_holds_per_user' })
    }),
  },
  'limits count holds, not places': {
    decide: on(['hold_seats', 'hold_places'], (state, command, now) => {
      const placesOf = (user: number) => state.users.stretchOf(user).size
      const users: typeof state.users = Object.create(state.users, { placesOf: { value: placesOf } })
      return decide({ ...state, users }, command, now)
    }),
  },
  'staff are bound by the limits of buyers': {
    decide: on(['hold_seats', 'hold_places'], (state, command, now) => {
      const person = { ...people.dan, role: 'customer' as const }
      const isStaff = command.actor.person === people.dan
      return decide(
        state,
        isStaff ? ({ ...command, actor: { ...command.actor, person } } as Command) : command,
        now,
      )
    }),
  },
  'an extension leaves the rest of the cart behind': {
    decide: on(['extend'], (state, command, now) => {
      const outcome = decide(state, command, now)
      if (!outcome.ok || command.kind !== 'extend') return outcome
      const own = outcome.value.changes.filter(
        change => 'holdId' in change && change.holdId === command.holdId,
      )
      return ok({
        ...outcome.value,
        changes: own.map((change, i) => ({ ...change, seq: state.seq + 1 + i })),
      })
    }),
  },
  'what joins a cart has a clock of its own': {
    decide: on(['hold_seats', 'hold_places'], (state, command, now) => {
      return decide({ ...state, users: createState(plans[0]!).users }, command, now)
    }),
  },
  'a membership that ended is not noticed by the payment': {
    decide: on(['start_payment', 'sell'], (state, command, now) => {
      const zones = state.zones.map(zone => {
        const access = { ...zone.settings.access, accessMode: 'public' as const }
        return { ...zone, settings: { ...zone.settings, access } }
      })
      return decide({ ...state, zones }, command, now)
    }),
  },
  'a transfer leaves the hold with its old owner': {
    apply: (state, change) => {
      if (change.kind !== 'hold_transferred') return apply(state, change)
      apply(state, { ...change, userId: state.holds.get(change.holdId)!.user.key })
    },
  },
  'fewer places are not counted': {
    apply: (state, change) => {
      apply(state, change)
      if (change.kind !== 'hold_reduced') return
      state.users.shrunk(state.holds.get(change.holdId)!.user.slot, -change.freed)
    },
  },
  'what the policy does not sell is sold': {
    decide: withPolicy({ allow_vip_zones: true, allow_hybrid_ga_reserved: true }),
  },
  'limits are not looked at': { decide: withPolicy(openPolicy) },
  'the number of wheelchair seats is not looked at': {
    decide: withPolicy({ max_wheelchair_seats_per_booking: null }),
  },
  'the address is not looked at': { decide: withPolicy({ max_holds_per_ip: null }) },
  'holds may be made at any pace': { decide: withPolicy({ holds_per_window: null }) },
  'a sold seat can be held again': {
    decide: on(['hold_seats'], (state, command, now) => {
      const seatStatus = state.seatStatus.map(status => (status === SOLD ? AVAILABLE : status))
      return decide({ ...state, seatStatus }, command, now)
    }),
  },
  'what is free of several seats is granted': {
    decide: on(['hold_seats'], (state, command, now) => {
      const outcome = decide(state, command, now)
      if (outcome.ok || outcome.problem.kind !== 'seat_held_by_another_user') return outcome
      if (command.kind !== 'hold_seats') return outcome
      const { seatIds } = outcome.problem
      const free = command.ordinals.filter(ordinal => !seatIds.includes(state.seats.seatIds.at(ordinal)))
      const holdIds = command.holdIds.slice(0, free.length)
      return free.length > 0 ? decide(state, { ...command, ordinals: free, holdIds }, now) : outcome
    }),
  },
  'asking again for my own seat is a conflict': {
    decide: on(['hold_seats'], (state, command, now) => {
      const outcome = decide(state, command, now)
      const isKept = outcome.ok && outcome.value.holds.some(hold => !hold.isNew)
      return isKept ? refuse({ kind: 'seat_held_by_another_user', seatIds: [], expiresIn: 1 }) : outcome
    }),
  },
  'a checkout without holds is fine': {
    decide: on(['start_payment', 'sell'], (state, command, now) => {
      const { length } = command.kind === 'sell' ? command.holds : (command as StartPayment).holdIds
      return length === 0 ? ok({ changes: [], holds: [], skipped: [] }) : decide(state, command, now)
    }),
  },
  'a second checkout takes over the hold': {
    decide: on(['start_payment'], (state, command, now) => {
      const copy = copyState(state)
      copy.holds.checkouts.clear()
      return decide(copy, command, now)
    }),
  },
  'tidying up ends holds that are alive': {
    decide: on(['expire'], (state, command, now) => at(now, decide(state, command, now + 60_000))),
  },
  'staff walk through every door': {
    decide: on(['hold_seats', 'hold_places'], (state, command, now) => {
      const zones = state.zones.map(zone => {
        const access = { ...zone.settings.access, accessMode: 'public' as const }
        return { ...zone, settings: { ...zone.settings, access } }
      })
      return decide(command.actor.person === people.dan ? { ...state, zones } : state, command, now)
    }),
  },
  'the sale never closes': {
    decide: (state, command, now) => {
      const settings = { ...state.settings, saleStart: null, saleEnd: null, lastStart: null }
      return decide({ ...state, settings }, command, now)
    },
  },
  'a number of the journal is left out': {
    decide: (state, command, now) => edit(decide(state, command, now), ({ seq }) => ({ seq: seq + 1 })),
  },
  'a seat keeps its version': {
    decide: (state, command, now) =>
      edit(decide(state, command, now), change => {
        const version = 'version' in change ? change.version : null
        return version === null ? {} : { version: version - 1 }
      }),
  },
  'deciding tidies up on the side': {
    decide: watched((state, command, now) => {
      const first = state.queue.first
      if (first && first.heldUntil <= now) state.queue.remove(first.slot)
      return decide(state, command, now)
    }),
  },
  'what is sold is not counted': {
    apply: (state, change) => {
      apply(state, change)
      if (change.kind === 'seat_converted') state.zones[change.zoneIndex]!.sold -= change.quantity
    },
  },
  'a restart forgets who made holds lately': {
    restore: (plan, rows) => restoreState(plan, { ...rows, recentHolds: [] }),
  },
  'a restart forgets sold places': {
    restore: (plan, rows) => restoreState(plan, { ...rows, soldPlaces: [] }),
  },
  'holds end that are not meant': {
    decide: on(['end_holds'], (state, command, now) => {
      const { zoneIndex: _zone, userId: _user, ...all } = command as EndHoldsByStaff
      return decide(state, all, now)
    }),
  },
  'staff end holds in payment without force': {
    decide: on(['end_holds'], (state, command, now) =>
      decide(state, { ...command, force: true } as Command, now),
    ),
  },
  'ending holds stops before the last of them': {
    decide: on(['end_holds'], (state, command, now) => {
      const { limit } = command as EndHoldsByStaff
      return limit === 1
        ? decide(state, command, now)
        : decide(state, { ...command, limit: 1 } as Command, now)
    }),
  },
  'an event that is on sale loses its holds': {
    decide: on(['end_holds'], (state, command, now) => {
      return decide({ ...state, settings: { ...state.settings, status: 'cancelled' } }, command, now)
    }),
  },
  'a cancelled event keeps the holds that are in payment': {
    decide: on(['end_holds'], (state, command, now) => {
      const isCancelling = (command as EndHolds).reason === 'event_cancelled'
      if (!isCancelling || state.settings.status !== 'cancelled') return decide(state, command, now)
      return decide(state, { ...command, reason: 'admin_override' } as Command, now)
    }),
  },
}

const machine: Machine = { decide, apply, restore: restoreState }

const isNoticed = (mistake: Partial<Machine>, numRuns = 900) => {
  const property = fc.property(fc.constantFrom(...plans), history, (plan, steps) => {
    play(steps, plan, { ...machine, ...mistake })
  })
  return fc.check(property, { seed: 20_260_801, numRuns, endOnFailure: true }).failed
}

test('the properties have nothing to say against the machine without a mistake', () => {
  expect(isNoticed({}, 300)).toBe(false)
})

test.each(Object.entries(mistakes))('the properties notice when %s', (_what, mistake) => {
  expect(isNoticed(mistake)).toBe(true)
})

function on(kinds: readonly Command['kind'][], mistaken: Decide): Decide {
  return (state, command, now) => {
    return kinds.includes(command.kind) ? mistaken(state, command, now) : decide(state, command, now)
  }
}

function withPolicy(policy: Partial<EventState['settings']['policy']>): Decide {
  return (state, command, now) => {
    const { default_hold_ttl_seconds } = state.settings.policy
    const laxer = { ...state.settings.policy, ...policy, default_hold_ttl_seconds }
    return decide({ ...state, settings: { ...state.settings, policy: laxer } }, command, now)
  }
}

function asOwner(state: EventState, command: Command): Command {
  const holdId = command.kind === 'extend' ? command.holdId : 'holdIds' in command && command.holdIds[0]
  const owner = Object.values(people).find(
    ({ userId }) => holdId && state.holds.get(holdId)?.user.key === userId,
  )
  return owner ? ({ ...command, actor: { ...command.actor, person: owner } } as Command) : command
}

function at(now: number, outcome: Outcome): Outcome {
  return edit(outcome, () => ({ at: now }))
}

function until(heldUntil: number, outcome: Outcome): Outcome {
  if (!outcome.ok) return outcome
  const edited = edit(outcome, () => ({ heldUntil }))
  if (!edited.ok) return edited
  const holds = edited.value.holds.map(hold => ({ ...hold, heldUntil }))
  return ok({ ...edited.value, holds })
}

function edit(outcome: Outcome, mistake: (change: Change) => Partial<Change>): Outcome {
  if (!outcome.ok) return outcome
  const changes = outcome.value.changes.map(change => ({ ...change, ...mistake(change) }) as Change)
  return ok({ ...outcome.value, changes })
}
