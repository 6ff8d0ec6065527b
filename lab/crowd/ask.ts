import type { Person } from '../found-organization.ts'
import { answeredHold, refusedWith } from '../judge/answers.ts'
import type { Answer, AnsweredHold, AskedCommand } from '../judge/history.ts'
import type { LabNode, PaymentAnswer } from '../nemesis/lab-node.ts'
import type { LabEvent } from '../nemesis/site.ts'
import type { Recorder } from './recorder.ts'
import type { Reply, Sending, Sent, Wire } from './send.ts'

export interface AskDeps {
  readonly wire: Wire
  readonly recorder: Recorder
  readonly nodes: readonly LabNode[]
  readonly events: ReadonlyMap<string, LabEvent>
}

export interface Request {
  readonly person: Person
  readonly node: LabNode
  readonly event: LabEvent
  readonly command: AskedCommand
  /** The holds of the guest with this token are to change hands. */
  readonly guestToken?: string
  readonly wish?: string
  readonly key?: string
}

export interface Outcome {
  readonly type: 'ok' | 'refused' | 'unknown'
  readonly answer: Answer
}

const PAYMENT_WITHIN_MS = 12_000

/** Asks a node for something, and writes down when and what came of it. */
export async function ask(deps: AskDeps, request: Request): Promise<Outcome> {
  const { person, node, event, command, wish, key } = request
  const op = deps.recorder.invoke({
    user: person.userId,
    node: node.index,
    event: event.eventId,
    command,
    ...(wish !== undefined && { wish }),
    ...(key !== undefined && { key }),
  })
  const outcome =
    command.kind === 'start_payment' || command.kind === 'sell'
      ? readPayment(await pay(request, command))
      : readReply(await deps.wire.send(node.url, toSending(request)), request, deps.events)
  deps.recorder.complete(op, outcome.type, outcome.answer)
  return outcome
}

/** Asks a node for the cart of a person, and writes down what it says. A refusal tells nothing. */
export async function readOwn(
  { wire, recorder }: AskDeps,
  { person, node, event }: Pick<Request, 'person' | 'node' | 'event'>,
): Promise<void> {
  const from = performance.now()
  const path = `/api/events/${event.eventId}/cart`
  const sent = await wire.send(node.url, { method: 'GET', path, token: person.token })
  if (typeof sent === 'string' || sent.status !== 200) return
  recorder.write({
    type: 'own read',
    from,
    to: performance.now(),
    user: person.userId,
    node: node.index,
    event: event.eventId,
    holds: sent.body.data.holds.map(({ hold_id }: { hold_id: string }) => hold_id),
  })
}

function toSending({ person, event, command, guestToken, wish, key }: Request): Sending {
  const { token } = person
  const path = `/api/events/${event.eventId}`
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
  const cart_token = wish
  switch (command.kind) {
    case 'hold_seats': {
      const [first] = command.ordinals
      const seat_ids = command.ordinals.map(ordinal => event.seats[ordinal])
      return command.ordinals.length === 1
        ? {
            method: 'POST',
            path: `${path}/seats/${event.seats[first!]}/reserve`,
            token,
            headers,
            body: { cart_token },
          }
        : { method: 'POST', path: `${path}/holds`, token, headers, body: { seat_ids, cart_token } }
    }
    case 'hold_places': {
      const body = { zone_id: event.zones[command.zone], quantity: command.quantity, cart_token }
      return { method: 'POST', path: `${path}/holds`, token, headers, body }
    }
    case 'extend':
      return { method: 'POST', path: `/api/holds/${command.hold}/extend`, token }
    case 'release':
      return { method: 'DELETE', path: `/api/holds/${command.hold}`, token }
    case 'reduce': {
      const body = { quantity: command.quantity }
      return { method: 'PATCH', path: `/api/holds/${command.hold}`, token, headers, body }
    }
    case 'transfer':
      return { method: 'POST', path: '/api/holds/transfer', token, body: { from_token: guestToken } }
    case 'cancel':
      return { method: 'POST', path: `/api/admin/events/${event.eventId}/cancel`, token, body: {} }
    case 'block':
    case 'unblock': {
      const body = { seat_ids: command.ordinals.map(ordinal => event.seats[ordinal]), reason: 'The lab' }
      return { method: 'POST', path: `/api/admin/events/${event.eventId}/seats/${command.kind}`, token, body }
    }
    case 'look':
      return { method: 'GET', path: `${path}/availability`, token }
    default:
      throw new Error(`${command.kind} has no route`)
  }
}

function readReply(sent: Sent, { event, command }: Request, events: AskDeps['events']): Outcome {
  if (sent === 'not sent') return { type: 'refused', answer: { status: 0, code: 'not_sent' } }
  if (sent === 'unknown') return { type: 'unknown', answer: { status: 0 } }
  const { status, body } = sent
  if (status < 300) {
    const answer = command.kind === 'transfer' ? readTransfer(sent, events) : readSuccess(sent, event)
    return { type: 'ok', answer }
  }
  const code: string | undefined = body?.code
  const answer: Answer = {
    status,
    ...(code !== undefined && { code }),
    ...(Array.isArray(body?.seat_ids) && {
      ordinals: body.seat_ids.map((id: string) => event.ordinalOf.get(id) ?? -1),
    }),
  }
  // A node that can't find out says so; every other refusal is definite.
  return { type: code === 'outcome_unknown' ? 'unknown' : 'refused', answer }
}

function readSuccess({ status, body, headers }: Reply, event: LabEvent): Answer {
  const data = body?.data ?? {}
  const holds: { hold_id: string }[] = data.holds ?? (data.held_until === undefined ? [] : [data])
  return {
    status,
    ...(holds.length > 0 && { holds: holds.map(hold => readHold(hold as unknown as HoldBody, event)) }),
    ...(data.released_count !== undefined && { released: data.released_count, ended: data.status }),
    ...(data.seq !== undefined && { seq: data.seq }),
    ...(data.seats !== undefined && {
      seats: data.seats.map((seat: { seat_id: string; status: string }) => [
        event.ordinalOf.get(seat.seat_id) ?? -1,
        seat.status,
      ]),
      zones: data.zones.map((zone: { held: number; sold: number; blocked: number; available: number }) => {
        const { held, sold, blocked, available } = zone
        return { held, sold, blocked, available }
      }),
    }),
    ...(headers['idempotency-replayed'] === 'true' && { replayed: true }),
  }
}

function readTransfer({ status, body }: Reply, events: AskDeps['events']): Answer {
  const { moved, not_moved } = body.data
  const transfers = [
    ...moved.map(({ event_id, holds }: { event_id: string; holds: HoldBody[] }) => {
      const event = events.get(event_id)
      return { event: event_id, holds: event ? holds.map(hold => readHold(hold, event)) : [] }
    }),
    ...not_moved.map(({ event_id, code }: { event_id: string; code: string }) => ({ event: event_id, code })),
  ]
  return { status, transfers }
}

interface HoldBody {
  readonly hold_id: string
  readonly seat_id?: string
  readonly zone_id: string
  readonly quantity?: number
  readonly held_until: string
}

function readHold(hold: HoldBody, event: LabEvent): AnsweredHold {
  return {
    id: hold.hold_id,
    ordinal: hold.seat_id === undefined ? null : (event.ordinalOf.get(hold.seat_id) ?? -1),
    zone: event.zones.indexOf(hold.zone_id),
    quantity: hold.quantity ?? 1,
    heldUntil: Date.parse(hold.held_until),
  }
}

function pay(
  { node, person, event, wish }: Request,
  command: Extract<AskedCommand, { kind: 'start_payment' | 'sell' }>,
): Promise<PaymentAnswer | null> {
  return node.pay(
    {
      kind: command.kind,
      organizationId: person.organizationId,
      eventId: event.eventId,
      userId: person.userId,
      holdIds: command.holds,
      checkoutId: command.checkout,
      ticketIds: command.kind === 'sell' ? command.tickets : [],
      cartToken: wish ?? null,
    },
    PAYMENT_WITHIN_MS,
  )
}

function readPayment(answer: PaymentAnswer | null): Outcome {
  if (answer === null) return { type: 'unknown', answer: { status: 0 } }
  if (answer.kind === 'failed') return { type: 'refused', answer: { status: 500, code: answer.message } }
  if (answer.kind === 'refused') return refusedWith(answer.code)
  return { type: 'ok', answer: { status: 200, holds: answer.holds.map(answeredHold) } }
}
