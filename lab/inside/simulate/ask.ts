import type { Person } from '@voelgoed/core/access'
import type { Command } from '@voelgoed/core/event/command'
import type { Decision } from '@voelgoed/core/event/decision'
import type { CheckoutId, CommandId, HoldId, TicketId, UserId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, refuse } from '@voelgoed/core/result'
import type { LaneAnswer } from '../../../server/src/lane/lane-answer.ts'
import type { Rider } from '../../../server/src/lane/rider.ts'
import { outageKind } from '../../../server/src/postgres/outage.ts'
import type { Answer, AskedCommand, ReturnLine } from '../../checker/history.ts'
import type { Random } from '../../random.ts'
import { EVENT, ordinalOf } from './hall.ts'
import type { SimulatedNode } from './node.ts'
import type { World } from './world.ts'

/** A buyer gives up on an answer after this long. */
const PATIENCE_MS = 9_000

export type Heard = Answer & Pick<ReturnLine, 'type'>

/** Asks one node, and writes down what was asked and heard. */
export async function ask(
  world: World,
  random: Random,
  person: Person,
  command: AskedCommand,
  wish: string | null,
  key: string | null,
): Promise<Heard> {
  const { scheduler, lines } = world
  const op = world.newOperation()
  const node = random.pick(world.nodes)
  const { eventId: event } = EVENT
  const user = person.userId
  lines.push({
    type: 'invoke',
    op,
    at: scheduler.now,
    user,
    node: node.index,
    event,
    command,
    ...(wish !== null && { wish }),
    ...(key !== null && { key }),
  })
  const given = toCommand(random, person, command, wish)
  world.commands.set(op, given.commandId)
  const heard = await new Promise<Heard>(resolve => {
    const giveUp = scheduler.schedule(PATIENCE_MS, null, `${user} gives up`, () => resolve(NO_ANSWER))
    const hear = (answer: Heard) => {
      const { process } = node
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
        void serve(node, person, given, command, key).then(answer => {
          if (process.isAlive) hear(answer)
        })
      })
    })
  })
  lines.push({ ...heard, op, at: scheduler.now })
  return heard
}

const NO_ANSWER: Heard = { type: 'unknown', status: 0 }

/** What the routes do: from a request to a command, and from the lane's answer to a response. */
async function serve(
  node: SimulatedNode,
  person: Person,
  command: Command,
  asked: AskedCommand,
  key: string | null,
): Promise<Heard> {
  try {
    if (command.kind === 'block' || command.kind === 'unblock') {
      const done = await node.lane.exclusive(async (_tx, give) => {
        const outcome = give(command)
        return outcome.ok ? ok(outcome.value) : refuse(outcome.problem)
      })
      return done.ok ? { type: 'ok', ...bodyOf(done.value) } : refusedAs(done.problem)
    }
    const rider = key === null ? null : riderOf(person, asked, command, key)
    const heard = heardOf(await node.lane.submit(command, rider))
    return asked.kind === 'transfer' ? asTransfer(heard) : heard
  } catch (error) {
    const kind = outageKind(error)
    return kind ? refusedAs({ kind, retryAfterSeconds: 1 }) : refusedAs({ kind: 'internal_error' })
  }
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
    case 'convert':
      return {
        ...given,
        kind: asked.kind,
        holdIds: asked.holds as HoldId[],
        checkoutId: asked.checkout as CheckoutId,
        ticketIds: asked.tickets as TicketId[],
      }
    case 'block':
    case 'unblock':
      return { ...given, kind: asked.kind, ordinals: asked.ordinals, reason: 'a broken chair' }
    case 'cancel':
    case 'look':
      throw new Error(`not simulated: ${asked.kind}`)
  }
}

/** A key belongs to its caller and its route. */
function riderOf(person: Person, asked: AskedCommand, command: Command, key: string): Rider {
  const route = asked.kind === 'hold_seats' && asked.ordinals.length === 1 ? `/${asked.ordinals[0]}` : ''
  return {
    keyHash: Buffer.from(`${person.userId} ${route} ${key}`),
    fingerprint: Buffer.from(JSON.stringify([asked, 'cartToken' in command && command.cartToken])),
    render: decision => ({ status: 200, body: bodyOf(decision) }),
  }
}

function bodyOf(decision: Decision): Answer {
  const holds = decision.holds.map(({ holdId, ordinal, zoneIndex, quantity, heldUntil }) => {
    return { id: holdId, ordinal, zone: zoneIndex, quantity, heldUntil }
  })
  return {
    status: 200,
    holds,
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

/** A transfer answers for each event by itself. */
function asTransfer({ type, status, code, holds }: Heard): Heard {
  if (type === 'unknown' || code === undefined) {
    return {
      type,
      status,
      ...(type === 'ok' && { transfers: [{ event: EVENT.eventId, holds: holds ?? [] }] }),
    }
  }
  return { type: 'ok', status: 200, transfers: [{ event: EVENT.eventId, code }] }
}

function parse(text: Buffer): Answer {
  return JSON.parse(text.toString()) as Answer
}

function refusedAs(refusal: Refusal): Heard {
  const code = refusal.kind
  if (code === 'outcome_unknown') return { type: 'unknown', status: 503, code }
  const status = STATUS[code] ?? 409
  const ordinals = 'seatIds' in refusal ? { ordinals: refusal.seatIds.map(ordinalOf) } : {}
  return { type: 'refused', status, code, ...ordinals }
}

const STATUS: Readonly<Record<string, number>> = {
  busy: 503,
  database_unavailable: 503,
  internal_error: 500,
  event_not_found: 404,
  idempotency_key_reused: 422,
}

/** Ids need not look like those of the real server, but there must be enough of them. */
export function newId(random: Random): string {
  return random.below(2 ** 32).toString(36) + random.below(2 ** 32).toString(36)
}
