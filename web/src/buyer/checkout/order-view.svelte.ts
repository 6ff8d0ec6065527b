import { type Data, Refused } from '@voelgoed/client'
import { keepTrying } from '../../shared/state/keep-trying.ts'
import type { Session } from '../../shared/state/session.svelte.ts'
import { ticketTypeName } from '../../shared/state/ticket-type-name.ts'
import { hasAllCodes, keepOrder, keptOrder } from './kept.ts'
import { loadTicketCodes } from './ticket-codes.ts'

type Order = Data<'GET /api/orders/:order'>
type Event = Data<'GET /api/events/:event'>
type ByTicket = Readonly<Record<string, string>>

interface SavedFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly name: string
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
  /** What is shown is of the last visit. */
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

  async open(): Promise<void> {
    const { client } = this.#session
    const { signal } = this.#closed
    this.#showKept()
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
