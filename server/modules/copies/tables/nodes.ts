import type { PlatformTx } from '@voelgoed/kit/postgres/database'

/** A node says this of itself. */
export interface NodeState {
  readonly id: string
  readonly version: string
  readonly eventsInMemory: number
  readonly bus: 'redis' | 'postgres' | 'none'
  readonly redis: 'off' | 'closed' | 'half_open' | 'open'
}

export interface KnownNode extends NodeState {
  readonly startedAt: Date
  /** Since it last said that it lives. */
  readonly ageMs: number
}

/** A node that said nothing for so long has ended. */
const FORGOTTEN_SECONDS = 60
/** More than this in one list: the oldest are left out. */
const MOST_LISTED = 200

/** A node that was silent for so long is not waited for. */
export const ALIVE_MS = 10_000

/** The node lives. Removes those that have ended without saying so. Returns how many live. */
export async function keepNode(
  tx: PlatformTx,
  { id, version, eventsInMemory, bus, redis }: NodeState,
): Promise<number> {
  await tx.query(
    `insert into nodes (id, version, events_in_memory, bus, redis) values ($1, $2, $3, $4, $5)
     on conflict (id) do update
     set seen_at = now(), events_in_memory = $3, bus = $4, redis = $5`,
    [id, version, eventsInMemory, bus, redis],
  )
  await tx.query(
    `delete from nodes where id in (
       select id from nodes where seen_at < now() - make_interval(secs => $1) for update skip locked)`,
    [FORGOTTEN_SECONDS],
  )
  const row = await tx.one<{ alive: number }>(
    `select count(*)::int as alive from nodes where seen_at > now() - $1 * interval '1 millisecond'`,
    [ALIVE_MS],
  )
  return row!.alive
}

export async function removeNode(tx: PlatformTx, id: string): Promise<void> {
  await tx.query('delete from nodes where id = $1', [id])
}

/** Reads the nodes that live, and those that were silent for less than a minute. */
export async function listNodes(tx: PlatformTx): Promise<KnownNode[]> {
  const rows = await tx.query<KnownNode & Record<string, unknown>>(
    `select id, version, started_at as "startedAt", events_in_memory as "eventsInMemory", bus, redis,
       greatest(0, floor(extract(epoch from now() - seen_at) * 1000))::float8 as "ageMs"
     from nodes where seen_at > now() - make_interval(secs => $1) order by seen_at desc limit $2`,
    [FORGOTTEN_SECONDS, MOST_LISTED],
  )
  return rows
}
