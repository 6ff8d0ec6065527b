import type { Client } from '@voelgoed/client'
import type { DeviceStore, WaitingScan, WrongScan } from './device-store.ts'
import { type KnownTicket, withEntry, withoutEntry } from './gate-list.ts'

type UploadStore = Pick<DeviceStore, 'waitingOf' | 'settle'>

export interface Upload {
  readonly slug: string
  readonly deviceId: string
  readonly signal: AbortSignal
  /** Says which of these may be sent, in the moment before they are. */
  sending(scans: readonly WaitingScan[]): readonly WaitingScan[]
}

/** The contract takes 500; smaller ones get through a network that has only just come back. */
const SCANS_OF_UPLOAD = 200

/**
 * Brings to the server what the device decided by itself, the oldest first. What was sent and got no answer
 * is sent again: the server knows it by its `scan_id`. Throws what the client throws; what was heard is
 * settled then, and the rest waits.
 */
export async function uploadWaiting(
  client: Pick<Client, 'call'>,
  store: UploadStore,
  { slug, deviceId, signal, sending }: Upload,
): Promise<void> {
  for (;;) {
    const oldest = sending(await store.waitingOf(slug, SCANS_OF_UPLOAD))
    const first = oldest[0]
    if (!first) return
    // Of one event: the gate's.
    const scans = oldest.filter(({ event_id }) => event_id === first.event_id)
    const { data } = await client.call('POST /api/scans/batch', {
      body: { device_id: deviceId, event_id: first.event_id, scans: scans.map(toSend) },
      signal,
    })
    const answers = new Map(data.scans.map(answer => [answer.scan_id, answer]))
    const heard = scans.map(scan => ({
      scanId: scan.scan_id,
      ticketId: scan.ticket_id,
      change: (known: KnownTicket) => asHeard(known, scan, answers.get(scan.scan_id)?.entry_id ?? null),
    }))
    // People whom the device let in. An exit that the server does not count is no reason to look at anyone.
    const wrong = scans.flatMap((scan): WrongScan[] => {
      const code = answers.get(scan.scan_id)?.code ?? null
      return code === null || scan.direction === 'out' ? [] : [{ ...scan, code }]
    })
    await store.settle(heard, wrong)
  }
}

/** The ticket after the server has heard of a scan, and has or has not made an entry of it. */
function asHeard(known: KnownTicket, scan: WaitingScan, entryId: string | null): KnownTicket {
  const { scan_id, direction, day, at, gate } = scan
  // Should the server count it, its news tell of it.
  if (day === null) return known
  // The person had left before, or their entry is not known: the server does not count this exit.
  if (direction === 'out' && entryId === null) return withoutEntry(known, scan_id)
  return withEntry(known, { id: entryId ?? scan_id, direction, day, at, gate }, scan_id)
}

function toSend({ scan_id, token, gate, direction, at }: WaitingScan) {
  return {
    scan_id,
    token,
    ...(gate !== null && { gate }),
    direction,
    at: new Date(at).toISOString(),
  }
}
