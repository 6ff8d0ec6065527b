import type { Data } from '@voelgoed/client'
import type { EventDesk } from '../events/event-desk.svelte.ts'
import { loadPages } from '../kit/load-pages.ts'
import { Loaded } from '../kit/loaded.svelte.ts'

export type LiveHold = Data<'GET /api/admin/events/:event/holds'>[number]

/** More are not listed: they are filtered by zone. */
export const MOST_HOLDS = 1_000
/** In a rush the list is read this often at most. */
const LEAST_MS = 2_000

/** Left out: all of them. `admin`: those of staff. */
interface HoldFilter {
  readonly zone_id?: string
  readonly source?: 'admin'
}

/** The holds of an event that are alive, read again after the feed has said that seats changed. */
export class LiveHolds {
  readonly loaded = new Loaded<readonly LiveHold[]>()
  readonly #at: EventDesk

  constructor(at: EventDesk) {
    this.#at = at
  }

  /** For an effect. */
  open(filter: HoldFilter): () => void {
    const stop = this.loaded.ask(signal => this.#read(filter, signal))
    let timer: ReturnType<typeof setTimeout> | undefined
    const unlisten = this.#at.seats.listen(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        this.loaded.again()
      }, LEAST_MS)
    })
    return () => {
      stop()
      unlisten()
      clearTimeout(timer)
    }
  }

  #read(filter: HoldFilter, signal: AbortSignal): Promise<readonly LiveHold[]> {
    const { params, session } = this.#at
    return loadPages(MOST_HOLDS, page =>
      session.call('GET /api/admin/events/:event/holds', { params, query: { ...filter, ...page }, signal }),
    )
  }
}
