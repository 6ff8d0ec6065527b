import { type Entry, type EventPlan, policiesDuring, type SeatPlan } from './record.ts'

interface Hold {
  readonly user: string
  readonly ordinal: number | null
  readonly heldUntil: number
  readonly checkout: string | null
}

/** The rules see seats, holds and counters as they are after an entry. */
interface Seen {
  readonly plan: EventPlan
  readonly zones: readonly { readonly held: number; readonly sold: number; readonly blocked: number }[]
  readonly holds: ReadonlyMap<string, Hold>
  seat(ordinal: number): { readonly status: string; readonly hold: Hold | null }
  liveOf(user: string): Iterable<Hold>
}

interface Broken {
  readonly invariant: number
  readonly rule: string
  readonly other?: Entry
}

/**
 * The rules about which seats go together, as simply as they can be said: companion seats, groups that are
 * sold as a whole, seats that an order leaves alone. A command is judged when all of its entries are known.
 */
export class SeatRules {
  readonly plan: SeatPlan
  readonly #model: Seen
  readonly #placeOf: ReadonlyMap<number, { readonly place: number; readonly zone: number }>
  readonly #places: ReadonlySet<number>
  /** Zones whose companion seats are released now, and before the command that is under way. */
  readonly #released = new Set<number>()
  #releasedBefore: ReadonlySet<number> = new Set()
  #entries: Entry[] = []

  constructor(plan: SeatPlan, model: Seen) {
    this.plan = plan
    this.#model = model
    this.#placeOf = new Map(plan.companions.map(({ seat, place, zone }) => [seat, { place, zone }]))
    this.#places = new Set(plan.companions.map(({ place }) => place))
  }

  note(entry: Entry, broken: Broken[]): void {
    this.#entries.push(entry)
    if (entry.kind === 'companions_released') this.#release(entry, broken)
  }

  placeOf(seat: number): number | undefined {
    return this.#placeOf.get(seat)?.place
  }

  isPlace(seat: number): boolean {
    return this.#places.has(seat)
  }

  isOfWhole(seat: number): boolean {
    return this.plan.wholes.some(whole => whole.includes(seat))
  }

  /** For any buyer, and not to be sold with others. */
  isGeneral(seat: number): boolean {
    return !this.#placeOf.has(seat) && !this.isPlace(seat) && !this.isOfWhole(seat)
  }

  /** The seat is for the buyer of its wheelchair place. */
  isKept(seat: number): boolean {
    return isKeptBy(this.#placeOf.get(seat), this.#released)
  }

  neighboursOf(seat: number): number[] {
    const row = this.plan.rows.find(one => one.includes(seat)) ?? []
    const along = row.indexOf(seat)
    return [along - 1, along + 1].flatMap(beside => row[beside] ?? [])
  }

  /** Stretches of so many seats for any buyer, all of which are free. */
  *stretches(count: number, isFree: (seat: number) => boolean): Generator<readonly number[]> {
    for (const row of this.plan.rows) {
      for (let first = 0; first + count <= row.length; first += 1) {
        const stretch = row.slice(first, first + count)
        if (stretch.every(seat => this.isGeneral(seat) && isFree(seat))) yield stretch
      }
    }
  }

  /** Free seats beside these ones that have no free neighbour once these are taken. */
  leftAlone(taken: readonly number[], isFree: (seat: number) => boolean): number[] {
    const isLeft = (seat: number) => isFree(seat) && !taken.includes(seat)
    const beside = new Set(taken.flatMap(seat => this.neighboursOf(seat)))
    return [...beside].filter(
      seat =>
        isLeft(seat) &&
        !this.isPlace(seat) &&
        !this.isOfWhole(seat) &&
        !this.neighboursOf(seat).some(neighbour => isLeft(neighbour)),
    )
  }

  #release(entry: Entry, broken: Broken[]): void {
    const { zoneIndex = 0, ordinals = [] } = entry.body
    if (this.#released.has(zoneIndex)) broken.push(rule('companion seats are released once'))
    if (!this.#isFull(zoneIndex)) broken.push(rule('companion seats are released when enough is taken'))
    const free = this.plan.companions
      .filter(({ zone, seat }) => zone === zoneIndex && this.#model.seat(seat).status === 'available')
      .map(({ seat }) => seat)
    if (free.sort((a, b) => a - b).join() !== ordinals.join()) {
      broken.push(rule('a release names the companion seats that are free by it'))
    }
    this.#released.add(zoneIndex)
  }

  /** Holds that have run out count until they are tidied up. */
  #isFull(zoneIndex: number): boolean {
    const { held, sold, blocked } = this.#model.zones[zoneIndex]!
    const capacity = this.#model.plan.zones[zoneIndex]!.capacity - blocked
    return held + sold > 0 && (held + sold) * 100 >= capacity * this.plan.releasedAtPercent
  }

  /** All entries of a command are known. */
  endCommand(broken: Broken[]): void {
    const entries = this.#entries
    const last = entries.at(-1)
    if (!last) return
    this.#entries = []
    for (const { zone } of this.plan.companions) {
      if (!this.#released.has(zone) && this.#isFull(zone)) {
        broken.push(rule('companion seats are released as soon as enough is taken', last))
      }
    }
    const taken = entries.filter(({ kind }) => kind === 'seat_reserved')
    const ordered = entries.filter(entry => this.#isOrdered(entry))
    for (const entry of taken) this.#judgeCompanion(entry, this.#has, broken)
    for (const entry of ordered) this.#judgeCompanion(entry, this.#paysFor, broken)
    for (const whole of this.plan.wholes) {
      const isOfIt = ({ body }: Entry) => whole.includes(body.ordinal ?? -1)
      this.#judgeWhole(whole, { taken: taken.find(isOfIt), ordered: ordered.find(isOfIt) }, broken)
      this.#judgeGivenBack(whole, entries.filter(isOfIt), broken)
    }
    // A part of it was judged when its payment started.
    const isWholeOrder = entries.every(entry => entry.kind !== 'seat_converted' || ordered.includes(entry))
    if (isWholeOrder) this.#judgeAlone(ordered, broken)
    this.#releasedBefore = new Set(this.#released)
  }

  /** Its order begins with this command: orders are judged once. */
  #isOrdered({ kind, body }: Entry): boolean {
    if (kind === 'payment_started') return true
    return kind === 'seat_converted' && this.#holdOf(body)?.checkout === null
  }

  #judgeCompanion(
    entry: Entry,
    isTheirs: (user: string, seat: number, at: number) => boolean,
    broken: Broken[],
  ): void {
    const companion = this.#placeOf.get(entry.body.ordinal ?? -1)
    if (!companion || !isKeptBy(companion, this.#releasedBefore)) return
    const user = this.#holdOf(entry.body)?.user ?? ''
    if (isTheirs(user, companion.place, entry.at)) return
    broken.push(rule('a companion seat is for the buyer of its wheelchair place', entry))
  }

  readonly #has = (user: string, seat: number, at: number): boolean => {
    const { status, hold } = this.#model.seat(seat)
    return hold?.user === user && (status === 'sold' || hold.heldUntil > at)
  }

  /** Has bought it, or is about to: what a buyer only holds they may give back. */
  readonly #paysFor = (user: string, seat: number, at: number): boolean => {
    const { status, hold } = this.#model.seat(seat)
    return this.#has(user, seat, at) && (status === 'sold' || hold!.checkout !== null)
  }

  #judgeWhole(
    whole: readonly number[],
    { taken, ordered }: { taken: Entry | undefined; ordered: Entry | undefined },
    broken: Broken[],
  ): void {
    for (const entry of [taken, ordered]) {
      if (!entry) continue
      const user = this.#holdOf(entry.body)?.user ?? ''
      if (!whole.every(seat => this.#has(user, seat, entry.at))) {
        broken.push(rule('a group that is sold as a whole is taken as a whole', entry))
      }
    }
    if (!ordered) return
    const isPaidFor = (seat: number) => {
      const { status, hold } = this.#model.seat(seat)
      return status === 'sold' || hold?.checkout === ordered.body.checkoutId
    }
    if (!whole.every(isPaidFor)) {
      broken.push(rule('a group that is sold as a whole is paid for as a whole', ordered))
    }
  }

  #judgeGivenBack(whole: readonly number[], entries: readonly Entry[], broken: Broken[]): void {
    const back = entries.find(
      ({ kind, body }) => kind === 'seat_released' && body.reason === 'user_cancelled',
    )
    if (!back) return
    const user = this.#holdOf(back.body)?.user ?? ''
    const isStillTheirs = (seat: number) =>
      this.#model.seat(seat).status === 'held' && this.#has(user, seat, back.at)
    if (whole.some(isStillTheirs)) {
      broken.push(rule('a group that is sold as a whole is given back as a whole', back))
    }
  }

  /**
   * Only what is wrong beyond doubt: as many seats side by side were free that leave no seat alone. Carts
   * with accessible seats, and orders that join an earlier part of their checkout, are not judged.
   */
  #judgeAlone(ordered: readonly Entry[], broken: Broken[]): void {
    const [first] = ordered
    if (!first) return
    const { at, committedAt = at } = first
    if (!policiesDuring(this.#model.plan, at, committedAt).every(({ isStrict }) => isStrict)) return
    const holds = new Set(ordered.map(({ body }) => this.#holdOf(body)!))
    const { checkoutId } = first.body
    const { user } = [...holds][0]!
    for (const hold of this.#model.liveOf(user)) {
      if (hold.checkout === checkoutId && !holds.has(hold)) return
    }
    const cart = [...holds].flatMap(({ ordinal }) =>
      ordinal === null || this.isOfWhole(ordinal) ? [] : [ordinal],
    )
    if (cart.length === 0 || !cart.every(seat => this.isGeneral(seat))) return
    const isFree = (seat: number) => {
      const { status, hold } = this.#model.seat(seat)
      if (this.isKept(seat)) return false
      if (status === 'available') return true
      // A seat that the buyer holds and does not pay for is free: they may give it back.
      const isLoose = hold?.user === user && hold.checkout === null
      return status === 'held' && (isLoose || hold!.heldUntil <= at)
    }
    const wasFree = (seat: number) => cart.includes(seat) || isFree(seat)
    const alone = this.leftAlone(cart, wasFree).filter(seat => !this.#isRowNearlyFull(seat, wasFree))
    if (alone.length === 0) return
    for (const stretch of this.stretches(cart.length, wasFree)) {
      if (this.leftAlone(stretch, wasFree).length > 0) continue
      broken.push(rule('no order leaves a seat alone when it need not', first))
      return
    }
  }

  #isRowNearlyFull(seat: number, wasFree: (seat: number) => boolean): boolean {
    const row = this.plan.rows.find(one => one.includes(seat))!
    return row.filter(wasFree).length * 10 <= row.length
  }

  #holdOf({ holdId = '' }: Entry['body']): Hold | undefined {
    return this.#model.holds.get(holdId)
  }
}

function isKeptBy(companion: { readonly zone: number } | undefined, released: ReadonlySet<number>): boolean {
  return companion !== undefined && !released.has(companion.zone)
}

/** All rules about seats that go together belong to invariant 20. */
function rule(text: string, other?: Entry): Broken {
  return { invariant: 20, rule: text, ...(other && { other }) }
}
