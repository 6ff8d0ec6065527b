import { type FeedState, Refused, type SeatChanges } from '@voelgoed/client'
import { nearestFree } from '@voelgoed/core/allocation/nearest-free'
import type { SeatView } from '../../kit/live-seats/live-seats.ts'
import { keepTrying } from '../../kit/state/keep-trying.ts'
import type { Session } from '../../kit/state/session.svelte.ts'
import { AVAILABLE, hallOf, type SeatStatus } from '../../map/index.ts'
import { stepsTo, wholesWith, withWholes } from './cart/cart-advice.ts'
import { isLostAnswer, isPaid } from './cart/hold-answers.ts'
import { fullName, listOf, listOfHolds, ordinalOf } from './cart/hold-words.ts'
import { type CartPayment, type CartWarning, Holdings, type MyHold } from './cart/holdings.svelte.ts'
import { keepCompanions } from './cart/keep-companions.ts'
import { Notices } from './cart/notices.svelte.ts'
import { TicketChoices } from './cart/ticket-choices.svelte.ts'
import { estimateServerTime, keepLastKnown } from './hall/last-known.ts'
import { LiveEvent } from './hall/live-event.svelte.ts'
import { type Fullness, fullnessOf, isOver, type Sale } from './sale/sale.ts'

/** These say that the cart is not what the page believes. */
const STALE_CART: ReadonlySet<string> = new Set([
  'hold_not_found',
  'hold_expired',
  'hold_in_payment',
  'payment_undecided',
  'checkout_closed',
])
/** For so long the panel waits for what the buyer holds. */
const CART_MS = 600

/**
 * One event in front of a buyer: its seats as the server tells of them, and what the buyer does with them.
 * The server decides; what is shown before its answer is marked as pending, and corrected by the answer.
 */
export class Seating {
  readonly session: Session
  readonly eventId: string
  readonly holdings: Holdings
  readonly tickets: TicketChoices
  /** The page tells the buyer through these. */
  readonly notices = new Notices()
  readonly #live: LiveEvent
  #pending: ReadonlySet<number> = $state.raw(new Set())
  /** Holds that ended because the event did. */
  #endedHolds: readonly MyHold[] = $state.raw([])
  #looking: Promise<void> | null = null
  /** The order was paid at the moment of the last refusal. */
  #paidOrder: { readonly orderId: string | null } = { orderId: null }
  #hasLooked = $state(false)
  /** Seats whose answer was lost: a late effect of that request shows on the feed as held. */
  readonly #unsure = new Set<number>()
  /** A guest has chosen a seat that only members may have. */
  onMembersOnly: (zoneIndex: number) => void = () => {}
  /** A guest was told that signing in may help. */
  onSignIn: () => void = () => {}

  constructor(session: Session, eventId: string) {
    this.session = session
    this.eventId = eventId
    this.holdings = new Holdings(session, eventId)
    this.tickets = new TicketChoices(session, eventId)
    this.holdings.onLost = () => this.notices.dismiss()
    this.holdings.onVanished = (holds, payment) => void this.#onVanished(holds, payment)
    this.holdings.onKnown = () => {
      this.#keepLastKnown()
      this.#askForCompanions()
    }
    session.onTabMessage = message => {
      if (message.eventId === eventId) this.holdings.heard(message.released)
    }
    session.onVisitorChanged = () => {
      this.holdings.forgetAll()
      this.#look()
    }
    this.#live = new LiveEvent(session, eventId, {
      onEvent: () => this.#onEvent(),
      onSnapshot: () => {
        this.notices.reconnected()
        this.#askForCompanions()
      },
      onChanges: changes => this.#onChanges(changes),
      onBack: () => {
        this.#look()
        this.notices.say('good', words => words.event.backOnline)
      },
      onWake: () => {
        if (this.connection !== 'offline') this.notices.reconnected()
        this.#look()
      },
      onLastKnown: known => {
        const now = () => estimateServerTime(known, Date.now())
        this.holdings.showLastKnown(known.holds, known.heldUntil, now)
        this.#hasLooked = true
      },
    })
  }

  get event() {
    return this.#live.event
  }
  get model() {
    return this.#live.model
  }
  /** Null: the event has none, or they are not known. */
  get prices() {
    return this.#live.prices
  }
  get takesMoney() {
    return this.#live.takesMoney
  }
  get refused() {
    return this.#live.refused
  }
  get pending() {
    return this.#pending
  }
  get zoneCounts() {
    return this.#live.zoneCounts
  }
  get endedHolds() {
    return this.#endedHolds
  }
  /** Grows whenever a seat has changed. */
  get changes() {
    return this.#live.seats.changes
  }
  /** The server has not answered yet, and is being asked again and again. */
  get isWaiting() {
    return this.#live.isWaiting
  }
  get connection(): FeedState {
    return this.#live.connection
  }
  /** Says if seats can be taken now. The screens that show it follow the server's clock. */
  get sale(): Sale {
    return this.#live.sale
  }

  /** It was paid at the moment of the last refusal. */
  get paidOrderId(): string | null {
    return this.#paidOrder.orderId
  }

  get occupancy() {
    return this.#live.occupancy
  }
  /** While it sells: there is something to take, or why not. */
  get fullness(): Fullness {
    if (this.sale.kind !== 'open') return 'free'
    return fullnessOf(this.#live.occupancy, this.holdings.count)
  }

  readonly #mine: ReadonlySet<number> = $derived.by(() => {
    const { model } = this
    if (!model) return new Set<number>()
    return new Set(this.holdings.all.flatMap(hold => ordinalOf(model, hold) ?? []))
  })
  get mine() {
    return this.#mine
  }

  /** Free companion seats that are kept for this buyer, who holds the wheelchair place beside them. */
  get keptForMe(): readonly number[] {
    void this.#live.seats.changes
    return [...this.#live.seats.kept].filter(
      ordinal => !this.#mine.has(ordinal) && this.#live.seats.statusOf(ordinal) === AVAILABLE,
    )
  }

  /** False until the first snapshot: until then the page can not say of any seat that it is free. */
  get isKnown(): boolean {
    void this.#live.seats.changes
    return this.#live.seats.isKnown
  }

  statusOf(ordinal: number): SeatStatus {
    return this.#live.seats.statusOf(ordinal)
  }

  freeIn(firstOrdinal: number, seatCount: number): number {
    return this.#live.seats.freeIn(firstOrdinal, seatCount)
  }

  async open(): Promise<void> {
    // Beside the hall: the panel is right from the start, and the hall has its size at once.
    const cart = this.session.visitor && this.holdings.refresh().catch(() => {})
    const isThere = await this.#live.open()
    const giveUp = setTimeout(() => {
      this.#hasLooked = true
    }, CART_MS)
    await cart
    // The server may have answered before the event was known: that is kept now.
    if (this.holdings.isAnswered) this.#keepLastKnown()
    else if (isThere && !isOver(this.sale)) await this.#look()
    clearTimeout(giveUp)
    this.#hasLooked = true
  }

  /** The page knows the buyer's holds, as of now or of the last visit; or the server takes its time. */
  get hasLooked(): boolean {
    return this.#hasLooked
  }

  close(): void {
    this.#live.close()
    this.holdings.close()
    this.tickets.close()
  }

  attach(view: SeatView): () => void {
    return this.#live.seats.attach(view)
  }

  /** A seat was chosen: mine is released, a free one is asked for, any other is explained. */
  async toggle(ordinal: number): Promise<void> {
    const { model } = this
    if (!model || this.#pending.has(ordinal)) return
    if (!this.#isConnected()) return
    const mine = this.holdings.all.find(hold => ordinalOf(model, hold) === ordinal)
    if (mine) return this.release([mine])
    if (!this.canAsk()) return
    const zoneIndex = model.zoneOf[ordinal]!
    if (this.session.isGuest && model.zones[zoneIndex]?.accessMode !== 'public')
      return this.onMembersOnly(zoneIndex)
    const status = this.statusOf(ordinal)
    if (status === 0) {
      await this.take([ordinal])
      return
    }
    const explain = ['isHeld', 'isHeld', 'isSold', 'isBlocked'] as const
    this.notices.say('bad', words => words.taken[explain[status]](fullName(model, ordinal, words)), {
      nearby: this.#near(ordinal, 1),
    })
  }

  /** Returns if seats can be asked for now; if not, it tells the buyer why. */
  canAsk(): boolean {
    if (!this.#isConnected()) return false
    const { kind } = this.sale
    if (kind !== 'open') this.notices.say('bad', words => words.sale[kind])
    return kind === 'open'
  }

  #isConnected(): boolean {
    if (this.connection === 'offline')
      this.notices.say('bad', words => words.taken.offline, { isOfConnection: true })
    else if (!this.#live.seats.isKnown)
      this.notices.say('bad', words => words.event.connecting, { isOfConnection: true })
    else return true
    return false
  }

  /** Asks for seats together: all of them or none. Null: they are held. */
  async take(ordinals: readonly number[]): Promise<Refused | 'unknown' | null> {
    const model = this.model!
    this.notices.dismiss()
    this.#setPending([...this.#pending, ...ordinals])
    const refused = await this.asked(() =>
      this.holdings.takeSeats(ordinals.map(ordinal => model.seatIdOf(ordinal))),
    )
    this.#setPending([...this.#pending].filter(ordinal => !ordinals.includes(ordinal)))
    if (refused === null) {
      this.notices.say('good', words => words.taken.held(listOf(model, ordinals, words)))
      return null
    }
    if (refused === 'unknown') {
      for (const ordinal of ordinals) this.#unsure.add(ordinal)
      return refused
    }
    const gone = refused.is('seat_held_by_another_user') || refused.is('seat_not_available')
    if (gone) this.#correct(refused, ordinals)
    const isKept = refused.is('companion_reserved')
    const nearby = gone || isKept ? this.#near(ordinals[0]!, ordinals.length) : []
    const whole = refused.is('sold_as_a_whole') ? wholesWith(model, ordinals) : []
    this.notices.refused(refused, { nearby, whole, ...this.#paidOrder })
    return refused
  }

  /**
   * A wheelchair place with its companion seat. The feed calls that seat blocked whether it is kept for this
   * buyer or was blocked by staff: where only the companion seat is refused, the place is taken alone.
   */
  async takeWithCompanion(place: number, companion: number): Promise<void> {
    const refused = await this.take([place, companion])
    if (!(refused instanceof Refused)) return
    const gone = refused.problem.seat_ids
    const isPlaceGone = !Array.isArray(gone) || gone.includes(this.model!.seatIdOf(place))
    if (isPlaceGone || (await this.take([place])) !== null) return
    this.notices.say('good', words => words.seatCard.placeAlone)
  }

  /**
   * Changes the cart into one that leaves no seat alone. What is new is held first: where that fails, the
   * buyer still has what they had.
   */
  async remedy({ seat_ids }: CartWarning['alternatives'][number]): Promise<void> {
    if (!this.canAsk()) return
    const { missing, leaving } = stepsTo(this.model!, this.holdings.all, seat_ids)
    this.notices.dismiss()
    const refused = await this.asked(async () => {
      if (missing.length > 0) await this.holdings.takeSeats(missing)
      if (leaving.length > 0) await this.holdings.release(leaving)
    })
    if (refused instanceof Refused) this.notices.refused(refused, this.#paidOrder)
    else if (refused === null) this.notices.say('good', words => words.advice.changed)
  }

  async takePlaces(zoneId: string, quantity: number): Promise<boolean> {
    const zone = this.model?.zones.find(candidate => candidate.zoneId === zoneId)
    this.notices.dismiss()
    const refused = await this.asked(() => this.holdings.takePlaces(zoneId, quantity))
    if (refused instanceof Refused) this.notices.refused(refused, this.#paidOrder)
    else if (refused === null)
      this.notices.say('good', words => words.taken.held(words.placesIn(quantity, zone?.name ?? '')))
    return refused === null
  }

  async release(chosen: readonly MyHold[]): Promise<void> {
    const model = this.model!
    const holds = withWholes(model, this.holdings.all, chosen)
    if (!this.#mayChange(holds)) return
    const ordinals = holds.flatMap(hold => ordinalOf(model, hold) ?? [])
    this.notices.dismiss()
    this.#setPending([...this.#pending, ...ordinals])
    const refused = await this.asked(() => this.holdings.release(holds))
    this.#setPending([...this.#pending].filter(ordinal => !ordinals.includes(ordinal)))
    if (refused instanceof Refused) this.notices.refused(refused, this.#paidOrder)
    else if (refused === null) {
      this.tickets.forget(holds.flatMap(hold => ('seat_id' in hold ? [hold.seat_id] : [])))
      this.notices.say('good', words => words.panel.released(listOfHolds(model, holds, words)))
    }
  }

  /** Keeps one place fewer of a zone without seats; the last one is released. */
  async giveUpPlace(hold: MyHold & { readonly quantity: number }): Promise<void> {
    const quantity = hold.quantity - 1
    if (quantity === 0) return this.release([hold])
    if (!this.#mayChange([hold])) return
    this.notices.dismiss()
    const refused = await this.asked(() => this.holdings.reduce(hold, quantity))
    if (refused instanceof Refused) this.notices.refused(refused, this.#paidOrder)
    else if (refused === null)
      this.notices.say('good', words => words.taken.held(words.placesIn(quantity, hold.zone_name)))
  }

  /** An order that is not paid makes way for another cart. False: it can not, and it was said why. */
  async leavePayment(): Promise<boolean> {
    if (!this.#mayChange(this.holdings.all)) return false
    if (!this.holdings.payment) return true
    this.notices.dismiss()
    const refused = await this.asked(() => this.holdings.endPayment())
    if (refused instanceof Refused) this.notices.refused(refused, this.#paidOrder)
    else if (refused === null) this.notices.say('good', words => words.panel.freed)
    return refused === null
  }

  /** Asks whether a bank has decided on the payment meanwhile. */
  lookAgain(): void {
    void this.#look()
  }

  #mayChange(holds: readonly MyHold[]): boolean {
    if (!holds.some(hold => this.holdings.isFrozen(hold))) return true
    this.notices.say('bad', words => words.panel.deciding)
    return false
  }

  async extend(): Promise<void> {
    const refused = await this.asked(() => this.holdings.extend())
    if (refused instanceof Refused) this.notices.refused(refused, this.#paidOrder)
    else if (refused === null) {
      const seconds = this.holdings.secondsLeft ?? 0
      const { canExtend } = this.holdings
      this.notices.say(canExtend ? 'good' : 'bad', words =>
        canExtend ? words.panel.extended(seconds) : words.panel.noMoreTime,
      )
    }
  }

  /** Takes again what time has ended; what someone else has by now is said, and the rest is taken. */
  async retryLost(): Promise<void> {
    const model = this.model!
    const lost = this.holdings.lost
    this.holdings.forgetLost()
    let ordinals = lost.flatMap(hold => ordinalOf(model, hold) ?? [])
    for (const hold of lost) {
      if ('quantity' in hold) await this.takePlaces(hold.zone_id, hold.quantity)
    }
    for (let attempt = 0; ordinals.length > 0 && attempt < 3; attempt += 1) {
      await this.take(ordinals)
      const { mine } = this
      if (ordinals.every(ordinal => mine.has(ordinal))) return
      const left = ordinals.filter(ordinal => this.statusOf(ordinal) === 0)
      if (left.length === ordinals.length) return
      ordinals = left
    }
  }

  /** The visitor is someone else now. Holds that came along from a guest are said to have done so. */
  async changeVisitor(movedEvents: readonly string[]): Promise<void> {
    this.holdings.forgetAll()
    await this.#look()
    if (movedEvents.includes(this.eventId)) this.notices.say('good', words => words.account.movedHolds)
  }

  /**
   * Null: done. The refusal: not done. 'unknown': the answer was lost, and the server is asked what is held.
   */
  async asked(work: () => Promise<void>): Promise<Refused | 'unknown' | null> {
    const { payment } = this.holdings
    try {
      await work()
      return null
    } catch (error) {
      if (isLostAnswer(error)) {
        this.notices.say('bad', words => words.taken.unknown)
        this.#look()
        return 'unknown'
      }
      const refused = error as Refused
      this.#paidOrder = { orderId: isPaid(refused) ? (payment?.checkout_id ?? null) : null }
      if (STALE_CART.has(refused.code)) this.#look()
      // The event is not what the page believes.
      if (refused.code === 'event_not_available' || refused.code === 'event_sales_closed')
        void this.#live.reload().catch(() => {})
      return refused
    }
  }

  #askForCompanions(): void {
    const { model } = this
    const { signal } = this.#live
    // An answer may come after the page is left: what Svelte computes for it must not be read then.
    if (!model || !this.#live.seats.isKnown || signal.aborted) return
    void keepCompanions(model, this.#live.seats, {
      mine: () => (signal.aborted ? new Set() : this.#mine),
      isForMe: async ordinal => {
        const params = { event: this.eventId, seat: model.seatIdOf(ordinal) }
        const { client } = this.session
        const { data } = await client.call('GET /api/events/:event/seats/:seat', { params, signal })
        return data.status === 'available' || data.status === 'held_by_me'
      },
    })
  }

  /** The refusal knows better than what was shown. */
  #correct(refused: Refused, asked: readonly number[]): void {
    const ids = new Set(refused.problem.seat_ids as readonly string[])
    const status =
      refused.problem.current_status === 'sold' ? 2 : refused.problem.current_status === 'blocked' ? 3 : 1
    const gone = asked.filter(ordinal => ids.has(this.model!.seatIdOf(ordinal)))
    this.#live.seats.apply(gone.map(ordinal => [ordinal, status] as const))
  }

  #near(ordinal: number, count: number): number[] {
    const { model } = this
    if (!model) return []
    const isFree = (other: number) => model.has(other) && this.statusOf(other) === AVAILABLE
    return nearestFree(hallOf(model), isFree, ordinal, count)
  }

  #setPending(ordinals: readonly number[]): void {
    this.#pending = new Set(ordinals)
  }

  #onEvent(): void {
    if (isOver(this.sale)) this.#endedHolds = [...this.#endedHolds, ...this.holdings.endAll()]
    this.#keepLastKnown()
  }

  #onChanges({ seats, released = [] }: Pick<SeatChanges, 'seats' | 'released'>): void {
    // One of mine that is not held any more: time, staff, or another tab of mine.
    // Or one that I asked for, late.
    const isOfInterest = ([ordinal, status]: (typeof seats)[number]) =>
      status === 'held' ? this.#unsure.delete(ordinal) : this.#mine.has(ordinal)
    // Nothing says whose places staff have released, but in which zone.
    const mayBeMine = this.holdings.all.some(hold => 'quantity' in hold && released.includes(hold.zone_id))
    if (mayBeMine || seats.some(isOfInterest)) this.#look()
  }

  async #onVanished(holds: readonly MyHold[], payment: CartPayment | null): Promise<void> {
    // Cancelling an event ends its holds; which of the two is heard of first depends on the network.
    this.#endedHolds = holds
    const orderId =
      payment && holds.every(({ hold_id }) => payment.hold_ids.includes(hold_id)) && payment.checkout_id
    if (orderId && (await this.#isBought(orderId))) {
      this.#endedHolds = []
      this.notices.say('good', words => words.panel.bought, { orderId })
    } else this.notices.say('bad', words => words.refusals.hold_not_found({} as never))
  }

  async #isBought(checkout: string): Promise<boolean> {
    const { client } = this.session
    const { signal } = this.#live
    const ask = () => client.call('GET /api/checkouts/:checkout', { params: { checkout }, signal })
    const answer = await this.session.run(ask).catch(() => null)
    return answer?.data.status === 'paid'
  }

  /** Asks what is held until the server has answered. Several may want to know; one asks. */
  #look(): Promise<void> {
    const { signal } = this.#live
    this.#looking ??= keepTrying(() => this.holdings.refresh(), { signal, onTrouble: () => {} })
      // Refused for good: the event or the session is gone, and the feed says so as well.
      .catch(() => {})
      .finally(() => {
        this.#looking = null
      })
    return this.#looking
  }

  #keepLastKnown(): void {
    const { event } = this
    const userId = this.session.visitor?.user.id
    if (!event || userId === undefined || this.#live.isLastKnown) return
    const server = this.session.client.clock.now()
    const clocks = server === null ? null : { server, ours: Date.now() }
    const { all: holds, heldUntil } = this.holdings
    keepLastKnown(this.eventId, { userId, event, holds, heldUntil, clocks })
  }
}
