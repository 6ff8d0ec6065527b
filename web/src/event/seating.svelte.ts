import {
  type Data,
  type FeedState,
  type Following,
  type Occupancy,
  Refused,
  type SeatChanges,
  type Snapshot,
} from '@voelgoed/client'
import { decodeMap, type MapModel, nearestFree, type SeatStatus } from '../map/index.ts'
import { keepTrying } from '../state/keep-trying.ts'
import type { Session } from '../state/session.svelte.ts'
import type { Words } from '../words/en.ts'
import { Holdings, type MyHold } from './holdings.svelte.ts'

export type EventAnswer = Data<'GET /api/events/:event'>

/** What the page has to say, in whatever language it is in when it is shown. */
export interface Notice {
  readonly tone: 'good' | 'bad'
  readonly text: (words: Words) => string
  /** Free seats close to those that were wished for. */
  readonly nearby: readonly number[]
}

/** Whoever draws seats: told of the whole once, then of changes. */
export interface SeatView {
  setStatuses(bits: Uint8Array): void
  setStatus(changes: Iterable<readonly [ordinal: number, status: SeatStatus]>): void
}

const CODES: Readonly<Record<string, SeatStatus>> = { available: 0, held: 1, sold: 2, blocked: 3 }

/**
 * One event in front of a buyer: its seats as the server tells of them, and what the buyer does with them. The server
 * decides; what is shown before its answer is marked as pending, and corrected by the answer.
 */
export class Seating {
  readonly session: Session
  readonly eventId: string
  readonly holdings: Holdings
  #event: EventAnswer | null = $state.raw(null)
  #model: MapModel | null = $state.raw(null)
  #feed: FeedState = $state('connecting')
  #isOnline = $state(true)
  #isWaiting = $state(false)
  #refused: Refused | null = $state.raw(null)
  #notice: Notice | null = $state.raw(null)
  #pending: ReadonlySet<number> = $state.raw(new Set())
  #zoneCounts: ReadonlyMap<string, Occupancy['zones'][number]> = $state.raw(new Map())
  /** One byte a seat, and two bits a seat, always the same. Whoever shows them looks at `changes` to look again. */
  readonly #statuses: { bytes: Uint8Array; bits: Uint8Array } = {
    bytes: new Uint8Array(),
    bits: new Uint8Array(),
  }
  #changes = $state(0)
  #view: SeatView | null = null
  #following: Following | null = null
  readonly #closed = new AbortController()
  #frame = 0
  #isResynced = true
  /** A seat was chosen that only members may have, by someone we do not know. */
  onMembersOnly: (zoneIndex: number) => void = () => {}

  constructor(session: Session, eventId: string) {
    this.session = session
    this.eventId = eventId
    this.#isOnline = navigator.onLine
    this.holdings = new Holdings(session, eventId)
    this.holdings.onLost = () => this.dismiss()
    this.holdings.onVanished = () => this.say('bad', words => words.refusals.hold_not_found({} as never))
    session.onTabMessage = message => {
      if (message.eventId === eventId) this.holdings.heard(message.released)
    }
    session.onVisitorChanged = () => void this.#resync()
    const { signal } = this.#closed
    window.addEventListener('online', () => this.#wake(), { signal })
    window.addEventListener('offline', () => this.#setOnline(false), { signal })
    window.addEventListener('pageshow', () => this.#wake(), { signal })
    document.addEventListener('visibilitychange', () => document.hidden || this.#wake(), { signal })
  }

  get event() {
    return this.#event
  }
  get model() {
    return this.#model
  }
  get refused() {
    return this.#refused
  }
  get notice() {
    return this.#notice
  }
  get pending() {
    return this.#pending
  }
  get zoneCounts() {
    return this.#zoneCounts
  }
  /** Grows whenever a seat has changed. */
  get changes() {
    return this.#changes
  }
  /** The server has not answered yet, and is being asked again and again. */
  get isWaiting() {
    return this.#isWaiting
  }
  get connection(): FeedState {
    return this.#isOnline ? this.#feed : 'offline'
  }

  readonly #mine: ReadonlySet<number> = $derived.by(() => {
    const model = this.#model
    if (!model) return new Set<number>()
    return new Set(this.holdings.all.flatMap(hold => ordinalOf(model, hold) ?? []))
  })
  get mine() {
    return this.#mine
  }

  /** False until the first snapshot: until then the page can not say of any seat that it is free. */
  get isKnown(): boolean {
    void this.#changes
    return this.#statuses.bytes.length > 0
  }

  statusOf(ordinal: number): SeatStatus {
    return (this.#statuses.bytes[ordinal] ?? 3) as SeatStatus
  }

  freeIn(firstOrdinal: number, seatCount: number): number {
    const { bytes } = this.#statuses
    let free = 0
    for (let ordinal = firstOrdinal; ordinal < firstOrdinal + seatCount; ordinal += 1) {
      if (bytes[ordinal] === 0) free += 1
    }
    return free
  }

  async open(): Promise<void> {
    const { signal } = this.#closed
    const onTrouble = () => {
      this.#isWaiting = true
    }
    try {
      const load = () => this.session.run(() => this.#load())
      const [event, model] = await keepTrying(load, { signal, onTrouble })
      this.#isWaiting = false
      this.#event = event
      this.#model = model
      this.#follow()
      await keepTrying(() => this.holdings.refresh(), { signal, onTrouble: () => {} })
    } catch (error) {
      if (signal.aborted) return
      this.#isWaiting = false
      if (!(error instanceof Refused)) throw error
      this.#refused = error
    }
  }

  close(): void {
    this.#closed.abort()
    this.#following?.stop()
    this.holdings.close()
    cancelAnimationFrame(this.#frame)
  }

  /** Shows all there is, and every change from now on. */
  attach(view: SeatView): () => void {
    this.#view = view
    if (this.#statuses.bits.length > 0) view.setStatuses(this.#statuses.bits)
    return () => {
      if (this.#view === view) this.#view = null
    }
  }

  say(tone: Notice['tone'], text: Notice['text'], nearby: readonly number[] = []): void {
    this.#notice = { tone, text, nearby }
  }

  dismiss(): void {
    this.#notice = null
  }

  /** A seat was chosen: mine goes back, a free one is asked for, any other is explained. */
  async toggle(ordinal: number): Promise<void> {
    const model = this.#model
    if (!model || this.#pending.has(ordinal)) return
    if (this.connection === 'offline') return this.say('bad', words => words.taken.offline)
    if (this.#statuses.bytes.length === 0) return this.say('bad', words => words.event.connecting)
    const mine = this.holdings.all.find(hold => ordinalOf(model, hold) === ordinal)
    if (mine) return this.release([mine])
    const zoneIndex = model.zoneOf[ordinal]!
    if (this.session.isGuest && model.zones[zoneIndex]?.accessMode !== 'public')
      return this.onMembersOnly(zoneIndex)
    const status = this.statusOf(ordinal)
    if (status === 0) return this.take([ordinal])
    const explain = ['isHeld', 'isHeld', 'isSold', 'isBlocked'] as const
    this.say(
      'bad',
      words => words.taken[explain[status]](describe(model, ordinal, words)),
      this.#near(ordinal, 1),
    )
  }

  /** Asks for seats together: all of them or none. */
  async take(ordinals: readonly number[]): Promise<void> {
    const model = this.#model!
    this.dismiss()
    this.#setPending([...this.#pending, ...ordinals])
    const refused = await this.#asked(() =>
      this.holdings.takeSeats(ordinals.map(ordinal => model.seatIdOf(ordinal))),
    )
    this.#setPending([...this.#pending].filter(ordinal => !ordinals.includes(ordinal)))
    if (refused === null) {
      this.say('good', words => words.taken.held(listOf(model, ordinals, words)))
      return
    }
    if (refused === 'unknown') return
    const gone = refused.is('seat_held_by_another_user') || refused.is('seat_not_available')
    if (gone) this.#correct(refused, ordinals)
    const near = gone ? this.#near(ordinals[0]!, ordinals.length) : []
    this.say('bad', words => words.refusals[refused.code](withWait(refused)), near)
  }

  async takePlaces(zoneId: string, quantity: number): Promise<boolean> {
    this.dismiss()
    const refused = await this.#asked(() => this.holdings.takePlaces(zoneId, quantity))
    if (refused instanceof Refused) this.say('bad', words => words.refusals[refused.code](withWait(refused)))
    return refused === null
  }

  async release(holds: readonly MyHold[]): Promise<void> {
    const model = this.#model!
    const ordinals = holds.flatMap(hold => ordinalOf(model, hold) ?? [])
    this.dismiss()
    this.#setPending([...this.#pending, ...ordinals])
    const refused = await this.#asked(() => this.holdings.release(holds))
    this.#setPending([...this.#pending].filter(ordinal => !ordinals.includes(ordinal)))
    if (refused instanceof Refused) this.say('bad', words => words.refusals[refused.code](withWait(refused)))
    else if (refused === null) {
      this.say('good', words => words.panel.gaveBack(holds.map(hold => nameOf(hold, words)).join(', ')))
    }
  }

  async extend(): Promise<void> {
    const refused = await this.#asked(() => this.holdings.extend())
    if (refused instanceof Refused) this.say('bad', words => words.refusals[refused.code](withWait(refused)))
    else if (refused === null) {
      const seconds = this.holdings.secondsLeft ?? 0
      const { canExtend } = this.holdings
      this.say(canExtend ? 'good' : 'bad', words =>
        canExtend ? words.panel.extended(seconds) : words.panel.noMoreTime,
      )
    }
  }

  /** Once more for what time took away; what someone else has by now is told, and the rest is taken. */
  async retryLost(): Promise<void> {
    const model = this.#model!
    const lost = this.holdings.lost
    this.holdings.forgetLost()
    let ordinals = lost.flatMap(hold => ordinalOf(model, hold) ?? [])
    for (const hold of lost) {
      if ('quantity' in hold) await this.takePlaces(hold.zone_id, hold.quantity)
    }
    for (let attempt = 0; ordinals.length > 0 && attempt < 3; attempt += 1) {
      await this.take(ordinals)
      const { mine } = this
      if (ordinals.every(ordinal => mine.has(ordinal))) return
      const left = ordinals.filter(ordinal => this.statusOf(ordinal) === 0)
      if (left.length === ordinals.length) return
      ordinals = left
    }
  }

  /** After signing in: what the guest held is given back and taken again by the account. */
  async moveHolds(from: { release(): Promise<void>; holds: readonly MyHold[] }): Promise<void> {
    const model = this.#model
    this.holdings.replace([])
    if (!model || from.holds.length === 0) return void (await this.holdings.refresh())
    await from.release()
    const ordinals = from.holds.flatMap(hold => ordinalOf(model, hold) ?? [])
    if (ordinals.length > 0) await this.take(ordinals)
    for (const hold of from.holds) if ('quantity' in hold) await this.takePlaces(hold.zone_id, hold.quantity)
    const all = this.holdings.all.length >= from.holds.length
    this.say(all ? 'good' : 'bad', words => (all ? words.account.movedHolds : words.account.lostHolds))
  }

  /** Null: done. The refusal: not done. 'unknown': no answer; it is looked up when the connection is back. */
  async #asked(work: () => Promise<void>): Promise<Refused | 'unknown' | null> {
    try {
      await work()
      return null
    } catch (error) {
      if (error instanceof Refused) {
        if (error.code === 'hold_not_found' || error.code === 'hold_expired') void this.#resync()
        return error
      }
      this.#isResynced = false
      this.say('bad', words => words.taken.unknown)
      void this.#resync()
      return 'unknown'
    }
  }

  /** The refusal knows better than what was shown. */
  #correct(refused: Refused, asked: readonly number[]): void {
    const ids = new Set(refused.problem.seat_ids as readonly string[])
    const status =
      refused.problem.current_status === 'sold' ? 2 : refused.problem.current_status === 'blocked' ? 3 : 1
    const gone = asked.filter(ordinal => ids.has(this.#model!.seatIdOf(ordinal)))
    this.#apply(gone.map(ordinal => [ordinal, status] as const))
  }

  #near(ordinal: number, count: number): number[] {
    return this.#model ? nearestFree(this.#model, this.#statuses.bytes, ordinal, count) : []
  }

  #setPending(ordinals: readonly number[]): void {
    this.#pending = new Set(ordinals)
  }

  #follow(): void {
    this.#following?.stop()
    this.#following = this.session.client.follow(this.eventId, {
      signal: this.#closed.signal,
      onSnapshot: snapshot => this.#onSnapshot(snapshot),
      onChanges: changes => this.#onChanges(changes),
      onState: state => this.#onState(state),
      onRefused: refused => this.#onRefused(refused),
    })
  }

  #onSnapshot({ statuses }: Snapshot): void {
    // Not the first: the organizer may have changed which parts of the hall are open.
    if (this.#statuses.bytes.length > 0) void this.#reload().catch(() => {})
    const count = this.#model!.ordinalCount
    const bytes = new Uint8Array(count)
    for (let ordinal = 0; ordinal < count; ordinal += 1) {
      bytes[ordinal] = (statuses[ordinal >> 2]! >> ((ordinal & 3) * 2)) & 3
    }
    this.#statuses.bytes = bytes
    this.#statuses.bits = statuses
    this.#view?.setStatuses(statuses)
    this.#changed()
  }

  async #reload(): Promise<void> {
    const { signal } = this.#closed
    const options = { signal, onTrouble: () => {} }
    const [event, model] = await keepTrying(() => this.session.run(() => this.#load()), options)
    this.#event = event
    this.#model = model
  }

  async #load(): Promise<[EventAnswer, MapModel]> {
    const { signal } = this.#closed
    const params = { event: this.eventId }
    const { client } = this.session
    const [event, map] = await Promise.all([
      client.call('GET /api/events/:event', { params, signal }),
      client.bytes('GET /api/events/:event/map', { params, signal }),
    ])
    return [event.data, decodeMap(map.bytes)]
  }

  #onChanges({ seats, occupancy }: SeatChanges): void {
    this.#zoneCounts = new Map(occupancy.zones.map(zone => [zone.zone_id, zone]))
    this.#apply(seats.map(([ordinal, status]) => [ordinal, CODES[status]!] as const))
    // One of mine that is not held any more: time, staff, or another tab of mine.
    if (seats.some(([ordinal, status]) => status !== 'held' && this.#mine.has(ordinal))) void this.#resync()
  }

  #apply(changes: readonly (readonly [number, SeatStatus])[]): void {
    if (changes.length === 0) return
    const { bytes, bits } = this.#statuses
    for (const [ordinal, status] of changes) {
      bytes[ordinal] = status
      const shift = (ordinal & 3) * 2
      bits[ordinal >> 2] = (bits[ordinal >> 2]! & ~(3 << shift)) | (status << shift)
    }
    this.#view?.setStatus(changes)
    this.#changed()
  }

  /** However many changes a frame brings, what depends on them is made once. */
  #changed(): void {
    if (this.#frame) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.#changes += 1
    })
  }

  #onState(state: FeedState): void {
    const wasAway = this.#feed === 'offline'
    this.#feed = state
    if (state === 'offline') this.#isResynced = false
    if (state !== 'live') return
    this.#isOnline = true
    if (wasAway || !this.#isResynced) void this.#resync()
    if (wasAway) this.say('good', words => words.event.backOnline)
  }

  async #onRefused(refused: Refused): Promise<void> {
    if (refused.code !== 'unauthorized') {
      this.#refused = refused
      return
    }
    // The session has ended; a guest goes on where they were.
    const { signal } = this.#closed
    const whoAmI = () => this.session.client.call('GET /api/session', { signal })
    await keepTrying(() => this.session.run(whoAmI), { signal, onTrouble: () => {} }).catch(() => {})
    if (!signal.aborted) this.#follow()
  }

  #setOnline(yes: boolean): void {
    this.#isOnline = yes
    if (!yes) this.#isResynced = false
  }

  /** The page is in view, or the network is back: ask at once rather than at the next try. */
  #wake(): void {
    this.#setOnline(navigator.onLine)
    this.#following?.wake()
    if (this.#model) void this.#resync()
  }

  async #resync(): Promise<void> {
    try {
      await this.holdings.refresh()
      this.#isResynced = true
    } catch {
      // Tried again when the feed is live.
      this.#isResynced = false
    }
  }
}

export function ordinalOf(model: MapModel, hold: MyHold): number | undefined {
  if (!('seat_id' in hold)) return undefined
  return model.ordinalOf(hold.seat_id, { zoneId: hold.zone_id, row: hold.row, number: hold.seat_number })
}

/** A hold in a few words: its seat, or how many places. */
export function nameOf(hold: MyHold, words: Words): string {
  return 'seat_id' in hold ? words.list.seat(hold.row, String(hold.seat_number)) : words.places(hold.quantity)
}

function describe(model: MapModel, ordinal: number, words: Words): string {
  return words.list.seat(model.rowOf(ordinal), String(model.numberOf(ordinal)))
}

export function listOf(model: MapModel, ordinals: readonly number[], words: Words): string {
  return ordinals.map(ordinal => describe(model, ordinal, words)).join(' · ')
}

/** How long to wait stands in a header of the answer, not in its body. */
function withWait(refused: Refused) {
  return { ...refused.problem, retry_after: refused.retryAfter ?? 0 }
}
