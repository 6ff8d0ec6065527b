import { describe, expect, it } from 'vitest'
import { Model } from './model.ts'
import type { EntryBody } from './record.ts'

const TTL = 1_000
const CAP = TTL + 1_200_000

/** A wheelchair place with its companion seat, eight seats for any buyer, and a table for two. */
const PLACE = 0
const COMPANION = 1
const TABLE = [10, 11]
const PLAN = {
  ttlMs: TTL,
  maxHoldsPerUser: null,
  isStrict: true,
  maxSeatsPerBooking: null,
  zones: [{ capacity: 12, seats: 12 }],
  seatRules: {
    rows: [[PLACE, COMPANION, 2, 3, 4, 5, 6, 7, 8, 9], TABLE],
    companions: [{ seat: COMPANION, place: PLACE, zone: 0 }],
    wholes: [TABLE],
    releasedAtPercent: 50,
  },
}

/** A journal written down by hand, a command each; what the rules about seats say of it. */
class Journal {
  readonly #model: Model
  readonly #rules: string[] = []
  readonly #versions = new Map<number, number>()
  #seq = 0
  #commands = 0

  constructor(plan = PLAN) {
    this.#model = new Model(plan)
  }

  /** A buyer's cart begins with their first hold: those of a name are all made at the same time. */
  holds(user: string, ...seats: number[]) {
    const held = { heldUntil: TTL, capUntil: CAP, userId: user }
    return this.#command(
      'seat_reserved',
      seats.map(ordinal => ({ ordinal, holdId: `${user}-${ordinal}`, ...held })),
    )
  }

  pays(user: string, ...seats: number[]) {
    const payment = { checkoutId: `order of ${user}`, heldUntil: TTL }
    return this.#command('payment_started', this.#holdsOf(user, seats, payment))
  }

  buys(user: string, ...seats: number[]) {
    const holds = this.#holdsOf(user, seats, { checkoutId: `order of ${user}`, userId: user })
    return this.#command(
      'seat_converted',
      holds.map(hold => ({ ...hold, ticketIds: [`ticket of ${hold.holdId}`] })),
    )
  }

  givesBack(user: string, ...seats: number[]) {
    return this.#command('seat_released', this.#holdsOf(user, seats, { reason: 'user_cancelled' }))
  }

  /** With the command before. */
  releases(...ordinals: number[]) {
    this.#entry('companions_released', { zoneIndex: 0, ordinals })
    return this
  }

  rules(): string[] {
    for (const { invariant, rule } of this.#model.finish()) this.#rules.push(`${invariant}: ${rule}`)
    return this.#rules
  }

  #holdsOf(user: string, seats: readonly number[], more: EntryBody): EntryBody[] {
    return seats.map(ordinal => ({ ordinal, holdId: `${user}-${ordinal}`, ...more }))
  }

  #command(kind: string, bodies: readonly EntryBody[]) {
    this.#commands += 1
    for (const body of bodies) this.#entry(kind, body)
    return this
  }

  #entry(kind: string, body: EntryBody): void {
    const { ordinal } = body
    const version = typeof ordinal === 'number' ? (this.#versions.get(ordinal) ?? 0) + 1 : null
    if (version !== null) this.#versions.set(ordinal!, version)
    this.#seq += 1
    const broken = this.#model.step({
      seq: this.#seq,
      kind,
      command: `command ${this.#commands}`,
      actor: null,
      at: 0,
      body: { version, zoneIndex: 0, quantity: 1, ...body },
    })
    for (const { invariant, rule } of broken) this.#rules.push(`${invariant}: ${rule}`)
  }
}

describe("the checker's rules about seats that go together have nothing to say of", () => {
  const cases: [title: string, journal: () => Journal][] = [
    ['a wheelchair place and its companion seat', () => new Journal().holds('ann', PLACE, COMPANION)],
    [
      'a companion seat of a buyer who has the place already',
      () => new Journal().holds('ann', PLACE).holds('ann', COMPANION),
    ],
    [
      'a companion seat for any buyer once half of the zone is taken',
      () => new Journal().holds('ann', 2, 3, 4, 5, 6, 7).releases(COMPANION).holds('ben', COMPANION),
    ],
    [
      'a table that is taken, paid for and bought as a whole',
      () =>
        new Journal()
          .holds('ann', ...TABLE)
          .pays('ann', ...TABLE)
          .buys('ann', ...TABLE),
    ],
    ['a table that is given back', () => new Journal().holds('ann', ...TABLE).givesBack('ann', ...TABLE)],
    ['an order at the end of a row', () => new Journal().holds('ann', 8, 9).pays('ann', 8, 9)],
    ['a hold that leaves a seat alone: only orders are judged', () => new Journal().holds('ann', 7, 8)],
    [
      'an order that leaves a seat alone where nothing else was left',
      () =>
        new Journal()
          .holds('ben', 2, 3, 4, 6)
          .holds('cat', 7, 8, 9)
          .releases(COMPANION)
          .holds('cat', PLACE, COMPANION)
          .pays('ben', 2, 3, 4, 6),
    ],
    [
      'an order that leaves a seat alone under a policy that allows it',
      () => new Journal({ ...PLAN, isStrict: false }).holds('ann', 7, 8).pays('ann', 7, 8),
    ],
  ]
  it.each(cases)('%s', (_title, journal) => {
    expect(journal().rules()).toEqual([])
  })
})

describe("the checker's rules about seats that go together find", () => {
  const cases: [rule: string, journal: () => Journal][] = [
    [
      'a companion seat is for the buyer of its wheelchair place',
      () => new Journal().holds('ben', PLACE).holds('ann', COMPANION),
    ],
    [
      'a companion seat is for the buyer of its wheelchair place',
      () => new Journal().holds('ann', PLACE, COMPANION).pays('ann', COMPANION),
    ],
    [
      'companion seats are released as soon as enough is taken',
      () => new Journal().holds('ann', 2, 3, 4, 5, 6, 7),
    ],
    [
      'companion seats are released when enough is taken',
      () => new Journal().holds('ann', 2, 3, 4, 5, 6).releases(COMPANION),
    ],
    [
      'companion seats are released once',
      () =>
        new Journal()
          .holds('ann', 2, 3, 4, 5, 6, 7)
          .releases(COMPANION)
          .holds('ben', 8, 9)
          .releases(COMPANION),
    ],
    [
      'a release names the companion seats that are free by it',
      () => new Journal().holds('ann', 2, 3, 4, 5, 6, 7).releases(),
    ],
    ['a group that is sold as a whole is taken as a whole', () => new Journal().holds('ann', TABLE[0]!)],
    [
      'a group that is sold as a whole is paid for as a whole',
      () => new Journal().holds('ann', ...TABLE).pays('ann', TABLE[0]!),
    ],
    [
      'a group that is sold as a whole is given back as a whole',
      () => new Journal().holds('ann', ...TABLE).givesBack('ann', TABLE[0]!),
    ],
    [
      'no order leaves a seat alone when it need not',
      () => new Journal().holds('ann', 7, 8).pays('ann', 7, 8),
    ],
    [
      'no order leaves a seat alone when it need not',
      () => new Journal().holds('ann', 7, 8).buys('ann', 7, 8),
    ],
    [
      'no order leaves a seat alone when it need not',
      () => new Journal().holds('ann', 7, 8, 9).pays('ann', 7, 8),
    ],
  ]
  it.each(cases)('%s (%#)', (rule, journal) => {
    expect(journal().rules()).toEqual([`20: ${rule}`])
  })
})
