import type { ServerResponse } from 'node:http'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Forgotten, Principals, SignedIn } from './principals.ts'

export interface StreamLimits {
  /** On this node, of everyone. */
  readonly total: number
  readonly perUser: number
  /** An IPv4 address or an IPv6 /64; null: no limit. */
  readonly perAddress: number | null
}

/** One stream, from the moment its request was let in. */
export interface OpenStream {
  /** From here on the stream ends when its session does, and is forgotten when its connection closes. */
  attach(response: ServerResponse): void
  /** For a request that did not become a stream. */
  leave(): void
}

/**
 * A refused client waits so long before it asks again: a stream that another tab closes makes room at any
 * time.
 */
const RETRY_AFTER_SECONDS = 10
/** A node that is leaving says this: another one is there already. */
const RETRY_ELSEWHERE_SECONDS = 1
/** Each stream's session is looked at once in these milliseconds, a tenth of them at a time. */
const ROUND_MS = 5_000
const STEPS = 10

interface Stream extends OpenStream {
  readonly principal: SignedIn
  readonly session: string
  readonly user: string
  readonly address: string
  response: ServerResponse | null
  isOver: boolean
}

/**
 * The streams that are open on this node: how many each user and each address has, and whether their sessions
 * still live. A sign-out or a change of a user reaches every node as an announcement, and the node then looks
 * at the sessions concerned at once. Sessions that expire, and announcements that were lost, are found by
 * looking at every session every five seconds; `Principals` remembers most answers,
 * so Postgres is asked once in 30 s for each.
 */
export class OpenStreams {
  readonly counts = { ended: 0, refused: { total: 0, user: 0, address: 0 } }
  readonly #principals: Principals
  readonly #limits: StreamLimits
  readonly #streams = new Set<Stream>()
  readonly #bySession = new Groups()
  readonly #byUser = new Groups()
  readonly #byAddress = new Groups()
  readonly #timer: NodeJS.Timeout
  #round = this.#streams.values()
  #isClosed = false

  constructor(principals: Principals, limits: StreamLimits) {
    this.#principals = principals
    this.#limits = limits
    principals.onForgotten(forgotten => {
      for (const stream of this.#concerned(forgotten)) void this.#check(stream)
    })
    this.#timer = setInterval(() => this.#checkSome(), ROUND_MS / STEPS).unref()
  }

  /** To be asked before anything costly is done for the stream. `address` is the key that limits count. */
  enter(principal: SignedIn, address: string): Result<OpenStream, Refusal> {
    if (this.#isClosed) return refuse({ kind: 'busy', retryAfterSeconds: RETRY_ELSEWHERE_SECONDS })
    const { total, perUser, perAddress } = this.#limits
    const { refused } = this.counts
    if (this.#streams.size >= total) {
      refused.total += 1
      return refuse({ kind: 'busy', retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
    const user = userKey(principal.scope.organizationId, principal.user.userId)
    if (this.#byUser.of(user).size >= perUser) {
      refused.user += 1
      return refuse({ kind: 'rate_limited', retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
    if (perAddress !== null && this.#byAddress.of(address).size >= perAddress) {
      refused.address += 1
      return refuse({ kind: 'rate_limited', retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
    return ok(this.#add({ principal, session: sessionKey(principal.tokenHash), user, address }))
  }

  /** The node is leaving: streams end, those that are being opened as well, and no more are let in. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const stream of this.#streams) stream.response?.end()
  }

  #add(whose: Pick<Stream, 'principal' | 'session' | 'user' | 'address'>): Stream {
    const stream: Stream = {
      ...whose,
      response: null,
      isOver: false,
      attach: response => {
        stream.response = response
        response.on('close', stream.leave)
        // The session ended while the stream was being opened, or the node is leaving.
        if (stream.isOver || this.#isClosed) response.end()
      },
      leave: () => this.#remove(stream),
    }
    this.#streams.add(stream)
    this.#bySession.add(stream.session, stream)
    this.#byUser.add(stream.user, stream)
    this.#byAddress.add(stream.address, stream)
    return stream
  }

  #remove(stream: Stream): void {
    if (!this.#streams.delete(stream)) return
    this.#bySession.delete(stream.session, stream)
    this.#byUser.delete(stream.user, stream)
    this.#byAddress.delete(stream.address, stream)
  }

  #concerned(forgotten: Forgotten): ReadonlySet<Stream> {
    switch (forgotten.kind) {
      case 'user':
        return this.#byUser.of(userKey(forgotten.organizationId, forgotten.userId))
      case 'token':
        return this.#bySession.of(sessionKey(forgotten.tokenHash))
      case 'organization':
        return new Set(
          [...this.#streams].filter(
            ({ principal }) => principal.scope.organizationId === forgotten.organizationId,
          ),
        )
      case 'everything':
        return this.#streams
    }
  }

  #checkSome(): void {
    for (let left = Math.ceil(this.#streams.size / STEPS); left > 0; left -= 1) {
      let next = this.#round.next()
      if (next.done) {
        this.#round = this.#streams.values()
        next = this.#round.next()
      }
      if (next.done) return
      void this.#check(next.value)
    }
  }

  /**
   * Ends a stream whose session is over, or whose user has another role than when it was opened. The reader
   * of an organization that was suspended, or is no longer, is told so by the stream that it opens next.
   */
  async #check(stream: Stream): Promise<void> {
    const { scope, tokenHash, user, suspension } = stream.principal
    try {
      const now = await this.#principals.ofSession(scope.organizationId, tokenHash)
      const isSame = now?.user.role === user.role && (now.suspension === null) === (suspension === null)
      if (isSame || stream.isOver) return
    } catch {
      // Postgres is out of reach: the next round asks again.
      // Until then no change is committed that a feed could tell.
      return
    }
    stream.isOver = true
    this.counts.ended += 1
    stream.response?.end()
  }
}

const NONE: ReadonlySet<Stream> = new Set()

/** Streams by what they have in common; a group without streams takes no memory. */
class Groups {
  readonly #groups = new Map<string, Set<Stream>>()

  of(key: string): ReadonlySet<Stream> {
    return this.#groups.get(key) ?? NONE
  }

  add(key: string, stream: Stream): void {
    const group = this.#groups.get(key)
    if (group) group.add(stream)
    else this.#groups.set(key, new Set([stream]))
  }

  delete(key: string, stream: Stream): void {
    const group = this.#groups.get(key)
    group?.delete(stream)
    if (group?.size === 0) this.#groups.delete(key)
  }
}

function sessionKey(tokenHash: Buffer): string {
  return tokenHash.toString('latin1')
}

function userKey(organizationId: string, userId: string): string {
  return `${organizationId}/${userId}`
}
