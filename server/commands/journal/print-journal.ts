import type { EventId } from '@voelgoed/core/ids'
import { StartupError } from '@voelgoed/kit/base/startup-error'
import { inspect } from '@voelgoed/kit/postgres/inspect'
import { findAnyEvent, readZoneNames } from '../../modules/history/tables/any-event.ts'
import { type JournalEntry, listJournal } from '../../modules/history/tables/list-journal.ts'

export interface JournalRequest {
  readonly database: string
  readonly eventId: string
  /** The slug of the organization that the event must be of. */
  readonly organization: string | undefined
  readonly from: number
  readonly to: number
  readonly asJson: boolean
}

const PAGE = 1_000

/** Gives an event's journal to `write`, a page of lines at a time, all of it from one moment. */
export function printJournal(
  request: JournalRequest,
  write: (lines: string) => Promise<void>,
): Promise<void> {
  const { database, eventId, organization, from, to, asJson } = request
  return inspect(database, async snapshot => {
    const event = await findAnyEvent(snapshot, eventId, organization)
    if (!event) {
      const where = organization === undefined ? '' : ` of the organization ${organization}`
      throw new StartupError(
        `there is no event ${eventId}${where}: check the id, and which database it is in`,
      )
    }
    const tx = snapshot.tenant(event.organizationId)
    const zones = await readZoneNames(tx, eventId as EventId)
    const toLine = asJson
      ? (entry: JournalEntry) => JSON.stringify(entry)
      : (entry: JournalEntry) => lineOf(entry, zones)
    for (let seq = from - 1; seq < to; ) {
      const entries = await listJournal(tx, eventId, {
        seatId: undefined,
        holdId: undefined,
        userId: undefined,
        from: undefined,
        to: undefined,
        afterSeq: seq,
        limit: Math.min(PAGE, to - seq),
      })
      if (entries === 'too many holds') throw new StartupError(`the holds after ${seq} have too long a story`)
      if (entries.length === 0) return
      await write(`${entries.map(toLine).join('\n')}\n`)
      seq = Number(entries.at(-1)!.seq)
    }
  })
}

/** One line: seq, time, kind, seat or zone, who, from where. */
function lineOf(entry: JournalEntry, zones: readonly string[]): string {
  const { quantity, zoneIndex, reason } = entry.body as {
    quantity?: number
    zoneIndex?: number
    reason?: string
  }
  const zone = zoneIndex === undefined ? null : (zones[zoneIndex] ?? `zone ${zoneIndex}`)
  const place = entry.seat_label === null ? zone && `${zone} × ${quantity}` : `${zone} ${entry.seat_label}`
  const who = entry.actor_email ?? entry.actor_id ?? 'the system'
  const owner = entry.user_email ?? entry.user_id
  const { address } = entry.body as { address?: string | null }
  return [
    entry.seq.padStart(8),
    entry.at.toISOString(),
    entry.kind.padEnd(18),
    place ?? '-',
    reason ? `(${reason})` : null,
    `by ${who}`,
    owner !== null && owner !== (entry.actor_email ?? entry.actor_id) ? `for ${owner}` : null,
    `from ${[entry.source, address].filter(Boolean).join(' ')}`,
  ]
    .filter(part => part !== null)
    .join('  ')
}
