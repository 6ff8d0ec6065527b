import pg from 'pg'
import type { TenantTx } from './database.ts'

/** What nodes tell each other about sessions. It carries no secret: a token's hash opens nothing. */
export type SessionAnnouncement =
  | { readonly kind: 'token_revoked'; readonly tokenHash: string }
  | { readonly kind: 'user_changed'; readonly organizationId: string; readonly userId: string }

const CHANNEL = 'voelgoed_sessions'

/** Sent with the commit of the transaction, or not at all. */
export async function announceTokenRevoked(tx: TenantTx, tokenHash: Buffer): Promise<void> {
  await tx.query(
    `select pg_notify('${CHANNEL}', json_build_object('kind', 'token_revoked', 'tokenHash', $2::text, 'organizationId', $1::uuid)::text)`,
    [tokenHash.toString('hex')],
  )
}

export async function announceUserChanged(tx: TenantTx, userId: string): Promise<void> {
  await tx.query(
    `select pg_notify('${CHANNEL}', json_build_object('kind', 'user_changed', 'userId', $2::text, 'organizationId', $1::uuid)::text)`,
    [userId],
  )
}

export interface Listener {
  onAnnouncement(announcement: SessionAnnouncement): void
  /** False from the moment the connection is lost until it is there again: what was said meanwhile is lost. */
  onListening(yes: boolean): void
}

const RECONNECT_MS = 500
const HEARTBEAT_MS = 5_000

/** Listens on a connection of its own and reconnects for ever, at a bounded pace. Returns how to stop. */
export function listenToAnnouncements(url: string, listener: Listener): { stop(): Promise<void> } {
  let stopped = false
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined

  const connect = async () => {
    const mine = new pg.Client({
      connectionString: url,
      application_name: 'voelgoed_listen',
      options: '-c role=voelgoed_app',
      connectionTimeoutMillis: 3_000,
      // A half-open connection would leave us deaf without knowing it: the heartbeat below fails by this bound.
      query_timeout: 3_000,
      keepAlive: true,
    })
    client = mine
    let lost = false
    const onLost = () => {
      if (lost) return
      lost = true
      clearTimeout(timer)
      listener.onListening(false)
      mine.end().catch(() => {})
      if (!stopped) timer = setTimeout(connect, RECONNECT_MS)
    }
    mine.on('error', onLost)
    mine.on('end', onLost)
    mine.on('notification', ({ payload }) => {
      if (payload) listener.onAnnouncement(JSON.parse(payload) as SessionAnnouncement)
    })
    const heartbeat = async () => {
      try {
        await mine.query('select 1')
        if (!lost && !stopped) timer = setTimeout(heartbeat, HEARTBEAT_MS)
      } catch {
        onLost()
      }
    }
    try {
      await mine.connect()
      await mine.query(`listen ${CHANNEL}`)
      if (stopped || lost) return
      listener.onListening(true)
      timer = setTimeout(heartbeat, HEARTBEAT_MS)
    } catch {
      onLost()
    }
  }

  void connect()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
