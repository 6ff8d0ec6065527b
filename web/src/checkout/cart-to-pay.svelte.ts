import { type Data, Refused } from '@voelgoed/client'
import { type PricedCart, priceCart } from '@voelgoed/core/prices/price-cart'
import type { Category, PriceList } from '@voelgoed/core/prices/price-list'
import { isLostAnswer, type MyHold } from '../event/holdings.svelte.ts'
import { priceListOf } from '../event/prices.ts'
import { Countdown } from '../state/countdown.svelte.ts'
import { keepTrying } from '../state/keep-trying.ts'
import type { Session } from '../state/session.svelte.ts'
import { type Contact, keepCheckout } from './kept.ts'

type Event = Data<'GET /api/events/:event'>
type Opened = Data<'POST /api/checkouts'>

/** Up to so many places of one hold have a ticket type each; more of them have one together. */
const MOST_CHOICES = 10

/** What is chosen a ticket type for: a seat, one place of a hold, or all places of a large hold. */
export interface Choice {
  readonly hold: MyHold
  readonly category: Category | null
  /** From 1; null: it is the only one of its hold. */
  readonly place: number | null
  readonly quantity: number
  readonly ticketType: string | undefined
}

/** What the buyer holds of one event, on the way to an order: ticket types, and what all of it costs. */
export class CartToPay {
  readonly countdown = new Countdown()
  readonly #session: Session
  readonly #eventId: string
  #event: Event | null = $state.raw(null)
  #prices: PriceList | null = $state.raw(null)
  #choices: readonly Choice[] | null = $state.raw(null)
  #isTrouble = $state(false)
  #isOpening = $state(false)
  /** Why the event or the cart can't be shown. */
  #missing: Refused | null = $state.raw(null)
  /** Why no order was opened; 'unknown': the answer was lost. */
  #refused: Refused | 'unknown' | null = $state.raw(null)
  /** The same order is asked for with the same key, however often it takes. */
  #request: { readonly text: string; readonly key: string } | null = null
  readonly #closed = new AbortController()

  constructor(session: Session, eventId: string) {
    this.#session = session
    this.#eventId = eventId
    const { signal } = this.#closed
    const look = () => document.hidden || void this.load()
    document.addEventListener('visibilitychange', look, { signal })
    session.onTabMessage = message => message.eventId === eventId && void this.load()
    session.onVisitorChanged = () => void this.load()
  }

  get event() {
    return this.#event
  }
  /** Null: not known yet. */
  get choices() {
    return this.#choices
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

  /** Null: something here has no price. */
  readonly #priced: PricedCart | null = $derived.by(() => {
    const items = (this.#choices ?? []).map(({ hold, category, quantity, ticketType }) => ({
      holdId: hold.hold_id,
      category,
      quantity,
      ...(ticketType !== undefined && { ticketType }),
    }))
    const priced = priceCart(this.#prices, items)
    return priced.ok ? priced.value : null
  })
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
      const { holds, lines, expires_in_seconds } = cart.data
      const categories = new Map(lines.map(line => [line.hold_id, line.category]))
      this.#choices = choicesOf(holds, this.#choices ?? [], hold =>
        this.#prices?.categories.find(({ key }) => key === categories.get(hold.hold_id)),
      )
      if (expires_in_seconds !== null) this.countdown.start(expires_in_seconds, askedAt.value)
    } catch (error) {
      if (error instanceof Refused) this.#missing = error
    }
  }

  choose(index: number, ticketType: string): void {
    this.#choices = (this.#choices ?? []).map((choice, at) =>
      at === index ? { ...choice, ticketType } : choice,
    )
  }

  /** Null: it was refused, or nothing is known; `refused` says which. */
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
      keepCheckout(this.#eventId, data.checkout_id)
      return data
    } catch (error) {
      if (!(error instanceof Refused) || isLostAnswer(error)) this.#refused = 'unknown'
      else {
        this.#refused = error
        // What is held is not what the page believes. A refusal is kept under its key: the next is new.
        this.#request = null
        await this.load()
      }
      return null
    } finally {
      this.#isOpening = false
    }
  }

  close(): void {
    this.#closed.abort()
  }
}

/** Ticket types that were chosen before stay, as long as the places are the same. */
function choicesOf(
  holds: readonly MyHold[],
  before: readonly Choice[],
  categoryOf: (hold: MyHold) => Category | undefined,
): Choice[] {
  return holds.flatMap(hold => {
    const quantity = 'quantity' in hold ? hold.quantity : 1
    const category = categoryOf(hold) ?? null
    const isSplit = quantity > 1 && quantity <= MOST_CHOICES && (category?.ticket_types.length ?? 0) > 1
    const count = isSplit ? quantity : 1
    return Array.from({ length: count }, (_, index) => {
      const place = isSplit ? index + 1 : null
      const same = before.find(other => other.hold.hold_id === hold.hold_id && other.place === place)
      const known = category?.ticket_types.find(({ key }) => key === same?.ticketType)
      const ticketType = (known ?? category?.ticket_types[0])?.key
      return { hold, category, place, quantity: quantity / count, ticketType }
    })
  })
}
