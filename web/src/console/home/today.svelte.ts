import type { Data } from '@voelgoed/client'
import type { ListedEvent } from '../events/event-list.svelte.ts'
import { midnight, soldAtMidnight } from '../events/sold-today.ts'
import type { Desk } from '../kit/desk.svelte.ts'
import { Loaded, whileSeen } from '../kit/loaded.svelte.ts'

type Occupancy = Data<'GET /api/events/:event/occupancy'>
type History = Data<'GET /api/admin/events/:event/occupancy/history'>
type Funnel = Data<'GET /api/admin/events/:event/funnel'>

export interface EventToday {
  readonly event: ListedEvent
  readonly occupancy: Occupancy
  readonly soldAtMidnight: number
  /** Sold, by day. */
  readonly days: readonly number[]
  readonly funnel: Funnel['total']
}

/**
 * A feed takes one of the six connections that a browser has, so Home asks for counters instead, of this many
 * events, and this often.
 */
export const EVENTS_OF_HOME = 8
const EVERY_MS = 10_000
const DAYS = 14
const DAY_MS = 86_400_000

/** Follows how the events on sale do today. */
export class Today {
  readonly loaded = new Loaded<readonly EventToday[]>()
  readonly #desk: Desk
  /** It stays the same all day: asked for once. */
  readonly #soldAtMidnight = new Map<string, number>()

  constructor(desk: Desk) {
    this.#desk = desk
  }

  get events(): readonly EventToday[] | null {
    return this.loaded.value
  }

  /** Adds up all events that are shown. */
  get sums() {
    const events = this.loaded.value
    if (!events) return null
    const sum = (of: (event: EventToday) => number) => events.reduce((total, event) => total + of(event), 0)
    return {
      sold: sum(({ occupancy }) => occupancy.sold),
      total: sum(({ occupancy }) => occupancy.total),
      held: sum(({ occupancy }) => occupancy.held),
      soldToday: sum(({ occupancy, soldAtMidnight }) => occupancy.sold - soldAtMidnight),
      /** Also what went back since: how much of what was held was paid. */
      paidToday: sum(({ funnel }) => funnel.paid),
      heldToday: sum(({ funnel }) => funnel.held),
    }
  }

  /** For an effect that runs again when the list of events has changed. */
  open(): () => void {
    const events = this.#desk.events.onSale.slice(0, EVENTS_OF_HOME)
    const stop = this.loaded.ask(signal => Promise.all(events.map(event => this.#read(event, signal))))
    const stopAsking = whileSeen(EVERY_MS, () => this.loaded.again())
    return () => {
      stop()
      stopAsking()
    }
  }

  async #read(event: ListedEvent, signal: AbortSignal): Promise<EventToday> {
    const { session } = this.#desk
    const params = { event: event.id }
    const [occupancy, history, funnel] = await Promise.all([
      session.call('GET /api/events/:event/occupancy', { params, signal }),
      session.call('GET /api/admin/events/:event/occupancy/history', {
        params,
        query: { from: new Date(Date.now() - DAYS * DAY_MS).toISOString(), step: '86400' },
        signal,
      }),
      session.call('GET /api/admin/events/:event/funnel', { params, query: { from: midnight() }, signal }),
    ])
    return {
      event,
      occupancy: occupancy.data,
      days: soldByDay(history.data.points),
      funnel: funnel.data.total,
      soldAtMidnight: await this.#soldBefore(event.id, signal),
    }
  }

  async #soldBefore(eventId: string, signal: AbortSignal): Promise<number> {
    const key = `${eventId} ${midnight()}`
    const sold = this.#soldAtMidnight.get(key) ?? (await soldAtMidnight(this.#desk.session, eventId, signal))
    this.#soldAtMidnight.set(key, sold)
    return sold
  }
}

function soldByDay(points: History['points']): number[] {
  return points.map(({ sold }, index) => (index === 0 ? 0 : sold - points[index - 1]!.sold)).slice(1)
}
