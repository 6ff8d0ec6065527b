import assert from 'node:assert/strict'
import { type Connections, type Reply, tally } from './connections.ts'
import type { Buyer } from './crowd.ts'
import type { Hall } from './hall.ts'
import type { Seeded } from './seeded.ts'

/** Buyers run at the same seats in a seeded order, spread over the nodes in turn. */
export interface Stampede {
  readonly connections: Connections
  readonly urls: readonly string[]
  readonly buyers: readonly Buyer[]
  readonly hall: Hall
  readonly random: Seeded
}

interface Attempt<Wish> {
  readonly buyer: Buyer
  readonly wish: Wish
  readonly reply: Reply
}

/**
 * Everyone has looked at the event at their node: sockets, sessions and the event's memory are there, so that
 * the requests that follow arrive together.
 */
export async function gather({ connections, urls, buyers, hall }: Stampede): Promise<void> {
  const looks = urls.flatMap(url =>
    buyers.map(({ token }) => connections.send('GET', `${url}${hall.url}/occupancy`, { token })),
  )
  assert.equal(tally(await Promise.all(looks)), `200 × ${looks.length}`)
}

function run<Wish>(
  { connections, urls, buyers, random }: Stampede,
  wishOf: (buyer: Buyer) => Wish,
  toRequest: (wish: Wish) => { path: string; body?: unknown },
): Promise<Attempt<Wish>[]> {
  return Promise.all(
    random.shuffled(buyers).map(async (buyer, index) => {
      const wish = wishOf(buyer)
      const { path, body } = toRequest(wish)
      const url = urls[index % urls.length]!
      const reply = await connections.send('POST', `${url}${path}`, { token: buyer.token, body })
      return { buyer, wish, reply }
    }),
  )
}

/** Everyone wants the same seat: exactly one has it, the others learn for how long and nothing else. */
export async function stampedeForSeat(stampede: Stampede, seat: number): Promise<void> {
  const { hall, buyers } = stampede
  const attempts = await run(
    stampede,
    () => seat,
    () => ({ path: `${hall.url}/seats/${hall.seats[seat]}/reserve` }),
  )
  const others = buyers.length - 1
  const outcome = tally(attempts.map(({ reply }) => reply))
  assert.equal(outcome, `201 × 1, 409 seat_held_by_another_user × ${others}`)
  const winner = attempts.find(({ reply }) => reply.status === 201)!
  const { hold_id } = winner.reply.body.data
  const telling = attempts.filter(({ reply }) => {
    const { expires_in } = reply.body
    const isFair = expires_in > 0 && expires_in <= 600
    return reply !== winner.reply && (!isFair || names(reply, [winner.buyer.userId, hold_id]))
  })
  assert.deepEqual(telling, [])
}

function names(reply: Reply, secrets: readonly string[]): boolean {
  return secrets.some(secret => reply.text.includes(secret))
}

/** Everyone wants one to three places of one zone: never too many, and filled to the last place that fits. */
export async function stampedeForPlaces(
  stampede: Stampede,
  { zoneId, capacity }: { zoneId: string; capacity: number },
): Promise<void> {
  const attempts = await run(
    stampede,
    () => 1 + stampede.random.below(3),
    quantity => ({ path: `${stampede.hall.url}/holds`, body: { zone_id: zoneId, quantity } }),
  )
  assert.equal(unlike(attempts, '409 zone_at_capacity'), '')
  const granted = attempts.filter(({ reply }) => reply.status === 201)
  const places = granted.reduce((sum, { wish }) => sum + wish, 0)
  assert(places <= capacity, `${places} of ${capacity} places`)
  // A wish that did not fit then does not fit now, and each buyer was told the truth.
  const wrongly = attempts.filter(({ reply, wish }) => {
    return reply.status !== 201 && (wish <= capacity - places || reply.body.available >= wish)
  })
  assert.deepEqual(wrongly, [])
}

/** Answers that are neither a success nor the one refusal there is a reason for. */
function unlike<Wish>(attempts: readonly Attempt<Wish>[], refusal: string): string {
  const replies = attempts.map(({ reply }) => reply)
  return tally(replies.filter(({ status, body }) => status !== 201 && `${status} ${body?.code}` !== refusal))
}

/** Groups of neighbours that overlap, named in any order: each gets all of its seats or none. */
export async function stampedeForGroups(stampede: Stampede): Promise<void> {
  const { hall, random } = stampede
  const attempts = await run(
    stampede,
    () => {
      const size = 2 + random.below(5)
      const first = random.below(hall.seats.length - size + 1)
      return random.shuffled(Array.from({ length: size }, (_, index) => first + index))
    },
    seats => ({ path: `${hall.url}/holds`, body: { seat_ids: seats.map(seat => hall.seats[seat]) } }),
  )
  assert.equal(unlike(attempts, '409 seat_held_by_another_user'), '')
  const granted = attempts.filter(({ reply }) => reply.status === 201)
  const given = granted.map(({ reply }) =>
    reply.body.data.holds.map((hold: { seat_id: string }) => hall.seats.indexOf(hold.seat_id)),
  )
  assert.deepEqual(
    given,
    granted.map(({ wish }) => wish),
  )
  const seats = granted.flatMap(({ wish }) => wish)
  const taken = new Set(seats)
  assert.equal(seats.length, taken.size)
  const wrongly = attempts.filter(({ reply, wish }) => {
    return reply.status !== 201 && !wish.some(seat => taken.has(seat))
  })
  assert.deepEqual(wrongly, [])
}
