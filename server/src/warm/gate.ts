import { createHash, randomUUID } from 'node:crypto'
import type { Command, HoldSeats } from '@voelgoed/core/event/command'
import { decide } from '@voelgoed/core/event/decide'
import { AVAILABLE } from '@voelgoed/core/event/state'
import type { Refusal } from '@voelgoed/core/refusal'
import type { FastifyBaseLogger } from 'fastify'
import type { CommittedView } from '../lane/committed-view.ts'
import type { Gate, GatedEvent, GatePass } from '../lane/gate.ts'
import { databaseNow } from '../lane/hot-event.ts'
import type { RedisConnection } from '../redis/connection.ts'
import { eventKeys } from '../redis/keys.ts'
import type { Time } from '../time.ts'

/** A mark whose batch never came to its end counts no longer than this. */
const MARK_MS = 5_000
/** When a buyer who was refused here should ask again: by then the other node's batch is over. */
const EXPIRES_IN_SECONDS = 1
/** Redis does nothing else while it looks at them: commands beyond these pass. */
const MAX_SEATS = 1_000
/** By then the view has what the other node was writing. */
const LOOK_BACK_AFTER_MS = 1_000
/** Refusals that wait to be looked back at; beyond these some are not. */
const MAX_LOOKING_BACK = 1_000

export interface RedisGateDeps {
  readonly redis: Pick<RedisConnection, 'read'>
  readonly time: Time
  readonly log: FastifyBaseLogger
  onLook(ms: number): void
}

/**
 * The gate by Redis (gate.lua): one script for each batch. Nodes mark the seats that they are writing, and
 * refuse buyers who ask for a seat that another node is writing for another buyer, or that both the copy of
 * the event and this node's memory say is held. Whatever goes wrong, the batch goes on as if there were no
 * gate.
 */
export class RedisGate implements Gate {
  /** `lookedBack`: refusals that were held against the view later; `premature`: the seats were free. */
  readonly counts = { writing: 0, held: 0, lookedBack: 0, premature: 0, passedOpen: 0 }
  readonly #deps: RedisGateDeps
  readonly #node = randomUUID()
  readonly #marked = new Map<string, Marked>()
  #batches = 0
  #lookingBack = 0
  #works = true

  constructor(deps: RedisGateDeps) {
    this.#deps = deps
  }

  async enter(event: GatedEvent, commands: readonly Command[]): Promise<GatePass | null> {
    const { view } = event
    if (!view) return null
    const asked = gatedOf(commands)
    if (asked.length === 0) return null
    this.#batches += 1
    const batch = this.#batches
    const { time } = this.#deps
    const startedAt = time.now()
    const ordinals = [...new Set(asked.flatMap(({ command }) => command.ordinals))]
    const words = asked.flatMap(({ command }) => wordsOf(view, command))
    let refusals: ReadonlyMap<number, Refusal>
    try {
      const reply = await this.#look(view, batch, event.heardSeq, [asked.length, ...words])
      refusals = this.#judge(view, asked, reply)
      this.#setWorks(true)
    } catch (error) {
      this.counts.passedOpen += 1
      this.#setWorks(false, error)
      refusals = new Map()
    }
    this.#deps.onLook(time.now() - startedAt)
    return { refusals, leave: () => this.#leave(view, { batch, ordinals }) }
  }

  /** With the marks of the batch before, which are no longer needed. */
  #look(
    view: CommittedView,
    batch: number,
    heardSeq: number,
    words: readonly (string | number)[],
  ): Promise<unknown> {
    const before = this.#marked.get(keyOf(view))
    this.#marked.delete(keyOf(view))
    const { seq, seats, writing } = eventKeys(view.scope, view.eventId)
    return this.#deps.redis.read(
      'gate',
      [seq, seats, writing],
      ...[this.#node, batch, MARK_MS, view.epochPoint.epoch, heardSeq],
      ...[before?.batch ?? 0, before?.ordinals.length ?? 0, ...(before?.ordinals ?? [])],
      ...words,
    )
  }

  /** The next batch of the event removes its marks, if it comes at once. */
  #leave(view: CommittedView, marked: Marked): void {
    this.#marked.set(keyOf(view), marked)
    this.#deps.time.soon(() => {
      if (this.#marked.get(keyOf(view)) !== marked) return
      // What can't be removed ends by itself.
      this.#look(view, marked.batch, 0, [0]).catch(() => {})
    })
  }

  #judge(view: CommittedView, asked: readonly Gated[], reply: unknown): ReadonlyMap<number, Refusal> {
    const against = readAnswers(asked, reply)
    const refusals = new Map<number, Refusal>()
    const early: number[][] = []
    for (const [place, { index, command }] of asked.entries()) {
      const seats = against[place]!
      if (seats.length === 0) continue
      const refusal = refusalOf(view, command, seats, this.#deps.time)
      if (!refusal) continue
      this.counts[seats.some(({ reason }) => reason === 'writing') ? 'writing' : 'held'] += 1
      refusals.set(index, refusal)
      early.push(seats.map(({ ordinal }) => ordinal))
    }
    this.#lookBackAt(view, early)
    return refusals
  }

  /** Were the seats taken, after all? */
  #lookBackAt(view: CommittedView, refused: readonly number[][]): void {
    const some = refused.slice(0, MAX_LOOKING_BACK - this.#lookingBack)
    if (some.length === 0) return
    this.#lookingBack += some.length
    this.#deps.time.after(LOOK_BACK_AFTER_MS, () => {
      this.#lookingBack -= some.length
      this.counts.lookedBack += some.length
      const isFree = (ordinal: number) => view.state.seatStatus[ordinal] === AVAILABLE
      this.counts.premature += some.filter(ordinals => ordinals.every(isFree)).length
    })
  }

  #setWorks(works: boolean, error?: unknown): void {
    if (this.#works === works) return
    this.#works = works
    if (works) this.#deps.log.info('the gate works again')
    else this.#deps.log.warn({ err: error }, 'the gate lets everything pass')
  }
}

interface Marked {
  readonly batch: number
  readonly ordinals: readonly number[]
}

interface Gated {
  /** In the batch. */
  readonly index: number
  readonly command: HoldSeats
}

interface Against {
  readonly ordinal: number
  readonly reason: 'writing' | 'held'
}

function gatedOf(commands: readonly Command[]): Gated[] {
  const gated: Gated[] = []
  let seats = 0
  for (const [index, command] of commands.entries()) {
    if (command.kind !== 'hold_seats') continue
    seats += command.ordinals.length
    if (seats > MAX_SEATS) break
    gated.push({ index, command })
  }
  return gated
}

function wordsOf(view: CommittedView, { actor, ordinals }: HoldSeats): (string | number)[] {
  return [buyerWord(view, actor.person.userId), ordinals.length, ...ordinals]
}

/** Nodes must agree on it, and it must not say who the buyer is. */
function buyerWord({ eventId }: CommittedView, userId: string): string {
  return createHash('sha256').update(`${eventId}${userId}`).digest('base64url').slice(0, 16)
}

/**
 * Null: it goes on. What memory refuses for another reason, the lane must say. That a seat is held is
 * believed only if memory says so too, which knows by whom.
 */
function refusalOf(
  view: CommittedView,
  command: HoldSeats,
  against: readonly Against[],
  time: Time,
): Refusal | null {
  const outcome = decide(view.state, command, databaseNow(view, time))
  const written = against.filter(({ reason }) => reason === 'writing')
  if (outcome.ok) {
    if (written.length === 0) return null
    const seatIds = written.map(({ ordinal }) => view.state.seats.seatIds.at(ordinal))
    return { kind: 'seat_held_by_another_user', seatIds, expiresIn: EXPIRES_IN_SECONDS }
  }
  const { problem } = outcome
  return problem.kind === 'seat_held_by_another_user'
    ? { ...problem, expiresIn: Math.min(problem.expiresIn, EXPIRES_IN_SECONDS) }
    : null
}

/** Throws when that is no answer to what was asked. */
function readAnswers(asked: readonly Gated[], reply: unknown): Against[][] {
  if (!Array.isArray(reply) || reply.length !== asked.length) throw new Error('not an answer of the gate')
  return asked.map(({ command }, place) => {
    const words: unknown = reply[place]
    if (!Array.isArray(words) || words.length % 2 !== 0) throw new Error('not an answer of the gate')
    const against: Against[] = []
    for (let at = 0; at < words.length; at += 2) {
      const ordinal = Number(String(words[at]))
      const reason = String(words[at + 1])
      if (!command.ordinals.includes(ordinal)) throw new Error('the gate speaks of another seat')
      if (reason !== 'writing' && reason !== 'held') throw new Error('the gate has an unknown reason')
      against.push({ ordinal, reason })
    }
    return against
  })
}

function keyOf({ scope, eventId }: CommittedView): string {
  return `${scope.organizationId}/${eventId}`
}
