import type { RedisClient } from '@voelgoed/testing/redis/client'
import type { Pool, PoolClient } from 'pg'

export interface Wish {
  readonly eventId: string
  readonly seatId: string
  readonly userId: string
}

export type Reserved =
  | { readonly kind: 'held'; readonly holdId: string; readonly heldUntil: Date; readonly isNew: boolean }
  | { readonly kind: 'seat_taken' }
  | { readonly kind: 'event_not_available' }

const HOLD_MS = 15 * 60_000
/** Its safety net: longer than the hold. */
const REDIS_SECONDS = 960
export const ORGANIZATION = '00000000-0000-7000-8000-000000000001'
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * The usual way to hold a seat, request by request: look it up, take a lock in Redis, insert the hold and
 * update the seat in a transaction. Kept as lean as it can be read: one look-up instead of several, no
 * capacity check, no audit entry, no job for the expiry, no broadcast. It has known holes (a lock that
 * outlives a crash, a Redis that forgets); it is here to be measured, not to be used.
 */
export async function reserveWithRedis(pool: Pool, redis: RedisClient, wish: Wish): Promise<Reserved> {
  const known = await lookUp(pool, wish)
  if (known.answer) return known.answer
  const key = `org:${ORGANIZATION}:event:${wish.eventId}:seat:${wish.seatId}`
  const heldUntil = new Date(Date.now() + HOLD_MS)
  const value = JSON.stringify({ user_id: wish.userId, expires_at: heldUntil, held_at: new Date() })
  const isLocked = await redis.command('SET', key, value, 'NX', 'EX', String(REDIS_SECONDS))
  if (isLocked !== 'OK') return { kind: 'seat_taken' }
  try {
    const held = await inTransaction(pool, client => persist(client, wish, heldUntil, known.version))
    if (held.kind !== 'held') await redis.command('DEL', key)
    return held
  } catch (error) {
    await redis.command('DEL', key)
    throw error
  }
}

/** The same without Redis: a row lock that does not wait. */
export async function reserveWithRowLock(pool: Pool, wish: Wish): Promise<Reserved> {
  const known = await lookUp(pool, wish)
  if (known.answer) return known.answer
  try {
    return await inTransaction(pool, async client => {
      const { rows } = await client.query<{ status: string; version: number }>({
        name: 'lock_seat',
        text: 'select status, version from seats where event_id = $1 and id = $2 for update nowait',
        values: [wish.eventId, wish.seatId],
      })
      if (rows[0]?.status !== 'available') return { kind: 'seat_taken' }
      return persist(client, wish, new Date(Date.now() + HOLD_MS), rows[0].version)
    })
  } catch (error) {
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return { kind: 'seat_taken' }
    throw error
  }
}

async function lookUp(
  pool: Pool,
  { eventId, seatId, userId }: Wish,
): Promise<{ answer: Reserved | null; version: number }> {
  const { rows } = await pool.query<{
    event_status: string
    seat_status: string
    version: number
    hold_id: string | null
    held_until: Date | null
  }>({
    name: 'look_up',
    text: `select e.status as event_status, s.status as seat_status, s.version, h.id as hold_id, h.held_until
      from events e join seats s on s.event_id = e.id and s.id = $2
      left join seat_holds h on h.event_id = e.id and h.seat_id = s.id and h.user_id = $3 and h.status = 'active'
      where e.id = $1`,
    values: [eventId, seatId, userId],
  })
  const found = rows[0]
  if (found?.event_status !== 'published') return { answer: { kind: 'event_not_available' }, version: 0 }
  if (found.hold_id !== null) {
    const mine = { holdId: found.hold_id, heldUntil: found.held_until!, isNew: false }
    return { answer: { kind: 'held', ...mine }, version: found.version }
  }
  const isTaken = found.seat_status !== 'available'
  return { answer: isTaken ? { kind: 'seat_taken' } : null, version: found.version }
}

async function persist(
  client: PoolClient,
  { eventId, seatId, userId }: Wish,
  heldUntil: Date,
  version: number,
): Promise<Reserved> {
  const { rows } = await client.query<{ id: string }>({
    name: 'insert_hold',
    text: `insert into seat_holds (organization_id, event_id, seat_id, user_id, held_until)
      values ($1, $2, $3, $4, $5) returning id`,
    values: [ORGANIZATION, eventId, seatId, userId, heldUntil],
  })
  const holdId = rows[0]!.id
  const { rowCount } = await client.query({
    name: 'update_seat',
    text: `update seats set status = 'held', held_until = $4, locked_at = now(), seat_hold_id = $5, version = version + 1
      where event_id = $1 and id = $2 and version = $3 and status = 'available'`,
    values: [eventId, seatId, version, heldUntil, holdId],
  })
  return rowCount === 1 ? { kind: 'held', holdId, heldUntil, isNew: true } : { kind: 'seat_taken' }
}

/** Kept when a seat was held, else undone. */
async function inTransaction(pool: Pool, work: (client: PoolClient) => Promise<Reserved>): Promise<Reserved> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const reserved = await work(client)
    await client.query(reserved.kind === 'held' ? 'commit' : 'rollback')
    return reserved
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
