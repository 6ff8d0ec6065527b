import type pg from 'pg'
import { StartupError } from '../base/startup-error.ts'

/** The roles that requests work as; both own nothing. */
export type RequestRole = 'voelgoed_app' | 'voelgoed_platform'

/** As Postgres writes the values back. */
export const REQUEST_LIMITS = {
  statement_timeout: '14s',
  lock_timeout: '2s',
  idle_in_transaction_session_timeout: '10s',
} as const

/** A role, limits and the like, with which a connection begins. */
export type StartSettings = Readonly<Record<string, string>>

/** They are start-up parameters: even RESET ROLE and DISCARD ALL stay with them. */
export function asOptions(settings: StartSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

/**
 * A connection does not have what it was opened with. Without its role row-level security would be that of
 * the owner, and no statement would fail. So no statement of ours may run on it.
 */
export class SettingsDropped extends StartupError {}

/**
 * Asks a new connection, in one round trip, whether its start-up parameters arrived: a pooler in between may
 * drop them.
 */
export async function proveSettings(
  client: Pick<pg.ClientBase, 'query'>,
  settings: StartSettings,
): Promise<void> {
  const names = Object.keys(settings)
  const { rows } = await client.query<{ found: string[] }>(
    `select array(select case name when 'role' then current_user else current_setting(name) end
       from unnest($1::text[]) with ordinality as asked (name, place) order by place) as found`,
    [names],
  )
  const { found } = rows[0]!
  const lost = names.flatMap((name, place) =>
    found[place] === settings[name] ? [] : `${name} is ${found[place]} instead of ${settings[name]}`,
  )
  if (lost.length === 0) return
  throw new SettingsDropped(
    `DATABASE_URL: something between this server and Postgres drops the settings that connections begin with (${lost[0]}), ` +
      `as PgBouncer does with ignore_startup_parameters = options. Without them row-level security would be off. ${WAY_OUT}`,
  )
}

/** A sentence about what refuses the settings; null: the error is about something else. */
export function explainRefusedSettings(error: unknown): SettingsDropped | null {
  if (!(error instanceof Error) || !/unsupported startup parameter/.test(error.message)) return null
  return new SettingsDropped(
    `DATABASE_URL leads to a pooler, which refuses the settings that connections begin with (${error.message}). ` +
      `Do not make it ignore them: row-level security depends on them. ${WAY_OUT}`,
  )
}

export const WAY_OUT = 'Connect to Postgres directly, not through a pooler'
