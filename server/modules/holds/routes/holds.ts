import * as contract from '@voelgoed/contract/holds'
import { problemKinds } from '@voelgoed/contract/problems'
import { isStaff } from '@voelgoed/core/access'
import type { Command, PersonActing } from '@voelgoed/core/event/command'
import type { HoldAnswer } from '@voelgoed/core/event/decision'
import type { EventId, HoldId } from '@voelgoed/core/ids'
import { hasSeats } from '@voelgoed/core/layout/model'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Lane } from '@voelgoed/engine/lane/lane'
import type { LaneAnswer } from '@voelgoed/engine/lane/lane-answer'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { Rider } from '@voelgoed/engine/round/rider'
import { eventsHeldBy, type HoldRecord } from '@voelgoed/engine/tables/holds'
import { sellableOrdinal } from '@voelgoed/engine/view/hot-event'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import { withSeq } from '@voelgoed/kit/http/event-seq'
import { given } from '@voelgoed/kit/http/given'
import { replay, requestKey } from '@voelgoed/kit/http/keyed-request'
import type { Principal, Principals, SignedIn } from '@voelgoed/kit/http/principals'
import type { Router } from '@voelgoed/kit/http/serve'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { outageKind } from '@voelgoed/kit/postgres/outage'
import type { PriceLists } from '../../events/price-lists.ts'
import { currencyOf, visibleTo } from '../../events/routes/events.ts'
import { findEvent } from '../../events/tables/events.ts'
import { asksForWhitelist, type WhitelistMembers } from '../../guests/whitelist-members.ts'
import { explanationAnswer, warningAnswers } from '../../live/seats-answers.ts'
import type { Kit } from '../../module.ts'
import { askedFor, type HoldCall, isAboutAccessibility } from '../asked-for.ts'
import { asksForPrices, bestWish } from '../best-wish.ts'
import { cartAnswer, emptyCartAnswer, type ReadCartPayment } from '../cart-answer.ts'
import { holdAnswer, holdsAnswer } from '../hold-answers.ts'
import type { HoldHistory } from '../hold-history.ts'
import type { createHoldMetrics, HoldMethod } from '../hold-metrics.ts'
import type { OwnHolds } from '../own-holds.ts'
import { ALWAYS_COUNTED, type RefusedAttempt } from '../refused-attempt.ts'

export interface HoldNeeds {
  readonly history: HoldHistory
  readonly lanes: Lanes
  readonly principals: Pick<Principals, 'authenticate'>
  readonly metrics: ReturnType<typeof createHoldMetrics>
  readonly refusedAttempts: { record(attempt: RefusedAttempt): void }
  readonly whitelistMembers: WhitelistMembers
  readonly priceLists: PriceLists
  readonly ownHolds: OwnHolds
  readonly readCartPayment: ReadCartPayment
  /** Orders of a guest are those of the account from now on. Returns how many. */
  readonly joinOrders: (tx: TenantTx, guestId: string, accountId: string) => Promise<number>
  readonly makeWay: MakeWay
}

/** Cancels what a person has begun to pay for in an event. Null: nothing of it is in payment any more. */
export type MakeWay = (scope: TenantScope, eventId: EventId, actor: PersonActing) => Promise<Refusal | null>

type View = NonNullable<Lane['view']>
/** Only prices have to be waited for. */
type ToCommand = (hall: View) => Result<Command, Refusal> | Promise<Result<Command, Refusal>>

const STRANDING_IS_FOR_STAFF: Refusal = {
  kind: 'forbidden',
  required: ['scanner', 'support', 'organizer', 'admin'],
  detail: 'Only staff allow that seats stay alone: leave out allow_stranding.',
}

/** Serves what buyers do with seats. */
export function serveHolds(router: Router, { database, clock, http }: Kit, needs: HoldNeeds): void {
  const { history, lanes, metrics, whitelistMembers, priceLists, ownHolds } = needs

  router.serve(contract.reserveSeat, call =>
    attempt(call, 'seat', reservedSeat(call), hall => {
      const ordinal = sellableOrdinal(hall, call.params.seat)
      if (ordinal === null) return refuse({ kind: 'seat_not_found' })
      return ok({
        kind: 'hold_seats',
        ...given(call),
        ordinals: [ordinal],
        holdIds: [newHoldId()],
        ...(call.body.cart_token !== undefined && { cartToken: call.body.cart_token }),
      })
    }),
  )

  router.serve(contract.createHolds, call => {
    const method = 'zone_id' in call.body ? 'places' : 'best_available' in call.body ? 'best' : 'seats'
    const mayStrand = 'allow_stranding' in call.body && call.body.allow_stranding === true
    if (mayStrand && !isStaff(call.principal.user.role)) return refuse(STRANDING_IS_FOR_STAFF)
    return attempt(call, method, createdHolds(call, mayStrand), hall => toCommand(call, hall))
  })

  router.serve(contract.listMyHolds, async ({ principal, query }) => {
    const { scope, user } = principal
    const events = query.event_id
      ? [query.event_id.toLowerCase() as EventId]
      : await database.tenant(scope, tx => eventsHeldBy(tx, user.userId))
    const read = await Promise.all(events.map(eventId => ownHolds.read(scope, eventId, user.userId)))
    const data = read.flatMap((found, index) =>
      found ? found.holds.map(hold => holdAnswer(events[index]!, found.view, hold, found.now)) : [],
    )
    return ok({ status: 200, body: { data, next: null } })
  })

  router.serve(contract.readCart, async ({ principal, params }) => {
    const { scope, user } = principal
    const read = await ownHolds.read(scope, params.event as EventId, user.userId)
    if (!read) {
      const event = await database.tenant(scope, tx => findEvent(tx, params.event))
      if (!event || !visibleTo(user.role, event)) return refuse({ kind: 'event_not_found' })
      return ok({ status: 200, body: { data: emptyCartAnswer(currencyOf(event), clock.now()) } })
    }
    const { view } = read
    if (!visibleTo(user.role, { status: view.state.settings.status, wasOnSale: true })) {
      return refuse({ kind: 'event_not_found' })
    }
    const prices = await priceLists.of(view)
    const { holds, warning, inPayment, seq, now } = read
    const payment = inPayment === null ? null : await needs.readCartPayment(scope, inPayment, user.userId)
    if (warning?.excuse === 'fault') lanes.ruleFailed(params.event as EventId, warning.fault)
    const cart = ok({
      status: 200,
      body: { data: cartAnswer(params.event, view, { holds, warning, prices, payment }, now) },
    })
    return withSeq(cart, seq === null ? null : { seq })
  })

  router.serve(contract.reduceHold, async call => {
    const found = await findLane(call)
    if (!found.ok) return found
    const { lane } = found.value
    const render: Render = (decision, hall, now) => ({
      status: 200,
      body: { data: holdAnswer(lane.eventId, hall, decision.holds[0]!, now) },
    })
    // Also for a hold that has ended: the lane knows whether this is a repetition.
    const answer = await lane.submit(
      {
        kind: 'reduce',
        ...given(call),
        holdId: call.params.hold as HoldId,
        quantity: call.body.quantity,
      },
      riderOf(call, render),
    )
    const after = await statusAfter(call, answer)
    if (!after.ok) return after
    if (after.value === 'expired') return refuse({ kind: 'hold_expired' })
    return withSeq(toResult(call, answer, render), lane.view)
  })

  router.serve(contract.transferHolds, async call => {
    const { scope, user } = call.principal
    const guest = await needs.principals.authenticate(call.body.from_token)
    if (!isGuestOf(scope, guest)) {
      const message = 'must be the token of a live guest session of this organization'
      return refuse({ kind: 'invalid_request', errors: [{ path: '/from_token', message }] })
    }
    const from = guest.user.userId
    const events = from === user.userId ? [] : await database.tenant(scope, tx => eventsHeldBy(tx, from))
    // Asked before anything moves: a failure of these questions has no effect.
    const commands = await Promise.all(
      events.map(eventId => withWhitelist(scope, eventId, { kind: 'transfer', ...given(call), from })),
    )
    const moved: unknown[] = []
    const notMoved: { event_id: string; refusal: Refusal }[] = []
    for (const [index, eventId] of events.entries()) {
      const transfer = async () => {
        const command = { ...commands[index]!, commandId: given(call).commandId }
        const answer = await lanes.lane(scope, eventId).submit(command)
        return toResult(call, answer, (decision, hall, now) => {
          const { holds } = decision
          if (holds.length > 0) moved.push({ event_id: eventId, ...holdsAnswer(eventId, hall, holds, now) })
          return { status: 200, body: null }
        })
      }
      let result = await transfer()
      if (!result.ok && result.problem.kind === 'hold_in_payment') {
        // A card was declined, and the buyer signs in: the account goes on with the seats.
        const { addressKey, by, site } = call
        const { actor } = given({ principal: guest, addressKey, by, site })
        if ((await needs.makeWay(scope, eventId, actor)) === null) result = await transfer()
      }
      if (!result.ok) notMoved.push({ event_id: eventId, refusal: result.problem })
    }
    // Nothing has happened yet, and the same request may succeed: then the caller should simply repeat it.
    // An event whose outcome is unknown speaks for all: there the holds may have moved.
    const outage =
      notMoved.find(({ refusal }) => refusal.kind === 'outcome_unknown') ??
      notMoved.find(({ refusal }) => problemKinds[refusal.kind].status >= 500)
    if (outage && moved.length === 0) return refuse(outage.refusal)
    const orders =
      user.email === null ? 0 : await database.tenant(scope, tx => needs.joinOrders(tx, from, user.userId))
    const not_moved = notMoved.map(({ event_id, refusal: { kind: code } }) => {
      return { event_id, code, retryable: problemKinds[code].retryable }
    })
    return ok({ status: 200, body: { data: { moved, not_moved, orders } } })
  })

  router.serve(contract.extendHold, async call => {
    const result = await extend(call).catch(failed)
    metrics.extended(result.ok ? null : result.problem.kind)
    return result
  })

  async function extend(call: Call<typeof contract.extendHold>): Promise<Result<Answer, Refusal>> {
    const found = await findLane(call)
    if (!found.ok) return found
    if (found.value.status === 'expired') return refuse({ kind: 'hold_expired' })
    if (found.value.status !== 'active') return refuse({ kind: 'hold_not_found' })
    const answer = await found.value.lane.submit({
      kind: 'extend',
      ...given(call),
      holdId: call.params.hold as HoldId,
    })
    const after = await statusAfter(call, answer)
    if (!after.ok) return after
    if (after.value === 'expired') return refuse({ kind: 'hold_expired' })
    const result = toResult(call, answer, (decision, hall, now) => ({
      status: 200,
      body: { data: holdAnswer(found.value.lane.eventId, hall, decision.holds[0]!, now) },
    }))
    return withSeq(result, found.value.lane.view)
  }

  router.serve(contract.releaseHold, async call => {
    const holdId = call.params.hold
    const ended = (status: 'cancelled' | 'expired', count: number): Result<Answer, Refusal> => {
      metrics.released(count > 0 ? 'released' : `already_${status}`)
      return ok({ status: 200, body: { data: { hold_id: holdId, status, released_count: count } } })
    }
    const result = await release(call, ended).catch(failed)
    if (!result.ok) metrics.released(result.problem.kind)
    return result
  })

  async function release(
    call: Call<typeof contract.releaseHold>,
    ended: (status: 'cancelled' | 'expired', count: number) => Result<Answer, Refusal>,
  ): Promise<Result<Answer, Refusal>> {
    const holdId = call.params.hold
    const found = await findLane(call)
    if (!found.ok) return found
    const { lane, status } = found.value
    if (status === 'converted') {
      return refuse({ kind: 'seat_not_available', seatIds: [], currentStatus: 'sold' })
    }
    if (status !== 'active') return ended(status, 0)
    const answer = await lane.submit({
      kind: 'release',
      reason: 'user_cancelled',
      ...given(call),
      holdIds: [holdId as HoldId],
    })
    if (answer.kind === 'decided' && answer.outcome.ok) {
      const { holds, skipped } = answer.outcome.value
      return withSeq(ended(skipped.length > 0 ? 'expired' : 'cancelled', holds.length), lane.view)
    }
    const after = await statusAfter(call, answer)
    if (!after.ok) return after
    if (after.value === 'cancelled' || after.value === 'expired') return ended(after.value, 0)
    return toResult(call, answer, () => ({ status: 200, body: null }))
  }

  /**
   * Tells how a hold of mine ended between the look-up and the lane, which did not find it. Null: the lane
   * found it, or it is not mine.
   */
  async function statusAfter(
    call: CallOnHold,
    answer: LaneAnswer,
  ): Promise<Result<HoldRecord['status'] | null, Refusal>> {
    if (!isHoldNotFound(answer)) return ok(null)
    const found = await history.lookUp(call.principal.scope, [call.params.hold])
    if (!found.ok) return found
    const [record] = found.value
    return ok(record?.user_id === call.principal.user.userId ? record.status : null)
  }

  /** Counts, times and audits how a request for seats ends. */
  async function attempt(
    call: HoldCall,
    method: HoldMethod,
    render: Render,
    toCommand: ToCommand,
  ): Promise<Result<Answer, Refusal>> {
    metrics.attempted(method)
    const isBound = http.rateLimits && !isStaff(call.principal.user.role)
    const wait = isBound ? await http.addressLimits.take('holds', call.addressKey) : null
    if (wait !== null) http.rateLimited.inc({ limit: 'holds' })
    const result: Result<Answer, Refusal> =
      wait === null
        ? await hold(call, render, toCommand).catch(failed)
        : refuse({ kind: 'rate_limited', retryAfterSeconds: wait })
    if (result.ok) {
      metrics.granted(method)
    } else {
      metrics.refused(result.problem.kind)
      // A seat or zone that does not exist here (it may be another organization's) has no place in our audit
      // log.
      if (result.problem.kind.endsWith('_not_found')) {
        // Nor does it count against the buyers behind the same address: the rate of the session bounds it.
        if (isBound) http.addressLimits.giveBack('holds', call.addressKey)
        return result
      }
      // Refused before any look at the event: nothing that lasts is kept of an id that may be no event's.
      const view = lanes.inMemory(call.principal.scope, call.params.event as EventId)
      if (!view && ALWAYS_COUNTED.has(result.problem.kind)) return result
      const asked = askedFor(call)
      needs.refusedAttempts.record({
        organizationId: call.principal.scope.organizationId,
        eventId: call.params.event,
        userId: call.principal.user.userId,
        ip: call.ip,
        userAgent: call.by.userAgent,
        requestId: call.requestId,
        code: result.problem.kind,
        at: clock.now(),
        ...asked,
        isAccessible: view !== null && isAboutAccessibility(view, asked),
      })
    }
    return result
  }

  async function hold(
    call: HoldCall,
    render: Render,
    toCommand: ToCommand,
  ): Promise<Result<Answer, Refusal>> {
    const lane = lanes.lane(call.principal.scope, call.params.event as EventId)
    const view = lane.view ?? (await lane.ready())
    if (!view) return refuse(await notOnSale(call))
    const made = toCommand(view)
    const command = made instanceof Promise ? await made : made
    if (!command.ok) return command
    const asked = asksForWhitelist(view.state, command.value)
      ? await withWhitelist(call.principal.scope, lane.eventId, command.value)
      : command.value
    return toResult(call, await lane.submit(asked, riderOf(call, render)), render)
  }

  async function withWhitelist(scope: TenantScope, eventId: EventId, command: Command): Promise<Command> {
    const { actor } = command
    if (actor.person === null) return command
    const person = await whitelistMembers.know(scope, eventId, actor.person)
    return { ...command, actor: { ...actor, person } } as Command
  }

  /**
   * An outage is an answer like any other, to be counted as such; whatever else is thrown is a fault of ours.
   */
  function failed(error: unknown): Result<never, Refusal> {
    const outage = outageKind(error)
    if (outage === null) throw error
    return refuse({ kind: outage, retryAfterSeconds: 1 })
  }

  /**
   * The event has no ledger: a draft, or one that was cancelled before it was ever on sale, or none at all.
   */
  async function notOnSale(call: HoldCall): Promise<Refusal> {
    const { scope, user } = call.principal
    const event = await database.tenant(scope, tx => findEvent(tx, call.params.event))
    if (!event || !visibleTo(user.role, event)) return { kind: 'event_not_found' }
    return { kind: 'event_not_available', status: event.status }
  }

  /** The lane of one of my holds. Someone else's does not exist. */
  async function findLane(
    call: CallOnHold,
  ): Promise<Result<{ lane: Lane; status: HoldRecord['status'] }, Refusal>> {
    const { scope, user } = call.principal
    const lane = lanes.findHold(scope, call.params.hold)
    if (lane) return ok({ lane, status: 'active' })
    const found = await history.lookUp(scope, [call.params.hold])
    if (!found.ok) return found
    const [record] = found.value
    if (record?.user_id !== user.userId) return refuse({ kind: 'hold_not_found' })
    return ok({ lane: lanes.lane(scope, record.event_id), status: record.status })
  }

  function toCommand(call: Call<typeof contract.createHolds>, hall: View): ReturnType<ToCommand> {
    const { body } = call
    const cart = body.cart_token === undefined ? {} : { cartToken: body.cart_token }
    if ('zone_id' in body) {
      const zoneIndex = hall.zones.findIndex(zone => zone.zoneId === body.zone_id.toLowerCase())
      const zone = hall.zones[zoneIndex]
      if (!zone || hasSeats(zone.zoneType)) return refuse({ kind: 'zone_not_found' })
      const holdId = newHoldId()
      return ok({ kind: 'hold_places', ...given(call), zoneIndex, quantity: body.quantity, holdId, ...cart })
    }
    if ('best_available' in body) {
      const withPrices = (list: PriceList | null): Result<Command, Refusal> => {
        const wish = bestWish(body, hall, list)
        if (!wish.ok) return wish
        const holdIds = Array.from({ length: wish.value.quantity }, newHoldId)
        return ok({ kind: 'hold_best', ...given(call), ...wish.value, holdIds, ...cart })
      }
      return asksForPrices(body) ? priceLists.of(hall).then(withPrices) : withPrices(null)
    }
    const ordinals: number[] = []
    for (const seatId of new Set(body.seat_ids.map(id => id.toLowerCase()))) {
      const ordinal = sellableOrdinal(hall, seatId)
      if (ordinal === null) return refuse({ kind: 'seat_not_found' })
      ordinals.push(ordinal)
    }
    return ok({ kind: 'hold_seats', ...given(call), ordinals, holdIds: ordinals.map(newHoldId), ...cart })
  }

  function newHoldId(): HoldId {
    return uuidV7(clock.now()) as HoldId
  }
}

/**
 * A buyer without an account, of this organization. Root and accounts have carts of their own,
 * which do not move.
 */
function isGuestOf(scope: TenantScope, principal: Principal | null): principal is SignedIn {
  return (
    principal?.kind === 'user' &&
    principal.scope.organizationId === scope.organizationId &&
    principal.user.email === null &&
    !principal.isApiKey
  )
}

function isHoldNotFound(answer: LaneAnswer): boolean {
  return answer.kind === 'decided' && !answer.outcome.ok && answer.outcome.problem.kind === 'hold_not_found'
}

type CallOnHold = Call<typeof contract.extendHold | typeof contract.releaseHold | typeof contract.reduceHold>

type Render = Rider['render']

function createdHolds(call: { params: { event: string } }, mayStrand: boolean): Render {
  return (decision, hall, now) => ({
    status: 201,
    body: {
      data: {
        ...holdsAnswer(call.params.event, hall, decision.holds, now),
        warnings: mayStrand ? [] : warningAnswers(hall, decision.stranding ?? null),
        ...(decision.explanation && { explanation: explanationAnswer(hall, decision.explanation) }),
      },
    },
  })
}

function reservedSeat(call: { params: { event: string } }): Render {
  return (decision, hall, now) => ({
    status: decision.holds[0]!.isNew ? 201 : 200,
    body: {
      data: {
        ...holdAnswer(call.params.event, hall, decision.holds[0] as HoldAnswer, now),
        warnings: warningAnswers(hall, decision.stranding ?? null),
      },
    },
  })
}

function toResult(call: Call, answer: LaneAnswer, render: Render): Result<Answer, Refusal> {
  switch (answer.kind) {
    case 'refused':
      return refuse(answer.refusal)
    case 'replayed':
      return replay(call, answer.stored)
    case 'decided':
      if (!answer.outcome.ok) return refuse(answer.outcome.problem)
      return answer.kept
        ? ok({ status: answer.kept.status, json: answer.kept.answer })
        : ok(render(answer.outcome.value, answer.hall, answer.now))
  }
}

/** For the lane, which stores the answer in the transaction of its effect. It carries no secret. */
function riderOf(call: Call, render: Rider['render']): Rider | null {
  const found = requestKey(call)
  return found && { keyHash: found.keyHash, fingerprint: found.fingerprint, render }
}
