import { type Data, Refused } from '@voelgoed/client'
import { Countdown } from '../../kit/state/countdown.svelte.ts'
import { keepTrying, untilWorthTrying } from '../../kit/state/keep-trying.ts'
import type { Session } from '../../kit/state/session.svelte.ts'
import { isLostAnswer } from '../event/cart/hold-answers.ts'
import type { MyHold } from '../event/cart/holdings.svelte.ts'
import { extendBy } from './more-time.ts'
import { takeAgain } from './take-again.ts'

export type Checkout = Data<'GET /api/checkouts/:checkout'>
type Paid = Data<'POST /api/checkouts/:checkout/pay'>
type NextStep = NonNullable<Paid['next']>
export type StripeStep = Extract<NextStep, { kind: 'stripe' }>
export interface CardFields {
  readonly number: string
  readonly expiry: string
  readonly cvc: string
}
export type CardField = keyof CardFields

/** A payment whose answer was lost is sent again so often. Repeating it never charges twice. */
const MOST_ATTEMPTS = 5
/** While the bank decides we ask so often, ever more slowly: for about five minutes. */
const MOST_QUESTIONS = 24
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000

/**
 * One order on its way to being paid. The server decides; here it is asked until it is known what became of
 * the money. The card is in memory while a payment is sent, and nowhere else.
 */
export class Payment {
  readonly countdown = new Countdown()
  readonly #session: Session
  readonly #id: string
  #checkout: Checkout | null = $state.raw(null)
  #event: Data<'GET /api/events/:event'> | null = $state.raw(null)
  #prices: Data<'GET /api/events/:event/prices'> | null = $state.raw(null)
  #holds: readonly MyHold[] = $state.raw([])
  #isTrouble = $state(false)
  /** A request to pay is on its way. */
  #isPaying = $state(false)
  /** Its answer was lost. */
  #isUnknown = $state(false)
  /** The bank was asked as often as we do. */
  #isStopped = $state(false)
  #isLeaving = $state(false)
  /** Stripe has the card: it is the bank's turn. */
  #isSent = $state(false)
  #missing: Refused | null = $state.raw(null)
  #refused: Refused | null = $state.raw(null)
  #declined: string | null = $state(null)
  #cardFaults: ReadonlySet<CardField> = $state.raw(new Set())
  #stepUrl: string | null = $state(null)
  #stripe: StripeStep | null = $state.raw(null)
  /** Aborts the questions that are being asked; null: none is. */
  #asking: AbortController | null = null
  readonly #closed = new AbortController()

  constructor(session: Session, id: string) {
    this.#session = session
    this.#id = id
    const { signal } = this.#closed
    document.addEventListener('visibilitychange', () => document.hidden || void this.#wake(), { signal })
    window.addEventListener('online', () => void this.#wake(), { signal })
    // Back from the bank to the page as it was when it was left.
    window.addEventListener('pageshow', event => event.persisted && this.#comeBack(), { signal })
    // Another tab may have paid or cancelled.
    session.onTabMessage = message => message.eventId === this.#checkout?.event_id && void this.#wake()
    session.onVisitorChanged = () => void this.#wake()
  }

  get checkout() {
    return this.#checkout
  }
  get event() {
    return this.#event
  }
  get prices() {
    return this.#prices
  }
  /** The order's holds while they are alive: they have the names of seats. */
  get holds() {
    return this.#holds
  }
  get isTrouble() {
    return this.#isTrouble
  }
  get isPaying() {
    return this.#isPaying
  }
  get isUnknown() {
    return this.#isUnknown
  }
  get isStopped() {
    return this.#isStopped
  }
  get isLeaving() {
    return this.#isLeaving
  }
  get missing() {
    return this.#missing
  }
  get refused() {
    return this.#refused
  }
  /** A code of the bank's no. */
  get declined() {
    return this.#declined
  }
  get cardFaults() {
    return this.#cardFaults
  }
  /** The bank waits for the buyer on a page of its own. */
  get stepUrl() {
    return this.#stepUrl
  }
  get stripe() {
    return this.#stripe
  }
  /** Stripe's form waits for the buyer to type the card: the bank knows of nothing yet. */
  get isBuyersTurn() {
    return this.#checkout?.status === 'paying' && this.#stripe !== null && !this.#isSent
  }

  /** After a reload, or back from the bank, it finds out where the order is. */
  async open(): Promise<void> {
    const { signal } = this.#closed
    const onTrouble = () => {
      this.#isTrouble = true
    }
    try {
      await keepTrying(() => this.#look(), { signal, onTrouble })
    } catch (error) {
      if (error instanceof Refused) this.#missing = error
      return
    }
    this.#isTrouble = false
    void this.#loadNames()
    if (this.#checkout?.status === 'paying') await this.ask()
  }

  /** Pays. When the answer is lost it is sent again, with the same card: the server charges once. */
  async pay(card: CardFields | null): Promise<void> {
    if (this.#isPaying) return
    this.#isPaying = true
    this.#refused = null
    this.#declined = null
    this.#cardFaults = new Set()
    try {
      const paid = await this.#sendUntilAnswered(card)
      if (paid) await this.#heard(paid)
      else void this.ask()
    } catch (error) {
      if (!(error instanceof Refused)) return
      this.#cardFaults = cardFaultsOf(error)
      if (this.#cardFaults.size === 0) this.#refused = error
      await this.#look().catch(() => {})
    } finally {
      this.#isPaying = false
    }
  }

  /** Asks what became of a payment: until that is decided or the buyer's turn, or we have asked enough. */
  async ask(): Promise<void> {
    if (this.#asking || this.#closed.signal.aborted) return
    const asking = new AbortController()
    const { signal } = asking
    this.#asking = asking
    this.#isStopped = false
    // Until the gateway has answered once, it is the one to ask.
    let isGatewayAsked = false
    try {
      for (let asked = 0; asked < MOST_QUESTIONS; asked += 1) {
        const isAnswered: boolean = await this.#askOnce(isGatewayAsked, signal).then(
          () => true,
          () => false,
        )
        if (signal.aborted) return
        isGatewayAsked ||= isAnswered
        if (isAnswered && (this.#checkout?.status !== 'paying' || this.isBuyersTurn)) return
        const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 1.5 ** asked)
        await untilWorthTrying(wait * (0.75 + Math.random() / 4), signal)
        if (signal.aborted) return
      }
      this.#isStopped = true
    } finally {
      if (this.#asking === asking) this.#asking = null
    }
  }

  /** The buyer has sent the card to Stripe. What was asked before knows nothing of it. */
  sent(): Promise<void> {
    this.#isSent = true
    this.#declined = null
    this.#asking?.abort()
    this.#asking = null
    return this.ask()
  }

  /** The holds are released. Null: done. */
  async cancel(): Promise<Refused | 'unknown' | null> {
    const { client } = this.#session
    const params = { checkout: this.#id }
    try {
      const { data } = await this.#session.run(() =>
        client.call('DELETE /api/checkouts/:checkout', { params }),
      )
      this.#show(data, performance.now())
      return null
    } catch (error) {
      if (error instanceof Refused && !isLostAnswer(error)) {
        this.#refused = error
        await this.#look().catch(() => {})
        return error
      }
      return 'unknown'
    }
  }

  /** More time, before the first try to pay. False: there is none to be had, or it was refused. */
  async extend(): Promise<boolean> {
    const hold = this.#checkout?.lines[0]?.hold_id
    if (hold === undefined) return false
    this.#refused = null
    try {
      return await extendBy(this.#session, hold, this.countdown)
    } catch (error) {
      if (error instanceof Refused) this.#refused = error
      await this.#look().catch(() => {})
      return false
    }
  }

  /** Holds again what has run out, for another order. Returns the last failure; null: all of it is held. */
  async takeAgain(): Promise<unknown> {
    const { event_id, lines } = this.#checkout!
    const seatIds = lines.flatMap(({ seat_id }) => seat_id ?? [])
    const zones = lines.flatMap(({ seat_id, zone_id: zoneId, quantity }) =>
      seat_id === undefined ? [{ zoneId, quantity }] : [],
    )
    const failure = await takeAgain(this.#session, event_id, { seatIds, zones })
    this.#session.tellTabs({ eventId: event_id, released: [] })
    return failure
  }

  close(): void {
    this.#closed.abort()
    this.#asking?.abort()
  }

  /** Null: no answer came, however often it was sent. */
  async #sendUntilAnswered(card: CardFields | null): Promise<Paid | null> {
    const { signal } = this.#closed
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      try {
        const paid = await this.#send(card, signal)
        this.#isUnknown = false
        return paid
      } catch (error) {
        if (signal.aborted) throw error
        if (!isLostAnswer(error)) {
          this.#isUnknown = false
          throw error
        }
        this.#isUnknown = true
        await untilWorthTrying(FIRST_WAIT_MS * 2 ** (attempt - 1), signal)
      }
    }
    return null
  }

  async #send(card: CardFields | null, signal: AbortSignal): Promise<Paid> {
    const { client } = this.#session
    const params = { checkout: this.#id }
    const checkout = this.#checkout
    // The sum that the page shows is charged, or nothing.
    const body = { ...(card && { card }), ...(checkout && { total: checkout.total }) }
    const send = () => client.call('POST /api/checkouts/:checkout/pay', { params, body, signal })
    return (await this.#session.run(send)).data
  }

  async #heard({ status, next, declined }: Paid): Promise<void> {
    this.#declined = declined?.code ?? null
    this.#stepUrl = next?.kind === 'redirect' ? next.url : null
    this.#stripe = next?.kind === 'stripe' ? next : null
    if (this.#stepUrl !== null) return this.#leaveFor(this.#stepUrl)
    const { signal } = this.#closed
    await keepTrying(() => this.#look(), { signal, onTrouble: () => {} }).catch(() => {})
    if (status === 'paying' && !this.#stripe) void this.ask()
  }

  #leaveFor(url: string): void {
    this.#isLeaving = true
    location.assign(url)
  }

  /**
   * Paying without a card asks the gateway, which knows first; it also tells of a page that the bank waits
   * on, and whether it is the buyer's turn. That is done at the beginning; later our own server hears of it
   * by itself.
   */
  async #askOnce(isGatewayAsked: boolean, signal: AbortSignal): Promise<void> {
    if (!isGatewayAsked && (this.#checkout?.status === 'paying' || this.#isSent)) {
      const paid = await this.#send(null, signal).catch(error => {
        if (isLostAnswer(error)) throw error
      })
      signal.throwIfAborted()
      this.#declined = paid?.declined?.code ?? this.#declined
      this.#stepUrl = paid?.next?.kind === 'redirect' ? paid.next.url : null
      if (paid?.next?.kind === 'stripe') {
        this.#stripe = paid.next
        this.#isSent = false
      }
    }
    await this.#look(signal)
    this.#isUnknown = false
  }

  async #look(signal: AbortSignal = this.#closed.signal): Promise<void> {
    const { client } = this.#session
    const params = { checkout: this.#id }
    let askedAt = 0
    const read = () => {
      askedAt = performance.now()
      return client.call('GET /api/checkouts/:checkout', { params, signal })
    }
    const { data } = await this.#session.run(read)
    this.#show(data, askedAt)
  }

  #show(checkout: Checkout, askedAt: number): void {
    const before = this.#checkout?.status
    this.#checkout = checkout
    this.countdown.start(checkout.expires_in_seconds, askedAt)
    const { status } = checkout
    // Back from the bank, or after a reload: why it is not paid.
    if (status === 'open' && before !== 'open') this.#declined = checkout.declined?.code ?? null
    if (status !== 'paying') {
      this.#stepUrl = null
      this.#isSent = false
    }
    const isOver = status !== 'open' && status !== 'paying'
    if (!isOver || before === status) return
    // Other tabs: these are not lost, they are bought or given back.
    const released = checkout.lines.map(line => line.hold_id)
    this.#session.tellTabs({ eventId: checkout.event_id, released })
  }

  /** Names of seats, of ticket types and of the event. Without them the order can be paid as well. */
  async #loadNames(): Promise<void> {
    const { client } = this.#session
    const { signal } = this.#closed
    const params = { event: this.#checkout!.event_id }
    const [event, prices, cart] = await Promise.allSettled([
      client.call('GET /api/events/:event', { params, signal }),
      client.call('GET /api/events/:event/prices', { params, signal }),
      client.call('GET /api/events/:event/cart', { params, signal }),
    ])
    if (event.status === 'fulfilled') this.#event = event.value.data
    if (prices.status === 'fulfilled') this.#prices = prices.value.data
    if (cart.status === 'fulfilled') this.#holds = cart.value.data.holds
  }

  #comeBack(): void {
    this.#isLeaving = false
    void this.#wake()
  }

  async #wake(): Promise<void> {
    if (!this.#checkout || this.#isPaying) return
    if (this.#checkout.status === 'open' || this.isBuyersTurn) await this.#look().catch(() => {})
    if (this.#checkout.status === 'paying' && !this.isBuyersTurn) await this.ask()
  }
}

/**
 * Returns the fields of the card that the gateway did not take; none: the refusal is about something else.
 */
function cardFaultsOf(refused: Refused): ReadonlySet<CardField> {
  const errors = refused.is('invalid_request') ? refused.problem.errors : []
  const names = errors.map(({ path }) => path.replace('/card/', ''))
  return new Set((['number', 'expiry', 'cvc'] as const).filter(field => names.includes(field)))
}
