import { type Data, Refused } from '@voelgoed/client'
import type { PricedCart } from '@voelgoed/core/prices/price-cart'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import { Countdown } from '../../kit/state/countdown.svelte.ts'
import { keepTrying } from '../../kit/state/keep-trying.ts'
import type { Session } from '../../kit/state/session.svelte.ts'
import { type Choice, choicesOf } from '../event/cart/choices.ts'
import { isLostAnswer, isPaid } from '../event/cart/hold-answers.ts'
import type { CartPayment, MyHold } from '../event/cart/holdings.svelte.ts'
import { priceChoices } from '../event/cart/price-holds.ts'
import { TicketChoices } from '../event/cart/ticket-choices.svelte.ts'
import { priceListOf } from '../event/hall/prices.ts'
import { groupHolds } from '../event/hall/seat-ranges.ts'
import type { Contact } from './kept.ts'
import { extendBy } from './more-time.ts'
import { takeAgain } from './take-again.ts'

type Event = Data<'GET /api/events/:event'>
type Opened = Data<'POST /api/checkouts'>

/**
 * The buyer turns this cart of one event into an order: its holds with their ticket types, and the price of
 * all.
 */
export class CartToPay {
  readonly countdown = new Countdown()
  readonly #session: Session
  readonly #eventId: string
  #event: Event | null = $state.raw(null)
  #prices: PriceList | null = $state.raw(null)
  /** Null: not known yet. */
  #cart: { readonly holds: readonly MyHold[]; readonly categories: ReadonlyMap<string, string> } | null =
    $state.raw(null)
  /** The cart as it last was with something in it: that can be taken again when its time has run out. */
  #last: readonly MyHold[] = $state.raw([])
  readonly #tickets: TicketChoices
  /** The order that some of it is in payment with. */
  #payment: CartPayment | null = $state.raw(null)
  /** The order that was paid while another was to take its place. */
  #paidOrder: string | null = $state(null)
  /** The server says that it costs this; null: that is the sum that the buyer saw. */
  #agreed: number | null = $state(null)
  #isTrouble = $state(false)
  #isOpening = $state(false)
  /** The reason why the event or the cart can't be shown. */
  #missing: Refused | null = $state.raw(null)
  /** The reason why no order was opened; 'unknown': the answer was lost. */
  #refused: Refused | 'unknown' | null = $state.raw(null)
  #isTakingAgain = $state(false)
  /** The same order is asked for with the same key, however often it takes. */
  #request: { readonly text: string; readonly key: string } | null = null
  readonly #closed = new AbortController()

  constructor(session: Session, eventId: string) {
    this.#session = session
    this.#eventId = eventId
    this.#tickets = new TicketChoices(session, eventId)
    const { signal } = this.#closed
    const look = () => document.hidden || void this.load()
    document.addEventListener('visibilitychange', look, { signal })
    session.onTabMessage = message => message.eventId === eventId && void this.load()
    session.onVisitorChanged = () => void this.load()
  }

  get event() {
    return this.#event
  }

  readonly #choices: readonly Choice[] | null = $derived.by(() => {
    const cart = this.#cart
    const list = this.#prices
    const categoryOf = ({ hold_id }: MyHold) =>
      list?.categories.find(({ key }) => key === cart?.categories.get(hold_id)) ?? null
    return cart && choicesOf(groupHolds(cart.holds).flat(), categoryOf, this.#tickets.typeOf)
  })
  /** Null: not known yet. */
  get choices() {
    return this.#choices
  }
  get payment() {
    return this.#payment
  }
  get paidOrder() {
    return this.#paidOrder
  }
  get agreed() {
    return this.#agreed
  }
  get isTrouble() {
    return this.#isTrouble
  }
  get isOpening() {
    return this.#isOpening
  }
  get missing() {
    return this.#missing
  }
  get refused() {
    return this.#refused
  }

  get holds(): readonly MyHold[] {
    return this.#cart?.holds ?? []
  }
  /** Its time has run out, and it may still be free. */
  get lost(): readonly MyHold[] {
    return this.countdown.left === 0 ? this.#last : []
  }
  get isTakingAgain() {
    return this.#isTakingAgain
  }

  /** Null: something here has no price. */
  readonly #priced: PricedCart | null = $derived(priceChoices(this.#prices, this.#choices ?? []))
  get priced() {
    return this.#priced
  }

  async load(): Promise<void> {
    const { signal } = this.#closed
    const { client } = this.#session
    const params = { event: this.#eventId }
    const onTrouble = () => {
      this.#isTrouble = true
    }
    try {
      const askedAt = { value: 0 }
      const [event, prices, cart] = await keepTrying(
        () =>
          this.#session.run(() => {
            askedAt.value = performance.now()
            return Promise.all([
              client.call('GET /api/events/:event', { params, signal }),
              client.call('GET /api/events/:event/prices', { params, signal }),
              client.call('GET /api/events/:event/cart', { params, signal }),
            ])
          }),
        { signal, onTrouble },
      )
      this.#isTrouble = false
      this.#event = event.data
      this.#prices = priceListOf(prices.data)
      const { holds, lines, expires_in_seconds, payment } = cart.data
      this.#payment = payment
      if (holds.length > 0) this.#last = holds
      this.#cart = { holds, categories: new Map(lines.map(line => [line.hold_id, line.category])) }
      if (expires_in_seconds !== null) this.countdown.start(expires_in_seconds, askedAt.value)
    } catch (error) {
      if (error instanceof Refused) this.#missing = error
    }
  }

  choose({ key }: Choice, ticketType: string): void {
    this.#agreed = null
    this.#tickets.choose({ [key]: ticketType })
  }

  /** More time for all of it. False: there is none to be had, or it was refused and `refused` says why. */
  async extend(): Promise<boolean> {
    const hold = this.holds[0]?.hold_id
    if (hold === undefined) return false
    this.#refused = null
    try {
      return await extendBy(this.#session, hold, this.countdown)
    } catch (error) {
      await this.#fail(error)
      return false
    }
  }

  /** Takes again what time has ended; what someone else has by now is said, and the rest is held. */
  async takeAgain(): Promise<void> {
    if (this.#isTakingAgain) return
    this.#isTakingAgain = true
    this.#refused = null
    try {
      const seatIds = this.#last.flatMap(hold => ('seat_id' in hold ? [hold.seat_id] : []))
      const zones = this.#last.flatMap(hold =>
        'quantity' in hold ? [{ zoneId: hold.zone_id, quantity: hold.quantity }] : [],
      )
      const failure = await takeAgain(this.#session, this.#eventId, { seatIds, zones })
      this.#session.tellTabs({ eventId: this.#eventId, released: [] })
      if (failure === null) await this.load()
      else await this.#fail(failure)
    } finally {
      this.#isTakingAgain = false
    }
  }

  /** An order that waits for the buyer makes way: what it is bought with is about to change. */
  async leavePayment(): Promise<void> {
    if (this.#payment?.decides !== 'buyer') return
    const params = { checkout: this.#payment.checkout_id }
    const query = { keep_holds: 'true' } as const
    await this.#session.run(() =>
      this.#session.client.call('DELETE /api/checkouts/:checkout', { params, query }),
    )
    this.#payment = null
  }

  /** Null: it was refused, costs something else (`agreed`), or nothing is known; `refused` says which. */
  async open(contact: Contact, acceptAlternatives: boolean): Promise<Opened | null> {
    if (this.#isOpening || !this.#choices) return null
    const body = {
      event_id: this.#eventId,
      hold_ids: [...new Set(this.#choices.map(({ hold }) => hold.hold_id))],
      items: this.#choices.map(({ hold, ticketType }) => ({
        hold_id: hold.hold_id,
        ...(ticketType !== undefined && { ticket_type: ticketType }),
      })),
      contact,
      accept_alternatives: acceptAlternatives,
    }
    const text = JSON.stringify(body)
    if (this.#request?.text !== text) this.#request = { text, key: crypto.randomUUID() }
    const idempotencyKey = this.#request.key
    this.#isOpening = true
    this.#refused = null
    try {
      const { client } = this.#session
      const { data } = await this.#session.run(() =>
        client.call('POST /api/checkouts', { body, idempotencyKey, signal: this.#closed.signal }),
      )
      this.#payment = null
      const seen = this.#agreed ?? this.#priced?.total
      this.#agreed = data.total === seen ? this.#agreed : data.total
      return data.total === seen ? data : null
    } catch (error) {
      await this.#fail(error)
      return null
    } finally {
      this.#isOpening = false
    }
  }

  async #fail(error: unknown): Promise<void> {
    if (!(error instanceof Refused) || isLostAnswer(error)) {
      this.#refused = 'unknown'
      return
    }
    this.#refused = error
    if (isPaid(error)) this.#paidOrder = this.#payment?.checkout_id ?? null
    // The holds are not those that the page believes in. A refusal is kept under its key: the next is new.
    this.#request = null
    await this.load()
  }

  close(): void {
    this.#tickets.close()
    this.#closed.abort()
  }
}
