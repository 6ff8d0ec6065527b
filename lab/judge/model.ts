import { type Entry, type EventPlan, policiesDuring } from './record.ts'
import { SeatRules } from './seat-rules.ts'

/**
 * The model of an event is as simple as it can be: seats, holds, counters, and what each entry of the journal
 * does to them. It was written from the rules and shares no code with the engine.
 *
 * A step that breaks a rule says so, and then happens all the same, so that what follows can be judged.
 */
export interface ModelHold {
  readonly id: string
  user: string
  readonly ordinal: number | null
  readonly zone: number
  quantity: number
  readonly madeBy: Entry
  /** The hold belonged to each user, and had each quantity, from that entry on. */
  readonly owners: { readonly seq: number; readonly user: string }[]
  readonly quantities: { readonly seq: number; readonly quantity: number }[]
  /** It was moved by these entries, and ran until then. */
  readonly untils: { readonly seq: number; readonly heldUntil: number }[]
  heldUntil: number
  capUntil: number
  checkout: string | null
  endedBy: Entry | null
  status: 'active' | 'expired' | 'cancelled' | 'converted'
}

export interface ModelSeat {
  status: 'available' | 'held' | 'sold' | 'blocked'
  hold: ModelHold | null
  ticket: string | null
  version: number
}

export interface Broken {
  readonly invariant: number
  readonly rule: string
  readonly other?: Entry
}

const EXTENSION_MS = 5 * 60_000
const PAYMENT_MS = 15 * 60_000

const GRANTS = new Set([
  'seat_reserved',
  'seat_hold_extended',
  'hold_reduced',
  'hold_transferred',
  'payment_started',
  'seat_converted',
])

export class Model {
  readonly plan: EventPlan
  seq = 0
  at = Number.NEGATIVE_INFINITY
  readonly seats = new Map<number, ModelSeat>()
  /** All that ever were. */
  readonly holds = new Map<string, ModelHold>()
  readonly zones: { held: number; sold: number; blocked: number; readonly live: Set<ModelHold> }[]
  readonly #liveOf = new Map<string, Set<ModelHold>>()
  readonly #tickets = new Set<string>()
  /** Valid tickets stand for these places. */
  readonly #valid = new Map<string, { readonly ordinal: number | null; readonly zone: number }>()
  isCancelled = false
  readonly #paymentMs: number
  /** Null: no seat has to do with another. */
  readonly seatRules: SeatRules | null
  #command: string | null = null
  /** The command moves the cart of this user. */
  #mover: string | null = null
  /** The command takes places for a user, first by this entry. */
  #taken: Entry | null = null
  /** The command moves holds away from this user, last by this entry. */
  #transfer: { readonly from: string; readonly entry: Entry } | null = null
  /** The times of holds as they were before the command moved them. */
  readonly #before = new Map<ModelHold, { readonly heldUntil: number; readonly capUntil: number }>()

  constructor(plan: EventPlan) {
    this.plan = plan
    this.#paymentMs = plan.paymentMs ?? PAYMENT_MS
    this.seatRules = plan.seatRules ? new SeatRules(plan.seatRules, this) : null
    this.zones = plan.zones.map(() => ({ held: 0, sold: 0, blocked: 0, live: new Set() }))
  }

  liveOf(user: string): ReadonlySet<ModelHold> {
    return this.#liveOf.get(user) ?? NONE
  }

  totals(): { held: number; sold: number; blocked: number } {
    const sum = { held: 0, sold: 0, blocked: 0 }
    for (const zone of this.zones) {
      sum.held += zone.held
      sum.sold += zone.sold
      sum.blocked += zone.blocked
    }
    return sum
  }

  step(entry: Entry): Broken[] {
    const broken: Broken[] = []
    if (entry.seq !== this.seq + 1) broken.push({ invariant: 11, rule: 'the journal has no gap' })
    if (entry.at < this.at) broken.push({ invariant: 6, rule: 'the time of the journal only goes up' })
    // A cart is moved by several entries of one command: it is looked at when the next command begins.
    if (entry.command !== this.#command) {
      this.#endCommand(entry.at, broken)
      this.#command = entry.command
      this.#mover = null
      this.#before.clear()
    }
    this.seq = entry.seq
    this.at = Math.max(this.at, entry.at)
    if (this.isCancelled && GRANTS.has(entry.kind)) {
      broken.push({ invariant: 4, rule: 'nothing is granted once the event is cancelled' })
    }
    if (entry.body.reason === 'event_cancelled' && !this.isCancelled) {
      broken.push({ invariant: 4, rule: 'only a cancelled event takes its holds away' })
    }
    switch (entry.kind) {
      case 'seat_reserved':
        this.#reserve(entry, broken)
        break
      case 'seat_hold_extended':
        this.#extend(entry, broken)
        break
      case 'hold_reduced':
        this.#reduce(entry, broken)
        break
      case 'hold_transferred':
        this.#moveToUser(entry, broken)
        break
      case 'payment_started':
        this.#startPayment(entry, broken)
        break
      case 'seat_hold_expired':
      case 'seat_released':
      case 'seat_converted':
        this.#end(entry, broken)
        break
      case 'seat_blocked':
      case 'seat_unblocked':
        this.#block(entry, broken)
        break
      case 'ticket_voided':
        this.#void(entry, broken)
        break
      case 'event_changed':
        this.isCancelled ||= entry.body.status === 'cancelled'
        break
      case 'companions_released':
        if (!this.seatRules) broken.push({ invariant: 20, rule: 'only companion seats are released' })
        break
      default:
        broken.push({ invariant: 11, rule: 'every entry is of a kind we know' })
    }
    this.seatRules?.note(entry, broken)
    return broken
  }

  /** After the last entry: what is looked at when a command has ended. */
  finish(): Broken[] {
    const broken: Broken[] = []
    this.#endCommand(this.at, broken)
    return broken
  }

  #endCommand(at: number, broken: Broken[]): void {
    if (this.#mover !== null) this.#oneEnd(this.#mover, at, broken)
    this.#endTransfer(broken)
    // Not before: a sale that comes late takes its places again and sells them at once, whatever the limit.
    if (this.#taken && this.#isOverLimit(this.#taken)) {
      const rule = 'no buyer has more places than the limit'
      broken.push({ invariant: 16, rule, other: this.#taken })
    }
    this.#taken = null
    this.seatRules?.endCommand(broken)
  }

  seat(ordinal: number): ModelSeat {
    let seat = this.seats.get(ordinal)
    if (!seat) {
      seat = { status: 'available', hold: null, ticket: null, version: 0 }
      this.seats.set(ordinal, seat)
    }
    return seat
  }

  #reserve(entry: Entry, broken: Broken[]): void {
    const { holdId = '', ordinal = null, zoneIndex = 0, quantity = 0, userId = '' } = entry.body
    const { heldUntil = 0, capUntil = 0 } = entry.body
    if (this.holds.has(holdId)) broken.push({ invariant: 4, rule: 'a hold is made once' })
    if (ordinal !== null) {
      const seat = this.seat(ordinal)
      if (seat.status === 'sold') {
        broken.push({ invariant: 1, rule: 'a sold seat is not given again', ...other(seat.hold?.endedBy) })
      } else if (seat.status === 'held') {
        broken.push({ invariant: 1, rule: 'a held seat is not given again', ...other(seat.hold?.madeBy) })
      } else if (seat.status === 'blocked') {
        broken.push({ invariant: 4, rule: 'a blocked seat is not given' })
      }
    }
    const cart = this.#livingOf(userId, entry.at)
    const policies = policiesDuring(this.plan, entry.at, entry.committedAt ?? entry.at)
    if (cart.length > 0) {
      const joins = cart.every(other => other.heldUntil === heldUntil && other.capUntil === capUntil)
      if (!joins)
        broken.push({ invariant: 19, rule: 'a new hold ends with the cart it joins', other: cart[0]!.madeBy })
    } else if (policies.every(({ ttlMs }) => heldUntil !== entry.at + ttlMs)) {
      broken.push({ invariant: 7, rule: 'the first hold of a cart lasts as long as the policy says' })
    } else if (capUntil !== heldUntil + EXTENSION_MS + this.#paymentMs) {
      broken.push({ invariant: 7, rule: 'the cap is twenty minutes after the first end' })
    }
    const zone = this.zones[zoneIndex]!
    const { capacity } = this.plan.zones[zoneIndex]!
    if (zone.held + zone.sold + zone.blocked + quantity > capacity) {
      broken.push({ invariant: 5, rule: 'a zone never holds more than its capacity' })
    }
    this.#taken ??= entry
    const live = this.#liveOf.get(userId) ?? new Set()
    const hold: ModelHold = {
      id: holdId,
      user: userId,
      ordinal,
      zone: zoneIndex,
      quantity,
      madeBy: entry,
      owners: [{ seq: entry.seq, user: userId }],
      quantities: [{ seq: entry.seq, quantity }],
      untils: [{ seq: entry.seq, heldUntil }],
      heldUntil,
      capUntil,
      checkout: null,
      endedBy: null,
      status: 'active',
    }
    this.holds.set(holdId, hold)
    live.add(hold)
    this.#liveOf.set(userId, live)
    zone.live.add(hold)
    zone.held += quantity
    this.#move(entry, broken, 'held', hold)
  }

  #extend(entry: Entry, broken: Broken[]): void {
    const hold = this.#active(entry, broken)
    if (!hold) return
    this.#mustBeAlive(entry, hold, broken, 'nothing is extended after its end')
    if (entry.body.capUntil !== undefined) {
      // A cart that another one joins: its new times are looked at when the command has ended.
      this.#join(entry, hold, broken)
      this.#move(entry, broken, 'held', hold)
      return
    }
    // The last fifteen minutes before the cap are for a payment.
    const isPaying = this.#livingOf(hold.user, entry.at).some(({ checkout }) => checkout !== null)
    this.#postpone(entry, hold, isPaying ? hold.capUntil : hold.capUntil - this.#paymentMs, broken)
    this.#move(entry, broken, 'held', hold)
  }

  #startPayment(entry: Entry, broken: Broken[]): void {
    const hold = this.#active(entry, broken)
    if (!hold) return
    this.#mustBeAlive(entry, hold, broken, 'no payment starts after the end of the hold')
    if (hold.checkout !== null) broken.push({ invariant: 4, rule: 'a hold goes into payment once' })
    const most = Math.max(hold.heldUntil, entry.at + this.#paymentMs)
    this.#postpone(entry, hold, Math.min(hold.capUntil, most), broken)
    hold.checkout = entry.body.checkoutId ?? null
    this.#move(entry, broken, 'held', hold)
  }

  #reduce(entry: Entry, broken: Broken[]): void {
    const hold = this.#active(entry, broken)
    if (!hold) return
    const { quantity = 0, freed = 0 } = entry.body
    this.#mustBeAlive(entry, hold, broken, 'nothing is reduced after its end')
    if (hold.checkout !== null) broken.push({ invariant: 4, rule: 'a hold in payment keeps its places' })
    if (quantity < 1 || freed < 1 || quantity + freed !== hold.quantity) {
      const rule = 'a reduced hold frees as many places as it loses'
      broken.push({ invariant: 5, rule, other: hold.madeBy })
    }
    this.zones[hold.zone]!.held -= freed
    hold.quantity = quantity
    hold.quantities.push({ seq: entry.seq, quantity })
  }

  #moveToUser(entry: Entry, broken: Broken[]): void {
    const hold = this.#active(entry, broken)
    if (!hold) return
    const { userId = '' } = entry.body
    this.#mustBeAlive(entry, hold, broken, 'nothing changes hands after its end')
    if (hold.checkout !== null) broken.push({ invariant: 4, rule: 'a hold in payment keeps its owner' })
    if (userId === hold.user) broken.push({ invariant: 4, rule: 'a hold goes to another user, once' })
    else this.#transfer = { from: hold.user, entry }
    this.#join(entry, hold, broken)
    this.#liveOf.get(hold.user)?.delete(hold)
    hold.user = this.#mover = userId
    hold.owners.push({ seq: entry.seq, user: userId })
    const live = this.#liveOf.get(userId) ?? new Set()
    this.#liveOf.set(userId, live.add(hold))
    this.#move(entry, broken, 'held', hold)
  }

  #join(entry: Entry, hold: ModelHold, broken: Broken[]): void {
    const { capUntil = 0 } = entry.body
    if (!this.#before.has(hold)) this.#before.set(hold, { ...hold })
    if (capUntil > hold.capUntil) broken.push({ invariant: 7, rule: 'a cap never moves to a later time' })
    this.#postpone(entry, hold, capUntil, broken)
    hold.capUntil = capUntil
  }

  /** A cart changes hands as a whole, within the limit of its new owner. Carts that join have one clock. */
  #endTransfer(broken: Broken[]): void {
    if (!this.#transfer) return
    const { from, entry } = this.#transfer
    this.#transfer = null
    const left = this.#livingOf(from, entry.at)
    if (left.length > 0) {
      broken.push({ invariant: 18, rule: 'a cart changes hands as a whole', other: left[0]!.madeBy })
    }
    const cart = this.#livingOf(entry.body.userId ?? '', entry.at)
    let heldUntil = 0
    let capUntil = Number.POSITIVE_INFINITY
    for (const hold of cart) {
      const before = this.#before.get(hold) ?? hold
      heldUntil = Math.max(heldUntil, before.heldUntil)
      capUntil = Math.min(capUntil, before.capUntil)
    }
    if (this.#isOverLimit(entry)) {
      broken.push({ invariant: 16, rule: 'no buyer is given more places than the limit', other: entry })
    }
    if (cart.some(hold => hold.heldUntil !== heldUntil || hold.capUntil !== capUntil)) {
      broken.push({
        invariant: 19,
        rule: 'carts that join have the later end and the earlier cap',
        other: entry,
      })
    }
  }

  /** Says it of the user for whom the entry is, once its command has ended. */
  #isOverLimit({ at, committedAt = at, body }: Entry): boolean {
    const policies = policiesDuring(this.plan, at, committedAt)
    const limit = Math.max(...policies.map(policy => policy.maxHoldsPerUser ?? Number.POSITIVE_INFINITY))
    return this.#livingOf(body.userId ?? '', at).reduce((sum, { quantity }) => sum + quantity, 0) > limit
  }

  #postpone(entry: Entry, hold: ModelHold, most: number, broken: Broken[]): void {
    const { heldUntil = 0 } = entry.body
    if (heldUntil < hold.heldUntil) broken.push({ invariant: 7, rule: 'held_until never moves back' })
    if (heldUntil > most) broken.push({ invariant: 7, rule: 'held_until never moves past its cap' })
    this.#mover = hold.user
    hold.heldUntil = heldUntil
    hold.untils.push({ seq: entry.seq, heldUntil })
  }

  #livingOf(user: string, at: number): ModelHold[] {
    return [...this.liveOf(user)].filter(hold => hold.heldUntil > at)
  }

  #oneEnd(user: string, at: number, broken: Broken[]): void {
    const [first, ...others] = this.#livingOf(user, at)
    const apart = others.find(hold => hold.heldUntil !== first!.heldUntil)
    if (apart)
      broken.push({ invariant: 19, rule: "a buyer's living holds end together", other: apart.madeBy })
  }

  #end(entry: Entry, broken: Broken[]): void {
    const hold = this.#active(entry, broken)
    if (!hold) return
    const zone = this.zones[hold.zone]!
    zone.held -= hold.quantity
    zone.live.delete(hold)
    this.#liveOf.get(hold.user)?.delete(hold)
    hold.endedBy = entry
    if (entry.kind === 'seat_hold_expired') {
      if (entry.at < hold.heldUntil) broken.push({ invariant: 4, rule: 'no hold expires before its time' })
      hold.status = 'expired'
      this.#move(entry, broken, 'available', null)
    } else if (entry.kind === 'seat_released') {
      this.#mustBeAlive(entry, hold, broken, 'what has run out is not released but expires')
      hold.status = 'cancelled'
      this.#move(entry, broken, 'available', null)
    } else {
      this.#mustBeAlive(entry, hold, broken, 'no ticket for a hold that has run out')
      this.#issueTickets(entry, hold, broken)
      hold.status = 'converted'
      zone.sold += hold.quantity
      this.#move(entry, broken, 'sold', hold)
    }
  }

  #issueTickets(entry: Entry, hold: ModelHold, broken: Broken[]): void {
    const { ticketIds = [], userId, checkoutId } = entry.body
    if (ticketIds.length !== hold.quantity) broken.push({ invariant: 3, rule: 'a ticket for each place' })
    if (userId !== hold.user) broken.push({ invariant: 3, rule: 'a ticket is for the user who held' })
    if (hold.checkout !== null && hold.checkout !== checkoutId) {
      broken.push({ invariant: 3, rule: 'a hold in payment is converted by its own checkout' })
    }
    for (const id of ticketIds) {
      if (this.#tickets.has(id)) broken.push({ invariant: 3, rule: 'a ticket comes from one hold' })
      this.#tickets.add(id)
      this.#valid.set(id, { ordinal: hold.ordinal, zone: hold.zone })
    }
  }

  /** Sold ends in one way only. */
  #void(entry: Entry, broken: Broken[]): void {
    const { ticketId = '', ordinal = null, zoneIndex = 0 } = entry.body
    const ticket = this.#valid.get(ticketId)
    if (!ticket) broken.push({ invariant: 3, rule: 'only a valid ticket becomes void, once' })
    else if (ticket.ordinal !== ordinal || ticket.zone !== zoneIndex) {
      broken.push({ invariant: 3, rule: 'a ticket becomes void in its own place' })
    }
    if (ordinal !== null && this.seat(ordinal).ticket !== ticketId) {
      broken.push({ invariant: 2, rule: 'a sold seat is freed by its own ticket' })
    }
    this.#valid.delete(ticketId)
    this.zones[zoneIndex]!.sold -= 1
    this.#move(entry, broken, 'available', null)
  }

  #block(entry: Entry, broken: Broken[]): void {
    const { ordinal, zoneIndex = 0 } = entry.body
    const seat = this.seat(ordinal!)
    const blocks = entry.kind === 'seat_blocked'
    if (seat.status !== (blocks ? 'available' : 'blocked')) {
      broken.push({ invariant: 4, rule: 'only what is free is blocked, only what is blocked is freed' })
    }
    this.zones[zoneIndex]!.blocked += blocks ? 1 : -1
    this.#move(entry, broken, blocks ? 'blocked' : 'available', null)
  }

  #active(entry: Entry, broken: Broken[]): ModelHold | null {
    const hold = this.holds.get(entry.body.holdId ?? '')
    if (!hold) {
      broken.push({ invariant: 4, rule: 'only a hold that was made is changed' })
      return null
    }
    if (hold.status !== 'active') {
      broken.push({ invariant: 4, rule: 'what has ended stays ended', ...other(hold.endedBy) })
      return null
    }
    if (hold.ordinal !== (entry.body.ordinal ?? null)) {
      broken.push({ invariant: 4, rule: 'a hold is changed on its own seat', other: hold.madeBy })
    } else if (hold.ordinal !== null && this.seat(hold.ordinal).hold !== hold) {
      broken.push({ invariant: 1, rule: 'a seat is only changed by the hold it has now', other: hold.madeBy })
    }
    if (entry.kind !== 'hold_reduced' && entry.body.quantity !== hold.quantity) {
      broken.push({ invariant: 5, rule: 'a hold is changed with the places it has', other: hold.madeBy })
    }
    return hold
  }

  #mustBeAlive(entry: Entry, hold: ModelHold, broken: Broken[], rule: string): void {
    if (entry.at >= hold.heldUntil) broken.push({ invariant: 6, rule, other: hold.madeBy })
  }

  #move(entry: Entry, broken: Broken[], to: ModelSeat['status'], hold: ModelHold | null): void {
    const { ordinal, version } = entry.body
    if (ordinal === null || ordinal === undefined) return
    const seat = this.seat(ordinal)
    if (version !== seat.version + 1) {
      broken.push({ invariant: 4, rule: "a seat's version goes up by one" })
    }
    seat.version = version ?? seat.version + 1
    seat.status = to
    seat.hold = hold
    seat.ticket = to === 'sold' ? (entry.body.ticketIds?.[0] ?? null) : null
  }
}

const NONE: ReadonlySet<ModelHold> = new Set()

function other(entry: Entry | null | undefined): { other?: Entry } {
  return entry ? { other: entry } : {}
}
