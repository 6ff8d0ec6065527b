import { describe, expect, it } from 'vitest'
import { checkRun } from './check.ts'
import type { CopyLine, FaultLine, Line, ReadLine } from './history.ts'
import { readHistory } from './history.ts'
import type { Entry, EventRecord } from './record.ts'

/**
 * A hall of four seats. At 1 s of the database's clock, which is the lab's here, anna holds seat 0 for 20 s;
 * at 2 s she gives it back, and ben takes it.
 */
const MINUTES = 20 * 60_000
const JOURNAL: readonly Entry[] = [
  entry(1, 'seat_reserved', 1_000, { holdId: 'h1', userId: 'anna', version: 1 }),
  entry(2, 'seat_released', 2_000, { holdId: 'h1', version: 2, reason: 'user_cancelled' }),
  entry(3, 'seat_reserved', 2_000, { holdId: 'h2', userId: 'ben', version: 3 }),
]

function entry(seq: number, kind: string, at: number, body: object): Entry {
  const times = kind === 'seat_reserved' ? { heldUntil: at + 20_000, capUntil: at + 20_000 + MINUTES } : {}
  const common = { ordinal: 0, zoneIndex: 0, quantity: 1, cartToken: null, ...times }
  return { seq, kind, command: `c${seq}`, actor: 'anna', at, body: { ...common, ...body } }
}

const RECORD: EventRecord = {
  eventId: 'event',
  organizationId: 'ours',
  plan: {
    ttlMs: 20_000,
    maxHoldsPerUser: null,
    maxSeatsPerBooking: null,
    zones: [{ capacity: 4, seats: 4 }],
  },
  journal: JOURNAL,
  tables: null,
}
const CLOCK: Line[] = [0, 90_000].map(at => ({ type: 'clock', from: at, to: at, database: at }))
const isOfRedis = (fault: string) => fault.startsWith('redis-')

function findingsOf(lines: readonly Line[], record = RECORD): string[] {
  const users = new Map(['anna', 'ben'].map(user => [user, { organizationId: 'ours' }]))
  const { findings } = checkRun(readHistory([...CLOCK, ...lines]), [record], users, isOfRedis)
  const ours = /Redis|reader|told|epoch|wait/
  return findings.all.map(({ violation }) => violation.rule).filter(rule => ours.test(rule))
}

const read = (at: number, more: Partial<ReadLine>): ReadLine => ({
  ...{ type: 'read', from: at, to: at + 10, reader: 0, node: 2, event: 'event', status: 200, tier: 'redis' },
  ...more,
})
const fault = (name: string, from: number, to: number): FaultLine => ({
  ...{ type: 'fault', fault: name, node: null, from, to, backAfterMs: 100, detail: '' },
})
const copy = (at: number, more: Partial<CopyLine> = {}): CopyLine => ({
  ...{ type: 'copy', event: 'event', from: at, to: at + 10, epoch: 1, seq: 3, status: 'published' },
  ...{ seats: '1000', holds: [['h2', 22_000]], metas: [['h2', 0, 0, 1, 22_000]] },
  ...{ seatHolds: [[0, 'h2', 22_000]], others: [] },
  totals: { available: 3, held: 1, sold: 0, blocked: 0 },
  zones: [{ available: 3, held: 1, sold: 0, blocked: 0 }],
  ...more,
})
const FREE = { available: 4, held: 0, sold: 0, blocked: 0 }
const EMPTY = { seats: '0000', holds: [], metas: [], seatHolds: [], totals: FREE, zones: [FREE] } as const

describe('what readers are told', () => {
  it('is right when it is what the journal says', () => {
    const lines = [
      read(1_500, { seq: 1, seats: '1000' }),
      read(3_000, { seq: 3, seats: '1000' }),
      read(3_100, { seat: { ordinal: 0, status: '1' } }),
      read(3_200, { seq: 3, seats: '1000', tier: 'hot', node: 0 }),
      // Its time is over, and no entry of the journal says so.
      read(40_000, { seq: 3, seats: '0000' }),
    ]
    expect(findingsOf(lines)).toEqual([])
  })

  it.each<[string, ReadLine[]]>([
    ['a reader is told what a seat was at the seq', [read(3_000, { seq: 3, seats: '0000' })]],
    ['a reader is told what a seat was at the seq', [read(3_000, { seq: 3, seats: '1200' })]],
    // It ran out at 22 s.
    ['a reader is told what a seat was at the seq', [read(23_000, { seq: 3, seats: '1000' })]],
    ['no reader is told what is not committed', [read(3_000, { seq: 4, seats: '1000' })]],
    [
      'a reader is told what a seat was while it was asked for',
      [read(3_000, { seat: { ordinal: 1, status: '2' } })],
    ],
    [
      // Another reader knows more.
      'what Redis tells is not older than what readers know',
      [read(3_000, { seq: 3, seats: '1000', reader: 1, node: 0 }), read(3_020, { seq: 1, seats: '1000' })],
    ],
    [
      'a node never tells a reader less than before',
      [read(3_000, { seq: 3, seats: '1000' }), read(3_020, { seq: 1, seats: '1000', tier: 'hot' })],
    ],
  ])('%s', (rule, lines) => {
    expect(findingsOf(lines)).toEqual([rule])
  })
})

describe('copies in Redis', () => {
  it('are right when each is the event at its seq', () => {
    const lost = [copy(3_000), fault('redis-restore', 3_050, 4_000), copy(4_100, { seq: 2, ...EMPTY })]
    expect(findingsOf([copy(2_500, { seq: 2, ...EMPTY }), ...lost])).toEqual([])
    // The key of the seat has expired in Redis.
    expect(findingsOf([copy(22_500, { seatHolds: [] })])).toEqual([])
  })

  it.each<[string, Partial<CopyLine>]>([
    ['a seat', { seats: '0000' }],
    ['a hold that has ended', { holds: [...copy(0).holds, ['h1', 21_000]] }],
    ['a hold that is missing', { holds: [] }],
    ['when a hold runs out', { holds: [['h2', 22_001]] }],
    ['what is known of a hold', { metas: [['h2', 0, 0, 2, 22_000]] }],
    ['the hold of a seat is missing', { seatHolds: [] }],
    ['the hold of a seat is the one before', { seatHolds: [[0, 'h1', 22_000]] }],
    ['a counter of a zone', { zones: [{ available: 4, held: 0, sold: 0, blocked: 0 }] }],
    ['a counter of the event', { totals: { available: 3, held: 2, sold: 0, blocked: 0 } }],
    ['a key that is none of ours', { others: [':x'] }],
  ])('are wrong by %s', (_, wrong) => {
    expect(findingsOf([copy(3_000, wrong)])).toEqual(['a copy in Redis is the event at its seq'])
  })

  it('never go back, and never have what is not committed', () => {
    expect(findingsOf([copy(3_000), copy(3_100, { seq: 2, ...EMPTY })])).toEqual([
      'the copy in Redis never goes back',
    ])
    expect(findingsOf([copy(3_000, { seq: 4 })])).toEqual(['Redis never has what is not committed'])
  })

  it('begin a new epoch only when history was lost', () => {
    const tables = { seq: 3, epoch: 2, nextExpiry: null, holds: [], seats: [], zones: [], tickets: [] }
    expect(findingsOf([], { ...RECORD, tables })).toEqual(['an epoch is only raised when history was lost'])
  })
})

describe('errors', () => {
  const failed = (at: number, status: number | null = 503) => read(at, { status })
  const rule = 'no error because of Redis'

  it('are explained by what was done to a node or to Postgres at that moment', () => {
    expect(findingsOf([failed(3_000), fault('kill', 2_000, 4_000)])).toEqual([])
    expect(findingsOf([failed(30_000), fault('kill', 2_000, 4_000)])).toEqual([rule])
  })

  it('are not explained by what was done to Redis', () => {
    expect(findingsOf([failed(3_000), fault('redis-kill', 2_000, 4_000)])).toEqual([rule])
    expect(findingsOf([failed(3_000, null)])).toEqual([rule])
  })

  it('are explained by a machine that is too busy, unless a node breaks', () => {
    const busy: Line = { type: 'busy', from: 2_500, to: 3_500 }
    expect(findingsOf([failed(3_000), busy])).toEqual([])
    expect(findingsOf([failed(3_000, 500), busy])).toEqual([rule])
  })

  it('are also answers that come very late', () => {
    const late = read(3_000, { to: 12_000, seq: 3, seats: '1000', node: 1 })
    const others = [3_000, 4_000].map(at => read(at, { seq: 3, seats: '1000' }))
    expect(findingsOf([late, ...others])).toEqual(['no long wait because of Redis'])
    // Where most answers take long, the machine is too busy.
    const slow = others.map(one => ({ ...one, to: one.from + 200 }))
    expect(findingsOf([late, ...slow])).toEqual([])
  })
})
