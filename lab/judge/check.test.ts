import { describe, expect, it } from 'vitest'
import { checkRun } from './check.ts'
import { generateHistory } from './generate.ts'
import { type Line, readHistory } from './history.ts'
import type { Entry, EventRecord, Tables } from './record.ts'

const TTL = 1_000
const FIVE_MINUTES = 300_000
const TWENTY_MINUTES = 1_200_000
const users = new Map([
  ['anna', { organizationId: 'ours' }],
  ['ben', { organizationId: 'ours' }],
  ['zoe', { organizationId: 'theirs' }],
])

/** CLOCK holds for what was taken first at 15, JOINED for what joins it from a cart that was begun at 20. */
const CLOCK = { heldUntil: 15 + TTL, capUntil: 15 + TTL + TWENTY_MINUTES }
const JOINED = { heldUntil: 20 + TTL, capUntil: 15 + TTL + TWENTY_MINUTES }
const HOLD_SEAT_1 = { kind: 'hold_seats', ordinals: [1] }
const REDUCE = { command: { kind: 'reduce', hold: 'h1', quantity: 1 } }

/** A run written down by hand: a line a request, with when it was asked and answered; an entry a change. */
class Story {
  readonly lines: Line[] = [{ type: 'clock', from: 0, to: 0, database: 0 }]
  readonly journal: Entry[] = []
  tables: Tables | null = null
  #op = 0
  readonly #versions = new Map<number, number>()

  asks(
    user: string,
    times: [number, number],
    asked: object,
    answer: object,
    type: 'ok' | 'refused' | 'unknown' = 'ok',
  ) {
    this.#op += 1
    const op = this.#op
    this.lines.push({ type: 'invoke', op, at: times[0], user, node: 0, event: 'event', ...asked } as Line)
    this.lines.push({ type, op, at: times[1], status: type === 'ok' ? 201 : 409, ...answer } as Line)
    return this
  }

  fault(fault: string, [from, to]: [number, number]) {
    this.lines.push({ type: 'fault', fault, node: 0, from, to, backAfterMs: 0, detail: '' })
    return this
  }

  reads(user: string, [from, to]: [number, number], holds: string[]) {
    this.lines.push({ type: 'own read', from, to, user, node: 1, event: 'event', holds })
    return this
  }

  hears(at: number, message: 'seats' | 'reset', seq: number, seats: [number, string][] = []) {
    const line = {
      type: 'feed',
      at,
      reader: 1,
      node: 0,
      event: 'event',
      joined: false,
      counts: null,
    } as const
    this.lines.push({ ...line, message, seq, seats })
    return this
  }

  holds(
    user: string,
    times: [number, number],
    wish: string,
    ordinal: number,
    hold: { id: string; at: number },
  ) {
    const holds = [{ id: hold.id, ordinal, zone: 0, quantity: 1, heldUntil: hold.at + TTL }]
    return this.asks(user, times, { wish, command: { kind: 'hold_seats', ordinals: [ordinal] } }, { holds })
  }

  refused(user: string, times: [number, number], ordinal: number, code = 'seat_held_by_another_user') {
    const asked = { wish: `refused-${times[0]}`, command: { kind: 'hold_seats', ordinals: [ordinal] } }
    return this.asks(user, times, asked, { code, ordinals: [ordinal] }, 'refused')
  }

  entry(kind: string, at: number, actor: string | null, body: object, of?: string) {
    const ordinal = (body as { ordinal?: number | null }).ordinal
    const version = typeof ordinal === 'number' ? (this.#versions.get(ordinal) ?? 0) + 1 : null
    if (typeof ordinal === 'number') this.#versions.set(ordinal, version!)
    const seq = this.journal.length + 1
    const command = of ?? `command-${kind}-${at}-${actor}`
    this.journal.push({
      seq,
      kind,
      command,
      actor,
      at,
      body: { version, zoneIndex: 0, quantity: 1, ...body },
    })
    return this
  }

  reserved(user: string, at: number, wish: string, ordinal: number, holdId: string, more: object = {}) {
    const heldUntil = at + TTL
    const times = { heldUntil, capUntil: heldUntil + TWENTY_MINUTES }
    return this.entry('seat_reserved', at, user, {
      holdId,
      ordinal,
      userId: user,
      cartToken: wish,
      ...times,
      ...more,
    })
  }

  /** The holds are of seat 0. */
  transfers(user: string, times: [number, number], from: string, ids: string[], { heldUntil } = CLOCK) {
    const holds = ids.map(id => ({ id, ordinal: 0, zone: 0, quantity: 1, heldUntil }))
    const transfers = ids.length === 0 ? [] : [{ event: 'event', holds }]
    return this.asks(user, times, { command: { kind: 'transfer', from } }, { status: 200, transfers })
  }

  moved(user: string, at: number, holdId: string, ordinal: number, more: object = {}, command?: string) {
    return this.entry(
      'hold_transferred',
      at,
      user,
      { holdId, ordinal, userId: user, ...CLOCK, ...more },
      command,
    )
  }

  rules(): string[] {
    const zones = [{ capacity: 4, seats: 4 }]
    const plan = { ttlMs: TTL, maxHoldsPerUser: 2, maxSeatsPerBooking: null, zones }
    const record: EventRecord = {
      eventId: 'event',
      organizationId: 'ours',
      plan,
      journal: this.journal,
      tables: this.tables,
    }
    const { findings } = checkRun(readHistory(this.lines), [record], users, null)
    return findings.all.map(({ violation }) => `${violation.invariant}: ${violation.rule}`)
  }
}

/** Anna holds seat 0 from 10 to 20; everything is as it should be. */
const good = () =>
  new Story().holds('anna', [10, 20], 'w1', 0, { id: 'h1', at: 15 }).reserved('anna', 15, 'w1', 0, 'h1')

describe('what a person reads of their own', () => {
  const heldUntil = 25 + FIVE_MINUTES
  /** Anna holds seat 0 until long after this. */
  const long = () =>
    good()
      .asks(
        'anna',
        [22, 30],
        { command: { kind: 'extend', hold: 'h1' } },
        { holds: [{ id: 'h1', ordinal: 0, zone: 0, quantity: 1, heldUntil }] },
      )
      .entry('seat_hold_extended', 25, 'anna', { holdId: 'h1', ordinal: 0, heldUntil })
  const released = () =>
    long()
      .asks('anna', [40, 50], { command: { kind: 'release', hold: 'h1' } }, { released: 1 })
      .entry('seat_released', 45, 'anna', { holdId: 'h1', ordinal: 0, reason: 'user_cancelled' })

  it('is there from the answer on, and not after it was given back', () => {
    expect(long().reads('anna', [12, 14], []).reads('anna', [12, 18], ['h1']).rules()).toEqual([])
    expect(long().reads('anna', [31, 35], ['h1']).reads('ben', [31, 35], []).rules()).toEqual([])
    // While it is given back, either will do.
    expect(released().reads('anna', [42, 48], ['h1']).reads('anna', [42, 48], []).rules()).toEqual([])
    expect(released().reads('anna', [51, 55], []).rules()).toEqual([])
  })

  it('must not lack what was granted before, nor have what was given back before', () => {
    expect(long().reads('anna', [31, 35], []).rules()).toEqual([
      '23: a person reads what they were granted before',
    ])
    expect(released().reads('anna', [51, 55], ['h1']).rules()).toEqual([
      '23: a person does not read what they gave back before',
    ])
  })
})

describe('the checker has nothing to say of', () => {
  it('a hold, a refusal, an extension, a release and the next hold', () => {
    const heldUntil = 25 + FIVE_MINUTES
    const story = good()
      .refused('ben', [16, 30], 0)
      .asks(
        'anna',
        [22, 30],
        { command: { kind: 'extend', hold: 'h1' } },
        {
          holds: [{ id: 'h1', ordinal: 0, zone: 0, quantity: 1, heldUntil }],
        },
      )
      .entry('seat_hold_extended', 25, 'anna', { holdId: 'h1', ordinal: 0, heldUntil })
      .asks('anna', [40, 50], { command: { kind: 'release', hold: 'h1' } }, { released: 1 })
      .entry('seat_released', 45, 'anna', { holdId: 'h1', ordinal: 0, reason: 'user_cancelled' })
      .holds('ben', [60, 70], 'w2', 0, { id: 'h2', at: 65 })
      .reserved('ben', 65, 'w2', 0, 'h2')
    expect(story.rules()).toEqual([])
  })

  it('an unknown outcome, whether it happened or not', () => {
    const command = { kind: 'hold_seats', ordinals: [1] }
    const story = good()
      .asks('ben', [30, 40], { wish: 'w2', command }, { status: 0 }, 'unknown')
      .reserved('ben', 500, 'w2', 1, 'h2')
      .asks(
        'ben',
        [600, 700],
        { wish: 'w3', command: { kind: 'hold_seats', ordinals: [2] } },
        { status: 0 },
        'unknown',
      )
    expect(story.rules()).toEqual([])
  })

  it('a request that was refused, repeated without an answer, and happened: the next caller is refused', () => {
    const asked = { wish: 'w1', command: HOLD_SEAT_1 }
    const story = new Story()
      .asks('anna', [10, 20], asked, { status: 503, code: 'busy' }, 'refused')
      .asks('anna', [30, 40], asked, {}, 'unknown')
      .reserved('anna', 35, 'w1', 1, 'h1')
      .refused('ben', [50, 60], 1)
    expect(story.rules()).toEqual([])
  })

  it('a refusal that was right at a moment between question and answer', () => {
    const story = good()
      .refused('ben', [44, 70], 0)
      .asks('anna', [40, 50], { command: { kind: 'release', hold: 'h1' } }, { released: 1 })
      .entry('seat_released', 45, 'anna', { holdId: 'h1', ordinal: 0, reason: 'user_cancelled' })
    expect(story.rules()).toEqual([])
  })

  it('a stored answer that is given again after the hold it tells of has ended, even if another wish made that hold', () => {
    const holds = [{ id: 'h1', ordinal: 0, zone: 0, quantity: 1, heldUntil: 15 + TTL }]
    const again = { wish: 'w2', key: 'k2', command: { kind: 'hold_seats', ordinals: [0] } }
    const story = good()
      .asks('anna', [22, 30], again, { status: 200, holds })
      .asks('anna', [40, 50], { command: { kind: 'release', hold: 'h1' } }, { released: 1 })
      .entry('seat_released', 45, 'anna', { holdId: 'h1', ordinal: 0, reason: 'user_cancelled' })
      .asks('anna', [60, 70], again, { status: 200, holds, replayed: true })
    expect(story.rules()).toEqual([])
  })

  it('what was lost by a failover, if its readers were told to start again', () => {
    const story = good()
      .hears(16, 'seats', 1, [[0, 'held']])
      .fault('failover', [30, 60])
      .holds('ben', [35, 40], 'w2', 1, { id: 'lost', at: 37 })
      .hears(38, 'seats', 2, [[1, 'held']])
      .hears(70, 'reset', 1)
      .holds('ben', [10_000, 10_010], 'w3', 2, { id: 'h3', at: 10_005 })
      .reserved('ben', 10_005, 'w3', 2, 'h3')
      .hears(10_006, 'seats', 2, [[2, 'held']])
    expect(story.rules()).toEqual([])
  })

  it('fewer places of a hold, the refusal of more, and its release', () => {
    const more = { command: { kind: 'reduce', hold: 'h1', quantity: 2 } }
    const story = reduced()
      .asks('anna', [32, 34], more, { code: 'hold_not_reducible' }, 'refused')
      .asks('anna', [40, 50], { command: { kind: 'release', hold: 'h1' } }, { released: 1 })
      .entry('seat_released', 45, 'anna', { holdId: 'h1', ordinal: null, reason: 'user_cancelled' })
    expect(story.rules()).toEqual([])
  })

  it("a guest's holds that become an account's, with the clock of both", () => {
    const story = joined()
      .asks(
        'anna',
        [50, 60],
        { command: { kind: 'release', hold: 'h1' } },
        { code: 'hold_not_found' },
        'refused',
      )
      .asks('ben', [50, 60], { command: { kind: 'release', hold: 'h1' } }, { released: 1 })
      .entry('seat_released', 55, 'ben', { holdId: 'h1', ordinal: 0, reason: 'user_cancelled' })
      .transfers('ben', [62, 64], 'anna', [])
    expect(story.rules()).toEqual([])
  })

  it('a transfer without an answer, whether it happened or not, and one that was refused', () => {
    const again = { event: 'event', code: 'hold_in_payment' }
    const payment = { holdId: 'h1', ordinal: 0, checkoutId: 'c', heldUntil: 900_045 }
    const story = good()
      .asks('ben', [30, 40], { command: { kind: 'transfer', from: 'anna' } }, { status: 0 }, 'unknown')
      .asks('anna', [42, 48], { command: { kind: 'start_payment', holds: ['h1'], checkout: 'c' } }, {})
      .entry('payment_started', 45, 'anna', payment)
      .asks('ben', [50, 60], { command: { kind: 'transfer', from: 'anna' } }, { transfers: [again] })
    expect(story.rules()).toEqual([])
    const lost = good()
      .asks('ben', [30, 40], { command: { kind: 'transfer', from: 'anna' } }, { status: 0 }, 'unknown')
      .entry('hold_transferred', 35, 'ben', { holdId: 'h1', ordinal: 0, userId: 'ben', ...CLOCK })
    expect(lost.rules()).toEqual([])
  })

  it('a sale that comes late: its places are taken again and sold, whatever the limit', () => {
    expect(soldLate().rules()).toEqual([])
  })

  it('an event that is cancelled, refuses, and loses its holds', () => {
    const story = cancelled()
      .asks('ben', [32, 33], { wish: 'w2', command: HOLD_SEAT_1 }, { code: 'event_not_available' }, 'refused')
      .asks('anna', [32, 33], { command: { kind: 'cancel' } }, { code: 'invalid_transition' }, 'refused')
      .entry('seat_released', 34, null, { holdId: 'h1', ordinal: 0, reason: 'event_cancelled' })
      .asks('anna', [40, 50], { command: { kind: 'release', hold: 'h1' } }, { released: 0 })
    expect(story.rules()).toEqual([])
  })

  it('a long history of a faultless system', () => {
    const size = { operations: 20_000, seats: 300, clients: 40, seed: 5 }
    const { lines, records, users: all } = generateHistory(size)
    const { findings, figures } = checkRun(readHistory(lines), records, all)
    expect(findings.all).toEqual([])
    expect(figures.operations).toBe(size.operations)
    expect(figures.windows.checked).toBeGreaterThan(1_000)
  })
})

describe('the checker finds', () => {
  const cases: [rule: string, story: () => Story][] = [
    [
      '8: a refusal has a reason while it is asked for',
      () =>
        good()
          .asks('anna', [40, 50], { command: { kind: 'release', hold: 'h1' } }, { released: 1 })
          .entry('seat_released', 45, 'anna', { holdId: 'h1', ordinal: 0, reason: 'user_cancelled' })
          .refused('ben', [60, 70], 0),
    ],
    [
      '9: what was confirmed is in the journal',
      () => good().fault('failover', [30, 60]).holds('ben', [70, 80], 'w2', 1, { id: 'not there', at: 75 }),
    ],
    [
      '12: the feed says what the journal says',
      () =>
        good()
          .hears(16, 'seats', 1, [[0, 'held']])
          .fault('failover', [30, 60])
          .holds('ben', [10_000, 10_010], 'w3', 2, { id: 'h3', at: 10_005 })
          .reserved('ben', 10_005, 'w3', 2, 'h3')
          .hears(10_006, 'seats', 2, [[1, 'held']]),
    ],
    [
      '9: a node with a slow line to Postgres answers',
      () =>
        good()
          .fault('slow-line', [20, 20_000])
          .asks(
            'ben',
            [100, 12_100],
            { wish: 'w2', command: { kind: 'hold_seats', ordinals: [1] } },
            { status: 0 },
            'unknown',
          ),
    ],
    [
      '9: a hold that is given back as mine is alive',
      () =>
        good()
          .asks('anna', [40, 50], { command: { kind: 'release', hold: 'h1' } }, { released: 1 })
          .entry('seat_released', 45, 'anna', { holdId: 'h1', ordinal: 0, reason: 'user_cancelled' })
          .asks(
            'anna',
            [60, 70],
            { wish: 'w2', key: 'k2', command: { kind: 'hold_seats', ordinals: [0] } },
            { status: 200, holds: [{ id: 'h1', ordinal: 0, zone: 0, quantity: 1, heldUntil: 15 + TTL }] },
          ),
    ],
    [
      '1: a held seat is not given again',
      () => good().holds('ben', [30, 40], 'w2', 0, { id: 'h2', at: 35 }).reserved('ben', 35, 'w2', 0, 'h2'),
    ],
    [
      '1: there is an order in which every answer is right',
      () => good().holds('ben', [30, 40], 'w2', 0, { id: 'h2', at: 35 }),
    ],
    [
      '1: a sold seat is not given again',
      () =>
        good()
          .asks(
            'anna',
            [20, 30],
            { command: { kind: 'sell', holds: ['h1'], checkout: 'c', tickets: ['t'] } },
            {},
          )
          .entry('seat_converted', 25, 'anna', {
            holdId: 'h1',
            ordinal: 0,
            userId: 'anna',
            checkoutId: 'c',
            ticketIds: ['t'],
          })
          .holds('ben', [40, 50], 'w2', 0, { id: 'h2', at: 45 })
          .reserved('ben', 45, 'w2', 0, 'h2'),
    ],
    ['9: what was confirmed is in the journal', () => soldLate({ told: 'h9' })],
    ['9: what was confirmed is in the journal', () => soldLate({ ordinal: 3 })],
    ['2: seats are what the journal says', () => withTables({ seats: [] })],
    ['2: holds are what the journal says', () => withTables({ holds: [] })],
    [
      '5: the counters are the sums of the rows',
      () => withTables({ zones: [{ held: 2, sold: 0, blocked: 0 }] }),
    ],
    ['8: the ledger knows the next expiry', () => withTables({ nextExpiry: null })],
    ['11: the ledger ends where the journal does', () => withTables({ seq: 7 })],
    [
      '3: no checkout without a hold',
      () =>
        good().asks(
          'anna',
          [20, 30],
          { command: { kind: 'sell', holds: [], checkout: 'c', tickets: [] } },
          {},
        ),
    ],
    [
      '3: a hold in payment is converted by its own checkout',
      () =>
        good()
          .asks('anna', [20, 30], { command: { kind: 'start_payment', holds: ['h1'], checkout: 'c' } }, {})
          .entry('payment_started', 25, 'anna', {
            holdId: 'h1',
            ordinal: 0,
            checkoutId: 'c',
            heldUntil: 900_025,
            capUntil: 900_025,
          })
          .asks(
            'anna',
            [30, 40],
            { command: { kind: 'sell', holds: ['h1'], checkout: 'd', tickets: ['t'] } },
            {},
          )
          .entry('seat_converted', 35, 'anna', {
            holdId: 'h1',
            ordinal: 0,
            userId: 'anna',
            checkoutId: 'd',
            ticketIds: ['t'],
          }),
    ],
    [
      '4: what has ended stays ended',
      () => released(good()).entry('seat_hold_expired', 1_500, null, { holdId: 'h1', ordinal: 0 }),
    ],
    [
      '4: no hold expires before its time',
      () => good().entry('seat_hold_expired', 500, null, { holdId: 'h1', ordinal: 0 }),
    ],
    ["4: a seat's version goes up by one", () => good().reserved('anna', 15, 'w1', 1, 'h9', { version: 7 })],
    [
      '5: a zone never holds more than its capacity',
      () => good().reserved('ben', 20, 'w2', null as never, 'h2', { quantity: 4 }),
    ],
    [
      '6: nothing is extended after its end',
      () =>
        good()
          .asks(
            'anna',
            [2_000, 2_010],
            { command: { kind: 'extend', hold: 'h1' } },
            {
              holds: [{ id: 'h1', ordinal: 0, zone: 0, quantity: 1, heldUntil: 302_005 }],
            },
          )
          .entry('seat_hold_extended', 2_005, 'anna', { holdId: 'h1', ordinal: 0, heldUntil: 302_005 }),
    ],
    [
      '6: no ticket for a hold that has run out',
      () =>
        good()
          .asks(
            'anna',
            [2_000, 2_010],
            { command: { kind: 'sell', holds: ['h1'], checkout: 'c', tickets: ['t'] } },
            {},
          )
          .entry('seat_converted', 2_005, 'anna', {
            holdId: 'h1',
            ordinal: 0,
            userId: 'anna',
            checkoutId: 'c',
            ticketIds: ['t'],
          }),
    ],
    [
      '4: nothing is granted once the event is cancelled',
      () =>
        cancelled().entry('seat_hold_extended', 31, 'anna', { holdId: 'h1', ordinal: 0, heldUntil: 2_000 }),
    ],
    [
      '4: nothing is granted once the event is cancelled',
      () => cancelled().reserved('anna', 31, 'w2', 1, 'h2'),
    ],
    [
      '4: nothing is granted once the event is cancelled',
      () =>
        cancelled().entry('hold_transferred', 31, 'ben', {
          holdId: 'h1',
          ordinal: 0,
          userId: 'ben',
          ...CLOCK,
        }),
    ],
    ['4: a cancelled event keeps no hold', () => cancelled()],
    [
      '9: what was confirmed is in the journal',
      () => good().asks('anna', [25, 35], { command: { kind: 'cancel' } }, {}),
    ],
    [
      '9: what was refused has not happened',
      () =>
        good()
          .asks('anna', [25, 35], { command: { kind: 'cancel' } }, { code: 'invalid_transition' }, 'refused')
          .entry('event_changed', 30, 'anna', { status: 'cancelled' }),
    ],
    [
      '9: every entry was asked for by a caller',
      () => good().entry('event_changed', 30, 'anna', { status: 'cancelled' }),
    ],
    [
      '8: a refusal has a reason while it is asked for',
      () =>
        good().asks(
          'ben',
          [32, 33],
          { wish: 'w2', command: HOLD_SEAT_1 },
          { code: 'event_not_available' },
          'refused',
        ),
    ],
    ['5: a reduced hold frees as many places as it loses', () => reduced({ freed: 0 })],
    ['5: a reduced hold frees as many places as it loses', () => reduced({ freed: 2 })],
    [
      '5: a hold is changed with the places it has',
      () =>
        reduced()
          .asks('anna', [40, 50], { command: { kind: 'release', hold: 'h1' } }, { released: 1 })
          .entry('seat_released', 45, 'anna', { holdId: 'h1', ordinal: null, quantity: 2 }),
    ],
    ['6: nothing is reduced after its end', () => reduced({}, { asked: [2_000, 2_010] })],
    ['9: what was confirmed is in the journal', () => reduced(null)],
    ['9: a hold is what was confirmed', () => reduced({}, { told: 2 })],
    ["9: no user reduces another's hold", () => reduced(null, { user: 'ben' })],
    [
      '9: every entry was asked for by a caller',
      () =>
        places().entry('hold_reduced', 25, 'anna', { holdId: 'h1', ordinal: null, quantity: 1, freed: 1 }),
    ],
    [
      '9: what was refused has not happened',
      () =>
        places()
          .asks('anna', [20, 30], REDUCE, { code: 'hold_not_reducible' }, 'refused')
          .entry('hold_reduced', 25, 'anna', { holdId: 'h1', ordinal: null, quantity: 1, freed: 1 }),
    ],
    [
      '8: a refusal has a reason while it is asked for',
      () => places().asks('anna', [20, 30], REDUCE, { code: 'hold_not_reducible' }, 'refused'),
    ],
    [
      '4: a hold in payment keeps its places',
      () =>
        places()
          .entry('payment_started', 17, 'anna', {
            holdId: 'h1',
            ordinal: null,
            quantity: 2,
            checkoutId: 'c',
            heldUntil: 900_017,
          })
          .entry('hold_reduced', 25, 'anna', { holdId: 'h1', ordinal: null, quantity: 1, freed: 1 }),
    ],
    ['9: what was confirmed is in the journal', () => good().transfers('ben', [30, 40], 'anna', ['h1'])],
    ['9: every entry was asked for by a caller', () => good().moved('ben', 35, 'h1', 0)],
    [
      '9: every entry was asked for by a caller',
      () => good().transfers('ben', [30, 40], 'zoe', ['h1']).moved('ben', 35, 'h1', 0),
    ],
    [
      '9: every entry was asked for by a caller',
      () => good().transfers('ben', [50, 60], 'anna', ['h1']).moved('ben', 35, 'h1', 0),
    ],
    [
      '9: what was refused has not happened',
      () =>
        good()
          .asks(
            'ben',
            [30, 40],
            { command: { kind: 'transfer', from: 'anna' } },
            { code: 'busy', status: 503 },
            'refused',
          )
          .moved('ben', 35, 'h1', 0),
    ],
    [
      '4: a hold goes to another user, once',
      () =>
        good().transfers('ben', [30, 40], 'anna', ['h1']).moved('ben', 35, 'h1', 0).moved('ben', 35, 'h1', 0),
    ],
    [
      '4: a hold in payment keeps its owner',
      () =>
        good()
          .entry('payment_started', 17, 'anna', {
            holdId: 'h1',
            ordinal: 0,
            checkoutId: 'c',
            heldUntil: 900_017,
          })
          .moved('ben', 35, 'h1', 0, { heldUntil: 900_017 }),
    ],
    ['6: nothing changes hands after its end', () => good().moved('ben', 2_000, 'h1', 0)],
    ['7: a cap never moves to a later time', () => good().moved('ben', 35, 'h1', 0, { capUntil: 9_999_999 })],
    ['16: no buyer is given more places than the limit', () => joined({ bens: 2 })],
    [
      '18: a cart changes hands as a whole',
      () =>
        good()
          .reserved('anna', 16, 'w2', 1, 'h2', CLOCK)
          .transfers('ben', [30, 40], 'anna', ['h1'])
          .moved('ben', 35, 'h1', 0),
    ],
    ['19: carts that join have the later end and the earlier cap', () => joined({ clock: CLOCK })],
    [
      "9: no user extends another's hold",
      () =>
        joined().asks(
          'anna',
          [50, 60],
          { command: { kind: 'extend', hold: 'h1' } },
          { holds: [{ id: 'h1', ordinal: 0, zone: 0, quantity: 1, heldUntil: JOINED.heldUntil }] },
        ),
    ],
    [
      '8: a refusal has a reason while it is asked for',
      () =>
        joined().asks(
          'ben',
          [50, 60],
          { command: { kind: 'release', hold: 'h1' } },
          { code: 'hold_not_found' },
          'refused',
        ),
    ],
    ['8: a refusal has a reason while it is asked for', () => good().transfers('ben', [30, 40], 'anna', [])],
    [
      '8: a refusal has a reason while it is asked for',
      () =>
        good().asks(
          'ben',
          [30, 40],
          { command: { kind: 'transfer', from: 'anna' } },
          { transfers: [{ event: 'event', code: 'quota_exceeded' }] },
        ),
    ],
    [
      '3: a ticket is for the user who held',
      () =>
        joined().entry('seat_converted', 45, 'anna', {
          holdId: 'h1',
          ordinal: 0,
          userId: 'anna',
          checkoutId: 'c',
          ticketIds: ['t'],
        }),
    ],
    [
      '4: only a cancelled event takes its holds away',
      () => good().entry('seat_released', 30, null, { holdId: 'h1', ordinal: 0, reason: 'event_cancelled' }),
    ],
    [
      '6: the time of the journal only goes up',
      () => good().entry('seat_blocked', 2, null, { ordinal: 3, reason: 'x' }),
    ],
    [
      '6: nothing is dated before it was asked for',
      () =>
        new Story()
          .holds('anna', [100, 120], 'w1', 0, { id: 'h1', at: 50 })
          .reserved('anna', 50, 'w1', 0, 'h1'),
    ],
    [
      '6: nothing is dated after it was confirmed',
      () =>
        new Story()
          .holds('anna', [10, 20], 'w1', 0, { id: 'h1', at: 50 })
          .reserved('anna', 50, 'w1', 0, 'h1'),
    ],
    ['7: held_until never moves back', () => extended(900)],
    ['7: held_until never moves past its cap', () => extended(1_015 + FIVE_MINUTES + 1)],
    ['7: an extension is what was confirmed', () => extended(200_000, 100_000)],
    [
      '7: the first hold of a cart lasts as long as the policy says',
      () => good().reserved('ben', 16, 'w1', 1, 'h9', { heldUntil: 9_999 }),
    ],
    ['19: a new hold ends with the cart it joins', () => good().reserved('anna', 16, 'w2', 1, 'h9')],
    [
      "19: a buyer's living holds end together",
      () => {
        const clock = { heldUntil: 15 + TTL, capUntil: 15 + TTL + TWENTY_MINUTES }
        return good()
          .reserved('anna', 16, 'w2', 1, 'h2', clock)
          .entry('seat_hold_extended', 17, 'anna', { holdId: 'h2', ordinal: 1, heldUntil: 18 + TTL })
          .reserved('ben', 18, 'w3', 2, 'h3')
      },
    ],
    ['8: a refusal has a reason while it is asked for', () => good().refused('ben', [30, 40], 3)],
    ['8: a refusal has a reason while it is asked for', () => good().refused('ben', [20_000, 20_010], 0)],
    ['8: a refusal has a reason while it is asked for', () => good().refused('anna', [30, 40], 0)],
    [
      '9: what was confirmed is in the journal',
      () => new Story().holds('anna', [10, 20], 'w1', 0, { id: 'h1', at: 15 }),
    ],
    [
      '9: what was confirmed is in the journal',
      () => good().asks('anna', [40, 50], { command: { kind: 'release', hold: 'h1' } }, { released: 1 }),
    ],
    [
      '9: what was refused has not happened',
      () => new Story().refused('anna', [10, 20], 0).reserved('anna', 15, 'refused-10', 0, 'h1'),
    ],
    ['9: a request that is repeated has one effect', () => good().reserved('anna', 16, 'w1', 1, 'h2')],
    [
      '9: every entry was asked for by a caller',
      () => good().entry('seat_released', 30, null, { holdId: 'h1', ordinal: 0, reason: 'admin_override' }),
    ],
    [
      '9: a hold is what was confirmed',
      () =>
        new Story().holds('ben', [10, 20], 'w1', 0, { id: 'h1', at: 15 }).reserved('anna', 15, 'w1', 0, 'h1'),
    ],
    [
      "9: no user releases another's hold",
      () => good().asks('ben', [30, 40], { command: { kind: 'release', hold: 'h1' } }, { released: 1 }),
    ],
    [
      "9: no user extends another's hold",
      () =>
        good().asks(
          'ben',
          [30, 40],
          { command: { kind: 'extend', hold: 'h1' } },
          { holds: [{ id: 'h1', ordinal: 0, zone: 0, quantity: 1, heldUntil: 1_015 }] },
        ),
    ],
    [
      '9: the journal keeps to the order of time',
      () =>
        new Story()
          .holds('anna', [10, 20], 'w1', 0, { id: 'h1', at: 15 })
          .holds('ben', [30, 40], 'w2', 1, { id: 'h2', at: 35 })
          .reserved('ben', 35, 'w2', 1, 'h2')
          .reserved('anna', 35, 'w1', 0, 'h1'),
    ],
    [
      '9: no fault of ours in an answer',
      () =>
        good().asks(
          'ben',
          [1, 2],
          { wish: 'x', command: { kind: 'hold_seats', ordinals: [1] } },
          { status: 500 },
          'refused',
        ),
    ],
    ['10: same key, same answer', () => keyed('w2', 'h2')],
    ['10: same key, same answer', () => keyedRefusal()],
    [
      '10: an answer to a key is kept',
      () => {
        const holds = [{ id: 'h1', ordinal: 0, zone: 0, quantity: 1, heldUntil: 15 + TTL }]
        const again = { wish: 'w2', key: 'k2', command: { kind: 'hold_seats', ordinals: [0] } }
        return good()
          .asks('anna', [22, 30], again, { status: 200, holds })
          .asks('anna', [32, 40], again, { status: 200, holds })
      },
    ],
    ['11: the journal has no gap', () => gap()],
    [
      '13: no user of another organization is served',
      () => good().holds('zoe', [30, 40], 'w2', 1, { id: 'h2', at: 35 }),
    ],
    ['13: no user of another organization changes anything', () => good().reserved('zoe', 35, 'w2', 1, 'h2')],
    ["13: what is another organization's does not exist", () => good().refused('zoe', [30, 40], 0)],
    [
      '16: no buyer has more places than the limit',
      () => good().reserved('anna', 15, 'w1', 1, 'h2').reserved('anna', 15, 'w1', 2, 'h3'),
    ],
    [
      '18: a command takes effect as a whole',
      () =>
        new Story()
          .asks(
            'anna',
            [10, 20],
            { wish: 'w1', command: { kind: 'hold_seats', ordinals: [0, 1] } },
            { holds: [{ id: 'h1', ordinal: 0, zone: 0, quantity: 1, heldUntil: 1_015 }] },
          )
          .reserved('anna', 15, 'w1', 0, 'h1'),
    ],
    ['12: the feed says what the journal says', () => fed([[1, 'held']])],
    ['12: the feed never speaks of what is not committed', () => fed([[0, 'held']], { seq: 2 })],
    ['12: the feed never speaks before the commit', () => fed([[0, 'held']], { at: 5 })],
    [
      '12: the counters of a message are those of its seq',
      () => fed([[0, 'held']], { counts: { held: 2, sold: 0, blocked: 0, available: 2 } }),
    ],
    ['12: the feed skips nothing', () => fed(null)],
    ['17: no identity on a public channel', () => fed([[0, 'held']], { names: 'anna' })],
    [
      '14: a seat is what it was at the seq',
      () =>
        good().asks(
          'ben',
          [30, 40],
          { command: { kind: 'look' } },
          { seq: 1, seats: [[3, 'sold']], zones: [{ held: 1, sold: 0, blocked: 0, available: 3 }] },
        ),
    ],
    [
      '14: the counters are those of their seq',
      () =>
        good().asks(
          'ben',
          [30, 40],
          { command: { kind: 'look' } },
          { seq: 1, seats: [[0, 'held']], zones: [{ held: 0, sold: 0, blocked: 0, available: 4 }] },
        ),
    ],
  ]

  it.each(cases)('%s', (rule, story) => {
    expect(story().rules()).toContain(rule)
  })
})

function cancelled(): Story {
  return good()
    .asks('anna', [25, 35], { command: { kind: 'cancel' } }, {})
    .entry('event_changed', 30, 'anna', { status: 'cancelled' })
}

/** Anna has two places. */
function places(): Story {
  const holds = [{ id: 'h1', ordinal: null, zone: 0, quantity: 2, heldUntil: 15 + TTL }]
  const command = { kind: 'hold_places', zone: 0, quantity: 2 }
  return new Story()
    .asks('anna', [10, 20], { wish: 'w1', command }, { holds })
    .reserved('anna', 15, 'w1', null as never, 'h1', { quantity: 2 })
}

/** And keeps one of them. */
function reduced(
  wrong: object | null = {},
  { asked = [20, 30] as [number, number], told = 1, user = 'anna' } = {},
): Story {
  const holds = [{ id: 'h1', ordinal: null, zone: 0, quantity: told, heldUntil: 15 + TTL }]
  const story = places().asks(user, asked, REDUCE, { holds })
  const entry = { holdId: 'h1', ordinal: null, quantity: 1, freed: 1 }
  return wrong === null ? story : story.entry('hold_reduced', asked[0] + 5, user, { ...entry, ...wrong })
}

/** Ben has seats from 2 on since 20; at 35 he is given Anna's seat 0. */
function joined({ bens = 1, clock = JOINED } = {}): Story {
  const story = good()
  for (let ordinal = 2; ordinal < 2 + bens; ordinal += 1) {
    story.holds('ben', [19, 22], `b${ordinal}`, ordinal, { id: `b${ordinal}`, at: 20 })
    story.reserved('ben', 20, `b${ordinal}`, ordinal, `b${ordinal}`)
  }
  story.transfers('ben', [30, 40], 'anna', ['h1'], clock)
  for (let ordinal = 2; ordinal < 2 + bens; ordinal += 1) {
    story.entry('seat_hold_extended', 35, 'ben', { holdId: `b${ordinal}`, ordinal, ...clock }, 'joining')
  }
  return story.moved('ben', 35, 'h1', 0, clock, 'joining')
}

/** Anna has as many places as she may, and buys the seat of a hold that had run out. */
function soldLate({ told = 'h2', ordinal = 0 } = {}): Story {
  const heldUntil = 1_100 + TTL
  const own = { userId: 'anna', heldUntil, capUntil: heldUntil + TWENTY_MINUTES }
  const answered = (id: string, seat: number) => ({ id, ordinal: seat, zone: 0, quantity: 1, heldUntil })
  const two = { wish: 'w2', command: { kind: 'hold_seats', ordinals: [1, 2] } }
  const sale = { wish: 'w3', command: { kind: 'sell', holds: ['h1'], checkout: 'c', tickets: ['t'] } }
  return good()
    .asks('anna', [1_090, 1_110], two, { holds: [answered('h3', 1), answered('h4', 2)] })
    .reserved('anna', 1_100, 'w2', 1, 'h3')
    .reserved('anna', 1_100, 'w2', 2, 'h4')
    .asks('anna', [2_000, 2_010], sale, { holds: [answered(told, ordinal)] })
    .entry('seat_hold_expired', 2_005, 'anna', { holdId: 'h1', ordinal: 0 }, 'sale')
    .entry('seat_reserved', 2_005, 'anna', { holdId: 'h2', ordinal, cartToken: 'w3', ...own }, 'sale')
    .entry(
      ...(['seat_converted', 2_005, 'anna'] as const),
      { holdId: 'h2', ordinal, checkoutId: 'c', ticketIds: ['t'], userId: 'anna' },
      'sale',
    )
}

function released(story: Story): Story {
  return story
    .asks('anna', [40, 50], { command: { kind: 'release', hold: 'h1' } }, { released: 1 })
    .entry('seat_released', 45, 'anna', { holdId: 'h1', ordinal: 0, reason: 'user_cancelled' })
}

function extended(heldUntil: number, told = heldUntil): Story {
  const holds = [{ id: 'h1', ordinal: 0, zone: 0, quantity: 1, heldUntil: told }]
  return good()
    .asks('anna', [20, 30], { command: { kind: 'extend', hold: 'h1' } }, { holds })
    .entry('seat_hold_extended', 25, 'anna', { holdId: 'h1', ordinal: 0, heldUntil })
}

function withTables(wrong: Partial<Tables>): Story {
  const story = good()
  story.tables = {
    seq: 1,
    nextExpiry: 1_015,
    holds: [
      {
        id: 'h1',
        user: 'anna',
        ordinal: 0,
        zone: 0,
        quantity: 1,
        status: 'active',
        heldUntil: 1_015,
        capUntil: 1_015 + TWENTY_MINUTES,
        checkout: null,
        endedAt: null,
        endReason: null,
      },
    ],
    seats: [{ ordinal: 0, status: 'held', hold: 'h1', ticket: null, version: 1 }],
    zones: [{ held: 1, sold: 0, blocked: 0 }],
    tickets: [],
    ...wrong,
  }
  return story
}

function keyed(wish: string, id: string): Story {
  const command = { kind: 'hold_places', zone: 0, quantity: 1 }
  const hold = (holdId: string) => ({
    holds: [{ id: holdId, ordinal: null, zone: 0, quantity: 1, heldUntil: 1_015 }],
  })
  return new Story()
    .asks('anna', [10, 20], { wish, key: 'k', command }, hold('h1'))
    .asks('anna', [10, 20], { wish, key: 'k', command }, hold(id))
    .reserved('anna', 15, wish, null as never, 'h1')
    .reserved('anna', 15, wish, null as never, id)
}

function keyedRefusal(): Story {
  const command = { kind: 'hold_places', zone: 0, quantity: 1 }
  const holds = [{ id: 'h1', ordinal: null, zone: 0, quantity: 1, heldUntil: 1_015 }]
  return new Story()
    .asks('anna', [10, 20], { wish: 'w1', key: 'k', command }, { holds })
    .reserved('anna', 15, 'w1', null as never, 'h1')
    .asks('anna', [30, 40], { wish: 'w1', key: 'k', command }, { code: 'zone_at_capacity' }, 'refused')
}

function gap(): Story {
  const story = good().reserved('anna', 15, 'w1', 1, 'h2')
  story.journal[1] = { ...story.journal[1]!, seq: 3 }
  return story
}

function fed(seats: [number, string][] | null, wrong: object = {}): Story {
  const story = good()
  const feed = (seq: number, more: object) =>
    story.lines.push({
      type: 'feed',
      at: 100,
      reader: 0,
      node: 0,
      event: 'event',
      message: 'seats',
      joined: false,
      seq,
      seats: [],
      counts: null,
      ...more,
    } as Line)
  feed(0, { joined: true })
  story.lines.push({ type: 'clock', from: 60_000, to: 60_000, database: 60_000 })
  if (seats) feed(1, { seats, ...wrong })
  return story
}
