import {
  type Answer,
  type Client,
  createClient,
  type Data,
  type Input,
  Refused,
  type RouteName,
} from '@voelgoed/client'
import type { Role } from '@voelgoed/core/access'
import { type ConsoleRoute, may } from './access.ts'

export interface StaffMember {
  readonly token: string
  readonly user: Data<'POST /api/sessions'>['user']
  readonly organization: Data<'POST /api/sessions'>['organization']
}

export type Suspension = NonNullable<Data<'GET /api/session'>['suspension']>

type Options = {
  readonly signal?: AbortSignal
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
}
type Args<N extends RouteName> =
  object extends Input<N> ? [input?: Input<N> & Options] : [input: Input<N> & Options]

/**
 * Keeps who works in the console of one organization, apart from the buyer's session of the same browser:
 * "open as a buyer" shows the page as buyers see it, and signing out here ends no cart.
 */
export class StaffSession {
  readonly slug: string
  readonly client: Client
  readonly #key: string
  #member: StaffMember | null = $state.raw(null)
  /** The server ended the session: the sign-in page says so. */
  #isOver = $state(false)

  /** The server asks for a second factor before anything else. */
  #needsFactor = $state(false)
  #suspension: Suspension | null = $state.raw(null)

  constructor(slug: string) {
    this.slug = slug
    this.#key = `voelgoed:console:${slug}`
    this.#member = this.#kept()
    this.client = createClient({ baseUrl: location.origin, token: () => this.#member?.token ?? null })
    window.addEventListener('storage', this.#onStorage)
  }

  get member(): StaffMember | null {
    return this.#member
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The platform has suspended the organization; null: it has not, as far as is known. */
  get suspension(): Suspension | null {
    return this.#suspension
  }

  get needsFactor(): boolean {
    return this.#needsFactor
  }

  factorIsThere(): void {
    this.#needsFactor = false
  }

  get role(): Role {
    return this.#member?.user.role ?? 'customer'
  }

  may(route: ConsoleRoute): boolean {
    return may(this.role, route)
  }

  /** One call of the contract. A session that the server no longer knows ends here as well. */
  async call<N extends RouteName>(name: N, ...input: Args<N>): Promise<Answer<N>> {
    const used = this.#member
    try {
      const call = this.client.call as (name: N, input?: unknown) => Promise<Answer<N>>
      return await call(name, input[0])
    } catch (error) {
      if (error instanceof Refused && used === this.#member) await this.#heed(error)
      throw error
    }
  }

  /** Reads one answer: for `Loaded`. */
  read<N extends RouteName>(name: N, ...input: Args<N>): (signal: AbortSignal) => Promise<Data<N>> {
    return async signal => {
      const call = this.call as unknown as (name: N, input: object) => Promise<{ readonly data: Data<N> }>
      return (await call.call(this, name, { ...input[0], signal })).data
    }
  }

  /** Reads a list page by page: for `PagedList`. */
  pages<N extends RouteName>(name: N, ...input: Args<N>) {
    return (after: { readonly after?: string }, signal: AbortSignal): Promise<Answer<N>> => {
      const { query, ...rest } = (input[0] ?? {}) as { query?: object }
      const call = this.call as unknown as (name: N, input: object) => Promise<Answer<N>>
      return call.call(this, name, { ...rest, query: { ...query, ...after }, signal })
    }
  }

  /** `code`: of a second factor. */
  async signIn(email: string, password: string, code?: string): Promise<void> {
    const body = { organization: this.slug, email, password, ...(code && { code }) }
    this.#keep((await this.client.call('POST /api/sessions', { body })).data)
    this.#isOver = false
  }

  /** With what the organization's identity provider said of the visitor. */
  async signInWithProvider(
    said: Omit<NonNullable<Input<'POST /api/sessions/provider/finish'>['body']>, 'organization'>,
  ): Promise<void> {
    const body = { organization: this.slug, ...said }
    this.#keep((await this.client.call('POST /api/sessions/provider/finish', { body })).data)
    this.#isOver = false
  }

  /** Roles change while a session lives, and organizations are suspended: what the server says now counts. */
  async refresh(): Promise<void> {
    const before = this.#member
    if (!before) return
    const { data } = await this.call('GET /api/session')
    if (this.#member !== before) return
    const { user, organization, suspension } = data
    if (!isSame(this.#suspension, suspension)) this.#suspension = suspension
    const now = { ...before, user, organization }
    if (!isSame(before, now)) this.#keep(now)
  }

  async signOut(): Promise<void> {
    const old = this.#member
    this.#keep(null)
    this.#isOver = false
    if (!old) return
    const leaving = createClient({ baseUrl: location.origin, token: old.token })
    // This browser has forgotten the token, even if the server does not hear of it.
    await leaving.call('DELETE /api/session').catch(() => {})
  }

  close(): void {
    window.removeEventListener('storage', this.#onStorage)
  }

  async #heed({ code }: Refused): Promise<void> {
    if (code === 'unauthorized' || code === 'account_disabled') {
      this.#keep(null)
      this.#isOver = true
    } else if (code === 'second_factor_needed') this.#needsFactor = true
    else if (code === 'forbidden' || code === 'organization_suspended') await this.refresh().catch(() => {})
  }

  readonly #onStorage = (event: StorageEvent) => {
    if (event.key === this.#key) this.#member = this.#kept()
  }

  #keep(member: StaffMember | null): void {
    this.#member = member && { token: member.token, user: member.user, organization: member.organization }
    try {
      if (this.#member) localStorage.setItem(this.#key, JSON.stringify(this.#member))
      else localStorage.removeItem(this.#key)
      localStorage.setItem(LAST, this.slug)
    } catch {
      // No room, or not allowed: the session lasts as long as the page.
    }
  }

  #kept(): StaffMember | null {
    try {
      const kept = JSON.parse(localStorage.getItem(this.#key) ?? 'null') as StaffMember | null
      return typeof kept?.token === 'string' ? kept : null
    } catch {
      return null
    }
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

const LAST = 'voelgoed:console'

/** The organization whose console this browser opened last. */
export function lastConsole(): string | null {
  try {
    return localStorage.getItem(LAST)
  } catch {
    return null
  }
}
