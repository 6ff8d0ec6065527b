import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { readMoved, readSession, type SessionAnnouncement } from './announcement-messages.ts'
import type { PlatformTx, TenantTx } from './database.ts'

/**
 * What nodes tell each other, through LISTEN and NOTIFY. Two channels:
 *
 *   voelgoed_sessions   a sign-out or a change of a user or organization, sent with the commit of its
 *                       transaction
 *   voelgoed_journal    `<organization>:<event>:<seq>`: an event has moved on; sent after the commit, because
 *                       a NOTIFY inside it would make all committing transactions of the database stand in
 *                       line; with `reload` instead of the seq, every node loads the event again
 */
const SESSIONS = 'voelgoed_sessions'
const JOURNAL = 'voelgoed_journal'

/** It carries no secret: a token's hash opens nothing. */
export async function announceTokenRevoked(tx: TenantTx, tokenHash: Buffer): Promise<void> {
  await tx.query(
    `select pg_notify('${SESSIONS}', json_build_object('kind', 'token_revoked', 'tokenHash', $2::text, 'organizationId', $1::uuid)::text)`,
    [tokenHash.toString('hex')],
  )
}

export async function announceUserChanged(tx: TenantTx, userId: string): Promise<void> {
  await tx.query(
    `select pg_notify('${SESSIONS}', json_build_object('kind', 'user_changed', 'userId', $2::text, 'organizationId', $1::uuid)::text)`,
    [userId],
  )
}

/** The organization was suspended, or its suspension was lifted. */
export async function announceOrganizationChanged(tx: PlatformTx, organizationId: string): Promise<void> {
  await tx.query(
    `select pg_notify('${SESSIONS}', json_build_object('kind', 'organization_changed', 'organizationId', $1::uuid)::text)`,
    [organizationId],
  )
}

const RECONNECT_MS = 500
const HEARTBEAT_MS = 5_000
const COMPLAIN_EVERY_MS = 60_000

type Heard = (organizationId: string, eventId: string, seq: number) => void

/**
 * Listens on a connection of its own, and reconnects at a bounded pace. The same connection sends what the
 * lanes have to tell: one statement at a time for everything that has gathered meanwhile.
 */
export class Announcements {
  readonly #url: string
  readonly #onSession: (announcement: SessionAnnouncement) => void
  readonly #log: FastifyBaseLogger
  readonly #onListening: ((yes: boolean) => void)[] = []
  readonly #heard: Heard[] = []
  readonly #reload: ((organizationId: string, eventId: string) => void)[] = []
  readonly #untold = new Map<string, number>()
  #telling = false
  #stopped = false
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #lastComplaintAt = Number.NEGATIVE_INFINITY
  isListening = false
  /** Messages that no node of ours can have sent. */
  malformed = 0

  constructor(url: string, onSession: (announcement: SessionAnnouncement) => void, log: FastifyBaseLogger) {
    this.#url = url
    this.#onSession = onSession
    this.#log = log
  }

  start(): void {
    void this.#connect()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => {})
  }

  /**
   * False from the moment the connection is lost until it is there again: what was said meanwhile is lost.
   */
  onListeningChange(changed: (yes: boolean) => void): void {
    this.#onListening.push(changed)
  }

  onListening(began: () => void): void {
    this.onListeningChange(yes => yes && began())
  }

  onHeard(heard: Heard): void {
    this.#heard.push(heard)
  }

  onReload(asked: (organizationId: string, eventId: string) => void): void {
    this.#reload.push(asked)
  }

  async askToReload(organizationId: string, eventId: string): Promise<boolean> {
    if (!this.isListening) return false
    const asked = this.#client!.query(`select pg_notify('${JOURNAL}', $1)`, [
      `${organizationId}:${eventId}:reload`,
    ])
    return asked.then(
      () => true,
      () => false,
    )
  }

  tell(organizationId: string, eventId: string, seq: number): void {
    this.#untold.set(`${organizationId}:${eventId}`, seq)
    if (!this.#telling) void this.#tellAll()
  }

  async #tellAll(): Promise<void> {
    this.#telling = true
    try {
      while (this.#untold.size > 0 && this.isListening) {
        const messages = [...this.#untold].map(([event, seq]) => `${event}:${seq}`)
        this.#untold.clear()
        await this.#client!.query(`select pg_notify('${JOURNAL}', m) from unnest($1::text[]) as m`, [
          messages,
        ])
      }
      // Without a connection it is not kept: a node that listens again looks for itself.
      if (!this.isListening) this.#untold.clear()
    } catch {
      // The connection is lost: its own handler deals with that.
    } finally {
      this.#telling = false
    }
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'voelgoed_listen',
      options: '-c role=voelgoed_app',
      connectionTimeoutMillis: 3_000,
      // A half-open connection would leave us deaf without knowing it: the heartbeat fails by this bound.
      query_timeout: 3_000,
      keepAlive: true,
      // Messages, the heartbeat and a request to reload do not wait for each other.
      pipeline: true,
    } as pg.ClientConfig)
    this.#client = client
    let lost = false
    const onLost = () => {
      if (lost) return
      lost = true
      clearTimeout(this.#timer)
      this.#setListening(false)
      client.end().catch(() => {})
      if (!this.#stopped) this.#timer = setTimeout(() => void this.#connect(), RECONNECT_MS)
    }
    client.on('error', onLost)
    client.on('end', onLost)
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === SESSIONS) {
        const announcement = readSession(payload)
        if (announcement) this.#onSession(announcement)
        else this.#complain(channel)
        return
      }
      const moved = readMoved(payload)
      if (!moved) return this.#complain(channel)
      const { organizationId, eventId, seq } = moved
      if (seq === 'reload') for (const asked of this.#reload) asked(organizationId, eventId)
      else for (const heard of this.#heard) heard(organizationId, eventId, seq)
    })
    const heartbeat = async () => {
      try {
        await client.query('select 1')
        if (!lost && !this.#stopped) this.#timer = setTimeout(heartbeat, HEARTBEAT_MS)
      } catch {
        onLost()
      }
    }
    try {
      await client.connect()
      await client.query(`listen ${SESSIONS}; listen ${JOURNAL}`)
      if (this.#stopped || lost) return
      this.#setListening(true)
      this.#timer = setTimeout(heartbeat, HEARTBEAT_MS)
    } catch {
      onLost()
    }
  }

  /** Every login of the database may notify. The payload stays out of the log: it is not ours. */
  #complain(channel: string): void {
    this.malformed += 1
    const now = performance.now()
    if (now - this.#lastComplaintAt < COMPLAIN_EVERY_MS) return
    this.#lastComplaintAt = now
    this.#log.warn({ channel, malformed: this.malformed }, 'a message on the bus was not understood')
  }

  #setListening(yes: boolean): void {
    if (this.isListening === yes) return
    this.isListening = yes
    for (const changed of this.#onListening) changed(yes)
  }
}
