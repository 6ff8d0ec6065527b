import { setTimeout as delay } from 'node:timers/promises'
import type { FeedListener } from '../crowd/feed-listener.ts'
import type { Wire } from '../crowd/send.ts'
import type { Person } from '../found-organization.ts'
import { differenceOf, dueByTables } from '../judge/check-copies.ts'
import type { Violation } from '../judge/record.ts'
import { collectTables, readClock } from './collect.ts'
import { keysLeft, readCopy } from './copies.ts'
import type { LabNode } from './lab-node.ts'
import type { LabPostgres } from './lab-postgres.ts'
import type { LabRedis } from './lab-redis.ts'
import type { LabEvent } from './site.ts'

interface Deps {
  readonly postgres: LabPostgres
  readonly nodes: readonly LabNode[]
  readonly wire: Wire
  readonly staff: Person
  readonly events: readonly LabEvent[]
  readonly listeners: readonly FeedListener[]
  /** null: no node tidies anything up. */
  readonly tidyWithinMs: number | null
  readonly agreeWithinMs: number
  /** Null: the run has none. */
  readonly redis: LabRedis | null
  /** Keys of holds may be left whose list another program has spoilt. */
  readonly mayHaveOrphans: boolean
}

const POLL_MS = 100
/** An open breaker tries after six seconds at most; one that fails then, again after as many. */
const BREAKER_MS = 15_000
const AT_ONCE = 6
const SOON_MS = 3_000
/** Every node looks for cancelled events with holds every five seconds. */
const CANCELLED_WITHIN_MS = 15_000
/** Every node looks every 5 s, and several times that many may be behind. */
const HISTORY_WITHIN_MS = 15_000

/**
 * After the last request: expired holds are tidied up,
 * and then every node and every reader knows what is in the tables.
 */
export async function waitForQuiet(deps: Deps): Promise<Violation[]> {
  const violations: Violation[] = []
  const { tidyWithinMs } = deps
  // Also those that are about to run out:
  // else it would depend on the moment whether there are any to tidy up.
  const [soon] = await deps.postgres.sql<{ at: Date }>(
    `select clock_timestamp() + $1 * interval '1 millisecond' as at`,
    [SOON_MS],
  )
  const untidy = await until((tidyWithinMs ?? 0) + SOON_MS, async () => {
    if (tidyWithinMs === null) return null
    const rows = await deps.postgres.sql<{ id: string; event_id: string; held_until: Date }>(
      `select hold_id as id, event_id, held_until from event_seats where status = 'held' and held_until < $1
       union all
       select hold_id, event_id, held_until from place_holds where status = 'held' and held_until < $1 limit 3`,
      [soon!.at],
    )
    return rows.length === 0 ? null : rows
  })
  if (untidy) {
    const seconds = Math.round((tidyWithinMs ?? 0) / 1000)
    const rule = `no hold that has run out stays untidied for more than ${seconds} s`
    violations.push({ invariant: 8, rule, event: untidy[0]!.event_id, evidence: untidy })
  }
  await cancelledEventsEnded(deps)
  const historyWithinMs = Math.max(HISTORY_WITHIN_MS, deps.agreeWithinMs)
  const behind = await until(historyWithinMs, async () => {
    const rows = await deps.postgres.sql<{ event_id: string; seq: string; cursor: string }>(
      `select event_id, l.seq, coalesce(c.seq, 0) as cursor
       from event_ledgers l left join history_cursors c using (organization_id, event_id)
       where l.seq > coalesce(c.seq, 0) limit 3`,
    )
    return rows.length === 0 ? null : rows
  })
  if (behind) {
    const rule = `within ${historyWithinMs / 1000} s of quiet the history has every hold that has ended`
    violations.push({ invariant: 11, rule, event: behind[0]!.event_id, evidence: behind })
  }
  const waiting = [...deps.events]
  const agree = async () => {
    for (let event = waiting.pop(); event; event = waiting.pop()) {
      const { eventId } = event
      const found = await until(deps.agreeWithinMs, () => disagreement(deps, eventId))
      if (!found) continue
      const rule = `within ${deps.agreeWithinMs / 1000} s of quiet every node and every reader knows what is in the tables`
      violations.push({ invariant: 14, rule, event: eventId, evidence: [found] })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, agree))
  const { redis } = deps
  if (redis) violations.push(...(await tiersAgree({ ...deps, redis })))
  return violations
}

/** Redis has what the tables have, of every event; of those that are over it has nothing. */
async function tiersAgree(deps: Deps & { readonly redis: LabRedis }): Promise<Violation[]> {
  const { redis, postgres, events, agreeWithinMs } = deps
  const seconds = agreeWithinMs / 1000
  const rows = await postgres.sql<{ id: string; status: string }>('select id, status from events')
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  const violations: Violation[] = []
  const waiting = [...events]
  const look = async () => {
    for (let event = waiting.pop(); event; event = waiting.pop()) {
      const one = event
      const isOnSale = ['published', 'live'].includes(statuses.get(one.eventId) ?? '')
      const found = await until(agreeWithinMs, () =>
        (isOnSale ? copyDifference(deps, one) : leftovers(redis, one)).catch(error => ({
          error: String(error),
        })),
      )
      if (!found) continue
      const rule = isOnSale
        ? `within ${seconds} s of quiet Redis has what is in the tables`
        : `within ${seconds} s of quiet Redis has nothing of an event that is over`
      violations.push({ invariant: 14, rule, event: one.eventId, evidence: [found] })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, look))
  const without = await until(Math.max(agreeWithinMs, BREAKER_MS), () => nodeWithoutRedis(deps))
  if (without) {
    const rule = 'every node uses Redis again when it is there'
    violations.push({ invariant: 14, rule, event: '', evidence: [without] })
  }
  return violations
}

async function nodeWithoutRedis({ nodes, wire }: Deps): Promise<object | null> {
  for (const node of nodes) {
    const reply = await wire.send(node.url, { method: 'GET', path: '/readyz' })
    const state = typeof reply === 'string' ? reply : reply.body?.redis
    if (state !== 'ok') return { node: node.index, redis: state }
  }
  return null
}

async function copyDifference(
  { redis, postgres, mayHaveOrphans }: Deps & { readonly redis: LabRedis },
  event: LabEvent,
): Promise<object | null> {
  const tables = await collectTables(postgres, event)
  const { eventId, organizationId, plan } = event
  const due = dueByTables({ eventId, organizationId, plan, journal: [], tables })
  const copy = await readCopy(redis, event)
  const [now] = await readClock(postgres)
  if (!copy || copy.epoch !== due.epoch || copy.seq !== due.seq) {
    const point = copy && { epoch: copy.epoch, seq: copy.seq }
    return { copy: point, tables: { epoch: due.epoch, seq: due.seq } }
  }
  return differenceOf(copy, due, { now: now?.database ?? Number.POSITIVE_INFINITY, mayHaveOrphans })
}

async function leftovers(redis: LabRedis, event: LabEvent): Promise<object | null> {
  const keys = await keysLeft(redis, event)
  return keys.length === 0 ? null : { keys: keys.slice(0, 5), all: keys.length }
}

/** Waits until cancelled events have no hold any more, within a bound. The checker judges the end. */
async function cancelledEventsEnded({ postgres, tidyWithinMs }: Deps): Promise<void> {
  if (tidyWithinMs === null) return
  await until(Math.max(CANCELLED_WITHIN_MS, tidyWithinMs), async () => {
    const rows = await postgres.sql(
      `select from events e where e.status = 'cancelled' and (
         exists (select from event_seats h where h.event_id = e.id and h.status = 'held')
         or exists (select from place_holds h where h.event_id = e.id and h.status = 'held')) limit 1`,
    )
    return rows.length === 0 ? null : rows
  })
}

/** Null once there is nothing more to complain of; else the last complaint. */
async function until<T>(withinMs: number, look: () => Promise<T | null>): Promise<T | null> {
  const end = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found === null || performance.now() > end) return found
    await delay(POLL_MS)
  }
}

async function disagreement(deps: Deps, eventId: string): Promise<object | null> {
  for (const node of deps.nodes) {
    const path = `/api/admin/events/${eventId}/registry`
    const reply = await deps.wire.send(node.url, { method: 'GET', path, token: deps.staff.token })
    if (typeof reply === 'string' || reply.status !== 200) return { node: node.index, reply }
    const { hot_count, consistent } = reply.body.data
    if (hot_count !== null && !consistent) return { node: node.index, registry: reply.body.data }
  }
  const [row] = await deps.postgres.sql<{ seq: string | null }>(
    `select max(seq) as seq from journal_entries where event_id = $1 and kind in ('seat_reserved', 'hold_reduced', 'seat_hold_expired',
       'seat_released', 'seat_converted', 'seat_blocked', 'seat_unblocked', 'ticket_voided')`,
    [eventId],
  )
  const last = Number(row?.seq ?? 0)
  const [ledger] = await deps.postgres.sql<{ seq: string }>(
    'select seq from event_ledgers where event_id = $1',
    [eventId],
  )
  for (const listener of deps.listeners) {
    if (listener.eventId !== eventId) continue
    // Ahead of the journal: it was not told that Postgres has lost what it heard.
    if (listener.lastSeq < last || listener.lastSeq > Number(ledger?.seq ?? 0))
      return { reader: listener.lastSeq, journal: last }
  }
  return null
}
