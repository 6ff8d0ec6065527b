import { type Data, Refused } from '@voelgoed/client'
import { keepTrying } from '../../kit/state/keep-trying.ts'
import type { Session } from '../../kit/state/session.svelte.ts'
import { ticketTypeName } from '../../kit/state/ticket-type-name.ts'
import { hasAllCodes, keepOrder, keptOrder } from './kept.ts'
import { loadTicketCodes } from './ticket-codes.ts'

type Order = Data<'GET /api/orders/:order'>
type Event = Data<'GET /api/events/:event'>
type ByTicket = Readonly<Record<string, string>>

interface SavedFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly name: string
}

/** A mail goes out within seconds. */
const FIRST_LOOK_MS = 3_000
const LATER_LOOKS_MS = 30_000

/** Its mail is going out, or its money is going back: the next news is seconds away. */
function isUnderWay(order: Order | null, isCancelled: boolean): boolean {
  if (order === null) return false
  const mail = order.mail?.status
  if (mail === 'queued' || mail === 'sending') return true
  const isOwed = order.tickets.some(({ status }) => status === 'valid')
  return isCancelled && (isOwed || order.refunds.some(({ status }) => status === 'pending'))
}

/**
 * An order with its tickets, for its buyer or with the secret of the link in the mail. What this browser
 * keeps of it is shown at once, and the server is asked meanwhile: at a gate the network may be slow or away.
 */
export class OrderView {
  readonly #session: Session
  readonly #id: string
  readonly #secret: string | null
  readonly #closed = new AbortController()
  #order: Order | null = $state.raw(null)
  #event: Event | null = $state.raw(null)
  #typeNames: ByTicket = $state.raw({})
  #codes: ByTicket = $state.raw({})
  #isTrouble = $state(false)
  #isLastKnown = $state(false)
  #worksOffline = $state(false)
  #refused: Refused | null = $state.raw(null)
  #isSending = $state(false)
  /** The same mail is asked for with the same key, however often it takes. */
  #request: { readonly to: string | null; readonly key: string } | null = null
  #isLooking = false
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `secret`: of the link; it is read once, for the address of the page may change. */
  constructor(session: Session, id: string, secret: string | null) {
    this.#session = session
    this.#id = id
    this.#secret = secret
  }

  get order() {
    return this.#order
  }
  get event() {
    return this.#event
  }
  /** By ticket. */
  get typeNames() {
    return this.#typeNames
  }
  /** QR codes as SVG, by ticket. */
  get codes() {
    return this.#codes
  }
  /** The server has not answered. */
  get isTrouble() {
    return this.#isTrouble
  }
  /** True while the page shows what the last visit left. */
  get isLastKnown() {
    return this.#isLastKnown
  }
  /** This browser keeps the code of every valid ticket. */
  get worksOffline() {
    return this.#worksOffline
  }
  /** The server does not show this order to this visitor. */
  get refused() {
    return this.#refused
  }

  /** The tickets are being sent again. */
  get isSending() {
    return this.#isSending
  }
  /** The event does not take place: its tickets open no door, whatever else is known of them. */
  get isCancelled() {
    return this.#event?.status === 'cancelled'
  }

  async open(): Promise<void> {
    const { signal } = this.#closed
    this.#showKept()
    const look = () => document.hidden || void this.#refresh(true)
    document.addEventListener('visibilitychange', look, { signal })
    window.addEventListener('online', look, { signal })
    await this.#load()
    this.#watch(FIRST_LOOK_MS)
  }

  /** Sends the tickets again, `to`: from now on to another address. Returns how many got new codes. */
  async resend(to: string | null): Promise<number> {
    const { client } = this.#session
    const request = { to, key: crypto.randomUUID() }
    if (this.#request?.to !== to) this.#request = request
    const idempotencyKey = this.#request!.key
    const input = { params: { order: this.#id }, body: to === null ? {} : { email: to }, idempotencyKey }
    this.#isSending = true
    try {
      const { data } = await this.#session.run(() => client.call('POST /api/orders/:order/resend', input))
      this.#request = null
      if (this.#order) this.#order = { ...this.#order, mail: data.mail }
      if (data.reissued > 0) await this.#load()
      this.#watch(FIRST_LOOK_MS)
      return data.reissued
    } catch (error) {
      // The answer to a refusal is kept under its key; a lost answer is asked for with the same one.
      if (error instanceof Refused) this.#request = null
      throw error
    } finally {
      this.#isSending = false
    }
  }

  /** Looks again while it is shown: how did its mail go, and does the event take place? */
  #watch(pause: number): void {
    clearTimeout(this.#timer)
    if (this.#closed.signal.aborted) return
    this.#timer = setTimeout(() => {
      void (async () => {
        if (!document.hidden) await this.#refresh(false)
        this.#watch(
          isUnderWay(this.#order, this.isCancelled) ? Math.min(2 * pause, LATER_LOOKS_MS) : LATER_LOOKS_MS,
        )
      })()
    }, pause)
  }

  /** `isDue`: the order itself is asked for, and not only the event that it hangs on. */
  async #refresh(isDue: boolean): Promise<void> {
    const { client } = this.#session
    const { signal } = this.#closed
    const known = this.#order
    if (!known || this.#isLooking) return
    this.#isLooking = true
    try {
      const params = { event: known.event.id }
      const { data: event } = await client.call('GET /api/events/:event', { params, signal })
      const isNews = event.status !== this.#event?.status
      this.#event = event
      if (isNews) this.#keep()
      const isShown = this.#refused === null
      if (isShown && (isDue || isNews || isUnderWay(known, this.isCancelled))) await this.#load()
    } catch {
      // The next look comes by itself.
    } finally {
      this.#isLooking = false
    }
  }

  async #load(): Promise<void> {
    const { client } = this.#session
    const { signal } = this.#closed
    const input = { ...this.#asked(), signal }
    const read = () => this.#session.run(() => client.call('GET /api/orders/:order', input))
    const onTrouble = () => {
      this.#isTrouble = true
    }
    try {
      this.#show((await keepTrying(read, { signal, onTrouble })).data)
    } catch (error) {
      if (error instanceof Refused) this.#refused = error
      return
    }
    // At a gate the codes matter, and wait for nothing.
    await Promise.all([this.#loadNames(this.#order!), this.#loadCodes(this.#order!)])
  }

  async #loadCodes({ tickets }: Order): Promise<void> {
    const { signal } = this.#closed
    const missing = tickets.filter(({ ticket_id }) => !(ticket_id in this.#codes))
    await loadTicketCodes(this.#session.client, missing, {
      secret: this.#secret,
      signal,
      onCode: (ticketId, svg) => {
        this.#codes = { ...this.#codes, [ticketId]: svg }
      },
    })
    this.#keep()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#closed.abort()
  }

  /** The tickets. Large orders come in parts. */
  async *pdf(language: 'en' | 'af'): AsyncGenerator<SavedFile> {
    const { client } = this.#session
    const { params, query } = this.#asked()
    for (let part = 1, parts = 1; part <= parts; part += 1) {
      const asked = { ...query, language, part: String(part) }
      const { bytes, headers } = await this.#session.run(() =>
        client.bytes('GET /api/orders/:order/tickets.pdf', { params, query: asked }),
      )
      parts = Number(headers.get('voelgoed-parts') ?? 1)
      yield { bytes, name: `${this.#order!.order_number}${parts > 1 ? `-${part}` : ''}.pdf` }
    }
  }

  async calendar(): Promise<SavedFile> {
    const { client } = this.#session
    const { bytes } = await this.#session.run(() =>
      client.bytes('GET /api/orders/:order/calendar.ics', this.#asked()),
    )
    return { bytes, name: `${this.#order!.order_number}.ics` }
  }

  #asked() {
    const query: { secret?: string } = this.#secret === null ? {} : { secret: this.#secret }
    return { params: { order: this.#id }, query }
  }

  #showKept(): void {
    const kept = keptOrder(this.#id, this.#session.visitor?.user.id)
    if (!kept) return
    this.#order = kept.order
    this.#event = kept.event
    this.#typeNames = kept.typeNames
    this.#codes = kept.codes
    this.#isLastKnown = true
    this.#worksOffline = hasAllCodes(kept)
  }

  #show(order: Order): void {
    const before = new Map(this.#order?.tickets.map(({ ticket_id, token }) => [ticket_id, token]))
    // A code is drawn from its token: what was reissued needs a new one.
    const same = order.tickets.filter(
      ({ ticket_id: id, token }) => id in this.#codes && before.get(id) === token,
    )
    this.#codes = Object.fromEntries(same.map(({ ticket_id: id }) => [id, this.#codes[id]!]))
    this.#order = order
    this.#isTrouble = false
    this.#isLastKnown = false
  }

  async #loadNames({ event: { id }, lines }: Order): Promise<void> {
    const { client } = this.#session
    const { signal } = this.#closed
    const params = { event: id }
    const [event, prices] = await Promise.allSettled([
      client.call('GET /api/events/:event', { params, signal }),
      client.call('GET /api/events/:event/prices', { params, signal }),
    ])
    if (event.status === 'fulfilled') this.#event = event.value.data
    const list = prices.status === 'fulfilled' ? prices.value.data : null
    const names = lines.flatMap(({ ticket_id, ticket_type, amount }) =>
      ticket_type === null ? [] : [[ticket_id, ticketTypeName(list, ticket_type, amount)] as const],
    )
    // Without a list these are keys: names of the last visit are better.
    this.#typeNames = { ...Object.fromEntries(names), ...(list ? {} : this.#typeNames) }
    this.#keep()
  }

  #keep(): void {
    if (this.#closed.signal.aborted) return
    const userId = this.#session.visitor?.user.id
    const order = this.#order
    if (userId === undefined || !order) return
    const [event, typeNames, codes] = [this.#event, this.#typeNames, this.#codes]
    this.#worksOffline = keepOrder({ userId, order, event, typeNames, codes })
  }
}
