import { setTimeout as delay } from 'node:timers/promises'
import type { Recorder } from '../crowd/recorder.ts'
import type { CopiedHold, Copy, Counts } from '../judge/history.ts'
import type { LabPostgres } from './lab-postgres.ts'
import type { LabRedis } from './lab-redis.ts'
import type { EventOnSale } from './site.ts'

/** The keys as docs/operate/warm-tier.md tells other programs: the lab knows nothing else of them. */
const prefixOf = ({ organizationId, eventId }: EventOnSale) =>
  `voelgoed:org:${organizationId}:event:{${eventId}}`

export const keysOf = (event: EventOnSale) => ({
  seq: `${prefixOf(event)}:seq`,
  bitmap: `${prefixOf(event)}:seats:bitmap`,
  holds: `${prefixOf(event)}:seat_holds`,
  occupancy: `${prefixOf(event)}:occupancy`,
})

/** Everything under an event's name at one moment, as JSON. */
const READ = `
local prefix = ARGV[1]
local own = {[prefix .. ':seq'] = 1, [prefix .. ':seats:bitmap'] = 1, [prefix .. ':seat_holds'] = 1, [prefix .. ':occupancy'] = 1,
  [prefix .. ':writing'] = 1}
local bytes = redis.call('GET', prefix .. ':seats:bitmap')
local seats = {}
for at = 1, bytes and #bytes or 0 do
  local byte = string.byte(bytes, at)
  for _, unit in ipairs({64, 16, 4, 1}) do seats[#seats + 1] = math.floor(byte / unit) % 4 end
end
local metas, seat_holds, others = {}, {}, {}
for _, key in ipairs(redis.call('KEYS', prefix .. '*')) do
  local rest = string.sub(key, #prefix + 1)
  local hold, seat = string.match(rest, '^:hold:([^:]+):meta$'), string.match(rest, '^:seat:([^:]+):hold$')
  if hold then metas[#metas + 1] = {hold, redis.call('HMGET', key, 'seat', 'ordinal', 'zone', 'quantity', 'until')}
  elseif seat then seat_holds[#seat_holds + 1] = {seat, redis.call('GET', key) or ''}
  elseif not own[key] then others[#others + 1] = rest end
end
return cjson.encode({
  point = redis.call('HMGET', prefix .. ':seq', 'epoch', 'seq', 'writer'), seats = table.concat(seats),
  holds = redis.call('ZRANGE', prefix .. ':seat_holds', 0, -1, 'WITHSCORES'),
  occupancy = redis.call('HGETALL', prefix .. ':occupancy'), metas = metas, seat_holds = seat_holds, others = others})`

const POINT = `
local known = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'writer')
if not known[1] or not known[2] or known[3] then return '' end
return known[1] .. ' ' .. known[2]`

const KEYS = `
local left = {}
for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
  local is_mark = key == KEYS[1] and redis.pcall('HEXISTS', key, 'least_seq') == 1 and redis.call('PTTL', key) > 0
  if not is_mark then left[#left + 1] = string.sub(key, #ARGV[1] + 1) .. ' ' .. redis.call('PTTL', key) end
end
return table.concat(left, '\\n')`

/** Null: there is no copy that can be read now, or a node is writing it. */
export async function readCopy(redis: LabRedis, event: EventOnSale): Promise<Copy | null> {
  const text = await redis.ask(event.eventId, 'EVAL', READ, '1', keysOf(event).seq, prefixOf(event))
  const raw = JSON.parse(String(text)) as RawCopy
  const [epoch, seq, writer] = raw.point
  if (!epoch || !seq || writer) return null
  const fields = new Map(pairsOf(listOf(raw.occupancy)))
  const zones: Counts[] = []
  for (let line = fields.get('zone:0'); line; line = fields.get(`zone:${zones.length}`)) {
    const [, , available, held, sold, blocked] = line.split(' ').map(Number)
    zones.push({ available: available!, held: held!, sold: sold!, blocked: blocked! })
  }
  const total = (name: string) => Number(fields.get(name) ?? Number.NaN)
  const ordinal = (seat: string) => event.ordinalOf.get(seat) ?? -1
  return {
    epoch: Number(epoch),
    seq: Number(seq),
    status: fields.get('status') ?? '',
    seats: raw.seats.slice(0, event.seats.length),
    holds: pairsOf(listOf(raw.holds)).map(([id, until]) => [id, Number(until)] as const),
    metas: listOf(raw.metas).map(([id, [seat, place, zone, quantity, until]]): CopiedHold => {
      const isWrong = seat && ordinal(seat) !== Number(place)
      return [
        ...([id, seat ? (isWrong ? -1 : Number(place)) : null] as const),
        ...([event.zones.indexOf(String(zone)), Number(quantity), Number(until)] as const),
      ]
    }),
    seatHolds: listOf(raw.seat_holds).map(([seat, text]) => {
      const { hold_id, until } = JSON.parse(text) as { hold_id: string; until: number }
      return [ordinal(seat), hold_id, until] as const
    }),
    totals: {
      available: total('available'),
      held: total('held'),
      sold: total('sold'),
      blocked: total('blocked'),
    },
    zones,
    others: listOf(raw.others),
  }
}

/**
 * Lists the keys that an event has left, each with how long it has to live, in ms; -1: it does not expire.
 * The mark that the copy was removed does not count: it goes by itself.
 */
export async function keysLeft(redis: LabRedis, event: EventOnSale): Promise<{ key: string; ttl: number }[]> {
  const text = await redis.ask(event.eventId, 'EVAL', KEYS, '1', keysOf(event).seq, prefixOf(event))
  const lines = String(text).split('\n')
  return lines.flatMap(line => {
    const [key, ttl] = line.split(' ')
    return key ? [{ key, ttl: Number(ttl) }] : []
  })
}

/** cjson writes an empty list as an object. */
type Listed<T> = readonly T[] | Record<string, never>

interface RawCopy {
  readonly point: readonly (string | false)[]
  readonly seats: string
  readonly holds: Listed<string>
  readonly occupancy: Listed<string>
  readonly metas: Listed<readonly [string, readonly (string | false)[]]>
  readonly seat_holds: Listed<readonly [string, string]>
  readonly others: Listed<string>
}

function listOf<T>(list: Listed<T>): readonly T[] {
  return Array.isArray(list) ? list : []
}

function pairsOf(list: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: list.length / 2 }, (_, at) => [list[2 * at]!, list[2 * at + 1]!] as const)
}

interface Deps {
  readonly redis: LabRedis
  readonly postgres: LabPostgres
  readonly events: readonly EventOnSale[]
}

const POLL_MS = 100

/**
 * Waits until Redis has at least what Postgres had when this was called, of each event that is on sale. Null:
 * not within the bound. What the copies say is judged by the checker.
 */
export async function equalAgain(
  { redis, postgres, events }: Deps,
  withinMs: number,
): Promise<number | null> {
  const from = performance.now()
  const rows = await postgres.sql<{ event_id: string; seq: string; epoch: string }>(
    `select event_id, l.seq, l.epoch from event_ledgers l join events e on e.id = l.event_id
     where e.status in ('published', 'live')`,
  )
  const due = new Map(
    rows.map(({ event_id, seq, epoch }) => [event_id, { seq: Number(seq), epoch: Number(epoch) }]),
  )
  let behind = events.filter(({ eventId }) => due.has(eventId))
  while (behind.length > 0) {
    // An event that is cancelled meanwhile has no copy any more.
    const over = await postgres.sql<{ id: string }>(
      "select id from events where status not in ('published', 'live')",
    )
    const isOver = new Set(over.map(({ id }) => id))
    behind = behind.filter(({ eventId }) => !isOver.has(eventId))
    const points = await Promise.all(
      behind.map(event => redis.ask(event.eventId, 'EVAL', POINT, '1', keysOf(event).seq).catch(() => '')),
    )
    behind = behind.filter(({ eventId }, index) => {
      const [epoch = -1, seq = -1] = String(points[index]).split(' ').map(Number)
      const least = due.get(eventId)!
      return epoch < least.epoch || (epoch === least.epoch && seq < least.seq)
    })
    if (behind.length === 0) break
    if (performance.now() - from > withinMs) return null
    await delay(POLL_MS)
  }
  return performance.now() - from
}

/** Writes down the copies of the events that are on now, in turn, until it is over. */
export async function sampleCopies(
  redis: LabRedis,
  recorder: Recorder,
  { everyMs, events, isOver }: { everyMs: number; events(): readonly EventOnSale[]; isOver(): boolean },
): Promise<void> {
  while (!isOver()) {
    for (const event of events()) {
      const from = performance.now()
      // A Redis that is away, or that the nemesis has put something else into.
      const copy = await readCopy(redis, event).catch(() => null)
      if (copy) recorder.write({ type: 'copy', event: event.eventId, from, to: performance.now(), ...copy })
      await delay(everyMs)
    }
  }
}
