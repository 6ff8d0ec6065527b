import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { readMoved } from '../base/moved-message.ts'
import {
  type Ask,
  RELIES,
  readAsk,
  readRelying,
  readSession,
  type SessionAnnouncement,
  writeAsk,
} from './announcement-messages.ts'
import type { PlatformTx, TenantTx } from './database.ts'
import { asOptions, proveSettings } from './start-settings.ts'

/**
 * Nodes tell each other on these channels, through LISTEN and NOTIFY. Two channels:
 *
 *   voelgoed_sessions   a sign-out or a change of a user or organization, sent with the commit of its
 *                       transaction
 *   voelgoed_journal    `<organization>:<event>:<seq>`: an event has moved on; sent after the commit, because
 *                       a NOTIFY inside it would make all committing transactions of the database stand in
 *                       line; `ask:…`: a node asks the others about an event;
 *                       `relies:<node>`: that node hears of events through Postgres alone
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

/** Rights of many of its users have changed, or what it asks of all of them. */
export async function announceOwnOrganizationChanged(tx: TenantTx): Promise<void> {
  await tx.query(
    `select pg_notify('${SESSIONS}', json_build_object('kind', 'organization_changed', 'organizationId', $1::uuid)::text)`,
  )
}

/** The organization signs its tickets with a new key, and may have retired others. */
export async function announceTicketKeysChanged(tx: TenantTx): Promise<void> {
  await tx.query(
    `select pg_notify('${SESSIONS}', json_build_object('kind', 'ticket_keys_changed', 'organizationId', $1::uuid)::text)`,
  )
}

const SETTINGS = { role: 'voelgoed_app' }
const RECONNECT_MS = 500
const HEARTBEAT_MS = 5_000
/** A node that relies on Postgres says so with every heartbeat: when none was heard for three, none does. */
const RELIED_ON_MS = 3 * HEARTBEAT_MS
const COMPLAIN_EVERY_MS = 60_000

type Heard = (organizationId: string, eventId: string, seq: number) => void

/**
 * Listens on a connection of its own, and reconnects at a bounded pace. The same connection sends what the
 * lanes have to tell: one statement at a time for everything that has gathered meanwhile.
 */
export class Announcements {
  readonly #url: string
  readonly #log: FastifyBaseLogger
  readonly #now: () => number
  readonly #node = randomUUID()
  readonly #onListening: ((yes: boolean) => void)[] = []
  readonly #onSession: ((announcement: SessionAnnouncement) => void)[] = []
  readonly #heard: Heard[] = []
  readonly #asked: ((ask: Ask) => void)[] = []
  readonly #onOthersKnow: (() => void)[] = []
  readonly #untold = new Map<string, number>()
  #relies = true
  #reliedOnAt = Number.NEGATIVE_INFINITY
  #telling = false
  #stopped = false
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #lastComplaintAt = Number.NEGATIVE_INFINITY
  isListening = false
  /** The others have heard that this node relies on Postgres. */
  doOthersKnow = false
  /** Messages that no node of ours can have sent. */
  malformed = 0

  constructor(url: string, log: FastifyBaseLogger, now: () => number = () => performance.now()) {
    this.#url = url
    this.#log = log
    this.#now = now
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

  /** A session, a user, an organization or its keys have changed on any node. */
  onSession(told: (announcement: SessionAnnouncement) => void): void {
    this.#onSession.push(told)
  }

  onListening(began: () => void): void {
    this.onListeningChange(yes => yes && began())
  }

  /**
   * Says whether this node hears of events through Postgres alone, as it does from the start: then it says so
   * at once and with every heartbeat, and nodes that tell each other in another way tell here as well.
   */
  rely(yes: boolean): void {
    this.#relies = yes
    this.doOthersKnow = false
    if (yes && this.isListening) this.#sayThatItRelies(this.#client!).catch(() => {})
  }

  onOthersKnow(known: () => void): void {
    this.#onOthersKnow.push(known)
  }

  /** True while a node may hear of events through Postgres alone, this one or another. */
  get isReliedOn(): boolean {
    return this.#now() - this.#reliedOnAt < RELIED_ON_MS
  }

  onHeard(heard: Heard): void {
    this.#heard.push(heard)
  }

  onAsked(asked: (ask: Ask) => void): void {
    this.#asked.push(asked)
  }

  async ask(ask: Ask): Promise<boolean> {
    if (!this.isListening) return false
    const asked = this.#client!.query(`select pg_notify('${JOURNAL}', $1)`, [writeAsk(this.#node, ask)])
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
      options: asOptions(SETTINGS),
      connectionTimeoutMillis: 3_000,
      // A half-open connection would leave us deaf without knowing it: the heartbeat fails by this bound.
      query_timeout: 3_000,
      keepAlive: true,
      // Messages, the heartbeat and what this node asks the others do not wait for each other.
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
        if (announcement) for (const told of this.#onSession) told(announcement)
        else this.#complain(channel)
        return
      }
      const relying = readRelying(payload)
      if (relying !== null) return this.#reliedOnBy(relying)
      const ask = readAsk(payload)
      if (ask) {
        if (ask.from !== this.#node) for (const asked of this.#asked) asked(ask)
        return
      }
      const moved = readMoved(payload)
      if (!moved) return this.#complain(channel)
      const { organizationId, eventId, seq } = moved
      for (const heard of this.#heard) heard(organizationId, eventId, seq)
    })
    const heartbeat = async () => {
      try {
        if (await isStandby(client)) return onLost()
        if (this.#relies) await this.#sayThatItRelies(client)
        if (!lost && !this.#stopped) this.#timer = setTimeout(heartbeat, HEARTBEAT_MS)
      } catch {
        onLost()
      }
    }
    try {
      await client.connect()
      await proveSettings(client, SETTINGS)
      await client.query(`listen ${SESSIONS}; listen ${JOURNAL}`)
      if (this.#stopped || lost) return
      // A node may have said that it relies on Postgres before this one listened.
      this.#reliedOnAt = this.#now()
      this.#setListening(true)
      await heartbeat()
    } catch {
      onLost()
    }
  }

  #sayThatItRelies(client: pg.Client): Promise<unknown> {
    return client.query(`select pg_notify('${JOURNAL}', $1)`, [`${RELIES}${this.#node}`])
  }

  #reliedOnBy(node: string): void {
    this.#reliedOnAt = this.#now()
    // A word of this node reaches the others when it reaches this one.
    if (node !== this.#node || !this.#relies || this.doOthersKnow) return
    this.doOthersKnow = true
    for (const known of this.#onOthersKnow) known()
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
    this.doOthersKnow = false
    for (const changed of this.#onListening) changed(yes)
  }
}

/** A primary that was demoted does not tell what happens at the new one, to which the address may lead. */
async function isStandby(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
  return rows[0]!.standby
}
