import type { CommandId, EventId } from '@voelgoed/core/ids'
import type { EpochPoint } from '@voelgoed/engine/tables/epochs'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

/**
 * A copy of an event claims to be this: it is so far in the event's history, and has these holds and this
 * digest.
 */
export interface Claim extends EpochPoint {
  readonly holds: number
  /** core/event/digest.ts. */
  readonly digest: string
}

/** A node answers with this. Null: the event is not in its memory. */
export interface NodeReport {
  readonly nodeId: string
  readonly claim: Claim | null
}

export async function writeReport(
  tx: TenantTx,
  eventId: EventId,
  requestId: string,
  { nodeId, claim }: NodeReport,
): Promise<void> {
  await tx.query(
    `insert into node_reports (organization_id, event_id, request_id, node_id, epoch, seq, tip, holds, digest)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    [
      ...[eventId, requestId, nodeId, claim?.epoch, claim?.seq],
      ...[claim?.tip, claim?.holds, claim?.digest].map(value => value ?? null),
    ],
  )
}

export async function readReports(tx: TenantTx, eventId: EventId, requestId: string): Promise<NodeReport[]> {
  const rows = await tx.query<{
    node_id: string
    epoch: number | null
    seq: number | null
    tip: CommandId | null
    holds: number | null
    digest: string | null
  }>(
    `select node_id, epoch::float8 as epoch, seq::float8 as seq, tip, holds, digest from node_reports
     where organization_id = $1 and event_id = $2 and request_id = $3`,
    [eventId, requestId],
  )
  return rows.map(({ node_id, epoch, seq, tip, holds, digest }) => ({
    nodeId: node_id,
    claim: epoch === null ? null : { epoch, seq: seq!, tip, holds: holds!, digest: digest! },
  }))
}

export async function deleteReports(tx: TenantTx, requestId: string): Promise<void> {
  await tx.query('delete from node_reports where organization_id = $1 and request_id = $2', [requestId])
}

/** Deletes answers that came when the node that asked had stopped to wait. Returns how many rows went. */
export async function sweepReports(tx: PlatformTx, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from node_reports where (organization_id, request_id, node_id) in (
       select organization_id, request_id, node_id from node_reports
       where reported_at < now() - interval '10 minutes' order by reported_at limit $1)
     returning 1`,
    [limit],
  )
  return rows.length
}
