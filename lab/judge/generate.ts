import { Random } from '../random.ts'
import type { Line } from './history.ts'
import type { Entry, EventPlan, EventRecord, Users } from './record.ts'

export interface Generated {
  readonly lines: Iterable<Line>
  readonly records: readonly EventRecord[]
  readonly users: Users
}

const ORGANIZATION = 'organization'
const EVENT = 'event'
const TTL_MS = 60_000

/**
 * A long history of a faultless system, made without one: buyers hold seats, are refused, extend, give back,
 * let run out. To see how long the checker takes, and that it has nothing to say.
 */
export function generateHistory(size: {
  operations: number
  seats: number
  clients: number
  seed: number
}): Generated {
  const random = new Random(size.seed)
  const plan: EventPlan = {
    ttlMs: TTL_MS,
    maxHoldsPerUser: null,
    maxSeatsPerBooking: null,
    zones: [{ capacity: size.seats, seats: size.seats }],
  }
  const journal: Entry[] = []
  const lines: Line[] = [{ type: 'clock', from: 0, to: 0, database: 0 }]
  const seats = Array.from({ length: size.seats }, () => ({ version: 0, hold: null as Held | null }))
  const free = new Map<number, Held>()
  const users = new Map(
    Array.from({ length: size.clients }, (_, index) => [`user-${index}`, { organizationId: ORGANIZATION }]),
  )
  /** Answers that are under way: each client asks one thing at a time, and they overlap. */
  const answers: { at: number; line: Line }[] = []
  let now = 0
  const write = (kind: string, command: string, actor: string | null, body: Entry['body']) => {
    journal.push({ seq: journal.length + 1, kind, command, actor, at: Math.floor(now), body })
  }
  const of = (hold: Held) => ({
    holdId: hold.id,
    ordinal: hold.ordinal,
    version: ++seats[hold.ordinal]!.version,
    zoneIndex: 0,
    quantity: 1,
  })

  for (let op = 1; op <= size.operations; op += 1) {
    now += random.next() * 4
    while (answers.length >= size.clients) lines.push(answers.shift()!.line)
    const user = `user-${op % size.clients}`
    const base = { op, user, node: 0, event: EVENT }
    const from = now
    now += random.next()
    const mine = free.get(op % size.clients)
    const answer = (type: 'ok' | 'refused', rest: object) =>
      answers.push({
        at: 0,
        line: { type, op, at: now + random.next() * 4, status: type === 'ok' ? 200 : 409, ...rest } as Line,
      })
    if (mine && mine.heldUntil > now) {
      if (random.chance(0.2)) {
        lines.push({ type: 'invoke', at: from, ...base, command: { kind: 'extend', hold: mine.id } })
        const heldUntil = Math.max(
          mine.heldUntil,
          Math.min(Math.floor(now) + 300_000, mine.capUntil - 900_000),
        )
        if (heldUntil > mine.heldUntil)
          write('seat_hold_extended', `c${op}`, user, { ...of(mine), heldUntil })
        mine.heldUntil = heldUntil
        answer('ok', { holds: [{ id: mine.id, ordinal: mine.ordinal, zone: 0, quantity: 1, heldUntil }] })
      } else {
        lines.push({ type: 'invoke', at: from, ...base, command: { kind: 'release', hold: mine.id } })
        write('seat_released', `c${op}`, user, { ...of(mine), reason: 'user_cancelled' })
        seats[mine.ordinal]!.hold = null
        free.delete(op % size.clients)
        answer('ok', { released: 1, ended: 'cancelled' })
      }
    } else {
      const ordinal = random.below(size.seats)
      const seat = seats[ordinal]!
      const wish = `w${op}`
      lines.push({
        type: 'invoke',
        at: from,
        ...base,
        wish,
        command: { kind: 'hold_seats', ordinals: [ordinal] },
      })
      const known = seat.hold
      if (known && known.heldUntil > now) {
        if (known.user === user)
          answer('ok', {
            holds: [{ id: known.id, ordinal, zone: 0, quantity: 1, heldUntil: known.heldUntil }],
          })
        else answer('refused', { code: 'seat_held_by_another_user', ordinals: [ordinal] })
      } else {
        if (known) write('seat_hold_expired', `c${op}`, user, of(known))
        const heldUntil = Math.floor(now) + TTL_MS
        const hold = { id: `h${op}`, user, ordinal, heldUntil, capUntil: heldUntil + 1_200_000 }
        seat.hold = hold
        free.set(op % size.clients, hold)
        const { capUntil } = hold
        write('seat_reserved', `c${op}`, user, {
          ...of(hold),
          userId: user,
          cartToken: wish,
          heldUntil,
          capUntil,
        })
        answer('ok', { holds: [{ id: hold.id, ordinal, zone: 0, quantity: 1, heldUntil }] })
      }
    }
  }
  for (const { line } of answers) lines.push(line)
  return {
    lines,
    records: [{ eventId: EVENT, organizationId: ORGANIZATION, plan, journal, tables: null }],
    users,
  }
}

interface Held {
  readonly id: string
  readonly user: string
  readonly ordinal: number
  heldUntil: number
  readonly capUntil: number
}
