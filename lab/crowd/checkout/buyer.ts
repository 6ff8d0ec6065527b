import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../../found-organization.ts'
import type { Card } from '../../judge/books/books.ts'
import type { EventOnSale } from '../../nemesis/site.ts'
import { type Answer, type AskDeps, ask, cardBody } from './ask.ts'
import type { Programme } from './programme.ts'
import { atTheGates, move, refund, type ShownTicket, sellExternally, uploadLate } from './staff.ts'

export interface BuyerDeps extends AskDeps {
  readonly programme: Programme
  /** False: enough checkouts were begun. */
  begin(): boolean
}

/**
 *   pay          with a card that pays               twice     the same from two tabs at once
 *   second card  declined, then one that pays        declined  and then nothing more, or cancel
 *   other cart   declined, or at the bank: then other tickets, another address or a seat less, and pays
 *   step         confirm, decline, or leave          late      the money comes when the holds are gone
 *   cancel       before paying                       race      pays and cancels at once
 *   leave        without paying                      external  a platform sells the holds
 */
const WAYS = [
  { way: 'pay', weight: 40 },
  { way: 'twice', weight: 10 },
  { way: 'second card', weight: 7 },
  { way: 'declined', weight: 5 },
  { way: 'other cart', weight: 12 },
  { way: 'step', weight: 8 },
  { way: 'late', weight: 9 },
  { way: 'late and cancel', weight: 3 },
  { way: 'cancel', weight: 3 },
  { way: 'race', weight: 4 },
  { way: 'leave', weight: 3 },
  { way: 'disputed', weight: 2 },
  { way: 'external', weight: 5 },
] as const
type Way = (typeof WAYS)[number]['way']

const WEBHOOK = '/api/payments/simulator/webhook'
const CONTACT = { name: 'Ben', email: 'ben@example.org' }
const OTHER_CONTACT = { name: 'Bea', email: 'bea@example.org' }
const OVER = ['paid', 'partly_refunded', 'refunded', 'cancelled', 'expired']
/** A buyer looks so often for what became of the payment, and then goes away. */
const LOOKS = 6
const LOOK_EVERY_MS = 300
const ACCEPTS_OTHERS = 0.5
const COMES = 0.35
const CHANGES_MIND = 0.12
const SITS_ELSEWHERE = 0.12
const IS_INSIDE = 0.3
const COVETS = 0.4
const MOST_COVETED = 12
/** When a late payment may have been decided, and before. */
const COMES_BACK_MS = 8_000

/** One buyer after the other, with one session: holds, a checkout, and one of the ways. */
export class Buyer {
  readonly #person: Person
  readonly #deps: BuyerDeps
  /** The buyer does these things meanwhile, and waits for them at the end. */
  readonly #later: Promise<unknown>[] = []

  constructor(person: Person, deps: BuyerDeps) {
    this.#person = person
    this.#deps = deps
  }

  /** Until the buyer has gone away for good. */
  async run(): Promise<void> {
    await this.#shop()
    await Promise.all(this.#later)
  }

  async #shop(): Promise<void> {
    const { programme, random, begin } = this.#deps
    while (begin()) {
      const event = programme.pick(random)
      const { held, seats } = await this.#hold(event)
      if (held.length === 0) continue
      const { way } = random.weighted(WAYS)
      if (way === 'external') {
        await this.#sellExternally(event, held)
        continue
      }
      const checkout = await this.#open(event, held)
      if (checkout === null) continue
      if (way === 'late') this.#covet(event, seats)
      if (way === 'other cart') await this.#changeCart(event, checkout, held)
      else await this.#go(way, event, checkout)
    }
  }

  #covet({ eventId }: EventOnSale, seats: readonly number[]): void {
    const { coveted } = this.#deps.programme
    coveted.set(eventId, [...(coveted.get(eventId) ?? []), ...seats].slice(-MOST_COVETED))
  }

  /** Seats, places, or both: what was held of it. */
  async #hold(event: EventOnSale): Promise<{ held: string[]; seats: number[] }> {
    const { random, programme } = this.#deps
    const what = random.weighted([
      { of: ['seats'], weight: 5 },
      { of: ['places'], weight: 4 },
      { of: ['seats', 'places'], weight: 1 },
    ] as const).of as readonly ('seats' | 'places')[]
    const held: string[] = []
    const seats: number[] = []
    const coveted = programme.coveted.get(event.eventId) ?? []
    for (const each of what) {
      const isCoveted = coveted.length > 0 && random.chance(COVETS)
      const first = isCoveted ? random.pick(coveted) : random.below(event.seats.length - 3)
      const last = first + 1 + (isCoveted ? 0 : random.below(3))
      const body =
        each === 'seats'
          ? { seat_ids: event.seats.slice(first, last) }
          : { zone_id: event.zones[1], quantity: 1 + random.below(3) }
      const path = `/api/events/${event.eventId}/holds`
      const { data, heard } = await this.#ask(event, { kind: 'hold', method: 'POST', path, body })
      if (heard.code === 'seat_not_available' || heard.code === 'not_enough_places') {
        programme.sold(event, isCoveted ? 0 : 1)
      }
      for (const { hold_id } of data?.holds ?? []) held.push(hold_id)
      if (data && each === 'seats') for (let seat = first; seat < last; seat += 1) seats.push(seat)
    }
    return { held, seats }
  }

  /** `replaces`: an order of these holds that was begun, and is not paid. */
  async #open(
    event: EventOnSale,
    holds: readonly string[],
    replaces: string | null = null,
  ): Promise<string | null> {
    const { random } = this.#deps
    const body = {
      event_id: event.eventId,
      hold_ids: holds,
      contact: replaces === null ? CONTACT : OTHER_CONTACT,
      accept_alternatives: random.chance(ACCEPTS_OTHERS),
      ...(random.chance(0.2) && { items: holds.map(hold_id => ({ hold_id, ticket_type: 'child' })) }),
    }
    const key = { 'idempotency-key': randomUUID() }
    const open = () => {
      const about = replaces === null ? {} : { replaces }
      const path = '/api/checkouts'
      return this.#ask(event, { kind: 'open', method: 'POST', path, body, headers: key, about })
    }
    // Two tabs, and a page that is loaded again.
    const answers = random.chance(0.1) ? await Promise.all([open(), open()]) : [await open()]
    if (answers.some(({ heard }) => heard.outcome === 'unknown')) answers.push(await open())
    const opened = answers.find(({ data }) => data)?.data
    if (opened) this.#deps.recorder.totals.set(opened.checkout_id, opened.total)
    return opened?.checkout_id ?? null
  }

  /** Not paid, and the buyer wants something else. The page of the bank is open in an old tab. */
  async #changeCart(event: EventOnSale, order: string, holds: readonly string[]): Promise<void> {
    const { random, recorder } = this.#deps
    const paid = await this.#pay(event, order, random.pick(['declined', 'no_money', 'step', 'step']))
    const url: string | undefined = paid.data?.next?.url
    const confirm = async () => {
      if (url !== undefined) await this.#confirm(event, order, url)
    }
    const isAtOnce = random.chance(0.4)
    const [next] = await Promise.all([this.#openAnother(event, order, holds), isAtOnce && confirm()])
    if (!isAtOnce && random.chance(0.7)) await confirm()
    if (next === null || next === order) return this.#finish(event, order, paid)
    // A page that still shows the old order.
    if (random.chance(0.3)) await this.#pay(event, next, 'good', recorder.totals.get(order))
    return this.#finish(event, next, await this.#pay(event, next, 'good'))
  }

  async #openAnother(event: EventOnSale, order: string, holds: readonly string[]): Promise<string | null> {
    const { random } = this.#deps
    if (random.chance(0.5)) return this.#open(event, holds, order)
    const path = `/api/checkouts/${order}?keep_holds=true`
    const left = await this.#ask(event, { kind: 'replace', method: 'DELETE', path, about: { order } })
    if (left.heard.outcome !== 'ok') return null
    const [dropped, ...kept] = holds
    if (kept.length === 0) return this.#open(event, holds, order)
    await this.#ask(event, { kind: 'hold', method: 'DELETE', path: `/api/holds/${dropped}` })
    return this.#open(event, kept, order)
  }

  async #go(way: Exclude<Way, 'other cart'>, event: EventOnSale, checkout: string): Promise<void> {
    const { random } = this.#deps
    switch (way) {
      case 'pay':
      case 'disputed':
        return this.#finish(event, checkout, await this.#pay(event, checkout, way === 'pay' ? 'good' : way))
      case 'twice': {
        const [first] = await Promise.all([
          this.#pay(event, checkout, 'good'),
          this.#pay(event, checkout, random.pick(['good', 'step', 'declined', 'declined'])),
        ])
        return this.#finish(event, checkout, first)
      }
      case 'second card': {
        await this.#pay(event, checkout, random.pick(['declined', 'no_money']))
        return this.#finish(event, checkout, await this.#pay(event, checkout, 'good'))
      }
      case 'declined': {
        await this.#pay(event, checkout, random.pick(['declined', 'no_money']))
        if (random.chance(0.7)) await this.#forge(event, checkout)
        if (random.chance(0.4)) await this.#cancel(event, checkout)
        return
      }
      case 'step': {
        const paid = await this.#pay(event, checkout, 'step')
        const url: string | undefined = paid.data?.next?.url
        if (url !== undefined && random.chance(0.85)) await this.#confirm(event, checkout, url)
        return this.#finish(event, checkout, paid)
      }
      case 'late':
        await this.#pay(event, checkout, 'late')
        // The seats come back on sale before the money is there. Some buyers look what becomes of it.
        if (random.chance(0.5)) this.#later.push(this.#comeBack(event, checkout))
        return
      case 'late and cancel':
        await this.#pay(event, checkout, 'late')
        await delay(random.below(1_500))
        return this.#cancel(event, checkout)
      case 'cancel':
        return this.#cancel(event, checkout)
      case 'race':
        await Promise.all([this.#pay(event, checkout, 'good'), this.#cancelSoon(event, checkout)])
        return
      case 'leave':
      case 'external':
        return
    }
  }

  async #pay(
    event: EventOnSale,
    order: string,
    card: Card,
    total = this.#deps.recorder.totals.get(order),
  ): Promise<Answer> {
    const path = `/api/checkouts/${order}/pay`
    const seen = total === undefined ? {} : { total }
    const body = { ...cardBody(card), ...seen }
    return this.#ask(event, { kind: 'pay', method: 'POST', path, body, about: { order, card, ...seen } })
  }

  async #comeBack(event: EventOnSale, order: string): Promise<void> {
    await delay(this.#deps.random.below(COMES_BACK_MS))
    await this.#read(event, order)
  }

  async #cancelSoon(event: EventOnSale, order: string): Promise<void> {
    await delay(this.#deps.random.below(120))
    await this.#cancel(event, order)
  }

  async #cancel(event: EventOnSale, order: string): Promise<void> {
    const path = `/api/checkouts/${order}`
    await this.#ask(event, { kind: 'cancel', method: 'DELETE', path, about: { order } })
  }

  /** News that the gateway has not sent: its signature is wrong. */
  async #forge(event: EventOnSale, order: string): Promise<void> {
    const { random, wire, nodes, recorder } = this.#deps
    const total = recorder.totals.get(order)
    const captured = { kind: 'captured', intentId: randomUUID(), amount: total, currency: 'ZAR' }
    const body = {
      ...{ id: randomUUID(), type: 'payment.captured', created: Date.now() },
      organization_id: event.organizationId,
      data: { order_id: order, outcome: captured },
    }
    const headers = { 'simulator-signature': `t=${Date.now()},v1=${'0'.repeat(64)}` }
    await wire.send(random.pick(nodes).url, { method: 'POST', path: WEBHOOK, body, headers })
  }

  /** The page of the bank. */
  async #confirm(event: EventOnSale, order: string, url: string): Promise<void> {
    const { random, wire, nodes } = this.#deps
    const { pathname } = new URL(url)
    const page = await wire.send(random.pick(nodes).url, { method: 'GET', path: pathname })
    const form =
      typeof page === 'string' ? null : /name="form" value="([^"]+)"/.exec(page.bytes.toString('utf8'))
    if (!form) return
    const step = random.chance(0.8) ? 'accept' : 'decline'
    await this.#ask(event, {
      ...{ kind: 'step', method: 'POST', path: pathname, about: { order, step } },
      form: new URLSearchParams({ form: form[1]!, answer: step }).toString(),
    })
  }

  /** Looks what became of it, as the page does; then the tickets, the gate, or a change of mind. */
  async #finish(event: EventOnSale, order: string, paid: Answer): Promise<void> {
    const { random } = this.#deps
    let { orderStatus } = paid.heard
    for (let looks = 0; looks < LOOKS && !OVER.includes(orderStatus ?? ''); looks += 1) {
      await delay(random.below(2 * LOOK_EVERY_MS))
      // A reload sends the card again, and so does a buyer who was declined for a reason that is over.
      const again = looks > 1 && random.chance(0.3)
      const { heard } = again ? await this.#pay(event, order, 'good') : await this.#read(event, order)
      orderStatus = heard.orderStatus ?? orderStatus
    }
    if (orderStatus !== 'paid') return
    const { programme } = this.#deps
    const isBack = random.chance(CHANGES_MIND)
    const isMoved = random.chance(SITS_ELSEWHERE)
    // By a gate without a network, which tells of it after the tickets were moved.
    const isInside = isMoved && random.chance(IS_INSIDE)
    const isComing = isInside || random.chance(COMES)
    if (!isComing && !isBack && !isMoved) {
      programme.sold(event, 1)
      return
    }
    let tickets = await this.#tickets(event, order)
    programme.sold(event, tickets.length)
    if (tickets.length === 0) return
    if (isMoved) {
      const enteredAt = Date.now()
      const moving = move(this.#deps, programme.organizer, { event, order, tickets })
      // Some come with the old paper at the same moment; others have the new tickets.
      if (isInside || random.chance(0.5)) {
        await moving
        if (isInside) await uploadLate(this.#deps, programme.scanner, event, tickets, enteredAt)
        tickets = await this.#tickets(event, order)
      } else this.#later.push(moving)
    }
    const come = async () => isComing && atTheGates(this.#deps, programme.scanner, event, tickets)
    const giveBack = async () => isBack && refund(this.#deps, programme.organizer, { event, order, tickets })
    // Some come at the same moment, and some when they have their money.
    if (random.chance(0.5)) await giveBack().then(come)
    else await Promise.all([come(), giveBack()])
  }

  async #tickets(event: EventOnSale, order: string): Promise<readonly ShownTicket[]> {
    const path = `/api/orders/${order}`
    const shown = await this.#ask(event, { kind: 'order', method: 'GET', path, about: { order } })
    return shown.data?.tickets ?? []
  }

  #read(event: EventOnSale, order: string): Promise<Answer> {
    const path = `/api/checkouts/${order}`
    return this.#ask(event, { kind: 'read', method: 'GET', path, about: { order } })
  }

  async #sellExternally(event: EventOnSale, holds: readonly string[]): Promise<void> {
    const { programme } = this.#deps
    await sellExternally(this.#deps, programme.organizer, event, holds)
    programme.sold(event, holds.length)
  }

  #ask(event: EventOnSale, question: Omit<Parameters<typeof ask>[1], 'person' | 'event'>): Promise<Answer> {
    return ask(this.#deps, { ...question, person: this.#person, event })
  }
}
