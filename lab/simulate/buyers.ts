import type { Person } from '@voelgoed/core/access'
import type { AnsweredHold, AskedCommand } from '../judge/history.ts'
import { Random } from '../random.ts'
import { ask, type Heard, newId } from './ask.ts'
import { COMPANION, FLOOR, PLACE, personOf, TABLE } from './hall.ts'
import { readOwn } from './own-reads.ts'
import type { SimulatedEvent } from './simulated-event.ts'
import type { World } from './world.ts'

const MOST_ATTEMPTS = 4
/** A buyer looks at their cart after an answer this often. */
const OWN_READS = 0.3

/** One buyer asks for one thing after another; after a lost answer some repeat themselves. */
export async function buy(world: World, index: number): Promise<void> {
  const random = new Random(world.plan.seed, 100 + index)
  // They have one of their own, so that a story stays the same with and without looks.
  const looks = new Random(world.plan.seed, 300 + index)
  const account = personOf(`buyer-${index}`)
  const guest = personOf(`guest-${index}`)
  const mayLose = world.plan.faults.includes('failover')
  const carts = world.events.map((event): Cart => {
    return { event, holds: [], checkouts: new Map(), lastKey: null, mayLose }
  })
  // Some begin as a guest and sign in later.
  const signsInBefore = random.chance(0.3) ? random.between(1, 3) : 0
  for (let left = world.plan.commands; left > 0; left -= 1) {
    const ms = world.plan.rush ? random.next() : thinkMs(random)
    await world.scheduler.sleep(ms, `buyer ${index} thinks`)
    const cart = random.pick(carts)
    const { eventId } = cart.event.address
    // The account may have a cart of its own before.
    const isGuest = signsInBefore > 0 && left > signsInBefore && random.chance(0.7)
    const isSigningIn = left === signsInBefore
    const command: AskedCommand = isSigningIn
      ? { kind: 'transfer', from: guest.userId }
      : (world.plan.seatRules && seatWishOf(random, cart)) ||
        wishOf(random, cart, () => world.strangersHolds(index, eventId))
    const person = isGuest ? guest : account
    const heard = await askUntilKnown(world, random, person, command, cart)
    if (looks.chance(OWN_READS)) await readOwn(world, looks, person.userId, cart.event)
    if (isSigningIn) for (const one of carts) rememberTransfer(one, heard)
    else remember(cart, command, heard)
    for (const { event, holds } of isSigningIn ? carts : [cart]) {
      const id = event.address.eventId
      world.holdsOf.set(`${index} ${id}`, { buyer: index, event: id, holds: [...holds] })
    }
  }
}

/** A buyer knows to have these in an event. */
interface Cart {
  readonly event: SimulatedEvent
  holds: AnsweredHold[]
  /** By hold: the checkout that it is in. */
  readonly checkouts: Map<string, string>
  lastKey: string | null
  /** The database may lose what it has answered. */
  readonly mayLose: boolean
}

export function thinkMs(random: Random): number {
  return random.next() * random.pick([5, 40, 400, 1_500])
}

const WITH_NOTHING = ['hold_seats', 'hold_seats', 'hold_seats', 'hold_places'] as const
const WITH_A_HOLD = [
  ...WITH_NOTHING,
  'release',
  'release',
  'extend',
  'reduce',
  'start_payment',
  'sell',
  'sell',
] as const

function wishOf(
  random: Random,
  { holds, checkouts }: Cart,
  strangersHolds: () => readonly AnsweredHold[],
): AskedCommand {
  // Now and then a buyer tries what is another's.
  const strangers = random.chance(0.05) ? strangersHolds() : []
  const known = strangers.length > 0 ? strangers : holds
  const held = known.length > 0 ? random.pick(known) : null
  const kind = held ? random.pick(WITH_A_HOLD) : random.pick(WITH_NOTHING)
  const checkout = (random.chance(0.7) && checkouts.get(held?.id ?? '')) || newId(random)
  switch (kind) {
    case 'hold_seats': {
      const mine = [...new Set(holds.flatMap(({ ordinal }) => ordinal ?? []))]
      if (mine.length > 0 && random.chance(0.2)) return { kind, ordinals: mine.slice(0, 3) }
      // Neighbours, in a few rows: buyers meet.
      const from = random.below(5)
      return { kind, ordinals: random.shuffled([from, from + 1, from + 2]).slice(0, random.between(1, 3)) }
    }
    case 'hold_places':
      return { kind, zone: FLOOR, quantity: random.between(1, 3) }
    case 'release':
    case 'extend':
      return { kind, hold: held!.id }
    case 'reduce':
      return { kind, hold: held!.id, quantity: random.between(1, 2) }
    case 'start_payment':
      return { kind, holds: random.chance(0.1) ? [] : [held!.id], checkout }
    case 'sell': {
      const tickets = Array.from({ length: held!.quantity }, () => newId(random))
      return { kind, holds: random.chance(0.1) ? [] : [held!.id], checkout, tickets }
    }
  }
}

/** Asks for something that only a hall with seat rules has to judge. Null: the buyer asks as in any hall. */
function seatWishOf(random: Random, { holds, checkouts }: Cart): AskedCommand | null {
  const wish = random.next()
  if (wish < 0.12) return bestOf(random)
  if (wish < 0.2) return { kind: 'hold_seats', ordinals: random.pick(SEATS_WITH_RULES) }
  if (wish > 0.35 || holds.length === 0) return null
  const checkout = checkouts.get(holds[0]!.id) ?? newId(random)
  const order = { holds: holds.map(({ id }) => id), checkout }
  if (random.chance(0.5)) return { kind: 'start_payment', ...order }
  const places = holds.reduce((sum, { quantity }) => sum + quantity, 0)
  return { kind: 'sell', ...order, tickets: Array.from({ length: places }, () => newId(random)) }
}

const SEATS_WITH_RULES: readonly (readonly number[])[] = [
  TABLE,
  TABLE,
  TABLE.slice(1),
  [PLACE],
  [PLACE, COMPANION],
  [COMPANION],
  [COMPANION, COMPANION + 1],
]

function bestOf(random: Random): AskedCommand {
  const kind = 'hold_best'
  if (random.chance(0.25)) {
    const companions = random.below(2)
    return { kind, quantity: 1 + companions, wheelchair: 1, companions, together: null }
  }
  const quantity = random.between(1, 3)
  return { kind, quantity, wheelchair: 0, companions: 0, together: random.chance(0.5) }
}

function remember(cart: Cart, command: AskedCommand, heard: Heard): void {
  const forget = (ids: readonly string[]) => {
    cart.holds = cart.holds.filter(({ id }) => !ids.includes(id))
  }
  switch (command.kind) {
    case 'hold_seats':
    case 'hold_places':
    case 'hold_best':
      forget((heard.holds ?? []).map(({ id }) => id))
      cart.holds.push(...(heard.holds ?? []))
      break
    case 'reduce':
      // The buyer does not know without an answer how many places are left.
      if (heard.type !== 'refused') forget([command.hold])
      // Nor is it when an answer can be lost afterwards; a buyer who pays must know it.
      if (!cart.mayLose) cart.holds.push(...(heard.holds ?? []))
      break
    case 'start_payment':
      for (const hold of command.holds) cart.checkouts.set(hold, command.checkout)
      break
    case 'release':
      if (heard.type !== 'unknown') forget([command.hold])
      break
    case 'sell':
      if (heard.type !== 'unknown') forget(command.holds)
      break
    default:
      break
  }
}

/** The buyer learns from the answer what the guest had, or does not learn it at all. */
function rememberTransfer(cart: Cart, { transfers = [] }: Heard): void {
  const { eventId } = cart.event.address
  cart.holds = [...(transfers.find(({ event }) => event === eventId)?.holds ?? [])]
}

const NEW_HOLDS: ReadonlySet<AskedCommand['kind']> = new Set(['hold_seats', 'hold_places', 'hold_best'])

async function askUntilKnown(
  world: World,
  random: Random,
  person: Person,
  command: AskedCommand,
  cart: Cart,
): Promise<Heard> {
  const isHold = NEW_HOLDS.has(command.kind)
  // A sale that comes late takes its places again.
  const wish = isHold || command.kind === 'sell' ? newId(random) : null
  // As in the fault runs: what ends or extends a hold can be asked twice without harm, and has no key.
  const isUsedAgain = cart.lastKey !== null && random.chance(0.06)
  const key = isHold && random.chance(0.7) ? (isUsedAgain ? cart.lastKey : newId(random)) : null
  cart.lastKey = key ?? cart.lastKey
  for (let attempt = 1; ; attempt += 1) {
    const heard = await ask(world, random, { person, event: cart.event, command, wish, key })
    const isFinal = heard.type !== 'unknown' && heard.status !== 503 && heard.status !== 0
    // Some repeat what was answered already.
    if ((isFinal && !(key && random.chance(0.15))) || key === null || attempt === MOST_ATTEMPTS) return heard
    await world.scheduler.sleep(random.next() * 300, `${person.userId} asks again`)
  }
}
