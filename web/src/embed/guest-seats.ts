import {
  type Client,
  createClient,
  type Data,
  type FeedState,
  Refused,
  type SeatChanges,
} from '@voelgoed/client'
import { LiveSeats, onWake } from '../kit/live-seats/live-seats.ts'
import { untilWorthTrying } from '../kit/state/keep-trying.ts'

export type Hold = Data<'GET /api/holds'>[number]

/** The seats are sold here. */
export interface Shop {
  /** Without a slash at the end. */
  readonly server: string
  readonly organization: string
  readonly event: string
}

/** The buyer asked for this, and the server granted or released it. */
export interface Change {
  readonly held: boolean
  readonly holds: readonly Hold[]
}

export interface GuestOptions {
  /** Returns the ordinal of a hold's seat; null: it is of places without seats. */
  ordinalOf(hold: Hold): number | null
  onHolds(holds: readonly Hold[], change: Change | null): void
  /** Their time has run out. */
  onExpired(holds: readonly Hold[]): void
  /** Sold by the site, or released by staff or in another tab. */
  onEnded(holds: readonly Hold[]): void
  onRefused(refused: Refused): void
  onState(state: FeedState): void
  onChanges(changes: SeatChanges): void
}

/** As the feed's snapshot has it. */
const HELD = 1
/** Timers of browsers take no longer wait. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** Our count may end a moment before the server's: it is asked again after so long. */
const SOON_MS = 500
/** The server did not answer: it is asked again after so long. */
const AGAIN_MS = 5_000
/** The server's clock as we know it may be off by so much. */
const CLOCK_MS = 1_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 20_000

/**
 * One event for one guest: who they are, what they hold, and the feed. The server says what is held; it is
 * asked whenever that may have changed without us.
 */
export class GuestSeats {
  readonly client: Client
  readonly seats = new LiveSeats()
  readonly #shop: Shop
  readonly #options: GuestOptions
  readonly #closed = new AbortController()
  #token: string | null
  #renewing: Promise<void> | null = null
  #holds: readonly Hold[] = []
  #mine: ReadonlySet<number> = new Set()
  #wasOffline = false
  /** Questions for what is held have numbers: an older answer does not replace a newer one. */
  #asked = 0
  #answered = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(shop: Shop, options: GuestOptions) {
    this.#shop = shop
    this.#options = options
    this.#token = readToken(shop)
    this.client = createClient({ baseUrl: shop.server, token: () => this.#token })
  }

  get token(): string | null {
    return this.#token
  }

  get holds(): readonly Hold[] {
    return this.#holds
  }

  get signal(): AbortSignal {
    return this.#closed.signal
  }

  /** Milliseconds until the first hold ends, by the server's clock; null: nothing is held. */
  get leftMs(): number | null {
    const now = this.client.clock.now()
    const until = this.#holds.map(hold => Date.parse(hold.held_until))
    return now === null || until.length === 0 ? null : Math.max(0, Math.min(...until) - now)
  }

  /** Asks what is held, and follows the event from then on. Throws `Refused` or `Unreachable`. */
  async open(): Promise<void> {
    const { signal } = this.#closed
    const { data } = await this.#readHolds()
    if (signal.aborted) return
    this.#show(data, null)
    this.#follow()
    onWake(() => this.#wake(), signal)
  }

  close(): void {
    this.#closed.abort()
    clearTimeout(this.#timer)
  }

  async hold(
    body: { readonly seat_ids: string[] } | { readonly zone_id: string; readonly quantity: number },
  ): Promise<void> {
    const params = { event: this.#shop.event }
    await this.#change(async () => {
      const { data } = await this.asGuest(() =>
        this.client.call('POST /api/events/:event/holds', { params, body }),
      )
      return { held: true, holds: data.holds as readonly Hold[] }
    })
  }

  async release(holdId: string): Promise<void> {
    const hold = this.#holds.find(one => one.hold_id === holdId)
    if (!hold) return
    const params = { hold: holdId }
    await this.#change(async () => {
      try {
        await this.asGuest(() => this.client.call('DELETE /api/holds/:hold', { params }))
      } catch (error) {
        // It is not ours any more: what we have now is asked for in any case.
        if (error instanceof Refused && error.status === 404) return null
        throw error
      }
      return { held: false, holds: [hold] }
    })
  }

  /** A guest whose session has ended is another guest from then on. */
  async asGuest<T>(ask: () => Promise<T>): Promise<T> {
    const used = this.#token
    if (used !== null) {
      try {
        return await ask()
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 401) throw error
      }
    }
    await this.#renew(used)
    return ask()
  }

  /** One new guest for all who find out at the same time. */
  #renew(dead: string | null): Promise<void> {
    if (this.#token !== dead) return Promise.resolve()
    this.#renewing ??= this.#becomeGuest(dead).finally(() => {
      this.#renewing = null
    })
    return this.#renewing
  }

  async #becomeGuest(dead: string | null): Promise<void> {
    // Another tab of the site may have become one.
    const kept = readToken(this.#shop)
    if (kept !== null && kept !== dead) {
      this.#token = kept
      return
    }
    const { organization } = this.#shop
    const { data } = await this.client.call('POST /api/sessions/guest', { body: { organization } })
    this.#token = data.token
    writeToken(this.#shop, data.token)
  }

  #follow(): void {
    const { signal } = this.#closed
    const used = this.#token
    const { onChanges, onState, onRefused } = this.#options
    this.seats.follow(this.client, this.#shop.event, {
      signal,
      onSnapshot: () => {
        if (![...this.#mine].every(ordinal => this.seats.statusOf(ordinal) === HELD)) void this.#look(null)
      },
      onChanges: changes => {
        onChanges(changes)
        const isLost = changes.seats.some(([ordinal, status]) => status !== 'held' && this.#mine.has(ordinal))
        if (isLost) void this.#look(null)
      },
      onState: state => {
        onState(state)
        if (state === 'live' && this.#wasOffline) void this.#look(null)
        this.#wasOffline = state === 'offline'
      },
      onRefused: refused => {
        if (refused.status === 401) void this.#followAgain(used)
        else onRefused(refused)
      },
    })
  }

  /** The guest's session has ended: the feed goes on with another one. */
  async #followAgain(dead: string | null): Promise<void> {
    const { signal } = this.#closed
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, wait * 2)) {
      await untilWorthTrying(wait, signal)
      if (signal.aborted) return
      try {
        await this.#renew(dead)
        break
      } catch (error) {
        const isFinal = error instanceof Refused && error.status < 500 && error.status !== 429
        if (isFinal) return this.#options.onRefused(error)
      }
    }
    if (signal.aborted) return
    this.#follow()
    await this.#look(null)
  }

  #wake(): void {
    this.seats.wake()
    void this.#look(null)
  }

  /** After whatever happened the server says what is held: also when its answer was lost. */
  async #change(ask: () => Promise<Change | null>): Promise<void> {
    let change: Change | null = null
    try {
      change = await ask()
    } catch (error) {
      if (error instanceof Refused) this.#options.onRefused(error)
      else this.#options.onState('offline')
    }
    await this.#look(change)
  }

  async #look(change: Change | null): Promise<void> {
    this.#asked += 1
    const number = this.#asked
    const found = await this.#readHolds().catch(() => null)
    if (this.#closed.signal.aborted || number < this.#answered) return
    if (!found) return this.#setTimer(AGAIN_MS)
    this.#answered = number
    this.#show(found.data, change)
  }

  #readHolds() {
    const { signal } = this.#closed
    const query = { event_id: this.#shop.event }
    return this.asGuest(() => this.client.call('GET /api/holds', { query, signal }))
  }

  #show(holds: readonly Hold[], change: Change | null): void {
    const alive = new Set(holds.map(hold => hold.hold_id))
    const released = new Set(change && !change.held ? change.holds.map(hold => hold.hold_id) : [])
    const lost = this.#holds.filter(({ hold_id }) => !alive.has(hold_id) && !released.has(hold_id))
    this.#holds = holds
    this.#mine = new Set(holds.flatMap(hold => this.#options.ordinalOf(hold) ?? []))
    this.#options.onHolds(holds, change)
    this.#setTimer(SOON_MS)
    const now = this.client.clock.now() ?? 0
    const isOver = (hold: Hold) => Date.parse(hold.held_until) <= now + CLOCK_MS
    const expired = lost.filter(isOver)
    const ended = lost.filter(hold => !isOver(hold))
    if (expired.length > 0) this.#options.onExpired(expired)
    if (ended.length > 0) this.#options.onEnded(ended)
  }

  /** When the time of a hold is over, the server says which have ended; it is asked until it answers. */
  #setTimer(leastMs: number): void {
    clearTimeout(this.#timer)
    const left = this.leftMs
    if (left === null) return
    const wait = Math.min(Math.max(left, leastMs), LONGEST_TIMER_MS)
    this.#timer = setTimeout(() => void this.#look(null), wait)
  }
}

/** The guest of a site is the same after a reload, so that their seats are still theirs. */
function keyOf({ server, organization }: Shop): string {
  return `voelgoed-seats:${server}:${organization}`
}

function readToken(shop: Shop): string | null {
  try {
    return localStorage.getItem(keyOf(shop))
  } catch {
    return null
  }
}

function writeToken(shop: Shop, token: string): void {
  try {
    localStorage.setItem(keyOf(shop), token)
  } catch {
    // Not allowed, or no room: the guest lasts as long as the page.
  }
}
