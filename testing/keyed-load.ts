import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { ALL_HOLDS } from './all-holds.ts'
import type { Connections, Reply } from './connections.ts'
import type { Buyer } from './crowd.ts'
import type { Hall } from './hall.ts'
import type { Seeded } from './seeded.ts'
import { waitUntil } from './wait-until.ts'

/** One buyer's wish, sent with a key until there is an answer that means something. */
export interface Wish {
  readonly buyer: Buyer
  readonly key: string
  readonly body: object
  /** All that came back; null where the connection broke. */
  readonly replies: (Reply | null)[]
}

/** Everyone wishes for one or two seats, or for a place: overlapping, so that some must be refused. */
export function wishes(hall: Hall, buyers: readonly Buyer[], random: Seeded): Wish[] {
  return buyers.map(buyer => {
    const seat = () => hall.seats[random.below(hall.seats.length)]!
    const seats = random.below(3) === 0 ? [...new Set([seat(), seat()])] : [seat()]
    const isPlace = hall.zones.length > 1 && random.below(4) === 0
    const body = isPlace ? { zone_id: hall.zones[1], quantity: 1 + random.below(2) } : { seat_ids: seats }
    return { buyer, key: randomUUID(), body, replies: [] }
  })
}

export async function ask(connections: Connections, url: string, hall: Hall, wish: Wish): Promise<void> {
  const { buyer, key, body } = wish
  const headers = { 'idempotency-key': key }
  const reply = await connections
    .send('POST', `${url}${hall.url}/holds`, { token: buyer.token, body, headers })
    .catch(() => null)
  wish.replies.push(reply)
}

/** Asks again, with the same key, for as long as the outcome is unknown. */
export async function settle(connections: Connections, url: string, hall: Hall, wish: Wish): Promise<void> {
  await waitUntil('there is an answer that means something', async () => {
    if (!isDefinite(wish.replies.at(-1))) await ask(connections, url, hall, wish)
    return isDefinite(wish.replies.at(-1))
  })
}

export function isDefinite(reply: Reply | null | undefined): reply is Reply {
  return reply !== null && reply !== undefined && reply.status < 500
}

/**
 * The tables have what was answered: every hold that was confirmed, by any node and however often the buyer
 * asked for it, and not one more; and an answer once given is given again.
 */
export async function expectTruth(
  database: { sql<R extends object>(text: string, values?: unknown[]): Promise<R[]> },
  hall: Hall,
  all: readonly Wish[],
): Promise<void> {
  const rows = await database.sql<{ id: string; user_id: string }>(
    `select id, user_id from ${ALL_HOLDS} h where event_id = $1 and status = 'active'`,
    [hall.eventId],
  )
  const held = new Map<string, string[]>()
  for (const { id, user_id } of rows) held.set(user_id, [...(held.get(user_id) ?? []), id].sort())
  const lies = all.filter(({ buyer, replies }) => {
    const told = replies.filter(isDefinite).map(holdsOf)
    const inTable = JSON.stringify(held.get(buyer.userId) ?? [])
    return told.length === 0 || told.some(holds => JSON.stringify(holds) !== inTable)
  })
  expect(
    lies.map(({ buyer, replies }) => ({
      inTable: held.get(buyer.userId) ?? [],
      replies: replies.map(reply => reply && { status: reply.status, text: reply.text }),
    })),
  ).toEqual([])
  // Only two kinds of failure are allowed, and each says when to come back.
  const failures = all.flatMap(({ replies }) => replies).filter(reply => reply && reply.status >= 500)
  for (const reply of failures) {
    expect([reply!.status, reply!.body.retryable, reply!.text]).toEqual([503, true, expect.any(String)])
    expect(Number(reply!.headers['retry-after'])).toBeGreaterThan(0)
  }
}

function holdsOf({ status, body }: Reply): string[] {
  return status === 201 ? body.data.holds.map((hold: { hold_id: string }) => hold.hold_id).sort() : []
}
