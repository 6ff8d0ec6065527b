import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { StartupError } from '../base/startup-error.ts'
import {
  asOptions,
  explainRefusedSettings,
  proveSettings,
  REQUEST_LIMITS,
  WAY_OUT,
} from './start-settings.ts'

const CHANNEL = 'voelgoed_line'

/**
 * Before anything is written: what stands between this server and Postgres lets settings pass, and a message
 * that is sent over one connection arrives at another. A pooler that deals out statements to its own
 * connections loses both, and nothing would fail at once. `listener` is a connection without settings.
 */
export async function proveLine(url: string, listener: pg.Client, withinMs: number): Promise<void> {
  const speaker = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: withinMs,
    application_name: 'voelgoed_line',
    // Without a role: at the first start there is none yet.
    options: asOptions(REQUEST_LIMITS),
  })
  speaker.on('error', () => {})
  try {
    await speaker.connect()
    await proveSettings(speaker, REQUEST_LIMITS)
    if (!(await hears(listener, speaker, withinMs))) {
      throw new StartupError(
        `DATABASE_URL: a message that was sent over one connection does not arrive at another: a pooler in between, ` +
          `in transaction mode perhaps, gives each transaction another connection to Postgres. ${WAY_OUT}`,
      )
    }
  } catch (error) {
    throw explainRefusedSettings(error) ?? error
  } finally {
    await speaker.end().catch(() => {})
  }
}

async function hears(listener: pg.Client, speaker: pg.Client, withinMs: number): Promise<boolean> {
  const word = randomUUID()
  let settle = (_heard: boolean) => {}
  const heard = new Promise<boolean>(resolve => {
    settle = resolve
  })
  const onMessage = ({ payload }: pg.Notification) => {
    if (payload === word) settle(true)
  }
  listener.on('notification', onMessage)
  const bound = setTimeout(() => settle(false), withinMs)
  try {
    await listener.query(`listen ${CHANNEL}`)
    await speaker.query('select pg_notify($1, $2)', [CHANNEL, word])
    return await heard
  } finally {
    clearTimeout(bound)
    listener.off('notification', onMessage)
    await listener.query(`unlisten ${CHANNEL}`)
  }
}
