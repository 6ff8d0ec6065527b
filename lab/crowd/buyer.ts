import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../found-organization.ts'
import type { AnsweredHold, AskedCommand } from '../judge/history.ts'
import type { LabNode } from '../nemesis/lab-node.ts'
import type { LabEvent } from '../nemesis/site.ts'
import type { Random } from '../random.ts'
import { type AskDeps, ask, type Outcome, readOwn } from './ask.ts'
import type { Next, Wish } from './workloads.ts'

export interface BuyerDeps extends AskDeps {
  readonly random: Random
  /** A buyer thinks so long between two requests, on average. */
  readonly thinkMs: number
  /** Buyers of an event find here what others hold: they ask for it, only to be turned away. */
  readonly rumours: Map<string, string[]>
  /** The node that the buyer asks when the workload has each buyer stay with one. */
  readonly home: LabNode
  /** The buyer signs in to this account. */
  readonly account: Person
  isOver(): boolean
  /** The event that is on now. */
  event(): LabEvent
}

const KEYED = 0.6
const LOOKS = 0.04
/** A buyer who was granted something looks at their cart this often. */
const OWN_READS = 0.2
const MOST_RETRIES = 40
/** However long the hold: no buyer waits for it longer than this. */
const MOST_PATIENCE_MS = 3_000

/** One buyer: asks for seats, does something with them, and again, until the run is over. */
export class Buyer {
  readonly #person: Person
  readonly #deps: BuyerDeps

  constructor(person: Person, deps: BuyerDeps) {
    this.#person = person
    this.#deps = deps
  }

  async run(): Promise<void> {
    const { random, isOver } = this.#deps
    await delay(random.below(this.#deps.thinkMs + 1))
    while (!isOver()) {
      const event = this.#deps.event()
      if (random.chance(LOOKS)) await this.#ask(event, { kind: 'look' })
      await this.#round(event)
      await this.#think()
    }
  }

  async #round(event: LabEvent): Promise<void> {
    const { random } = this.#deps
    const command = this.#wish(event)
    const wish = randomUUID()
    const key = random.chance(KEYED) ? randomUUID() : undefined
    const outcome = await this.#insist(event, command, { wish, ...(key !== undefined && { key }) })
    const holds = outcome.answer.holds ?? []
    if (outcome.type !== 'ok' || holds.length === 0) return
    this.#spread(event, holds)
    if (random.chance(OWN_READS)) await this.#readOwn(event)
    const { next } = event.workload
    const list = Object.entries(next).map(([name, weight]) => ({ name: name as Next, weight }))
    await this.#go(random.weighted(list).name, event, holds, { command, wish, key })
  }

  async #go(
    next: Next,
    event: LabEvent,
    holds: readonly AnsweredHold[],
    asked: { command: AskedCommand; wish: string; key: string | undefined },
  ): Promise<void> {
    const { random } = this.#deps
    switch (next) {
      case 'leave':
        return
      case 'release':
        await this.#think()
        return this.#giveBack(event, holds)
      case 'extend':
        for (let times = 1 + random.below(2); times > 0; times -= 1) {
          for (const { id } of holds) await this.#ask(event, { kind: 'extend', hold: id })
          await delay(random.below(event.plan.ttlMs > 1_500 ? 200 : 1_500))
        }
        return this.#giveBack(event, holds)
      case 'again':
        if (asked.key === undefined) await this.#askTwice(event, asked.command)
        else await this.#ask(event, asked.command, asked)
        if (asked.key !== undefined && random.chance(0.4)) {
          // The same key for something else; the cart is in the body.
          await this.#ask(event, asked.command, { wish: randomUUID(), key: asked.key })
        }
        await this.#think()
        return this.#giveBack(event, holds)
      case 'insist':
        for (let times = 6; times > 0; times -= 1) await this.#askTwice(event, asked.command)
        return this.#giveBack(event, holds)
      case 'late':
        return this.#comeLate(event, holds)
      case 'pay':
        return this.#pay(event, holds)
      case 'crossed':
        return this.#payCrossed(event, holds)
      case 'meddle':
        await this.#meddle(event)
        return this.#giveBack(event, holds)
      case 'fewer':
        await this.#keepFewer(event, holds)
        return this.#giveBack(event, holds)
      case 'sign in':
        return this.#signIn(event, holds)
    }
  }

  /** Another request, which gets what the buyer has already, and gets it once more with the same key. */
  async #askTwice(event: LabEvent, command: AskedCommand): Promise<void> {
    const wish = { wish: randomUUID(), key: randomUUID() }
    const outcome = await this.#insist(event, command, wish)
    if (outcome.type === 'ok') await this.#ask(event, command, wish)
  }

  /** Once, then for as many as there are by then: that is not fewer. Seats have no places to give back. */
  async #keepFewer(event: LabEvent, holds: readonly AnsweredHold[]): Promise<void> {
    const { random } = this.#deps
    for (const { id, quantity } of holds) {
      const command: AskedCommand = {
        kind: 'reduce',
        hold: id,
        quantity: 1 + random.below(Math.max(1, quantity - 1)),
      }
      const key = random.chance(KEYED) ? randomUUID() : undefined
      await this.#insist(event, command, { ...(key !== undefined && { key }) })
      if (random.chance(0.3)) await this.#ask(event, command)
      await this.#think()
    }
  }

  /**
   * Moves the guest's holds to the account. Other guests use that account too, and it goes on with the holds.
   */
  async #signIn(event: LabEvent, holds: readonly AnsweredHold[]): Promise<void> {
    const { account, random } = this.#deps
    const own = new Buyer(account, this.#deps)
    let moved = await own.#takeOver(event, this.#person)
    // Without an answer once more: what has moved stays where it is.
    if (moved.type === 'unknown') moved = await own.#takeOver(event, this.#person)
    const told = moved.answer.transfers?.find(one => one.event === event.eventId)?.holds ?? []
    const ours = holds.filter(({ id }) => told.some(hold => hold.id === id))
    if (ours.length < holds.length) await this.#giveBack(event, holds)
    if (ours.length === 0) return own.#giveBack(event, holds)
    const next = random.pick(['release', 'extend', 'fewer', 'pay', 'leave'] as const)
    const asked = { command: { kind: 'look' } as const, wish: randomUUID(), key: undefined }
    await own.#go(next, event, ours, asked)
  }

  #takeOver(event: LabEvent, guest: Person): Promise<Outcome> {
    return this.#ask(event, { kind: 'transfer', from: guest.userId }, { guestToken: guest.token })
  }

  async #giveBack(event: LabEvent, holds: readonly AnsweredHold[]): Promise<void> {
    for (const { id } of holds) {
      const outcome = await this.#ask(event, { kind: 'release', hold: id })
      // Without an answer once more: it is idempotent.
      if (outcome.type === 'unknown') await this.#ask(event, { kind: 'release', hold: id })
    }
  }

  async #comeLate(event: LabEvent, holds: readonly AnsweredHold[]): Promise<void> {
    const { random } = this.#deps
    const patience = Math.min(event.plan.ttlMs, MOST_PATIENCE_MS)
    await delay(patience - 60 + random.below(160))
    const [first] = holds
    await this.#ask(event, { kind: 'extend', hold: first!.id })
    const outcome = await this.#sell(event, holds, randomUUID())
    if (outcome.type !== 'ok') await this.#giveBack(event, holds)
  }

  async #pay(event: LabEvent, holds: readonly AnsweredHold[]): Promise<void> {
    const { random } = this.#deps
    const checkout = randomUUID()
    const started = await this.#startPayment(event, holds, checkout)
    if (started.type !== 'ok') return this.#giveBack(event, holds)
    if (random.chance(0.3)) await this.#ask(event, { kind: 'extend', hold: holds[0]!.id })
    const paid = random.chance(0.8) ? await this.#sell(event, holds, checkout) : started
    // Money that did not come, or whose arrival is unknown: the places go back on sale, or they are sold.
    if (paid === started || paid.type !== 'ok') await this.#giveBack(event, holds)
  }

  async #payCrossed(event: LabEvent, holds: readonly AnsweredHold[]): Promise<void> {
    const checkout = randomUUID()
    await this.#sell(event, [], checkout)
    const started = await this.#startPayment(event, holds, checkout)
    if (started.type === 'ok') await this.#sell(event, holds, randomUUID())
    return this.#giveBack(event, holds)
  }

  /** With what belongs to another buyer. */
  async #meddle(event: LabEvent): Promise<void> {
    const { random, rumours } = this.#deps
    const known = rumours.get(event.eventId) ?? []
    if (known.length === 0) return
    await this.#ask(event, { kind: 'extend', hold: random.pick(known) })
    await this.#ask(event, { kind: 'release', hold: random.pick(known) })
  }

  #startPayment(event: LabEvent, holds: readonly AnsweredHold[], checkout: string): Promise<Outcome> {
    return this.#ask(event, { kind: 'start_payment', holds: holds.map(({ id }) => id), checkout })
  }

  #sell(event: LabEvent, holds: readonly AnsweredHold[], checkout: string): Promise<Outcome> {
    const places = holds.reduce((sum, { quantity }) => sum + quantity, 0)
    const tickets = Array.from({ length: places }, () => randomUUID())
    const command = { kind: 'sell', holds: holds.map(({ id }) => id), checkout, tickets } as const
    return this.#ask(event, command, { wish: randomUUID() })
  }

  #wish({ workload, seats, zones, plan }: LabEvent): AskedCommand {
    const { random } = this.#deps
    const list = Object.entries(workload.wish).map(([name, weight]) => ({ name: name as Wish, weight }))
    const seat = () => random.below(seats.length)
    switch (random.weighted(list).name) {
      case 'seat':
        return { kind: 'hold_seats', ordinals: [seat()] }
      case 'seats':
        return { kind: 'hold_seats', ordinals: [...new Set([seat(), seat(), seat()])] }
      case 'group': {
        const size = 2 + random.below(5)
        const first = random.below(seats.length - size + 1)
        const group = Array.from({ length: size }, (_, index) => first + index)
        return { kind: 'hold_seats', ordinals: random.chance(0.5) ? group : group.reverse() }
      }
      case 'places': {
        const zone = zones.length - 1
        const most = Math.max(1, Math.min(4, Math.floor(plan.zones[zone]!.capacity / 4)))
        return { kind: 'hold_places', zone, quantity: 1 + random.below(most) }
      }
    }
  }

  /**
   * Asks again, with the same key and of any node, for as long as the outcome is unknown. Without a key there
   * is no point.
   */
  async #insist(
    event: LabEvent,
    command: AskedCommand,
    wish: { wish?: string; key?: string },
  ): Promise<Outcome> {
    let outcome = await this.#ask(event, command, wish)
    for (let tries = 0; tries < MOST_RETRIES && wish.key !== undefined; tries += 1) {
      if (outcome.type !== 'unknown' && outcome.answer.status !== 0 && outcome.answer.status < 500) break
      if (this.#deps.isOver() && tries > 5) break
      await this.#think()
      outcome = await this.#ask(event, command, wish)
    }
    return outcome
  }

  #ask(
    event: LabEvent,
    command: AskedCommand,
    { wish, key, guestToken }: { wish?: string; key?: string | undefined; guestToken?: string } = {},
  ): Promise<Outcome> {
    const { home, nodes, random } = this.#deps
    const node = event.workload.staysWithNode ? home : random.pick<LabNode>(nodes)
    return ask(this.#deps, {
      person: this.#person,
      node,
      event,
      command,
      ...(wish !== undefined && { wish }),
      ...(key !== undefined && { key }),
      ...(guestToken !== undefined && { guestToken }),
    })
  }

  /** Any node is asked, at once. */
  #readOwn(event: LabEvent): Promise<void> {
    const { random, nodes } = this.#deps
    return readOwn(this.#deps, { person: this.#person, node: random.pick<LabNode>(nodes), event })
  }

  #spread({ eventId }: LabEvent, holds: readonly AnsweredHold[]): void {
    const known = this.#deps.rumours.get(eventId) ?? []
    known.push(...holds.map(({ id }) => id))
    this.#deps.rumours.set(eventId, known.slice(-20))
  }

  #think(): Promise<void> {
    return delay(this.#deps.random.below(2 * this.#deps.thinkMs + 1))
  }
}

/** A user of another organization, who tries what buyers do: there is nothing here for them. */
export async function trespass(person: Person, deps: BuyerDeps): Promise<void> {
  const { random } = deps
  while (!deps.isOver()) {
    const event = deps.event()
    const node = random.pick<LabNode>(deps.nodes)
    const known = deps.rumours.get(event.eventId) ?? []
    const commands: AskedCommand[] = [
      { kind: 'look' },
      ...(event.seats.length > 0
        ? [{ kind: 'hold_seats', ordinals: [random.below(event.seats.length)] } as const]
        : []),
      ...(known.length > 0
        ? [
            { kind: 'extend', hold: random.pick(known) } as const,
            { kind: 'release', hold: random.pick(known) } as const,
          ]
        : []),
    ]
    await ask(deps, { person, node, event, command: random.pick(commands), wish: randomUUID() })
    await delay(random.below(4 * deps.thinkMs + 1))
  }
}

/** Staff who take seats out of the sale and put them back. */
export async function administer(person: Person, deps: BuyerDeps): Promise<void> {
  const { random } = deps
  while (!deps.isOver()) {
    const event = deps.event()
    if (event.seats.length > 20) {
      const ordinals = [...new Set([random.below(event.seats.length), random.below(event.seats.length)])]
      for (const kind of ['block', 'unblock'] as const) {
        await ask(deps, {
          person,
          node: random.pick<LabNode>(deps.nodes),
          event,
          command: { kind, ordinals },
        })
        await delay(random.below(4 * deps.thinkMs + 1))
      }
    }
    await delay(random.below(8 * deps.thinkMs + 1))
  }
}

/** The organizer cancels each event when about half of its time is over, and asks until it is certain. */
export async function cancelEvents(person: Person, deps: BuyerDeps): Promise<void> {
  const { random } = deps
  const cancelled = new Set<LabEvent>()
  while (!deps.isOver()) {
    const event = deps.event()
    if (event.workload.isCancelled && !cancelled.has(event)) {
      await delay(event.workload.eventSeconds * random.between(300, 600))
      const node = random.pick<LabNode>(deps.nodes)
      const { type, answer } = await ask(deps, { person, node, event, command: { kind: 'cancel' } })
      const isKnown = type === 'ok' || (type === 'refused' && answer.status === 409)
      if (isKnown) cancelled.add(event)
    }
    await delay(100)
  }
}
