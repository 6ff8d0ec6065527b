import type { Body, Client, Data } from '@voelgoed/client'
import type { Session } from '../../../kit/state/session.svelte.ts'
import { isLostAnswer, isPaid } from './hold-answers.ts'

type Cart = Data<'GET /api/events/:event/cart'>
export type MyHold = Cart['holds'][number]
/** The server warns of a fault in the cart, or tells how it could be better. */
export type CartWarning = Cart['warnings'][number]
/** An order that was begun, and is not paid. */
export type CartPayment = NonNullable<Cart['payment']>
type NewHolds = Body<'POST /api/events/:event/holds'>
export type BestAvailable = Extract<NewHolds, { best_available: unknown }>['best_available']
/** The server explains why the buyer got these seats. */
export type Explanation = NonNullable<Data<'POST /api/events/:event/holds'>['explanation']>

/**
 * `known`: as the server has said. `checking`: an answer was lost, and the server is being asked.
 * `last_known`: there is no server; this is what it said before the page was loaded again.
 */
export type Certainty = 'known' | 'checking' | 'last_known'

/** The countdown looks at the clock this often: often enough to be right to the second. */
const TICK_MS = 200
/** Ids of holds that were released are remembered for as long as an answer could still be on its way. */
const REMEMBERED = 500

/**
 * Keeps the visitor's holds of one event: a cart whose holds end together, by the server's clock. They end
 * here the second their time is over, whether or not the server has tidied up.
 */
export class Holdings {
  readonly #session: Session
  readonly #eventId: string
  #all: readonly MyHold[] = $state.raw([])
  #lost: readonly MyHold[] = $state.raw([])
  #warnings: readonly CartWarning[] = $state.raw([])
  #payment: CartPayment | null = $state.raw(null)
  /** When all of them end, in ms by the server's clock. */
  #heldUntil: number | null = null
  #secondsLeft: number | null = $state(null)
  #canExtend = $state(true)
  #certainty: Certainty = $state('known')
  #isAnswered = false
  /** Released, and not by time: what time has ended can be alive again under the same id. */
  readonly #released = new Set<string>()
  /** Holds that a command of ours is releasing at this moment. */
  readonly #leaving = new Set<string>()
  /**
   * Grows when a command starts and when it ends, and when time ends the cart or the visitor changes:
   * an answer that was asked for before may be older than that.
   */
  #commands = 0
  /** The end of a cart after which the server was asked whether it has really ended. */
  #askedAfter: number | null = null
  #ticker: ReturnType<typeof setInterval> | undefined
  #refreshing: Promise<void> | null = null
  /** Without a server: its time as far as it can be told. */
  #estimate: (() => number | null) | null = null
  /** Time has ended some of the holds. */
  onLost: () => void = () => {}
  /** Holds ended before their time, and not through us. */
  onVanished: (holds: readonly MyHold[], payment: CartPayment | null) => void = () => {}
  /** Called when the server has said which holds there are. */
  onKnown: () => void = () => {}

  constructor(session: Session, eventId: string) {
    this.#session = session
    this.#eventId = eventId
  }

  get all() {
    return this.#all
  }
  /** Seats and places, as limits count them. */
  get count(): number {
    return this.#all.reduce((sum, hold) => sum + ('quantity' in hold ? hold.quantity : 1), 0)
  }
  /** These holds ran out, and the visitor has not put the notice aside yet. */
  get lost() {
    return this.#lost
  }
  /** As the server last said of the cart. */
  get warnings() {
    return this.#warnings
  }
  /** The order that some of it is in payment with, as the server last said. */
  get payment() {
    return this.#payment
  }
  /** A bank decides on what it is bought by: until then it stays as it is. */
  isFrozen({ hold_id }: MyHold): boolean {
    const payment = this.#payment
    return payment?.decides === 'bank' && payment.hold_ids.includes(hold_id)
  }
  /** Until they end; null: nothing is held, or the time is not known. */
  get secondsLeft() {
    return this.#secondsLeft
  }
  get heldUntil(): string | null {
    return this.#heldUntil === null ? null : new Date(this.#heldUntil).toISOString()
  }
  /** False once asking for more time has brought none. */
  get canExtend() {
    return this.#canExtend
  }
  get certainty() {
    return this.#certainty
  }
  /** The server has said what is held, and nothing has put that in doubt. */
  get isAnswered(): boolean {
    return this.#isAnswered && this.#certainty === 'known'
  }

  async takeSeats(seatIds: readonly string[]): Promise<void> {
    await this.#take({ seat_ids: [...seatIds] })
  }

  async takePlaces(zoneId: string, quantity: number): Promise<void> {
    await this.#take({ zone_id: zoneId, quantity })
  }

  /** The best seats there are, and why they are. */
  async takeBest(wish: BestAvailable): Promise<Explanation> {
    const { explanation } = await this.#take({ best_available: wish })
    return explanation!
  }

  /**
   * Releases them all. When some fail, the others are released all the same, and the first failure is thrown.
   */
  async release(holds: readonly MyHold[]): Promise<void> {
    const { client } = this.#session
    for (const { hold_id } of holds) this.#leaving.add(hold_id)
    try {
      await this.#command(async () => {
        await this.#leavePayment()
        const outcomes = await Promise.allSettled(holds.map(hold => this.#releaseOne(client, hold)))
        const failed = outcomes.find(outcome => outcome.status === 'rejected')
        if (failed) throw failed.reason
      })
    } finally {
      for (const { hold_id } of holds) this.#leaving.delete(hold_id)
    }
    this.#judgeCart()
  }

  async extend(): Promise<void> {
    const { client } = this.#session
    const before = this.#heldUntil ?? 0
    const holds = this.#all
    const hold = holds[0]?.hold_id
    if (hold === undefined) return
    await this.#command(async () => {
      // Extending one of them extends the cart.
      const { data } = await client.call('POST /api/holds/:hold/extend', { params: { hold } })
      if (holds.every(({ hold_id }) => this.#all.some(other => other.hold_id === hold_id))) {
        this.#set(this.#all, data.held_until)
        return
      }
      // Their time ended here while the answer was on its way: the server knows which of them are alive.
      this.#commands += 1
      await this.refresh()
    })
    this.#canExtend = (this.#heldUntil ?? 0) > before
    this.#session.tellTabs({ eventId: this.#eventId, released: [] })
  }

  /** Keeps fewer places of a zone without seats. */
  async reduce({ hold_id: hold }: MyHold, quantity: number): Promise<void> {
    const { client } = this.#session
    await this.#command(async () => {
      await this.#leavePayment()
      const { data } = await client.call('PATCH /api/holds/:hold', { params: { hold }, body: { quantity } })
      this.#set(
        this.#all.map(other => (other.hold_id === hold ? data : other)),
        data.held_until,
      )
    })
    this.#session.tellTabs({ eventId: this.#eventId, released: [] })
  }

  /** The buyer wants another cart than they began to pay for. What they hold stays theirs. */
  async endPayment(): Promise<void> {
    await this.#command(() => this.#leavePayment())
  }

  /** Asks what the server says is alive. One question at a time. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  /** Another tab of ours has done something. */
  heard(released: readonly string[]): void {
    this.#remove(released)
    void this.refresh().catch(() => {})
  }

  /** There is no server: shows what it said last, until it answers. */
  showLastKnown(holds: readonly MyHold[], heldUntil: string | null, now: () => number | null): void {
    this.#certainty = 'last_known'
    this.#estimate = now
    this.#set(holds, heldUntil)
  }

  /** The visitor is someone else now: what the other one held is not shown. */
  forgetAll(): void {
    this.#commands += 1
    this.#set([], null)
  }

  /** The event has ended all holds: they are gone, and time did not take them. */
  endAll(): readonly MyHold[] {
    const ended = this.#all
    this.#remove(ended.map(hold => hold.hold_id))
    return ended
  }

  forgetLost(): void {
    this.#lost = []
  }

  close(): void {
    clearInterval(this.#ticker)
  }

  async #take(body: NewHolds): Promise<Data<'POST /api/events/:event/holds'>> {
    const { client } = this.#session
    const params = { event: this.#eventId }
    const wasWarned = this.#warnings.length > 0
    const answer = await this.#command(async () => {
      await this.#leavePayment()
      const { data } = await client.call('POST /api/events/:event/holds', { params, body })
      const fresh = new Set(data.holds.map(hold => hold.hold_id))
      this.#canExtend = true
      // New holds join the cart, and may lift its end: it is the same for all of them.
      this.#set([...this.#all.filter(hold => !fresh.has(hold.hold_id)), ...data.holds], data.held_until)
      this.#warnings = data.warnings
      return data
    })
    this.#session.tellTabs({ eventId: this.#eventId, released: [] })
    // The answer to a hold looks at the new seats and their neighbours only.
    if (wasWarned || answer.warnings.length > 0) this.#judgeCart()
    return answer
  }

  /** Asks what the server says of the cart as it is now: no other answer tells all of it. */
  #judgeCart(): void {
    if (this.#all.some(hold => 'seat_id' in hold)) void this.refresh().catch(() => {})
    else this.#warnings = []
  }

  /** It is the buyer's turn: the order makes way for another. Money that was taken meanwhile wins. */
  async #leavePayment(): Promise<void> {
    const payment = this.#payment
    if (payment?.decides !== 'buyer') return
    const { client } = this.#session
    const params = { checkout: payment.checkout_id }
    try {
      await client.call('DELETE /api/checkouts/:checkout', { params, query: { keep_holds: 'true' } })
    } catch (error) {
      if (isPaid(error)) this.#remove(payment.hold_ids)
      throw error
    }
    this.#payment = null
    this.#session.tellTabs({ eventId: this.#eventId, released: [] })
  }

  async #releaseOne(client: Client, { hold_id: hold }: MyHold): Promise<void> {
    await client.call('DELETE /api/holds/:hold', { params: { hold } })
    this.#remove([hold])
    this.#session.tellTabs({ eventId: this.#eventId, released: [hold] })
  }

  /**
   * Whatever changes holds. Without an answer nothing is claimed:
   * what is held is `checking` until it is looked up.
   */
  async #command<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#commands += 1
    try {
      const result = await this.#session.run(work)
      this.onKnown()
      return result
    } catch (error) {
      if (isLostAnswer(error)) this.#certainty = 'checking'
      throw error
    } finally {
      this.#commands += 1
    }
  }

  async #refresh(): Promise<void> {
    const { client } = this.#session
    const params = { event: this.#eventId }
    for (;;) {
      const asked = this.#commands
      const { data } = await this.#session.run(() => client.call('GET /api/events/:event/cart', { params }))
      if (asked === this.#commands) return this.#onAnswer(data)
      // A command of ours started or ended meanwhile: this answer may not know of it.
    }
  }

  #onAnswer({ holds, held_until, warnings, payment }: Cart): void {
    const wasCertain = this.#certainty === 'known'
    this.#certainty = 'known'
    this.#isAnswered = true
    this.#estimate = null
    const before = this.#payment
    this.#payment = payment
    const alive = holds.filter(hold => !this.#released.has(hold.hold_id))
    const known = new Set(alive.map(hold => hold.hold_id))
    const gone = this.#all.filter(hold => !known.has(hold.hold_id) && !this.#leaving.has(hold.hold_id))
    // After a lost answer a hold that is gone is what was asked for.
    if (gone.length > 0 && wasCertain) {
      if (this.#isOver()) this.#lose(gone)
      else this.onVanished(gone, before)
    }
    this.#set(alive, held_until)
    this.#warnings = warnings
    this.onKnown()
  }

  #set(holds: readonly MyHold[], heldUntil: string | null): void {
    this.#all = holds
    if (holds.length === 0) {
      this.#warnings = []
      this.#payment = null
    }
    this.#heldUntil = holds.length === 0 || heldUntil === null ? null : Date.parse(heldUntil)
    clearInterval(this.#ticker)
    if (holds.length > 0) this.#ticker = setInterval(() => this.#tick(), TICK_MS)
    this.#tick()
    this.#lost = without(this.#lost, this.#all)
  }

  #remove(ids: readonly string[]): void {
    this.#remember(ids)
    this.#set(
      this.#all.filter(hold => !ids.includes(hold.hold_id)),
      this.heldUntil,
    )
  }

  #tick(): void {
    if (this.#isOver()) {
      this.#end()
      return
    }
    const until = this.#heldUntil
    const now = this.#now()
    this.#secondsLeft = until === null || now === null ? null : Math.max(0, Math.ceil((until - now) / 1000))
  }

  /** The time of the cart is over, as far as this page knows. */
  #end(): void {
    const until = this.#heldUntil
    // Only what is known to be held can be lost. The rest may yet turn out to be alive.
    const isKnown = this.#certainty === 'known'
    if (isKnown) this.#lose(this.#all)
    this.#commands += 1
    this.#set([], null)
    // This clock may be early, and time may have been won meanwhile, here or in another tab.
    if (!isKnown || until === this.#askedAfter) return
    this.#askedAfter = until
    void this.refresh().catch(() => {})
  }

  #isOver(): boolean {
    const now = this.#now()
    return now !== null && this.#heldUntil !== null && this.#heldUntil <= now
  }

  #now(): number | null {
    return this.#estimate ? this.#estimate() : this.#session.client.clock.now()
  }

  #lose(holds: readonly MyHold[]): void {
    const fresh = without(holds, this.#lost)
    if (fresh.length === 0) return
    this.#lost = [...this.#lost, ...fresh]
    this.onLost()
  }

  #remember(ids: readonly string[]): void {
    for (const id of ids) this.#released.add(id)
    for (const id of this.#released) {
      if (this.#released.size <= REMEMBERED) break
      this.#released.delete(id)
    }
  }
}

function without(holds: readonly MyHold[], others: readonly MyHold[]): readonly MyHold[] {
  const ids = new Set(others.map(hold => hold.hold_id))
  return holds.some(hold => ids.has(hold.hold_id)) ? holds.filter(hold => !ids.has(hold.hold_id)) : holds
}
