import { missingForZone, type Person } from '../../access.ts'
import { findAccessible } from '../../allocation/find-accessible.ts'
import { bestOfAllWays } from '../../allocation/fixtures/all-ways.ts'
import { FreeSeats } from '../../allocation/free-seats.ts'
import { OFFER } from '../../allocation/hall.ts'
import { type NamedGuests, NO_GUESTS } from '../../guests/guest-rule.ts'
import type { HoldId, SeatId, TicketId } from '../../ids.ts'
import { hasSeats, SEAT_CATEGORIES } from '../../layout/model.ts'
import type { HoldRefusal } from '../../refusal.ts'
import { assert } from '../../result.ts'
import type { Change } from '../change.ts'
import type {
  ChangeEvent,
  Command,
  EndHolds,
  HoldBest,
  HoldPlaces,
  HoldSeats,
  MoveTickets,
  Release,
  Sell,
  Transfer,
  VoidTickets,
} from '../command.ts'
import type { HoldAnswer, Skipped } from '../decision.ts'
import type { EventPlan, ZoneSettings } from '../state.ts'

/**
 * The rules once more, as plainly as possible: lists, full scans, and every hold expires the moment it runs
 * out. Shares no code with the machine but the types and the access rule, which has tests of its own.
 */
export class NaiveEvent {
  readonly plan: EventPlan
  settings: EventPlan['settings']
  zones: ZoneSettings[]
  holds: NaiveHold[] = []
  blocked = new Set<number>()
  /** Zones whose companion seats are anyone's. */
  released = new Set<number>()
  /** Valid ones, in the order of their making. */
  tickets: { ticketId: TicketId; holdId: HoldId; ordinal: number | null; zoneIndex: number }[] = []

  constructor(plan: EventPlan) {
    this.plan = plan
    this.settings = plan.settings
    this.zones = [...plan.zones]
  }

  run(command: Exclude<Command, EndHolds | HoldBest>, now: number): NaiveOutcome {
    this.expireAll(now)
    switch (command.kind) {
      case 'hold_seats':
        return this.holdSeats(command, now)
      case 'hold_places':
        return this.holdPlaces(command, now)
      case 'extend': {
        const found = this.usable([command.holdId], hold => hold.userId === command.actor.person.userId)
        if ('kind' in found) return { refused: found }
        const hold = found[0]!
        this.moveCart(hold.userId, Math.min(now + 5 * MINUTE, hold.capUntil - 15 * MINUTE))
        return { holds: [answer(hold)], skipped: [] }
      }
      case 'reduce': {
        const found = this.usable([command.holdId], hold => hold.userId === command.actor.person.userId)
        if ('kind' in found) return { refused: found }
        const hold = found[0]!
        if (hold.payment) return { refused: { kind: 'hold_in_payment' } }
        const { quantity } = hold
        if (command.quantity >= quantity) return { refused: { kind: 'hold_not_reducible', quantity } }
        hold.quantity = command.quantity
        return { holds: [answer(hold)], skipped: [] }
      }
      case 'transfer':
        return this.transfer(command)
      case 'start_payment': {
        const { checkoutId } = command
        const found = this.usable(command.holdIds, hold => hold.userId === command.actor.person.userId)
        if ('kind' in found) return { refused: found }
        if (found.some(hold => hold.payment && hold.payment.checkoutId !== checkoutId)) {
          return { refused: { kind: 'hold_in_payment' } }
        }
        const isNews = found.some(hold => !hold.payment)
        const refused =
          this.denied(found, command.actor.person) ??
          this.withoutGuests(found, command.guests) ??
          (isNews ? this.orderRefused(found, command) : null)
        if (refused) return { refused }
        for (const hold of found) hold.payment = { checkoutId }
        if (isNews) this.moveCart(found[0]!.userId, Math.min(now + 15 * MINUTE, found[0]!.capUntil))
        return { holds: found.map(hold => answer(hold)), skipped: [] }
      }
      case 'end_payment': {
        const { checkoutId, holdIds, actor } = command
        const ended = holdIds
          .flatMap(id => this.holds.filter(hold => hold.holdId === id))
          .filter(
            ({ status, userId, payment }) =>
              status === 'active' && userId === actor.person.userId && payment?.checkoutId === checkoutId,
          )
        for (const hold of ended) hold.payment = null
        return { holds: ended.map(hold => answer(hold)), skipped: [] }
      }
      case 'sell':
        return this.sell(command, now)
      case 'void_tickets':
        return this.voidTickets(command)
      case 'move_tickets':
        return this.moveTickets(command, now)
      case 'release':
        return this.release(command)
      case 'expire':
        return { holds: [], skipped: [] }
      case 'block': {
        const taken = command.ordinals.filter(ordinal => ['held', 'sold'].includes(this.statusOf(ordinal)))
        if (taken.length > 0) {
          const currentStatus = taken.some(ordinal => this.statusOf(ordinal) === 'sold') ? 'sold' : 'held'
          return { refused: { kind: 'seat_not_available', seatIds: this.idsOf(taken), currentStatus } }
        }
        for (const ordinal of command.ordinals) this.blocked.add(ordinal)
        return { holds: [], skipped: [] }
      }
      case 'unblock':
        for (const ordinal of command.ordinals) this.blocked.delete(ordinal)
        return { holds: [], skipped: [] }
      case 'event_changed':
        return this.changeEvent(command)
    }
  }

  /**
   * The rules do not say which holds end first, so the caller names those that the machine ended. There must
   * be as many as there are to end, or as many as the command may end.
   */
  endHolds(command: EndHolds, ended: readonly string[], now: number): NaiveOutcome {
    this.expireAll(now)
    const isDue = (hold: NaiveHold) => {
      if (command.reason === 'event_cancelled') return this.settings.status === 'cancelled'
      if (command.zoneIndex !== undefined && command.zoneIndex !== hold.zoneIndex) return false
      if (command.userId !== undefined && command.userId !== hold.userId) return false
      return hold.payment === null || command.force === true
    }
    const due = this.holds.filter(hold => this.find(hold.holdId) && isDue(hold))
    const chosen = ended.map(holdId => due.find(hold => hold.holdId === holdId))
    assert(
      chosen.every(hold => hold !== undefined),
      'holds ended that should stay',
    )
    assert(new Set(chosen).size === Math.min(command.limit, due.length), 'too many or too few holds ended')
    const living = chosen.filter(hold => hold.status === 'active')
    for (const hold of living) hold.status = 'cancelled'
    return { holds: living.map(hold => answer(hold)), skipped: [] }
  }

  /**
   * Other tests show which seats are best: the caller names those that the machine chose, if any. They must
   * be free for this buyer, and enough of them side by side must not be passed over.
   */
  holdBest(command: HoldBest, chosen: readonly number[] | null, now: number): NaiveOutcome | 'nothing found' {
    this.expireAll(now)
    const { person } = command.actor
    const closed = this.notOnSale(now) ?? this.tooMany(command.quantity, person)
    if (closed) return { refused: closed }
    for (const zoneIndex of command.zoneIndexes ?? []) {
      const zone = this.zones[zoneIndex]!
      if (zone.disabled) return { refused: { kind: 'zone_at_capacity', available: 0 } }
      const shut = this.shut(zone, person)
      if (shut) return { refused: shut }
    }
    const wheelchairs = { places: command.quantity, wheelchairs: command.wheelchair }
    const refused = this.overLimits(command, wheelchairs, now)
    if (refused) return { refused }
    const isOpen = (ordinal: number) => {
      const zoneIndex = this.plan.seats.zoneOf[ordinal]!
      const zone = this.zones[zoneIndex]!
      const isWanted = command.zoneIndexes?.includes(zoneIndex) ?? true
      return isWanted && !zone.disabled && !this.shut(zone, person) && this.statusOf(ordinal) === 'available'
    }
    const isGeneral = (ordinal: number) =>
      isOpen(ordinal) && !this.isWheelchair(ordinal) && !this.isCompanion(ordinal) && !this.wholeOf(ordinal)
    if (!chosen) {
      const runs = this.allSeats().filter(first =>
        Array.from({ length: command.quantity }, (_, n) => first + n).every(
          ordinal => this.isSameRow(first, ordinal) && isGeneral(ordinal),
        ),
      )
      assert(command.wheelchair > 0 || runs.length === 0, 'seats side by side were passed over')
      return 'nothing found'
    }
    assert(chosen.length === command.quantity && new Set(chosen).size === chosen.length, 'as many as wanted')
    assert(chosen.every(isOpen), 'seats that are not free for this buyer were given')
    const given = chosen.filter(ordinal => this.isWheelchair(ordinal)).length
    assert(given === command.wheelchair, 'as many wheelchair places as wanted')
    for (const ordinal of chosen) {
      const whole = this.wholeOf(ordinal)
      assert(!whole || whole.every(other => chosen.includes(other)), 'a part of a group was given')
      const place = this.keptPlace(ordinal)
      assert(place === null || chosen.includes(place), 'a companion seat was given without its place')
    }
    this.lastCall(person.userId, now)
    const holds = chosen.map((ordinal, i) => {
      const zoneIndex = this.plan.seats.zoneOf[ordinal]!
      return this.make(command, { holdId: command.holdIds[i]!, ordinal, zoneIndex, quantity: 1 }, now)
    })
    return { holds, skipped: [] }
  }

  /** The machine does not know a hold from the moment at which the journal says that it expired. */
  note(change: Change): void {
    if (change.kind === 'companions_released') {
      assert(this.isFilled(change.zoneIndex), 'companion seats were released before their time')
      assert(!this.released.has(change.zoneIndex), 'companion seats were released twice')
      this.released.add(change.zoneIndex)
    }
    if (change.kind === 'seat_converted') {
      const { holdId, ordinal, zoneIndex, ticketIds } = change
      for (const ticketId of ticketIds) this.tickets.push({ ticketId, holdId, ordinal, zoneIndex })
    }
    if (change.kind !== 'seat_hold_expired') return
    this.holds.find(hold => hold.holdId === change.holdId)!.isTidied = true
  }

  expireAll(now: number): void {
    for (const hold of this.holds) {
      if (hold.status === 'active' && hold.heldUntil <= now) hold.status = 'expired'
    }
  }

  statusOf(ordinal: number): 'available' | 'held' | 'sold' | 'blocked' {
    if (this.holds.some(hold => hold.ordinal === ordinal && hold.status === 'converted')) return 'sold'
    if (this.holds.some(hold => hold.ordinal === ordinal && hold.status === 'active')) return 'held'
    return this.blocked.has(ordinal) ? 'blocked' : 'available'
  }

  holderOf(ordinal: number): NaiveHold | undefined {
    return this.holds.find(hold => hold.ordinal === ordinal && hold.status === 'active')
  }

  freePlaces(zoneIndex: number): number {
    const taken = this.holds.filter(
      hold => hold.zoneIndex === zoneIndex && (hold.status === 'active' || hold.status === 'converted'),
    )
    return this.zones[zoneIndex]!.capacity - sum(taken.map(hold => hold.quantity))
  }

  private holdSeats(command: HoldSeats, now: number): NaiveOutcome {
    const { person } = command.actor
    const isMine = (ordinal: number) => this.holderOf(ordinal)?.userId === person.userId
    const wanted = command.ordinals.filter(ordinal => !isMine(ordinal))
    if (wanted.length > 0) {
      const refused =
        this.notOnSale(now) ??
        this.tooMany(wanted.length, person) ??
        this.closed(wanted, person) ??
        this.brokenWhole(wanted, ordinal => command.ordinals.includes(ordinal) || isMine(ordinal)) ??
        this.taken(wanted, now) ??
        this.keptFrom(person.userId, wanted, command.ordinals) ??
        this.overLimits(
          command,
          {
            places: wanted.length,
            wheelchairs: wanted.filter(ordinal => this.isWheelchair(ordinal)).length,
          },
          now,
        )
      if (refused) return { refused }
      this.lastCall(person.userId, now)
    }
    const holds = command.ordinals.map((ordinal, i) => {
      if (isMine(ordinal)) return answer(this.holderOf(ordinal)!)
      const zoneIndex = this.plan.seats.zoneOf[ordinal]!
      return this.make(command, { holdId: command.holdIds[i]!, ordinal, zoneIndex, quantity: 1 }, now)
    })
    return { holds, skipped: [] }
  }

  private holdPlaces(command: HoldPlaces, now: number): NaiveOutcome {
    const { zoneIndex, quantity, holdId, actor } = command
    const zone = this.zones[zoneIndex]!
    const closed = this.notOnSale(now) ?? this.tooMany(quantity, actor.person)
    if (closed) return { refused: closed }
    if (zone.disabled) return { refused: { kind: 'zone_at_capacity', available: 0 } }
    const shut = this.shut(zone, actor.person)
    if (shut) return { refused: shut }
    const available = this.freePlaces(zoneIndex)
    if (available < quantity) return { refused: { kind: 'zone_at_capacity', available } }
    const overLimits = this.overLimits(command, { wheelchairs: 0, places: quantity }, now)
    if (overLimits) return { refused: overLimits }
    this.lastCall(actor.person.userId, now)
    return { holds: [this.make(command, { holdId, ordinal: null, zoneIndex, quantity }, now)], skipped: [] }
  }

  private make(
    { actor }: Pick<HoldSeats, 'actor'>,
    place: Pick<NaiveHold, 'holdId' | 'ordinal' | 'zoneIndex' | 'quantity'>,
    now: number,
  ): HoldAnswer {
    const ttlMs = this.settings.policy.default_hold_ttl_seconds * 1000
    const { userId } = actor.person
    const [other] = this.cartOf(userId)
    const hold: NaiveHold = {
      ...place,
      userId,
      ip: actor.ip,
      createdAt: now,
      takenBy: userId,
      taken: place.quantity,
      heldUntil: other?.heldUntil ?? now + ttlMs,
      capUntil: other?.capUntil ?? now + ttlMs + 20 * MINUTE,
      payment: null,
      status: 'active',
      isTidied: false,
    }
    this.holds.push(hold)
    return { ...answer(hold), isNew: true }
  }

  private cartOf(userId: string): NaiveHold[] {
    return this.holds.filter(hold => hold.userId === userId && hold.status === 'active')
  }

  private moveCart(userId: string, heldUntil: number): void {
    for (const hold of this.cartOf(userId)) hold.heldUntil = Math.max(hold.heldUntil, heldUntil)
  }

  /** A buyer who takes one more has two minutes, or half the time of a hold. */
  private lastCall(userId: string, now: number): void {
    const half = (this.settings.policy.default_hold_ttl_seconds * 1000) / 2
    for (const hold of this.cartOf(userId)) {
      const most = hold.capUntil - 15 * MINUTE
      hold.heldUntil = Math.max(hold.heldUntil, Math.min(now + Math.min(2 * MINUTE, half), most))
    }
  }

  private transfer({ from, actor }: Transfer): NaiveOutcome {
    const { userId, role } = actor.person
    const moving = from === userId ? [] : this.cartOf(from)
    if (moving.length === 0) return { holds: [], skipped: [] }
    const { status, policy } = this.settings
    if (status === 'cancelled' || status === 'archived') {
      return { refused: { kind: 'event_not_available', status } }
    }
    if (moving.some(hold => hold.payment)) return { refused: { kind: 'hold_in_payment' } }
    const denied = this.denied(moving, actor.person)
    if (denied) return { refused: denied }
    const cart = [...this.cartOf(userId), ...moving]
    const places = sum(cart.map(hold => hold.quantity))
    const limits = [
      ['max_seats_per_booking', places],
      ['max_holds_per_user', places],
      ['max_wheelchair_seats_per_booking', cart.filter(hold => this.isWheelchair(hold.ordinal)).length],
    ] as const
    for (const [quota, count] of role === 'customer' ? limits : []) {
      const limit = policy[quota]
      if (limit === null || count <= limit) continue
      if (quota === 'max_seats_per_booking') return { refused: { kind: 'too_many_seats', limit } }
      return { refused: { kind: 'quota_exceeded', limit, quota } }
    }
    const heldUntil = Math.max(...cart.map(hold => hold.heldUntil))
    const capUntil = Math.min(...cart.map(hold => hold.capUntil))
    if (heldUntil > capUntil) return { refused: { kind: 'carts_end_too_far_apart' } }
    for (const hold of cart) Object.assign(hold, { userId, heldUntil, capUntil })
    return { holds: moving.map(hold => answer(hold)), skipped: [] }
  }

  private denied(holds: NaiveHold[], person: Person): HoldRefusal | null {
    for (const { zoneIndex } of holds) {
      const required = missingForZone(this.zones[zoneIndex]!.access, person)
      if (required) return { kind: 'zone_access_denied', required }
    }
    return null
  }

  /** Every place in the loge but one needs a guest, who has the gold membership or is on the whitelist. */
  private withoutGuests(holds: NaiveHold[], guests: NamedGuests = NO_GUESTS): HoldRefusal | null {
    const places = holds
      .filter(({ zoneIndex }) => this.zones[zoneIndex]!.access.accessMode === 'membership_tier')
      .flatMap(({ holdId, quantity }) =>
        Array.from({ length: quantity }, (_, place) => {
          return { holdId, place, guest: guests.byHold[holdId]?.[place] ?? null }
        }),
      )
    const stranger = places.find(({ guest }) => {
      const isGold = guest?.membershipTier === 'gold' && guest.membershipStatus === 'active'
      return guest && !guest.isOnWhitelist && !isGold
    })
    if (stranger) {
      const { holdId, place } = stranger
      const required = { mode: 'membership_tier' as const, membershipTier: 'gold' }
      return { kind: 'guest_not_allowed', holdId, place, required }
    }
    const own = places.filter(({ guest }) => !guest)
    const missing = own.length - (guests.hasOwnTicket ? 0 : 1)
    const holdIds = [...new Set(own.map(({ holdId }) => holdId))]
    return own.length > 0 && missing > 0 ? { kind: 'guests_not_named', holdIds, missing } : null
  }

  private isWheelchair(ordinal: number | null): boolean {
    return ordinal !== null && SEAT_CATEGORIES[this.plan.seats.category[ordinal]!] === 'wheelchair'
  }

  private isCompanion(ordinal: number): boolean {
    return SEAT_CATEGORIES[this.plan.seats.category[ordinal]!] === 'companion'
  }

  private allSeats(): number[] {
    return [...this.plan.seats.zoneOf.keys()]
  }

  /** In this house a zone is one row, without an aisle. */
  private isSameRow(a: number, b: number): boolean {
    return this.plan.seats.zoneOf[a] === this.plan.seats.zoneOf[b]
  }

  /** Returns the wheelchair place of a companion seat that is kept now. */
  keptPlace(ordinal: number): number | null {
    if (!this.isCompanion(ordinal) || !this.settings.policy.enforce_accessibility_rules) return null
    if (this.released.has(this.plan.seats.zoneOf[ordinal]!)) return null
    const beside = [ordinal - 1, ordinal + 1].filter(place => this.isSameRow(place, ordinal))
    return beside.find(place => this.isWheelchair(place)) ?? null
  }

  /** Holds it or has bought it. */
  owns(userId: string, ordinal: number): boolean {
    return this.paysFor(userId, ordinal) || this.holderOf(ordinal)?.userId === userId
  }

  /** Has bought it, or is about to. */
  paysFor(userId: string, ordinal: number): boolean {
    return this.holds.some(
      hold =>
        hold.ordinal === ordinal &&
        hold.userId === userId &&
        (hold.status === 'converted' || (hold.status === 'active' && hold.payment !== null)),
    )
  }

  private keptFrom(
    userId: string,
    wanted: readonly number[],
    taken: readonly number[],
    owns: (userId: string, place: number) => boolean = (user, place) => this.owns(user, place),
  ): HoldRefusal | null {
    const kept = wanted.filter(ordinal => {
      const place = this.keptPlace(ordinal)
      return place !== null && !taken.includes(place) && !owns(userId, place)
    })
    return kept.length > 0 ? { kind: 'companion_reserved', seatIds: this.idsOf(kept) } : null
  }

  /** Returns whether enough of a zone is taken; what is not tidied up yet counts. */
  isFilled(zoneIndex: number): boolean {
    const { policy } = this.settings
    if (!policy.enforce_accessibility_rules || !this.allSeats().some(seat => this.isIn(seat, zoneIndex))) {
      return false
    }
    const taken = this.holds.filter(
      hold =>
        hold.zoneIndex === zoneIndex &&
        (hold.status === 'active' ||
          hold.status === 'converted' ||
          (hold.status === 'expired' && !hold.isTidied)),
    ).length
    const blocked = [...this.blocked].filter(ordinal => this.plan.seats.zoneOf[ordinal] === zoneIndex).length
    const open = this.zones[zoneIndex]!.capacity - blocked
    return taken > 0 && taken / open >= policy.companion_release_occupancy_threshold / 100
  }

  private isIn(ordinal: number, zoneIndex: number): boolean {
    return this.plan.seats.zoneOf[ordinal] === zoneIndex && this.isCompanion(ordinal)
  }

  isSoldWith(a: number | null, b: number | null): boolean {
    return a !== null && b !== null && this.wholeOf(a)?.includes(b) === true
  }

  private wholeOf(ordinal: number): number[] | null {
    const { wholes, rows } = this.plan.seats.hall
    const groups = wholes.map(positions => [...positions].map(at => rows.ordinals[at]!))
    return groups.find(group => group.includes(ordinal)) ?? null
  }

  private brokenWhole(wanted: readonly number[], has: (ordinal: number) => boolean): HoldRefusal | null {
    const broken = wanted.flatMap(ordinal => {
      const whole = this.wholeOf(ordinal)
      return whole && !whole.every(has) ? whole : []
    })
    const seatIds = this.idsOf([...new Set(broken)].sort((a, b) => a - b))
    return seatIds.length > 0 ? { kind: 'sold_as_a_whole', seatIds } : null
  }

  private orderRefused(
    holds: NaiveHold[],
    { allowStranding }: { allowStranding?: boolean },
  ): HoldRefusal | null {
    const { userId } = holds[0]!
    const order = holds.flatMap(({ ordinal }) => (ordinal === null ? [] : [ordinal]))
    const refused =
      this.keptFrom(userId, order, order, (user, place) => this.paysFor(user, place)) ??
      this.brokenWhole(order, ordinal => order.includes(ordinal))
    if (refused || !this.settings.policy.orphan_avoidance_strict || allowStranding) return refused
    const cart = order.filter(ordinal => !this.wholeOf(ordinal))
    if (cart.length === 0) return null
    // Seats that the buyer holds besides and does not pay for are free: they may give them back.
    const isFree = (ordinal: number) => {
      const isTheirs =
        this.owns(userId, ordinal) && !this.paysFor(userId, ordinal) && !order.includes(ordinal)
      return (isTheirs || this.statusOf(ordinal) === 'available') && this.keptPlace(ordinal) === null
    }
    const stranded = this.allSeats().filter(ordinal => this.isStranded(ordinal, cart, isFree))
    if (stranded.length === 0 || !this.couldSit(cart, isFree)) return null
    // Other tests show which alternatives there are.
    return { kind: 'would_strand_seats', seatIds: this.idsOf(stranded), alternatives: [] }
  }

  private isStranded(
    ordinal: number,
    cart: readonly number[],
    isFree: (ordinal: number) => boolean,
  ): boolean {
    const isLeft = (seat: number) => isFree(seat) && !cart.includes(seat)
    const beside = [ordinal - 1, ordinal + 1].filter(seat => this.isSameRow(seat, ordinal))
    if (!isLeft(ordinal) || this.isWheelchair(ordinal) || this.wholeOf(ordinal)) return false
    return beside.some(seat => cart.includes(seat)) && !beside.some(isLeft)
  }

  /**
   * Returns whether as many seats, of the same zones, are free that leave none alone: all of them are tried.
   */
  private couldSit(cart: readonly number[], isFree: (ordinal: number) => boolean): boolean {
    const { hall, zoneOf } = this.plan.seats
    const seats = new FreeSeats(hall, ordinal => isFree(ordinal) || cart.includes(ordinal))
    seats.update()
    const companions = cart.filter(ordinal => this.isCompanion(ordinal)).length
    const wheelchair = cart.filter(ordinal => this.isWheelchair(ordinal)).length
    const wish = {
      quantity: cart.length,
      zones: this.zones.map((_, zoneIndex) => cart.some(ordinal => zoneOf[ordinal] === zoneIndex)),
      prices: null,
      together: false,
      maxSplit: this.settings.policy.max_group_split,
      offer: companions > 0 ? OFFER.general | OFFER.companion : OFFER.general,
    }
    if (wheelchair > 0) {
      const isCompanionFree = (ordinal: number) =>
        cart.includes(ordinal) || isFree(ordinal) || this.statusOf(ordinal) === 'available'
      const found = findAccessible(seats, { ...wish, wheelchair, companions }, isCompanionFree)
      return found?.stranded.length === 0
    }
    const offered = (at: number) => wish.zones[zoneOf[hall.rows.ordinals[at]!]!] === true
    const rank = bestOfAllWays(seats, wish, offered)
    return rank !== null && rank[3] === 0
  }

  private sell(command: Sell, now: number): NaiveOutcome {
    const { buyer, checkoutId } = command
    const found: NaiveHold[] = []
    for (const { holdId, ended } of command.holds) {
      const hold = this.holds.find(each => each.holdId === holdId)
      const isThere = this.find(holdId) !== undefined
      const isTheirs = hold?.userId === buyer.userId
      if (!hold || !isTheirs || !(isThere || ended)) return { refused: { kind: 'hold_not_found' } }
      found.push(hold)
    }
    if (found.length === 0) return { refused: { kind: 'hold_not_found' } }
    const { status } = this.settings
    if (status === 'cancelled' || status === 'archived') {
      return { refused: { kind: 'event_not_available', status } }
    }
    const isAlive = (hold: NaiveHold) => hold.status === 'active'
    if (found.some(hold => isAlive(hold) && hold.payment && hold.payment.checkoutId !== checkoutId)) {
      return { refused: { kind: 'hold_in_payment' } }
    }
    const late = found.filter(hold => !isAlive(hold))
    const isGone = late.some(({ ordinal, zoneIndex }) => {
      if (this.zones[zoneIndex]!.disabled) return true
      if (ordinal === null) {
        const places = sum(late.filter(other => other.zoneIndex === zoneIndex).map(other => other.quantity))
        return this.freePlaces(zoneIndex) < places
      }
      const twice = late.filter(other => other.ordinal === ordinal).length > 1
      return twice || this.statusOf(ordinal) !== 'available'
    })
    if (isGone) return { refused: { kind: 'hold_expired' } }
    const refused = this.denied(found, buyer) ?? this.withoutGuests(found, command.guests)
    if (refused) return { refused }
    const quantity = sum(found.map(hold => hold.quantity))
    if (quantity !== command.ticketIds.length) return { refused: { kind: 'hold_changed', quantity } }
    const order = this.orderRefused(found, command)
    if (order) return { refused: order }
    const again = new Map<NaiveHold, HoldAnswer>()
    for (const hold of late) {
      const { againAs } = command.holds.find(each => each.holdId === hold.holdId)!
      const { ordinal, zoneIndex } = hold
      const actor = { person: buyer, ip: null, source: 'admin' as const }
      const place = { holdId: againAs, ordinal, zoneIndex, quantity: hold.quantity }
      again.set(hold, this.make({ actor }, place, now))
      this.holds.at(-1)!.status = 'converted'
    }
    for (const hold of found.filter(isAlive)) hold.status = 'converted'
    return { holds: found.map(hold => again.get(hold) ?? answer(hold)), skipped: [] }
  }

  private voidTickets({ tickets }: Pick<VoidTickets, 'tickets'>): NaiveOutcome {
    const seats = tickets.flatMap(({ ordinal }) => (ordinal === null ? [] : [ordinal]))
    const broken = this.brokenWhole(seats, ordinal => seats.includes(ordinal))
    if (broken) return { refused: broken }
    for (const { ticketId } of tickets) {
      const ticket = this.tickets.find(each => each.ticketId === ticketId)!
      this.tickets = this.tickets.filter(each => each !== ticket)
      const hold = this.holds.find(each => each.holdId === ticket.holdId)!
      hold.quantity -= 1
      if (hold.quantity === 0) hold.status = 'voided'
    }
    return { holds: [], skipped: [] }
  }

  private moveTickets({ moves, buyer }: MoveTickets, now: number): NaiveOutcome {
    const { status } = this.settings
    if (status === 'cancelled' || status === 'archived') {
      return { refused: { kind: 'event_not_available', status } }
    }
    const zoneOf = (ordinal: number) => this.plan.seats.zoneOf[ordinal]!
    const to = moves.map(move => move.to)
    const from = moves.flatMap(({ ticket }) => (ticket.ordinal === null ? [] : [ticket.ordinal]))
    const disabled = this.idsOf(to.filter(ordinal => this.zones[zoneOf(ordinal)]!.disabled))
    if (disabled.length > 0) {
      return { refused: { kind: 'seat_not_available', seatIds: disabled, currentStatus: 'blocked' } }
    }
    const elsewhere = moves.filter(move => move.ticket.zoneIndex !== zoneOf(move.to)).map(move => move.to)
    const members = elsewhere.filter(
      ordinal => this.zones[zoneOf(ordinal)]!.access.accessMode === 'membership_tier',
    )
    const differ: HoldRefusal | null =
      members.length > 0
        ? { kind: 'seats_differ', seatIds: this.idsOf(members), reason: 'members_zone' }
        : null
    const refused =
      this.closed(elsewhere, buyer) ??
      differ ??
      this.brokenWhole(from, ordinal => from.includes(ordinal)) ??
      this.brokenWhole(to, ordinal => to.includes(ordinal)) ??
      this.taken(to, now) ??
      this.keptFrom(
        buyer.userId,
        to,
        to,
        (userId, place) => !from.includes(place) && this.paysFor(userId, place),
      )
    if (refused) return { refused }
    const actor = { person: buyer, ip: null, source: 'admin' as const }
    const holds = moves.map(({ to: ordinal, holdId }) => {
      const made = this.make({ actor }, { holdId, ordinal, zoneIndex: zoneOf(ordinal), quantity: 1 }, now)
      this.holds.at(-1)!.status = 'converted'
      return made
    })
    this.voidTickets({ tickets: moves.map(({ ticket }) => ticket) })
    return { holds, skipped: [] }
  }

  private release(command: Release): NaiveOutcome {
    const holds: HoldAnswer[] = []
    const skipped: Skipped[] = []
    const mayRelease = (hold: NaiveHold) =>
      command.reason === 'admin_override' ||
      (command.reason === 'user_cancelled'
        ? hold.userId === command.actor.person.userId
        : hold.payment?.checkoutId === command.checkoutId)
    const named = command.holdIds.map(holdId => this.find(holdId))
    const holdIds: string[] = [...command.holdIds]
    // A group that is sold as a whole is given back as a whole.
    for (const hold of command.reason === 'payment_failed' ? [] : named) {
      if (hold?.status !== 'active' || hold.ordinal === null) continue
      for (const ordinal of this.wholeOf(hold.ordinal) ?? []) {
        const other = this.holderOf(ordinal)
        if (other?.userId === hold.userId && !holdIds.includes(other.holdId)) holdIds.push(other.holdId)
      }
    }
    const found = holdIds.map(holdId => this.find(holdId)).map(hold => hold && mayRelease(hold) && hold)
    if (command.reason === 'user_cancelled' && found.some(hold => !hold)) {
      return { refused: { kind: 'hold_not_found' } }
    }
    const isKept = (hold: NaiveHold) =>
      hold.payment !== null &&
      (command.reason === 'user_cancelled' || (command.reason === 'admin_override' && !command.force))
    if (
      command.reason === 'user_cancelled' &&
      found.some(hold => hold && hold.status === 'active' && isKept(hold))
    ) {
      return { refused: { kind: 'hold_in_payment' } }
    }
    found.forEach((hold, i) => {
      const holdId = holdIds[i]! as HoldId
      if (!hold) skipped.push({ holdId, code: 'hold_not_found' })
      else if (hold.status === 'expired') skipped.push({ holdId, code: 'hold_expired' })
      else if (isKept(hold)) skipped.push({ holdId, code: 'hold_in_payment' })
      else {
        hold.status = 'cancelled'
        holds.push(answer(hold))
      }
    })
    return { holds, skipped }
  }

  private changeEvent({ status, saleStart, saleEnd, policy, zones = [] }: ChangeEvent): NaiveOutcome {
    for (const { zoneIndex, capacity } of zones) {
      const zone = this.zones[zoneIndex]!
      if (hasSeats(zone.zoneType)) continue
      const available = this.freePlaces(zoneIndex)
      if (capacity < zone.capacity - available) return { refused: { kind: 'zone_at_capacity', available } }
    }
    const old = this.settings
    this.settings = {
      ...old,
      status: status ?? old.status,
      saleStart: saleStart === undefined ? old.saleStart : saleStart,
      saleEnd: saleEnd === undefined ? old.saleEnd : saleEnd,
      policy: policy ?? old.policy,
    }
    for (const { zoneIndex, ...settings } of zones) {
      this.zones[zoneIndex] = { ...this.zones[zoneIndex]!, ...settings }
    }
    return { holds: [], skipped: [] }
  }

  private notOnSale(now: number): HoldRefusal | null {
    const { status, saleStart, lastStart } = this.settings
    const saleEnd = this.settings.saleEnd === null ? lastStart : this.settings.saleEnd
    if (status !== 'published' && status !== 'live') return { kind: 'event_not_available', status }
    const isClosed = (saleStart !== null && now < saleStart) || (saleEnd !== null && now > saleEnd)
    return isClosed ? { kind: 'event_sales_closed', saleStart, saleEnd } : null
  }

  private tooMany(count: number, { role }: Person): HoldRefusal | null {
    const limit = this.settings.policy.max_seats_per_booking
    return limit !== null && count > limit && role === 'customer' ? { kind: 'too_many_seats', limit } : null
  }

  private closed(wanted: number[], person: Person): HoldRefusal | null {
    const zoneOf = (ordinal: number) => this.zones[this.plan.seats.zoneOf[ordinal]!]!
    const seatIds = this.idsOf(wanted.filter(ordinal => zoneOf(ordinal).disabled))
    if (seatIds.length > 0) return { kind: 'seat_not_available', seatIds, currentStatus: 'blocked' }
    for (const ordinal of wanted) {
      const shut = this.shut(zoneOf(ordinal), person)
      if (shut) return shut
    }
    return null
  }

  private shut(zone: ZoneSettings, person: Person): HoldRefusal | null {
    const { policy } = this.settings
    const isReserved = zone.zoneType.endsWith('reserved') || zone.zoneType === 'reserved_seating'
    const rule =
      (!policy.allow_reserved_seating && isReserved && 'allow_reserved_seating') ||
      (!policy.allow_ga_seating && !isReserved && 'allow_ga_seating') ||
      (!policy.allow_vip_zones && zone.zoneType.startsWith('vip') && 'allow_vip_zones') ||
      (!policy.allow_hybrid_ga_reserved &&
        !isReserved &&
        this.zones.some(other => !other.disabled && hasSeats(other.zoneType)) &&
        'allow_hybrid_ga_reserved') ||
      (!policy.allowed_access_modes.includes(zone.access.accessMode) && 'allowed_access_modes')
    if (rule) return { kind: 'zone_not_sold', rule }
    const required = missingForZone(zone.access, person)
    return required && { kind: 'zone_access_denied', required }
  }

  private taken(wanted: number[], now: number): HoldRefusal | null {
    const gone = wanted.filter(ordinal => ['sold', 'blocked'].includes(this.statusOf(ordinal)))
    if (gone.length > 0) {
      const currentStatus = gone.some(ordinal => this.statusOf(ordinal) === 'sold') ? 'sold' : 'blocked'
      return { kind: 'seat_not_available', seatIds: this.idsOf(gone), currentStatus }
    }
    const held = wanted.filter(ordinal => this.holderOf(ordinal))
    if (held.length === 0) return null
    const last = Math.max(...held.map(ordinal => this.holderOf(ordinal)!.heldUntil))
    const expiresIn = Math.ceil((last - now) / 1000)
    return { kind: 'seat_held_by_another_user', seatIds: this.idsOf(held), expiresIn }
  }

  private overLimits(
    { actor }: HoldSeats | HoldBest | HoldPlaces,
    wanted: { wheelchairs: number; places: number },
    now: number,
  ): HoldRefusal | null {
    if (actor.person.role !== 'customer') return null
    const { policy } = this.settings
    const exceeds = (count: number, limit: number | null) => limit !== null && count > limit
    const { userId } = actor.person
    const placesOf = (holds: NaiveHold[]) => sum(holds.map(hold => hold.quantity))
    const cart = this.cartOf(userId)
    const fromHere = this.holds.filter(hold => hold.status === 'active' && hold.ip === actor.ip)
    const { wheelchairs } = wanted

    const perBooking = policy.max_seats_per_booking
    if (exceeds(placesOf(cart) + wanted.places, perBooking)) {
      return { kind: 'too_many_seats', limit: perBooking! }
    }
    const quotas = [
      ['max_holds_per_user', placesOf(cart) + wanted.places],
      ['max_holds_per_ip', actor.ip === null ? 0 : placesOf(fromHere) + wanted.places],
      [
        'max_wheelchair_seats_per_booking',
        wheelchairs === 0 ? 0 : cart.filter(hold => this.isWheelchair(hold.ordinal)).length + wheelchairs,
      ],
      ['holds_per_window', wanted.places],
    ] as const
    for (const [quota, count] of quotas) {
      if (exceeds(count, policy[quota])) return { kind: 'quota_exceeded', limit: policy[quota]!, quota }
    }

    const windowMs = policy.hold_window_seconds * 1000
    const takenSince = (from: number) =>
      sum(this.holds.filter(hold => hold.takenBy === userId && hold.createdAt > from).map(hold => hold.taken))
    // Try every second until they would fit.
    let retryAfterSeconds = 0
    while (
      exceeds(takenSince(now + retryAfterSeconds * 1000 - windowMs) + wanted.places, policy.holds_per_window)
    ) {
      retryAfterSeconds += 1
    }
    return retryAfterSeconds === 0 ? null : { kind: 'rate_limited', retryAfterSeconds }
  }

  private usable(
    holdIds: readonly string[],
    isTheirs: (hold: NaiveHold) => boolean | undefined,
  ): NaiveHold[] | HoldRefusal {
    const holds = holdIds.map(holdId => this.find(holdId)).filter(hold => hold !== undefined)
    if (holdIds.length === 0 || holds.length < holdIds.length || !holds.every(isTheirs)) {
      return { kind: 'hold_not_found' }
    }
    const { status } = this.settings
    if (status === 'cancelled' || status === 'archived') return { kind: 'event_not_available', status }
    if (holds.some(hold => hold.status === 'expired')) return { kind: 'hold_expired' }
    return holds
  }

  private find(holdId: string): NaiveHold | undefined {
    const hold = this.holds.find(each => each.holdId === holdId)
    return hold?.status === 'active' || (hold?.status === 'expired' && !hold.isTidied) ? hold : undefined
  }

  private idsOf(ordinals: number[]): SeatId[] {
    return ordinals.map(ordinal => this.plan.seats.seatIds.at(ordinal))
  }
}

export type NaiveOutcome = { refused: HoldRefusal } | { holds: HoldAnswer[]; skipped: Skipped[] }

interface NaiveHold extends Omit<HoldAnswer, 'isNew' | 'heldUntil' | 'quantity'> {
  userId: string
  quantity: number
  ip: string | null
  createdAt: number
  /** This is what `holds_per_window` counts, whatever becomes of it. */
  takenBy: string
  taken: number
  heldUntil: number
  capUntil: number
  payment: { checkoutId: string } | null
  /** A sale of which every ticket is void: `voided`. */
  status: 'active' | 'converted' | 'voided' | 'expired' | 'cancelled'
  isTidied: boolean
}

const MINUTE = 60_000

function answer({ holdId, ordinal, zoneIndex, quantity, heldUntil }: NaiveHold): HoldAnswer {
  return { holdId, ordinal, zoneIndex, quantity, heldUntil, isNew: false }
}

function sum(numbers: number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}
