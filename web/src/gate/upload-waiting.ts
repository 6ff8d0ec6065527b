import { type Client, Refused } from '@voelgoed/client'
import type { DeviceStore, WaitingScan, WrongScan } from './device-store.ts'
import { type KnownTicket, withEntry, withoutEntry } from './gate-list.ts'

type UploadStore = Pick<DeviceStore, 'waitingOf' | 'settle'>

export interface Upload {
  readonly slug: string
  readonly deviceId: string
  readonly signal: AbortSignal
  /** The time by the clock that the scans were noted by. */
  now(): number
  /** Says which of these may be sent, in the moment before they are. */
  sending(scans: readonly WaitingScan[]): readonly WaitingScan[]
}

/** The contract takes 500; smaller ones get through a network that has only just come back. */
const SCANS_OF_UPLOAD = 200
/** A server that refuses everything is not asked about each scan. */
const MOST_REFUSALS = 40

/** The server is there, and does not take what was sent. Sent again it is refused again. */
export function isRefusedAsItIs(error: unknown): error is Refused {
  if (!(error instanceof Refused)) return false
  const { status } = error
  return status === 500 || (status < 500 && ![401, 403, 408, 429].includes(status))
}

/**
 * Brings to the server what the device decided by itself, the oldest first. What was sent and got no answer
 * is sent again: the server knows it by its `scan_id`. A scan that the server refuses waits on, and does not
 * keep the others: they are sent in smaller parts. Throws what the client throws; what was heard is settled
 * then, and the rest waits.
 */
export async function uploadWaiting(
  client: Pick<Client, 'call'>,
  store: UploadStore,
  { slug, deviceId, signal, now, sending }: Upload,
): Promise<void> {
  const refused = new Set<string>()
  const refusals: Refused[] = []
  let most = SCANS_OF_UPLOAD
  for (;;) {
    const oldest = await store.waitingOf(slug, SCANS_OF_UPLOAD + refused.size)
    const wanted = sending(oldest.filter(({ scan_id }) => !refused.has(scan_id)))
    const first = wanted[0]
    if (!first || refusals.length === MOST_REFUSALS) break
    // One upload has scans of one event, the gate's.
    const scans = wanted.filter(({ event_id }) => event_id === first.event_id).slice(0, most)
    const sent_at = new Date(now()).toISOString()
    const body = { device_id: deviceId, event_id: first.event_id, sent_at, scans: scans.map(toSend) }
    const answer = await client.call('POST /api/scans/batch', { body, signal }).catch((error: unknown) => {
      if (!isRefusedAsItIs(error)) throw error
      refusals.push(error)
      return null
    })
    if (!answer) {
      if (scans.length === 1) refused.add(first.scan_id)
      most = Math.max(1, Math.floor(scans.length / 2))
      continue
    }
    most = Math.min(SCANS_OF_UPLOAD, 2 * most)
    const { data } = answer
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
  if (refusals[0]) throw refusals[0]
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
