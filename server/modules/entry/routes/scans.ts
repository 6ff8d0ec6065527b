import * as contract from '@voelgoed/contract/scans'
import type { Direction, ScanCode } from '@voelgoed/core/entry/scan'
import type { EventId } from '@voelgoed/core/ids'
import { ok } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { SignedIn } from '@voelgoed/kit/http/principals'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant, storedAnswer } from '@voelgoed/kit/http/transactions'
import type { PriceLists } from '../../events/price-lists.ts'
import type { Kit } from '../../module.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'
import { scanAnswer, unknownTicketAnswer } from '../scan-answers.ts'
import type { ScanMetrics } from '../scan-metrics.ts'
import { type Scan, type ScanHall, type Scanned, scanTicket } from '../scan-ticket.ts'

export interface EntryNeeds {
  readonly lanes: Lanes
  readonly priceLists: PriceLists
  readonly ticketKeys: TicketKeys
}

/** A scan as a device sends it. */
interface GivenScan {
  readonly token: string
  readonly gate?: string
  readonly direction?: Direction
}

type UploadedScan = GivenScan & { readonly scan_id: string }

const UPLOAD_TAKES_MS = 60_000

/**
 * A reader that is stuck shows the same ticket again and again. Such scans share a transaction, which has the
 * ticket for as long as it takes: not for more of them than this.
 */
const MOST_TOGETHER = 20

/** Tickets at the gates. */
export function serveScans(
  router: Router,
  { database, clock, log }: Pick<Kit, 'database' | 'clock' | 'log'>,
  { lanes, priceLists, ticketKeys, scans }: EntryNeeds & { readonly scans: ScanMetrics },
): void {
  router.serve(contract.scan, async call => {
    const { principal, body } = call
    const { scope } = principal
    const { direction = 'in', scan_id, event_id, device_id } = body
    const begun = clock.elapsed()
    const known = await judgeable(scope, body)
    let code: ScanCode | null = 'unknown_ticket'
    const result = known
      ? await inTenant(database, scope, call, async tx => {
          const scan: Scan = {
            ...scanOf(body, known.token, principal),
            deviceId: device_id,
            scanId: scan_id ?? null,
            gateEventId: (event_id?.toLowerCase() ?? null) as EventId | null,
            madeAt: null,
          }
          const scanned = await scanTicket(tx, known.hall, scan)
          code = scanned.code
          return ok({ status: 200, body: { data: scanAnswer(known.hall, direction, scanned) } })
        })
      : ok({ status: 200, body: { data: unknownTicketAnswer(direction) } })
    if (!result.ok) return result
    scans.took(clock.elapsed() - begun)
    told('live', code, { scope, ticketId: known?.token.ticketId ?? null, given: body, deviceId: device_id })
    return result
  })

  router.serve(contract.uploadScans, async call => {
    const { principal, body } = call
    const { scope } = principal
    const stored = await storedAnswer(database, scope, call)
    if (stored) return stored
    const answers: { result: string }[] = []
    // In the order in which they were made: what was written stays when a later one fails.
    const offset = offsetOf(body.sent_at, clock.now())
    const inOrder = body.scans.map((given, index) => ({ given, index, at: Date.parse(given.at) + offset }))
    for (const some of ofOneTicket(inOrder.sort((a, b) => a.at - b.at))) {
      const given = await upload(principal, body, some)
      for (const [place, { index }] of some.entries()) answers[index] = given[place]!
    }
    const admitted = answers.filter(({ result }) => result === 'admitted').length
    const data = { admitted, refused: answers.length - admitted, scans: answers }
    return inTenant(database, scope, call, async () => ok({ status: 200, body: { data } }))
  })

  /** Scans with the same token, in one transaction. */
  async function upload(
    principal: SignedIn,
    { device_id, event_id }: { device_id: string; event_id?: string },
    some: readonly { readonly given: UploadedScan; readonly at: number }[],
  ) {
    const { scope } = principal
    const known = await judgeable(scope, some[0]!.given)
    const all =
      known &&
      (await database.tenant(scope, async tx => {
        const scanned: Scanned[] = []
        for (const { given, at } of some) {
          const scan = {
            ...scanOf(given, known.token, principal),
            deviceId: device_id,
            scanId: given.scan_id,
            gateEventId: (event_id?.toLowerCase() ?? null) as EventId | null,
            madeAt: at,
          }
          scanned.push(await scanTicket(tx, known.hall, scan))
        }
        return scanned
      }))
    return some.map(({ given }, index) => {
      const scanned = all?.[index]
      const code = scanned ? scanned.code : 'unknown_ticket'
      if (!scanned?.isRepeated) {
        told('upload', code, { scope, ticketId: known?.token.ticketId ?? null, given, deviceId: device_id })
      }
      const result = code === null ? 'admitted' : 'refused'
      return { scan_id: given.scan_id, result, code, entry_id: scanned?.entry?.id ?? null }
    })
  }

  /** Reads the ticket that a token names. Null: no key of the organization has signed it. */
  async function judgeable(
    scope: TenantScope,
    { token: text }: GivenScan,
  ): Promise<{ token: Scan['token']; hall: ScanHall } | null> {
    const token = await ticketKeys.verify(scope, text)
    const read = token && (await lanes.read(scope, token.eventId))
    if (!read) return null
    const { zones, seats } = read.view
    return { token, hall: { zones, seats, list: await priceLists.of(read.view) } }
  }

  function told(
    way: 'live' | 'upload',
    code: ScanCode | null,
    scan: { scope: TenantScope; ticketId: string | null; given: GivenScan; deviceId: string },
  ): void {
    scans.scanned(way, code)
    const { scope, ticketId, given, deviceId } = scan
    const line = {
      organization_id: scope.organizationId,
      ticket_id: ticketId,
      gate: given.gate ?? null,
      direction: given.direction ?? 'in',
      device_id: deviceId,
      code,
    }
    if (way === 'live')
      log.info(line, code === null ? 'a ticket opened a gate' : 'a ticket did not open a gate')
    else if (code === null) log.info(line, 'a gate without a network let a ticket through')
    else if (code === 'not_inside') log.info(line, 'an exit waits for its entry')
    else log.warn(line, 'a gate without a network let a ticket through that it should not have')
  }
}

/** A device is wrong by as much when it uploads as it was when it scanned. An upload may take a moment. */
function offsetOf(sentAt: string | undefined, now: number): number {
  const offset = sentAt === undefined ? 0 : now - Date.parse(sentAt)
  return Math.abs(offset) > UPLOAD_TAKES_MS ? offset : 0
}

/** Scans that follow each other and show the same token, together. */
function ofOneTicket<One extends { readonly given: GivenScan }>(scans: readonly One[]): One[][] {
  const groups: One[][] = []
  for (const scan of scans) {
    const last = groups.at(-1)
    const isNext = last && last.length < MOST_TOGETHER && last[0]!.given.token === scan.given.token
    if (isNext) last.push(scan)
    else groups.push([scan])
  }
  return groups
}

function scanOf({ gate, direction = 'in' }: GivenScan, token: Scan['token'], { user }: SignedIn) {
  return { token, direction, gate: gate ?? null, scannedBy: user.userId }
}
