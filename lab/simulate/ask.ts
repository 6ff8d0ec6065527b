import type { Person } from '@voelgoed/core/access'
import type { Command } from '@voelgoed/core/event/command'
import type { Decision } from '@voelgoed/core/event/decision'
import { isOnSale } from '@voelgoed/core/event/lifecycle'
import type { CheckoutId, CommandId, HoldId, TicketId, UserId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, refuse } from '@voelgoed/core/result'
import type { LaneAnswer } from '@voelgoed/engine/lane/lane-answer'
import type { Rider } from '@voelgoed/engine/round/rider'
import { outageKind } from '@voelgoed/kit/postgres/outage'
import { answeredHold, refusedWith } from '../judge/answers.ts'
import type { Answer, AnsweredHold, AskedCommand, ReturnLine } from '../judge/history.ts'
import type { Random } from '../random.ts'
import { ordinalOf } from './hall.ts'
import type { SimulatedNode } from './node.ts'
import type { SimulatedEvent } from './simulated-event.ts'
import type { World } from './world.ts'

/** A buyer gives up on an answer after this long. */
const PATIENCE_MS = 9_000

export type Heard = Answer & Pick<ReturnLine, 'type'>

/** One person asks this of one event. */
export interface Question {
  readonly person: Person
  /** A transfer is about all events of the guest, and names one of them here. */
  readonly event: SimulatedEvent
  readonly command: AskedCommand
  readonly wish: string | null
  readonly key: string | null
}

/** Asks one node, and writes down what was asked and heard. */
export async function ask(world: World, random: Random, question: Question): Promise<Heard> {
  const { scheduler, lines } = world
  const { person, event, command, wish, key } = question
  const op = world.newOperation()
  const node = random.pick(world.nodes)
  const user = person.userId
  lines.push({
    type: 'invoke',
    op,
    at: scheduler.now,
    user,
    node: node.index,
    event: event.address.eventId,
    command,
    ...(wish !== null && { wish }),
    ...(key !== null && { key }),
  })
  const events = command.kind === 'transfer' ? world.events : [event]
  const given = events.map(one => ({ event: one, command: toCommand(random, person, command, wish) }))
  world.commands.set(
    op,
    given.map(one => one.command.commandId),
  )
  const { turns } = event
  const heard = await new Promise<Heard>(resolve => {
    const giveUp = scheduler.schedule(PATIENCE_MS, null, `${user} gives up`, () => resolve(NO_ANSWER))
    const hear = (answer: Heard) => {
      const { process } = node
      world.turns.set(op, event.turns - turns)
      scheduler.schedule(
        random.next() * 5,
        null,
        `${user} hears ${process.name}: ${answer.code ?? answer.type}`,
        () => {
          giveUp()
          resolve(answer)
        },
      )
    }
    scheduler.schedule(random.next() * 5, null, `${user} asks ${node.process.name}: ${command.kind}`, () => {
      const { process } = node
      if (!process.isAlive) {
        hear({ type: 'refused', status: 0 })
        return
      }
      scheduler.schedule(0, process, `is asked: ${command.kind}`, () => {
        const answer =
          command.kind === 'transfer' ? serveTransfer(node, given) : serve(node, question, given[0]!)
        void answer.then(one => {
          if (process.isAlive) hear(one)
        })
      })
    })
  })
  lines.push({ ...heard, op, at: scheduler.now })
  return heard
}

const NO_ANSWER: Heard = { type: 'unknown', status: 0 }

/** A command, and the event that it is given to. */
interface Given {
  readonly event: SimulatedEvent
  readonly command: Command
}

/** Does what the routes do: turns a request into a command, and the lane's answer into a response. */
async function serve(
  node: SimulatedNode,
  { person, command: asked, key }: Question,
  { event, command }: Given,
): Promise<Heard> {
  try {
    if (STAFFS_OWN.has(command.kind)) return await serveStaff(node, { event, command })
    const rider = key === null ? null : riderOf(person, event, asked, command, key)
    return heardOf(await node.lane(event.address).submit(command, rider))
  } catch (error) {
    return outageOf(error)
  }
}

const STAFFS_OWN: ReadonlySet<Command['kind']> = new Set(['block', 'unblock', 'event_changed'])

/** Alone, under the event's lock. */
async function serveStaff(node: SimulatedNode, { event, command }: Given): Promise<Heard> {
  const done = await node.lane(event.address).exclusive(async (_tx, give) => {
    const { status } = event
    // The row of the event, as a transaction under the lock sees it.
    if (command.kind === 'event_changed' && !isOnSale(status)) {
      return refuse({ kind: 'invalid_transition', status, allowed: [] })
    }
    const outcome = give(command)
    return outcome.ok ? ok(outcome.value) : refuse(outcome.problem)
  })
  if (!done.ok) return refusedAs(done.problem)
  if (command.kind === 'event_changed') node.endHoldsOf(event.address)
  return { type: 'ok', ...bodyOf(done.value) }
}

/** One event after the other, each by itself; an outage is the answer when nothing was moved. */
async function serveTransfer(node: SimulatedNode, given: readonly Given[]): Promise<Heard> {
  const transfers: { event: string; holds?: readonly AnsweredHold[]; code?: string }[] = []
  const outages: Heard[] = []
  for (const { event, command } of given) {
    const { eventId } = event.address
    const heard = await node.lane(event.address).submit(command, null).then(heardOf, outageOf)
    if (heard.type === 'ok') transfers.push({ event: eventId, holds: heard.holds ?? [] })
    else transfers.push({ event: eventId, code: heard.code! })
    if (heard.status >= 500) outages.push(heard)
  }
  const hasMoved = transfers.some(({ holds = [] }) => holds.length > 0)
  const outage = outages.find(({ type }) => type === 'unknown') ?? outages[0]
  return outage && !hasMoved ? outage : { type: 'ok', status: 200, transfers }
}

function outageOf(error: unknown): Heard {
  const kind = outageKind(error)
  return kind ? refusedAs({ kind, retryAfterSeconds: 1 }) : refusedAs({ kind: 'internal_error' })
}

function toCommand(random: Random, person: Person, asked: AskedCommand, wish: string | null): Command {
  const given = { commandId: newId(random) as CommandId, actor: { person, ip: null, source: 'web' as const } }
  const holdId = () => newId(random) as HoldId
  switch (asked.kind) {
    case 'hold_seats': {
      const { kind, ordinals } = asked
      return { ...given, kind, ordinals, holdIds: ordinals.map(holdId), cartToken: wish! }
    }
    case 'hold_places':
      return {
        ...given,
        kind: asked.kind,
        zoneIndex: asked.zone,
        quantity: asked.quantity,
        holdId: holdId(),
        cartToken: wish!,
      }
    case 'hold_best': {
      const { kind, quantity, wheelchair, companions, together } = asked
      const holdIds = Array.from({ length: quantity }, holdId)
      return {
        ...{ ...given, kind, quantity, wheelchair, companions, together, holdIds },
        ...{ zoneIndexes: null, prices: null, cartToken: wish! },
      }
    }
    case 'extend':
      return { ...given, kind: asked.kind, holdId: asked.hold as HoldId }
    case 'release':
      return { ...given, kind: asked.kind, reason: 'user_cancelled', holdIds: [asked.hold as HoldId] }
    case 'reduce':
      return { ...given, kind: asked.kind, holdId: asked.hold as HoldId, quantity: asked.quantity }
    case 'transfer':
      return { ...given, kind: asked.kind, from: asked.from as UserId }
    case 'start_payment':
      return {
        ...given,
        kind: asked.kind,
        holdIds: asked.holds as HoldId[],
        checkoutId: asked.checkout as CheckoutId,
      }
    case 'sell':
      return {
        ...given,
        kind: asked.kind,
        buyer: person,
        holds: (asked.holds as HoldId[]).map(id => {
          return { holdId: id, againAs: holdId(), cartToken: wish, ended: null }
        }),
        checkoutId: asked.checkout as CheckoutId,
        ticketIds: asked.tickets as TicketId[],
      }
    case 'block':
    case 'unblock':
      return { ...given, kind: asked.kind, ordinals: asked.ordinals, reason: 'a broken chair' }
    case 'cancel':
      return { ...given, kind: 'event_changed', status: 'cancelled' }
    case 'look':
      throw new Error(`not simulated: ${asked.kind}`)
  }
}

/** A key belongs to its caller and its route. */
function riderOf(
  person: Person,
  { address }: SimulatedEvent,
  asked: AskedCommand,
  command: Command,
  key: string,
): Rider {
  const route = asked.kind === 'hold_seats' && asked.ordinals.length === 1 ? `/${asked.ordinals[0]}` : ''
  return {
    keyHash: Buffer.from(`${person.userId} ${address.eventId}${route} ${key}`),
    fingerprint: Buffer.from(JSON.stringify([asked, 'cartToken' in command && command.cartToken])),
    render: decision => ({ status: 200, body: bodyOf(decision) }),
  }
}

function bodyOf(decision: Decision): Answer {
  return {
    status: 200,
    holds: decision.holds.map(answeredHold),
    released: decision.changes.filter(({ kind }) => kind === 'seat_released').length,
  }
}

function heardOf(answer: LaneAnswer): Heard {
  switch (answer.kind) {
    case 'decided': {
      const { outcome, kept } = answer
      if (!outcome.ok) return refusedAs(outcome.problem)
      return { type: 'ok', ...(kept ? parse(kept.answer) : bodyOf(outcome.value)) }
    }
    case 'replayed':
      return { type: 'ok', ...parse(answer.stored.answer), replayed: true }
    case 'refused':
      return refusedAs(answer.refusal)
  }
}

function parse(text: Buffer): Answer {
  return JSON.parse(text.toString()) as Answer
}

function refusedAs(refusal: Refusal): Heard {
  const { type, answer } = refusedWith(refusal.kind)
  return { type, ...answer, ...('seatIds' in refusal && { ordinals: refusal.seatIds.map(ordinalOf) }) }
}

/** Ids need not look like those of the real server, but there must be enough of them. */
export function newId(random: Random): string {
  return random.below(2 ** 32).toString(36) + random.below(2 ** 32).toString(36)
}
