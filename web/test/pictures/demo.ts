import { type Client, createClient, type Data } from '@voelgoed/client'

export interface Place {
  readonly organization: string
  readonly id: string
}

/** Someone who has a session, as the page keeps it. */
export interface Person {
  readonly session: Data<'POST /api/sessions'>
  readonly client: Client
}

/** The demo of a server, as those who use it find it. */
export class Demo {
  readonly baseUrl: string

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl
  }

  async guest(organization: string): Promise<Person> {
    const { data } = await this.#visitor.call('POST /api/sessions/guest', { body: { organization } })
    return this.#person(data)
  }

  async staff(organization: string, role: 'organizer' | 'admin'): Promise<Person> {
    const body = { organization, email: `${role}@${organization}.example`, password: 'voelgoed-demo' }
    return this.#person((await this.#visitor.call('POST /api/sessions', { body })).data)
  }

  /** Guests who hold seats here and there, so that the hall looks as it does on an evening of sales. */
  async fill(organization: string, name: string): Promise<Place> {
    const { client } = await this.guest(organization)
    const event = (await client.call('GET /api/events')).data.find(candidate => candidate.name === name)!
    const params = { event: event.id }
    const seats = await this.#seatsOf(client, event.id)
    for (let buyer = 0; buyer < 24; buyer += 1) {
      const first = (buyer * buyer * 37 + buyer * 11) % (seats.length - 8)
      const seat_ids = seats.slice(first, first + 2 + (buyer % 5))
      const guest = await this.guest(organization)
      await guest.client.call('POST /api/events/:event/holds', { params, body: { seat_ids } }).catch(() => {})
    }
    return { organization, id: event.id }
  }

  /** A guest who holds so many seats side by side. */
  async holder(place: Place, quantity = 2): Promise<Person> {
    const guest = await this.guest(place.organization)
    const params = { event: place.id }
    const body = { best_available: { quantity } }
    await guest.client.call('POST /api/events/:event/holds', { params, body })
    return guest
  }

  /** A guest on the way to pay. */
  async payer(place: Place): Promise<Person & { readonly checkout: string }> {
    const guest = await this.holder(place)
    const contact = { name: 'Anika van der Merwe', email: 'anika@example.org' }
    const body = { event_id: place.id, contact }
    const opened = await guest.client.call('POST /api/checkouts', { body })
    return { ...guest, checkout: opened.data.checkout_id }
  }

  /** Returns what the codes of two tickets hold; from now on the gates of the event are open. */
  async sellAtCounter(place: Place): Promise<string[]> {
    const { client } = await this.staff(place.organization, 'organizer')
    const params = { event: place.id }
    const seat_ids = (await this.#seatsOf(client, place.id)).slice(-2)
    const held = await client.call('POST /api/events/:event/holds', { params, body: { seat_ids } })
    const hold_ids = held.data.holds.map(({ hold_id }) => hold_id)
    const sale = { event_id: place.id, hold_ids, method: 'cash' as const }
    const sold = await client.call('POST /api/admin/orders', { body: sale })
    await client.call('POST /api/admin/events/:event/go-live', { params })
    const order = await client.call('GET /api/orders/:order', { params: { order: sold.data.order_id } })
    return order.data.tickets.flatMap(({ token }) => token ?? [])
  }

  /** An afternoon at the box office: tickets that were sold, and seats that are held for callers. */
  async workAtCounter(place: Place): Promise<void> {
    const { client } = await this.staff(place.organization, 'organizer')
    const params = { event: place.id }
    const hold = async (quantity: number, note: object = {}) => {
      const body = { best_available: { quantity }, ...note }
      const held = await client.call('POST /api/events/:event/holds', { params, body })
      return held.data.holds.map(({ hold_id }) => hold_id)
    }
    for (let sale = 0; sale < 12; sale += 1) {
      const method = (['cash', 'card_terminal', 'cash', 'complimentary'] as const)[sale % 4]!
      const hold_ids = await hold(1 + (sale % 4))
      const contact = { name: `Visitor ${sale + 1}`, email: `visitor${sale + 1}@example.org` }
      const body = { event_id: place.id, hold_ids, method, contact, allow_stranding: true }
      await client.call('POST /api/admin/orders', { body })
    }
    await hold(3, { cart_token: 'Anna, by telephone' })
    await hold(2, { cart_token: 'Kirk choir, comes at six' })
  }

  /** From now on a hold lives for three seconds. */
  async shorten({ organization, id }: Place): Promise<void> {
    const { client } = await this.staff(organization, 'organizer')
    const body = { seating_overrides: { default_hold_ttl_seconds: 3 } }
    await client.call('PATCH /api/admin/events/:event', { params: { event: id }, body })
  }

  get #visitor(): Client {
    return createClient({ baseUrl: this.baseUrl })
  }

  #person(session: Data<'POST /api/sessions'>): Person {
    return { session, client: createClient({ baseUrl: this.baseUrl, token: session.token }) }
  }

  async #seatsOf(client: Client, event: string): Promise<string[]> {
    const layout = await client.call('GET /api/events/:event/layout', { params: { event } })
    const seats = layout.data.zones.flatMap(zone => zone.seats).filter(seat => seat.category === 'standard')
    return seats.map(seat => seat.seat_id)
  }
}
