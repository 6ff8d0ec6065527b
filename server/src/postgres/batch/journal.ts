import type { Change } from '@voelgoed/core/event/change'
import type { Actor, Command } from '@voelgoed/core/event/command'
import type { EventId, HoldId } from '@voelgoed/core/ids'
import type { TenantTx } from '../database.ts'
import { bigints, ints, jsons, texts, timestamps, uuids } from './binary-arrays.ts'

export interface JournalRow {
  readonly change: Change
  readonly command: Command
}

export function writeJournal(tx: TenantTx, eventId: EventId, rows: readonly JournalRow[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_journal',
    `insert into journal (organization_id, event_id, seq, kind, command_id, actor_id, source, at, body, hold_id,
       blocked_ordinal)
     select $1, $2, unnest($3::bigint[]), unnest($4::text[]), unnest($5::uuid[]), unnest($6::uuid[]), unnest($7::text[]),
       unnest($8::timestamptz[]), unnest($9::json[]), unnest($10::uuid[]), unnest($11::int[])`,
    [
      eventId,
      bigints(rows, row => row.change.seq),
      texts(rows, row => row.change.kind),
      uuids(rows, row => row.command.commandId),
      uuids(rows, row => row.command.actor.person?.userId ?? null),
      texts(rows, row => row.command.actor.source),
      timestamps(rows, row => row.change.at),
      jsons(rows, row => journalBody(row.change, row.command.actor)),
      uuids(rows, row => holdToLookUp(row.change)),
      ints(rows, row => blockedOrdinal(row.change)),
    ],
  )
}

/**
 * Entries are looked up by their hold. The first one is found by its time:
 * a new hold pays for no index on the journal.
 */
function holdToLookUp(change: Change): HoldId | null {
  return change.kind !== 'seat_reserved' && 'holdId' in change ? change.holdId : null
}

function blockedOrdinal(change: Change): number | null {
  return change.kind === 'seat_blocked' || change.kind === 'seat_unblocked' ? change.ordinal : null
}

/** What the journal's columns already say is left out. Says from where a person gave the command. */
function journalBody(change: Change, { from }: Actor): string {
  // Nearly all there are: written out, because taking members out of an object costs more than the rest of
  // the row. Ids and numbers have nothing to quote.
  if (change.kind === 'seat_reserved') {
    const { holdId, ordinal, version, zoneIndex, quantity, userId, ip, cartToken, heldUntil, capUntil } =
      change
    return (
      `{"holdId":"${holdId}","ordinal":${ordinal},"version":${version},"zoneIndex":${zoneIndex},` +
      `"quantity":${quantity},"userId":"${userId}","ip":${JSON.stringify(ip)},` +
      `"cartToken":${JSON.stringify(cartToken)},"heldUntil":${heldUntil},"capUntil":${capUntil},` +
      `"address":${JSON.stringify(from?.address ?? null)},"userAgent":${JSON.stringify(from?.userAgent ?? null)}}`
    )
  }
  const { seq: _seq, at: _at, kind: _kind, ...body } = change
  return JSON.stringify(from ? { ...body, ...from } : body)
}
