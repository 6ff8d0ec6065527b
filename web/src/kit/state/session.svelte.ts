import { type Client, createClient, type Data, Refused } from '@voelgoed/client'
import { fetchOrEarly } from './early-answers.ts'
import { nextTask } from './next-task.ts'
import { ServerTime } from './server-time.svelte.ts'

type NewSession = Data<'POST /api/sessions'>
type Transfer = Data<'POST /api/holds/transfer'>

export interface Visitor {
  readonly token: string
  readonly user: NewSession['user']
  readonly organization: NewSession['organization']
}

/** Another tab of ours has changed something that only the server and that tab know of. */
export interface TabMessage {
  readonly eventId: string
  /** Holds that the buyer released on purpose: this tab must not report them as expired. */
  readonly released: readonly string[]
}

/**
 * Keeps who the visitor is to one organization: a guest until they sign in. The browser stores it, so that a
 * reload, a second tab and an app that was put away are the same buyer with the same holds.
 */
export class Session {
  readonly slug: string
  readonly client: Client
  readonly time: ServerTime
  #visitor: Visitor | null = $state.raw(null)
  readonly #key: string
  #channel: BroadcastChannel | null = null
  #isClosed = false
  #renewing: Promise<void> | null = null
  onTabMessage: (message: TabMessage) => void = () => {}
  /** Another tab has signed in or out: we are now who it is. */
  onVisitorChanged: () => void = () => {}
  /** The visitor signs out: what this browser keeps of them is to be forgotten. */
  onSignOut: (userId: string) => void = () => {}
  /** Counts the valid tickets that this browser keeps of the visitor. */
  keptTickets: (userId: string) => number = () => 0
  /** The visitor is about to sign out, and wants them to stay. */
  onTicketsStay: (userId: string) => void = () => {}
  /** The same visitor has another id: their session had ended, or a guest has signed in. */
  onNewId: (from: string, to: string) => void = () => {}

  constructor(slug: string) {
    this.slug = slug
    this.#key = `voelgoed:session:${slug}`
    this.#visitor = this.#kept()
    this.client = createClient({
      baseUrl: location.origin,
      token: () => this.#visitor?.token ?? null,
      fetch: fetchOrEarly,
    })
    this.time = new ServerTime(this.client.clock)
    window.addEventListener('storage', this.#onStorage)
    // To open it takes a phone as long as a page does: the page comes first.
    void nextTask().then(() => this.#openChannel())
  }

  #openChannel(): BroadcastChannel | null {
    if (this.#channel || this.#isClosed) return this.#channel
    this.#channel = new BroadcastChannel(this.#key)
    this.#channel.onmessage = ({ data }: MessageEvent<TabMessage>) => this.onTabMessage(data)
    return this.#channel
  }

  get visitor(): Visitor | null {
    return this.#visitor
  }

  get isGuest(): boolean {
    return (this.#visitor?.user.email ?? null) === null
  }

  /** Work as someone: as the visitor we know, or as a new guest when there is none or their time is over. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#visitor) await this.#becomeGuest(null)
    const used = this.#visitor
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 'unauthorized') throw error
      await this.#becomeGuest(used)
      return work()
    }
  }

  /** `code`: of a second factor, which staff may have. */
  async signIn(email: string, password: string, code?: string): Promise<void> {
    const body = { organization: this.slug, email, password, ...(code && { code }) }
    this.#goOnAs((await this.client.call('POST /api/sessions', { body })).data)
  }

  async signUp(email: string, password: string): Promise<void> {
    const body = { organization: this.slug, email, password }
    this.#goOnAs((await this.client.call('POST /api/accounts', { body })).data)
  }

  /**
   * After signing in: what the guest held moves to the account, with its clock.
   * Repeating it moves nothing twice.
   */
  async bringHoldsOf(guest: Visitor): Promise<Transfer> {
    const body = { from_token: guest.token }
    const { data } = await this.client.call('POST /api/holds/transfer', { body })
    // Other tabs looked when they heard who the visitor is now, which was before the holds moved.
    for (const { event_id: eventId } of data.moved) this.tellTabs({ eventId, released: [] })
    return data
  }

  /** Asks who the visitor is by now: their address may have been confirmed meanwhile. */
  async lookAgain(): Promise<Visitor['user']> {
    const { data } = await this.client.call('GET /api/session')
    this.#nowIs(data.user)
    return data.user
  }

  /** With the token of a mail that was sent to the account which is signed in. */
  async confirmAddress(token: string): Promise<void> {
    const params = { reset_token: token }
    const { data } = await this.client.call('POST /api/accounts/email-confirmations/:reset_token', { params })
    this.#nowIs(data)
  }

  #nowIs(user: Visitor['user']): void {
    if (this.#visitor?.user.id === user.id) this.#keep({ ...this.#visitor, user })
  }

  /** Signs out, and becomes a guest: buyers go on. `keepsTickets`: those in this browser stay there. */
  async signOut({ keepsTickets = false } = {}): Promise<void> {
    if (keepsTickets && this.#visitor) this.onTicketsStay(this.#visitor.user.id)
    await this.end()
    await this.run(async () => {})
  }

  /** Signs out. */
  async end(): Promise<void> {
    const old = this.#visitor
    if (old) this.onSignOut(old.user.id)
    this.#keep(null)
    // This browser has forgotten the token, even if the server does not hear of it.
    if (old)
      await this.as(old)
        .call('DELETE /api/session')
        .catch(() => {})
  }

  /** The same server, as someone we were a moment ago. */
  as(visitor: Visitor): Client {
    return createClient({ baseUrl: location.origin, token: visitor.token })
  }

  tellTabs(message: TabMessage): void {
    this.#openChannel()?.postMessage(message)
  }

  close(): void {
    window.removeEventListener('storage', this.#onStorage)
    this.#isClosed = true
    this.#channel?.close()
    this.#channel = null
  }

  readonly #onStorage = (event: StorageEvent) => {
    if (event.key !== this.#key) return
    this.#visitor = this.#kept()
    this.onVisitorChanged()
  }

  /** One new guest for all tabs and all calls that found out at the same time. */
  #becomeGuest(dead: Visitor | null): Promise<void> {
    this.#renewing ??= withLock(this.#key, async () => {
      const kept = this.#kept()
      if (kept && kept.token !== dead?.token) {
        this.#visitor = kept
        return
      }
      const body = { organization: this.slug }
      const { data } = await this.client.call('POST /api/sessions/guest', { body })
      // Meanwhile the visitor has signed in, here or in another tab.
      const newer = this.#kept()
      if (newer && newer.token !== dead?.token) {
        this.#visitor = newer
        return
      }
      this.#keep(data)
      if (dead) this.onNewId(dead.user.id, data.user.id)
    }).finally(() => {
      this.#renewing = null
    })
    return this.#renewing
  }

  /** A guest's things in this browser belong to the account from now on; those of an account do not. */
  #goOnAs(session: NewSession): void {
    const before = this.#visitor
    this.#keep(session)
    if (before && before.user.email === null) this.onNewId(before.user.id, session.user.id)
  }

  #keep(session: Visitor | null): void {
    this.#visitor = session && {
      token: session.token,
      user: session.user,
      organization: session.organization,
    }
    try {
      if (this.#visitor) localStorage.setItem(this.#key, JSON.stringify(this.#visitor))
      else localStorage.removeItem(this.#key)
    } catch {
      // No room, or not allowed: the session lasts as long as the page.
    }
  }

  #kept(): Visitor | null {
    try {
      const kept = JSON.parse(localStorage.getItem(this.#key) ?? 'null') as Visitor | null
      return typeof kept?.token === 'string' ? kept : null
    } catch {
      return null
    }
  }
}

/** Storefronts this browser has a session with. */
export function visitedOrganizations(): { slug: string; name: string }[] {
  const found: { slug: string; name: string }[] = []
  try {
    for (let index = 0; index < localStorage.length; index += 1) {
      const key = localStorage.key(index)!
      if (!key.startsWith('voelgoed:session:')) continue
      const { organization } = JSON.parse(localStorage.getItem(key)!) as Visitor
      found.push({ slug: organization.slug, name: organization.name })
    }
  } catch {
    // A text that can't be read is not shown.
  }
  return found.sort((a, b) => a.name.localeCompare(b.name))
}

function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  // Only on https and localhost; elsewhere two tabs may become two guests.
  return navigator.locks ? (navigator.locks.request(name, work) as Promise<T>) : work()
}
