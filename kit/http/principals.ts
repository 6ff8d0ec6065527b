import { isStaff, type Person } from '@voelgoed/core/access'
import type { OrganizationId, UserId } from '@voelgoed/core/ids'
import type { Clock } from '../base/clock.ts'
import { TenantScope } from '../base/tenant.ts'
import { AskTogether } from '../postgres/ask-together.ts'
import type { TenantDoor, TenantTx } from '../postgres/database.ts'
import type { DatabaseClock } from '../postgres/database-clock.ts'
import { digest, looksLikeToken, readToken } from './tokens.ts'

/** The caller of a request is the platform's super admin, or a user of one organization. */
export type Principal = { readonly kind: 'root' } | SignedIn

/** Their membership is the one that counts. */
export interface User extends Person {
  /** Null for a guest. */
  readonly email: string | null
  /** The one who uses the account is known to read its address (docs/decisions/086). */
  readonly isEmailProven: boolean
}

/** The platform has suspended the organization. */
interface Suspension {
  readonly since: Date
  /** Its staff are told so. */
  readonly reason: string | null
}

export interface Session {
  readonly user: User
  readonly organization: { readonly slug: string; readonly name: string }
  /** Null: the organization is not suspended. */
  readonly suspension: Suspension | null
  /** The organization asks its staff for one, and this member of staff has none. */
  readonly needsSecondFactor: boolean
  /** The token is a key of a server: its user is the key itself. */
  readonly isApiKey: boolean
  /** Infinite for an API key. */
  readonly expiresAt: number
}

export interface SignedIn extends Session {
  readonly kind: 'user'
  readonly scope: TenantScope
  readonly tokenHash: Buffer
}

/** Knows all tokens. The module sign-in implements it. */
interface TokenLookUp {
  /** Reads sessions and API keys by the hash of their tokens, one character a byte. */
  findSessions(tx: TenantTx, tokenHashes: readonly string[]): Promise<ReadonlyMap<string, Session>>
  isRootKey(bearer: string): MaybeLater<boolean>
  /** The answer is often known already, and then it comes without a promise. */
  keyUsed(organizationId: OrganizationId, keyId: UserId): void
  /** The same of a session of staff. */
  sessionUsed(organizationId: OrganizationId, tokenHash: Buffer): void
}

/** A cached answer comes without a promise, because most requests find one. */
export type MaybeLater<T> = T | Promise<T>

/** The node was told to forget this; `everything`: it may have missed announcements. */
export type Forgotten =
  | { readonly kind: 'token'; readonly tokenHash: Buffer }
  | { readonly kind: 'user'; readonly organizationId: string; readonly userId: string }
  | { readonly kind: 'organization'; readonly organizationId: string }
  | { readonly kind: 'everything' }

const CACHE_MS = 30_000
const MAX_CACHED = 50_000

/**
 * Turns a bearer token into a principal. Sessions are remembered for a short while, because every request
 * asks; a sign-out or a change of a user is announced through Postgres to all nodes, which then forget.
 * While this node can't hear announcements it remembers nothing and asks Postgres each time.
 */
export class Principals {
  readonly #sessions: AskTogether<Session>
  readonly #clock: Pick<Clock, 'elapsed'>
  /** Judges whether a session has expired. */
  readonly #databaseClock: Pick<DatabaseClock, 'now'>
  readonly #lookUp: TokenLookUp
  readonly #cache = new Map<string, { principal: SignedIn; until: number }>()
  /**
   * Counts forgettings: an answer of Postgres that was asked for before one must not be remembered after it.
   */
  #generation = 0
  #listening = false
  readonly #onForgotten: ((forgotten: Forgotten) => void)[] = []

  constructor(deps: {
    database: TenantDoor
    clock: Pick<Clock, 'elapsed'>
    databaseClock: Pick<DatabaseClock, 'now'>
    lookUp: TokenLookUp
  }) {
    const { lookUp } = deps
    this.#sessions = new AskTogether(deps.database, (tx, hashes) => lookUp.findSessions(tx, hashes))
    this.#clock = deps.clock
    this.#databaseClock = deps.databaseClock
    this.#lookUp = lookUp
  }

  authenticate(bearer: string): MaybeLater<Principal | null> {
    if (looksLikeToken(bearer)) {
      // The hash is of the whole token, and the organization is part of it.
      const known = this.#known(digest(bearer))
      if (known) return this.#unlessOver(known)
    }
    const token = readToken(bearer)
    if (token !== null) return this.ofSession(token.organizationId, token.hash)
    const isRoot = this.#lookUp.isRootKey(bearer)
    return isRoot instanceof Promise ? isRoot.then(rootIf) : rootIf(isRoot)
  }

  ofSession(organizationId: OrganizationId, tokenHash: Buffer): MaybeLater<SignedIn | null> {
    const key = tokenHash.toString('latin1')
    const known = this.#known(key)
    if (known?.scope.organizationId === organizationId) return this.#unlessOver(known)
    return this.#ask(organizationId, tokenHash, key)
  }

  #known(key: string): SignedIn | null {
    const cached = this.#cache.get(key)
    return cached && cached.until > this.#clock.elapsed() ? cached.principal : null
  }

  #unlessOver(principal: SignedIn): SignedIn | null {
    return this.#isOver(principal) ? null : principal
  }

  async #ask(organizationId: OrganizationId, tokenHash: Buffer, key: string): Promise<SignedIn | null> {
    const now = this.#clock.elapsed()
    const generation = this.#generation
    const scope = TenantScope.of(organizationId)
    const session = await this.#sessions.ask(scope, key)
    if (!session || this.#isOver(session)) return null
    const principal: SignedIn = { kind: 'user', scope, tokenHash, ...session }
    // Once in CACHE_MS while it is in use: what is remembered asks nothing.
    if (session.isApiKey) this.#lookUp.keyUsed(organizationId, session.user.userId)
    else if (isStaff(session.user.role)) this.#lookUp.sessionUsed(organizationId, tokenHash)
    if (this.#listening && generation === this.#generation) {
      this.#cache.set(key, { principal, until: now + CACHE_MS })
      if (this.#cache.size > MAX_CACHED) this.#cache.delete(this.#cache.keys().next().value!)
    }
    return principal
  }

  #isOver({ expiresAt }: { readonly expiresAt: number }): boolean {
    return expiresAt <= this.#databaseClock.now()
  }

  /** Called after this node has forgotten, so that the next question goes to Postgres. */
  onForgotten(forgotten: (forgotten: Forgotten) => void): void {
    this.#onForgotten.push(forgotten)
  }

  forgetToken(tokenHash: Buffer): void {
    this.#generation += 1
    this.#cache.delete(tokenHash.toString('latin1'))
    this.#tell({ kind: 'token', tokenHash })
  }

  forgetUser(organizationId: string, userId: string): void {
    this.#generation += 1
    for (const [key, { principal }] of this.#cache) {
      if (principal.scope.organizationId === organizationId && principal.user.userId === userId) {
        this.#cache.delete(key)
      }
    }
    this.#tell({ kind: 'user', organizationId, userId })
  }

  /** Its name changed, its suspension, or rights of many of its users. */
  forgetOrganization(organizationId: string): void {
    this.#generation += 1
    for (const [key, { principal }] of this.#cache) {
      if (principal.scope.organizationId === organizationId) this.#cache.delete(key)
    }
    this.#tell({ kind: 'organization', organizationId })
  }

  /** Called when announcements begin to arrive, and when they stop. */
  listening(yes: boolean): void {
    this.#generation += 1
    this.#listening = yes
    this.#cache.clear()
    this.#tell({ kind: 'everything' })
  }

  #tell(forgotten: Forgotten): void {
    for (const told of this.#onForgotten) told(forgotten)
  }
}

function rootIf(isRoot: boolean): Principal | null {
  return isRoot ? { kind: 'root' } : null
}
