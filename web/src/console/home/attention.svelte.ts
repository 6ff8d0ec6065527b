import type { ListedEvent } from '../events/event-list.svelte.ts'
import type { Desk } from '../kit/desk.svelte.ts'
import { Loaded } from '../kit/loaded.svelte.ts'
import { EVENTS_OF_HOME } from './today.svelte.ts'

export type Matter =
  | { readonly kind: 'mails'; readonly count: number; readonly to: string }
  /** `count`: emails that are kept. */
  | { readonly kind: 'no-server' | 'kept'; readonly count: number }
  | { readonly kind: 'utc' }
  | { readonly kind: 'stale' | 'degraded' | 'begun' | 'unopened'; readonly event: ListedEvent }
  | {
      readonly kind: 'refunds'
      readonly event: ListedEvent
      readonly refused: number
      readonly byHand: number
    }

/** Gathers what a person must look at. It asks only for what this member of staff may read. */
export class Attention {
  readonly loaded = new Loaded<readonly Matter[]>()
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  /** For an effect that runs again when the list of events has changed. */
  open(): () => void {
    const events = this.#desk.events.all
    return this.loaded.ask(async signal => {
      const found = await Promise.all([
        this.#refunds(events, signal),
        this.#copies(signal),
        this.#mails(signal),
        this.#outbox(signal),
        this.#clocks(signal),
        lateEvents(events, Date.now()),
      ])
      return found.flat()
    })
  }

  async #mails(signal: AbortSignal): Promise<Matter[]> {
    const { session } = this.#desk
    if (!session.may('GET /api/admin/mails')) return []
    const { data } = await session.call('GET /api/admin/mails', {
      query: { status: 'dead', limit: '100' },
      signal,
    })
    return data.length === 0 ? [] : [{ kind: 'mails', count: data.length, to: data[0]!.to }]
  }

  /** Emails that wait for a mail server, or for someone to send them. */
  async #outbox(signal: AbortSignal): Promise<Matter[]> {
    const { session } = this.#desk
    if (!session.may('GET /api/admin/system')) return []
    const { can_send, kept } = (await session.call('GET /api/admin/system', { signal })).data.mails
    if (!can_send) return [{ kind: 'no-server', count: kept }]
    return kept === 0 ? [] : [{ kind: 'kept', count: kept }]
  }

  async #clocks(signal: AbortSignal): Promise<Matter[]> {
    const { session } = this.#desk
    if (!session.may('GET /api/admin/organization')) return []
    const { time_zone } = (await session.call('GET /api/admin/organization', { signal })).data
    return time_zone === 'UTC' ? [{ kind: 'utc' }] : []
  }

  async #copies(signal: AbortSignal): Promise<Matter[]> {
    const { session, events } = this.#desk
    if (!session.may('GET /api/admin/events/:event/registry')) return []
    const states = await Promise.all(
      events.onSale.slice(0, EVENTS_OF_HOME).map(async event => {
        const params = { event: event.id }
        const { data } = await session.call('GET /api/admin/events/:event/registry', { params, signal })
        return { event, status: data.status }
      }),
    )
    return states.flatMap(({ event, status }) => (status === 'ok' ? [] : [{ kind: status, event }]))
  }

  async #refunds(events: readonly ListedEvent[], signal: AbortSignal): Promise<Matter[]> {
    const { session } = this.#desk
    if (!session.may('GET /api/admin/events/:event/refunds')) return []
    const cancelled = events.filter(({ status }) => status === 'cancelled').slice(0, EVENTS_OF_HOME)
    const runs = await Promise.all(
      cancelled.map(async event => {
        const params = { event: event.id }
        const { data } = await session.call('GET /api/admin/events/:event/refunds', { params, signal })
        return { event, refused: data.orders.refused + data.orders.failed, byHand: data.orders.by_hand }
      }),
    )
    return runs.flatMap(run => (run.refused + run.byHand > 0 ? [{ kind: 'refunds' as const, ...run }] : []))
  }
}

/** Events whose status is behind the clock. */
function lateEvents(events: readonly ListedEvent[], now: number): Matter[] {
  return events.flatMap((event): Matter[] => {
    const { status, starts_at, sale_start } = event
    if (status === 'published' && starts_at !== null && Date.parse(starts_at) < now) {
      return [{ kind: 'begun', event }]
    }
    if (status === 'draft' && sale_start !== null && Date.parse(sale_start) < now) {
      return [{ kind: 'unopened', event }]
    }
    return []
  })
}
