import { type Data, Refused } from '@voelgoed/client'
import { Countdown } from '../../shared/state/countdown.svelte.ts'
import { keepTrying, untilWorthTrying } from '../../shared/state/keep-trying.ts'
import type { Session } from '../../shared/state/session.svelte.ts'
import { isLostAnswer, type MyHold } from '../event/holdings.svelte.ts'

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
  #missing: Refused | null = $state.raw(null)
  #refused: Refused | null = $state.raw(null)
  #declined: string | null = $state(null)
  #cardFaults: ReadonlySet<CardField> = $state.raw(new Set())
  #stepUrl: string | null = $state(null)
  #stripe: StripeStep | null = $state.raw(null)
  #watching = false
  readonly #closed = new AbortController()

  constructor(session: Session, id: string) {
    this.#session = session
    this.#id = id
    const { signal } = this.#closed
    document.addEventListener('visibilitychange', () => document.hidden || this.#wake(), { signal })
    window.addEventListener('online', () => this.#wake(), { signal })
    // Another tab may have paid or cancelled.
    session.onTabMessage = message => message.eventId === this.#checkout?.event_id && this.#wake()
    session.onVisitorChanged = () => this.#wake()
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
  /** Of its lines, as long as they are alive: they have the names of seats. */
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

  /** Asks what became of a payment, until it is decided or we have asked often enough. */
  async ask(): Promise<void> {
    if (this.#watching) return
    this.#watching = true
    this.#isStopped = false
    const { signal } = this.#closed
    try {
      for (let asked = 0; asked < MOST_QUESTIONS; asked += 1) {
        const isAnswered = await this.#askOnce(asked).then(
          () => true,
          () => false,
        )
        if (signal.aborted || (isAnswered && this.#checkout?.status !== 'paying')) return
        const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 1.5 ** asked)
        await untilWorthTrying(wait * (0.75 + Math.random() / 4), signal)
        if (signal.aborted) return
      }
      this.#isStopped = true
    } finally {
      this.#watching = false
    }
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

  close(): void {
    this.#closed.abort()
  }

  /** Null: no answer came, however often it was sent. */
  async #sendUntilAnswered(card: CardFields | null): Promise<Paid | null> {
    const { signal } = this.#closed
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      try {
        const paid = await this.#send(card)
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

  async #send(card: CardFields | null): Promise<Paid> {
    const { client } = this.#session
    const params = { checkout: this.#id }
    const body = card ? { card } : {}
    const { signal } = this.#closed
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
   * on. That is done at the beginning; later our own server hears of it by itself.
   */
  async #askOnce(asked: number): Promise<void> {
    if (asked === 0 && this.#checkout?.status === 'paying') {
      const { next, declined } = await this.#send(null)
      this.#declined = declined?.code ?? this.#declined
      this.#stepUrl = next?.kind === 'redirect' ? next.url : null
      if (next?.kind === 'stripe') this.#stripe = next
    }
    await this.#look()
    this.#isUnknown = false
  }

  async #look(): Promise<void> {
    const { client } = this.#session
    const params = { checkout: this.#id }
    const { signal } = this.#closed
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
    if (status !== 'paying') this.#stepUrl = null
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

  #wake(): void {
    if (!this.#checkout || this.#isPaying) return
    const { status } = this.#checkout
    if (status === 'open') void this.#look().catch(() => {})
    else if (status === 'paying') void this.ask()
  }
}

/** Which fields of the card the gateway did not take; none: it is about something else. */
function cardFaultsOf(refused: Refused): ReadonlySet<CardField> {
  const errors = refused.is('invalid_request') ? refused.problem.errors : []
  const names = errors.map(({ path }) => path.replace('/card/', ''))
  return new Set((['number', 'expiry', 'cvc'] as const).filter(field => names.includes(field)))
}
