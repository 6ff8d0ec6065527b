import type { Data } from '@voelgoed/client'
import type { Session } from '../state/session.svelte.ts'

export type MyHold = Data<'GET /api/holds'>[number]

/** How often the countdown is looked at: often enough to be right to the second. */
const TICK_MS = 200
/** Ids of holds that have ended are remembered for as long as an answer could still be on its way. */
const REMEMBERED = 500

/**
 * What the visitor holds of one event, and for how long by the server's clock. A hold ends here the second its time is
 * over, whether or not the server has tidied up.
 */
export class Holdings {
  readonly #session: Session
  readonly #eventId: string
  #all: readonly MyHold[] = $state.raw([])
  #lost: readonly MyHold[] = $state.raw([])
  #secondsLeft: number | null = $state(null)
  #canExtend = $state(true)
  readonly #ended = new Set<string>()
  #ticker: ReturnType<typeof setInterval> | undefined
  #refreshing: Promise<void> | null = null
  /** Time has taken something away. */
  onLost: () => void = () => {}
  /** Holds went before their time, and not through us. */
  onVanished: () => void = () => {}

  constructor(session: Session, eventId: string) {
    this.#session = session
    this.#eventId = eventId
  }

  get all() {
    return this.#all
  }
  /** What time has taken away and the visitor has not put aside yet. */
  get lost() {
    return this.#lost
  }
  /** Until the first of them ends; null: nothing is held. */
  get secondsLeft() {
    return this.#secondsLeft
  }
  /** False once asking for more time has brought none. */
  get canExtend() {
    return this.#canExtend
  }

  async takeSeats(seatIds: readonly string[]): Promise<void> {
    await this.#take({ seat_ids: [...seatIds] })
  }

  async takePlaces(zoneId: string, quantity: number): Promise<void> {
    await this.#take({ zone_id: zoneId, quantity })
  }

  async release(holds: readonly MyHold[]): Promise<void> {
    const ids = holds.map(hold => hold.hold_id)
    const { client } = this.#session
    await this.#session.run(() =>
      Promise.all(ids.map(hold => client.call('DELETE /api/holds/:hold', { params: { hold } }))),
    )
    this.#end(ids)
    this.#set(this.#all.filter(hold => !ids.includes(hold.hold_id)))
    this.#session.tellTabs({ eventId: this.#eventId, released: ids })
  }

  async extend(): Promise<void> {
    const { client } = this.#session
    const before = earliest(this.#all)
    const answers = await Promise.all(
      this.#all.map(({ hold_id: hold }) => client.call('POST /api/holds/:hold/extend', { params: { hold } })),
    )
    this.#set(answers.map(answer => answer.data))
    this.#canExtend = (earliest(this.#all) ?? 0) > (before ?? 0)
    this.#session.tellTabs({ eventId: this.#eventId, released: [] })
  }

  /** What the server says is alive. One question at a time. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  /** Another tab of ours has done something. */
  heard(released: readonly string[]): void {
    this.#end(released)
    this.#set(this.#all.filter(hold => !released.includes(hold.hold_id)))
    void this.refresh().catch(() => {})
  }

  replace(holds: readonly MyHold[]): void {
    this.#set(holds)
  }

  forgetLost(): void {
    this.#lost = []
  }

  close(): void {
    clearInterval(this.#ticker)
  }

  async #take(body: { seat_ids: string[] } | { zone_id: string; quantity: number }): Promise<void> {
    const { client } = this.#session
    const params = { event: this.#eventId }
    const { data } = await this.#session.run(() =>
      client.call('POST /api/events/:event/holds', { params, body }),
    )
    const fresh = new Set(data.holds.map(hold => hold.hold_id))
    this.#canExtend = true
    this.#set([...this.#all.filter(hold => !fresh.has(hold.hold_id)), ...data.holds])
    this.#session.tellTabs({ eventId: this.#eventId, released: [] })
  }

  async #refresh(): Promise<void> {
    const { client } = this.#session
    const query = { event_id: this.#eventId }
    const { data } = await this.#session.run(() => client.call('GET /api/holds', { query }))
    const alive = data.filter(hold => !this.#ended.has(hold.hold_id))
    const known = new Set(alive.map(hold => hold.hold_id))
    const gone = this.#all.filter(hold => !known.has(hold.hold_id))
    this.#set(alive)
    const early = gone.filter(hold => !this.#isOver(hold))
    this.#lose(gone.filter(hold => this.#isOver(hold)))
    if (early.length > 0) this.onVanished()
  }

  #set(holds: readonly MyHold[]): void {
    this.#all = holds
    clearInterval(this.#ticker)
    if (holds.length > 0) this.#ticker = setInterval(() => this.#tick(), TICK_MS)
    this.#tick()
  }

  #tick(): void {
    const over = this.#all.filter(hold => this.#isOver(hold))
    if (over.length > 0) {
      this.#end(over.map(hold => hold.hold_id))
      this.#lose(over)
      this.#set(this.#all.filter(hold => !over.includes(hold)))
      return
    }
    const until = earliest(this.#all)
    const now = this.#session.client.clock.now()
    this.#secondsLeft = until === null || now === null ? null : Math.max(0, Math.ceil((until - now) / 1000))
  }

  #isOver(hold: MyHold): boolean {
    const now = this.#session.client.clock.now()
    return now !== null && Date.parse(hold.held_until) <= now
  }

  #lose(holds: readonly MyHold[]): void {
    if (holds.length === 0) return
    this.#lost = [...this.#lost, ...holds]
    this.onLost()
  }

  #end(ids: readonly string[]): void {
    for (const id of ids) this.#ended.add(id)
    for (const id of this.#ended) {
      if (this.#ended.size <= REMEMBERED) break
      this.#ended.delete(id)
    }
  }
}

function earliest(holds: readonly MyHold[]): number | null {
  return holds.length === 0 ? null : Math.min(...holds.map(hold => Date.parse(hold.held_until)))
}
