import { type Data, Refused } from '@voelgoed/client'
import { keepTrying } from '../../kit/state/keep-trying.ts'
import type { Session } from '../../kit/state/session.svelte.ts'
import { keptOrders, keptToCome } from '../checkout/kept.ts'
import { type BoughtOrder, ordersOfAccount } from './orders-of-account.ts'

type Account = Data<'GET /api/account'>
type Order = Data<'GET /api/orders'>[number]
type Event = Data<'GET /api/events/:event'>

/**
 * The account of the visitor. What this device keeps of their orders is shown at once; the server is asked
 * meanwhile, and has the rest. Without a network the page has what is kept.
 */
export class AccountView {
  readonly #session: Session
  readonly #closed = new AbortController()
  #account: Account | null = $state.raw(null)
  #orders: readonly Order[] | null = $state.raw(null)
  #events: Readonly<Record<string, Event>> = $state.raw({})
  #next: string | null = $state(null)
  #devices: number | null = $state(null)
  #isTrouble = $state(false)

  constructor(session: Session) {
    this.#session = session
  }

  get account(): Account | null {
    return this.#account
  }

  /** The server has not answered yet, and is asked again. */
  get isTrouble(): boolean {
    return this.#isTrouble
  }

  get hasMore(): boolean {
    return this.#next !== null
  }

  /** Null: not known yet. */
  get devices(): number | null {
    return this.#devices
  }

  /** The server has told all orders of the first page. */
  get isKnown(): boolean {
    return this.#orders !== null
  }

  readonly #all = $derived.by((): readonly BoughtOrder[] =>
    ordersOfAccount(this.#orders, this.#events, keptOrders(this.#session.visitor?.user.id)),
  )
  /** Those with tickets for what is to come, the next first; then all others, the newest first. */
  readonly orders = $derived.by(() => {
    const toCome = keptToCome(this.#all, Date.now())
    return { toCome, earlier: this.#all.filter(one => !toCome.includes(one)) }
  })

  async open(): Promise<void> {
    if (this.#session.isGuest) return
    try {
      await Promise.all([this.#readAccount(), this.more(), this.#readDevices()])
    } catch (error) {
      if (!this.#closed.signal.aborted && !(error instanceof Refused)) throw error
    }
  }

  close(): void {
    this.#closed.abort()
  }

  /** The next page of orders, with the events of what is new on it. */
  async more(): Promise<void> {
    const query = this.#next === null ? {} : { after: this.#next }
    const page = await this.#ask(signal => this.#session.client.call('GET /api/orders', { query, signal }))
    this.#orders = [...(this.#orders ?? []), ...page.data]
    this.#next = page.next
    const unknown = new Set(page.data.map(({ event }) => event.id).filter(id => !(id in this.#events)))
    await Promise.all(
      [...unknown].map(async event => {
        const params = { event }
        const { signal } = this.#closed
        // Without it the order stands there without a date and a picture.
        const answer = await this.#session.client
          .call('GET /api/events/:event', { params, signal })
          .catch(() => null)
        if (answer) this.#events = { ...this.#events, [event]: answer.data }
      }),
    )
  }

  async rename(name: string | null): Promise<void> {
    const { data } = await this.#session.client.call('PATCH /api/account', { body: { name } })
    this.#account = data
  }

  async endOthers(): Promise<void> {
    await this.#session.client.call('DELETE /api/sessions')
    await this.#readDevices()
  }

  async #readAccount(): Promise<void> {
    const { data } = await this.#ask(signal => this.#session.client.call('GET /api/account', { signal }))
    this.#account = data
  }

  async #readDevices(): Promise<void> {
    const { data } = await this.#ask(signal => this.#session.client.call('GET /api/sessions', { signal }))
    this.#devices = data.length
  }

  async #ask<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#closed
    const onTrouble = () => {
      this.#isTrouble = true
    }
    const answer = await keepTrying(() => this.#session.run(() => work(signal)), { signal, onTrouble })
    this.#isTrouble = false
    return answer
  }
}
