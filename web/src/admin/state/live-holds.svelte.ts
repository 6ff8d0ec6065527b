import type { Data } from '@voelgoed/client'
import type { EventDesk } from './event-desk.svelte.ts'
import { Loaded } from './loaded.svelte.ts'

export type LiveHold = Data<'GET /api/admin/events/:event/holds'>[number]

const PAGE = 200
/** More are not listed: they are filtered by zone. */
export const MOST_HOLDS = 1_000
/** In a rush the list is read this often at most. */
const LEAST_MS = 2_000

/** The holds of an event that are alive, read again after the feed has said that seats changed. */
export class LiveHolds {
  readonly loaded = new Loaded<readonly LiveHold[]>()
  readonly #at: EventDesk

  constructor(at: EventDesk) {
    this.#at = at
  }

  /** For an effect. */
  open(zoneId: string | null): () => void {
    const stop = this.loaded.ask(signal => this.#read(zoneId, signal))
    let timer: ReturnType<typeof setTimeout> | undefined
    const unlisten = this.#at.onSeats(() => {
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

  async #read(zoneId: string | null, signal: AbortSignal): Promise<readonly LiveHold[]> {
    const { params, session } = this.#at
    const found: LiveHold[] = []
    let after: string | null = null
    do {
      const query: { limit: string; zone_id?: string; after?: string } = {
        limit: String(PAGE),
        ...(zoneId !== null && { zone_id: zoneId }),
        ...(after !== null && { after }),
      }
      const page = await session.call('GET /api/admin/events/:event/holds', { params, query, signal })
      found.push(...page.data)
      after = page.next
    } while (after !== null && found.length < MOST_HOLDS)
    return found
  }
}
