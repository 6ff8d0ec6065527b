import type { Findings } from './findings.ts'
import type { CopiedHold, Copy, CopyLine, Counts, FaultLine } from './history.ts'
import { Model, type ModelHold } from './model.ts'
import type { EventRecord, Tables } from './record.ts'

/** The copy of an event in Redis must say this at a point of its history. */
export interface DueCopy {
  readonly seats: string
  readonly holds: readonly CopiedHold[]
  readonly zones: readonly Counts[]
}

/** Faults after which Redis may have less than before. */
const LOSING = new Set(['redis-kill', 'redis-flush', 'redis-types', 'redis-restore', 'redis-failover'])
/**
 * The server looks over its copies every two seconds, and then finds what another program put under our keys.
 */
const SPOILT_MS = 10_000
/** Nearer to its end than this, the key of a seat's hold may be gone: Redis has a clock of its own. */
const DOUBT_MS = 1_000

/**
 * A copy that no node is writing is the event at the copy's seq, in every part of it. It never goes back,
 * unless Redis itself has lost something.
 */
export function checkCopies(
  copies: readonly CopyLine[],
  deps: {
    readonly record: EventRecord
    readonly findings: Findings
    readonly faults: readonly FaultLine[]
    databaseTime(at: number): number
  },
): void {
  const { record, findings, faults } = deps
  const { eventId, journal, plan, tables } = record
  const add = (invariant: number, rule: string, ...evidence: unknown[]) =>
    findings.add({ invariant, rule, event: eventId, evidence })
  const hasLost = faults.some(({ fault }) => fault === 'failover')
  if (!hasLost && (tables?.epoch ?? 1) !== 1) {
    add(23, 'an epoch is only raised when history was lost', { epoch: tables?.epoch })
  }
  const losses = faults.filter(({ fault }) => LOSING.has(fault) || fault === 'failover')
  let before: CopyLine | null = null
  for (const copy of copies) {
    const isLoss = losses.some(({ from, to }) => before && from < copy.to && to > before.from)
    const isBack =
      before && (copy.epoch < before.epoch || (copy.epoch === before.epoch && copy.seq < before.seq))
    if (isBack && !isLoss) add(23, 'the copy in Redis never goes back', pointOf(before!), pointOf(copy))
    before = copy
  }
  const spoilt = faults.filter(({ fault }) => fault === 'redis-types')
  const judged = copies.filter(({ epoch, from, to }) => {
    const isSpoilt = spoilt.some(one => from < one.to + SPOILT_MS && to > one.from)
    return !isSpoilt && (!hasLost || epoch === tables?.epoch)
  })
  const model = new Model(plan)
  const bySeq = [...judged].sort((a, b) => a.seq - b.seq)
  for (const copy of bySeq) {
    if (copy.seq > journal.length) {
      add(12, 'Redis never has what is not committed', pointOf(copy), { journal: journal.length })
      continue
    }
    while (model.seq < copy.seq) model.step(journal[model.seq]!)
    const wrong = differenceOf(copy, dueOf(model), {
      now: deps.databaseTime(copy.to),
      mayHaveOrphans: spoilt.some(({ from }) => from < copy.to),
    })
    if (wrong) add(14, 'a copy in Redis is the event at its seq', pointOf(copy), wrong)
  }
}

function pointOf({ epoch, seq, from, to }: CopyLine): object {
  return { epoch, seq, from, to }
}

/**
 * Null: nothing is wrong. Else what is, as briefly as can be. `now` is of the database's clock. Orphans: keys
 * of holds that have ended, which stay until they expire, because the sorted set that listed them was lost.
 */
export function differenceOf(
  copy: Copy,
  due: DueCopy,
  { now, mayHaveOrphans }: { readonly now: number; readonly mayHaveOrphans: boolean },
): object | null {
  if (copy.seats !== due.seats) {
    const ordinal = [...due.seats].findIndex((digit, at) => copy.seats[at] !== digit)
    return { ordinal, copy: copy.seats[ordinal] ?? copy.seats.length, due: due.seats[ordinal] ?? null }
  }
  const holds = listDifference(
    copy.holds,
    due.holds.map(([id, , , , until]) => [id, until]),
  )
  if (holds) return { holds }
  const living = new Set(due.holds.map(([id]) => id))
  const isJudged = (id: string) => !mayHaveOrphans || living.has(id)
  const metas = listDifference(
    copy.metas.filter(([id]) => isJudged(id)),
    due.holds,
  )
  if (metas) return { metas }
  const ofSeats = due.holds.flatMap(([id, ordinal, , , until]) =>
    ordinal === null ? [] : [[ordinal, id, until] as const],
  )
  const isSure = (until: number) => until > now + DOUBT_MS
  const seatHolds = listDifference(
    copy.seatHolds.filter(([, id, until]) => isSure(until) && isJudged(id)),
    ofSeats.filter(([, , until]) => isSure(until)),
  )
  if (seatHolds) return { seatHolds }
  const sum = (name: keyof Counts) => due.zones.reduce((total, zone) => total + zone[name], 0)
  const totals = {
    available: sum('available'),
    held: sum('held'),
    sold: sum('sold'),
    blocked: sum('blocked'),
  }
  for (const [told, right] of [
    [copy.totals, totals],
    ...due.zones.map((zone, at) => [copy.zones[at], zone]),
  ]) {
    if (JSON.stringify(told) !== JSON.stringify(right)) return { occupancy: told ?? null, due: right }
  }
  return copy.others.length > 0 ? { others: copy.others } : null
}

type Item = readonly [string | number, ...unknown[]]

function listDifference(told: readonly Item[], due: readonly Item[]): object | null {
  const [a, b] = [told, due].map(list => list.map(item => JSON.stringify(item)).sort()) as [
    string[],
    string[],
  ]
  const at = Array.from({ length: Math.max(a.length, b.length) }, (_, index) => index).find(
    index => a[index] !== b[index],
  )
  return at === undefined ? null : { told: a[at] ?? null, due: b[at] ?? null }
}

const DIGITS: Readonly<Record<string, string>> = { available: '0', held: '1', sold: '2', blocked: '3' }

function dueOf({ plan, seats, zones }: Model): DueCopy {
  const live = zones.flatMap(zone => [...zone.live])
  const count = plan.zones.reduce((sum, zone) => sum + zone.seats, 0)
  return {
    seats: Array.from({ length: count }, (_, at) => DIGITS[seats.get(at)?.status ?? 'available']).join(''),
    holds: live.map(({ id, ordinal, zone, quantity, heldUntil }: ModelHold): CopiedHold => {
      return [id, ordinal, zone, quantity, heldUntil]
    }),
    zones: plan.zones.map(({ capacity }, at) => countsOf(capacity, zones[at]!)),
  }
}

/** The same of the tables. */
export function dueByTables({
  plan,
  tables,
}: EventRecord): DueCopy & { readonly epoch: number; readonly seq: number } {
  const { epoch = 1, seq, holds, seats, zones } = tables as Tables
  const status = new Map(seats.map(seat => [seat.ordinal, seat.status]))
  const count = plan.zones.reduce((sum, zone) => sum + zone.seats, 0)
  return {
    epoch,
    seq,
    seats: Array.from({ length: count }, (_, at) => DIGITS[status.get(at) ?? 'available']).join(''),
    holds: holds
      .filter(hold => hold.status === 'active')
      .map(({ id, ordinal, zone, quantity, heldUntil }) => [id, ordinal, zone, quantity, heldUntil] as const),
    zones: plan.zones.map(({ capacity }, at) => countsOf(capacity, zones[at]!)),
  }
}

function countsOf(capacity: number, { held, sold, blocked }: Omit<Counts, 'available'>): Counts {
  return { available: capacity - held - sold - blocked, held, sold, blocked }
}
