import type { Data } from '@voelgoed/client'
import { loadPages } from '../kit/load-pages.ts'
import { Loaded } from '../kit/loaded.svelte.ts'
import type { StaffSession } from '../kit/staff-session.svelte.ts'

export type ListedEvent = Data<'GET /api/events'>[number]

/** An organization may have thousands; the newest pages are what staff work on. */
const MOST_EVENTS = 2_000

/** All events of the organization, drafts too. */
export class EventList {
  readonly #session: StaffSession
  readonly #loaded = new Loaded<readonly ListedEvent[]>()

  constructor(session: StaffSession) {
    this.#session = session
  }

  get loaded(): Loaded<readonly ListedEvent[]> {
    return this.#loaded
  }

  get all(): readonly ListedEvent[] {
    return this.#loaded.value ?? []
  }

  /** The events that sell now or are about to, the next one first. */
  get onSale(): readonly ListedEvent[] {
    return this.all
      .filter(({ status }) => status === 'published' || status === 'live')
      .sort((a, b) => (a.starts_at ?? '9').localeCompare(b.starts_at ?? '9'))
  }

  named(id: string): ListedEvent | undefined {
    return this.all.find(event => event.id === id)
  }

  /** For an effect. */
  open(): () => void {
    return this.#loaded.ask(signal =>
      loadPages(MOST_EVENTS, query => this.#session.call('GET /api/events', { query, signal })),
    )
  }
}
