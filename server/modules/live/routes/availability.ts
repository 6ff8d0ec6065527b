import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import * as contract from '@voelgoed/contract/holds'
import type { Change } from '@voelgoed/core/event/change'
import { holdOf } from '@voelgoed/core/event/state'
import { seatStatusFor } from '@voelgoed/core/event/view'
import type { EventId, SeatId } from '@voelgoed/core/ids'
import { hasSeats } from '@voelgoed/core/layout/model'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { readJournal } from '@voelgoed/engine/tables/journal'
import { CommittedView } from '@voelgoed/engine/view/committed-view'
import { databaseNow } from '@voelgoed/engine/view/hot-event'
import { loadDraft } from '@voelgoed/engine/view/load-event'
import type { SeatMaps } from '@voelgoed/engine/view/seat-maps'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { acceptedEncoding } from '@voelgoed/kit/http/accepted-encoding'
import type { Call, TakenOver } from '@voelgoed/kit/http/call'
import { wantedSeq } from '@voelgoed/kit/http/event-seq'
import type { LiveTokens } from '@voelgoed/kit/http/live-tokens'
import type { OpenStream, OpenStreams } from '@voelgoed/kit/http/open-streams'
import type { SignedIn } from '@voelgoed/kit/http/principals'
import type { Router } from '@voelgoed/kit/http/serve'
import { outageKind } from '@voelgoed/kit/postgres/outage'
import type { ColdReads } from '../../copies/cold-reads.ts'
import type { CountTierRead } from '../../copies/tier-metrics.ts'
import { visibleTo } from '../../events/routes/events.ts'
import type { Kit } from '../../module.ts'
import { type LiveReaders, MAX_MISSED } from '../feed.ts'
import { occupancyAnswer } from '../occupancy-answer.ts'
import { copiedSnapshot, type Snapshot, type Snapshots } from '../snapshots.ts'

export interface AvailabilityNeeds {
  readonly lanes: Lanes
  readonly copies: {
    /** Answers for events that are not in memory. */
    readonly coldReads: ColdReads
    readonly countTierRead: CountTierRead
  }
  readonly seatMaps: SeatMaps
  readonly liveTokens: LiveTokens
  readonly feed: LiveReaders
  readonly streams: OpenStreams
  readonly snapshots: Snapshots
}

type Tier = 'hot' | 'redis' | 'postgres'

type ReadCall = Pick<Call<typeof contract.readAvailability>, 'principal' | 'params' | 'headers'>
type ReadEvent = { readonly view: CommittedView; readonly tier: 'hot' | 'postgres' }

/** Buyers read seats: which are free, how full the event is, and what changes. */
export function serveAvailability(
  router: Router,
  { database }: Pick<Kit, 'database'>,
  { lanes, copies, seatMaps, feed, snapshots, streams, liveTokens }: AvailabilityNeeds,
): void {
  const { coldReads, countTierRead } = copies

  router.serve(contract.readAvailability, async call => {
    const isBinary = String(call.headers.accept ?? '').includes('application/octet-stream')
    const found = (isBinary && (await coldAvailability(call.principal, call.params.event))) || null
    if (found) return found.ok ? ok(availabilityAnswer(found.value, 'redis', isBinary, call.headers)) : found
    const read = isBinary ? await readEvent(call) : await readOwn(call)
    if (!read.ok) return read
    const { view, tier } = read.value
    const { userId } = call.principal.user
    const snapshot = isBinary
      ? snapshots.binary(view)
      : await snapshots.json(view, { userId, encoding: acceptedEncoding(call.headers) })
    if (!snapshot) return refuse({ kind: 'busy', retryAfterSeconds: 1 })
    return ok(availabilityAnswer(snapshot, tier, isBinary, call.headers))
  })

  const availabilityAnswer = (
    { seq, etag, encoding, bytes }: Snapshot,
    tier: Tier,
    isBinary: boolean,
    headers: IncomingHttpHeaders,
  ) => {
    const isKnown = headers['if-none-match'] === etag
    return {
      status: isKnown ? 304 : 200,
      bytes: isKnown ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
      headers: {
        ...(!isKnown && {
          'content-type': isBinary ? 'application/octet-stream' : 'application/json; charset=utf-8',
        }),
        'voelgoed-seq': String(seq),
        'voelgoed-tier': tier,
        'cache-control': 'private, no-cache',
        vary: 'accept, accept-encoding, authorization',
        etag,
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      },
    }
  }

  router.serve(contract.readSeat, async call => {
    const { scope, user } = call.principal
    const { event, seat } = call.params
    const wanted = { seatId: seat.toLowerCase() as SeatId, userId: user.userId }
    const startedAt = performance.now()
    const found = await coldReads.seat(scope, event as EventId, wanted)
    if (found) {
      countTierRead('redis', performance.now() - startedAt)
      if (!visibleTo(user.role, { status: found.eventStatus, wasOnSale: true })) {
        return refuse({ kind: 'event_not_found' })
      }
      const { status, expiresInMs } = found
      const expires = expiresInMs === null ? {} : { expires_in_seconds: Math.ceil(expiresInMs / 1000) }
      return ok({
        status: 200,
        body: { data: { seat_id: seat, status, ...expires } },
        headers: { 'voelgoed-tier': 'redis' },
      })
    }
    const read = await readOwn(call)
    if (!read.ok) return read
    const { view, tier } = read.value
    const ordinal = view.seats.map.seatIds.ordinalOf(call.params.seat)
    const zone = ordinal === undefined ? undefined : view.zones[view.seats.map.zoneOf[ordinal]!]!
    if (ordinal === undefined || !zone || !hasSeats(zone.zoneType)) return refuse({ kind: 'seat_not_found' })
    const now = databaseNow(view)
    const status = seatStatusFor(view.state, { ordinal, userId: call.principal.user.userId }, now)
    const hold = status === 'held' || status === 'held_by_me' ? holdOf(view.state, ordinal) : null
    return ok({
      status: 200,
      body: {
        data: {
          seat_id: call.params.seat,
          status,
          ...(hold && { expires_in_seconds: Math.max(0, Math.ceil((hold.heldUntil - now) / 1000)) }),
        },
      },
      headers: { 'voelgoed-tier': tier },
    })
  })

  router.serve(contract.readOccupancy, async call => {
    const read = await readEvent(call)
    if (!read.ok) return read
    const { view, tier } = read.value
    const timestamp = new Date(databaseNow(view)).toISOString()
    return ok({
      status: 200,
      body: { data: { ...occupancyAnswer(view.state), seq: view.seq, timestamp } },
      headers: { 'voelgoed-tier': tier },
    })
  })

  router.serve(contract.createLiveToken, async call => {
    const { scope, tokenHash } = call.principal
    const read = await readEvent(call)
    if (!read.ok) return read
    const { token, expiresAt } = liveTokens.make(scope.organizationId, call.params.event, tokenHash)
    return ok({ status: 201, body: { data: { token, expires_at: new Date(expiresAt).toISOString() } } })
  })

  router.serve(contract.live, async call => {
    const entered = streams.enter(call.principal, call.addressKey)
    if (!entered.ok) return entered
    const stream = entered.value
    try {
      const opened = await openStream(call, stream)
      if (!opened.ok) stream.leave()
      return opened
    } catch (error) {
      stream.leave()
      throw error
    }
  })

  async function openStream(
    call: Call<typeof contract.live>,
    stream: OpenStream,
  ): Promise<Result<TakenOver, Refusal>> {
    const { scope } = call.principal
    const eventId = call.params.event as EventId
    const lastId = call.headers['last-event-id'] ?? call.query.last_event_id
    const since = typeof lastId === 'string' && /^\d{1,15}$/.test(lastId) ? Number(lastId) : null
    let read = await readEvent(call)
    if (read.ok && since !== null && since > read.value.view.seq) {
      // The reader comes from a node that was ahead of this one.
      await lanes.lane(scope, eventId).sync()
      read = await readEvent(call)
    }
    if (!read.ok) return read
    // A draft may have been published, and loaded by another request, while it was read.
    const view = lanes.inMemory(scope, eventId) ?? read.value.view
    const door = feed.open(view)
    // Kept in memory from here on, so that the feed hears of every change.
    const unwatch = lanes.watch(scope, eventId)
    const journal = since === null ? [] : await missedBefore(scope, eventId, since, door.rememberedFrom)
    return ok({
      status: 200,
      take(response: ServerResponse, headers: object) {
        if (response.destroyed) {
          // The client left while the journal was read, so no `close` will be heard.
          stream.leave()
          unwatch()
          door.close()
          return
        }
        response.on('close', unwatch)
        // A client that has gone must not end the process.
        response.on('error', () => {})
        response.writeHead(200, {
          ...headers,
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        })
        // Asked now: the loss may have been noticed while the journal was read. Then only a snapshot helps.
        const isLost = since !== null && since <= view.lostUpTo
        const isPaused = call.principal.suspension !== null
        door.add(response, { since, journal: isLost ? null : journal, isPaused })
        stream.attach(response)
      },
    })
  }

  /**
   * Reads what the journal has after `since`, up to where the feed's own memory begins. Null: that is too
   * much, or gone.
   */
  async function missedBefore(
    scope: TenantScope,
    eventId: EventId,
    since: number,
    rememberedFrom: number,
  ): Promise<Change[] | null> {
    const missed = rememberedFrom - since
    if (missed <= 0) return []
    if (missed > MAX_MISSED) return null
    const journal = await database
      .tenant(scope, tx => readJournal(tx, eventId, since, missed))
      .catch(() => null)
    return journal?.length === missed ? journal : null
  }

  /** Null: this node has the event in memory, or Redis can't tell. */
  async function coldAvailability(
    { scope, user }: SignedIn,
    id: string,
  ): Promise<Result<Snapshot, Refusal> | null> {
    const startedAt = performance.now()
    const found = await coldReads.seats(scope, id as EventId)
    if (!found) return null
    countTierRead('redis', performance.now() - startedAt)
    const { status, packed, point, zones } = found
    return visibleTo(user.role, { status, wasOnSale: true })
      ? ok(copiedSnapshot(packed, { seq: point.seq, zones }))
      : refuse({ kind: 'event_not_found' })
  }

  /** As new as what this node has heard of, and as the reader asks for. */
  function readEvent(call: ReadCall): Promise<Result<ReadEvent, Refusal>> {
    return readBy(call, (scope, eventId) => lanes.read(scope, eventId, wantedSeq(call.headers)))
  }

  /**
   * An answer that names the reader's own holds is as new as what they did last. Where this node can not get
   * so far in time, or can not ask how far that is, it tells what it has heard: the hall is everyone's.
   */
  function readOwn(call: ReadCall): Promise<Result<ReadEvent, Refusal>> {
    return readBy(call, async (scope, eventId) => {
      const isLoaded = lanes.inMemory(scope, eventId) !== null
      const read = await lanes.readOwn(scope, eventId).catch((error: unknown) => {
        if (outageKind(error) === null) throw error
        return lanes.read(scope, eventId)
      })
      return read && { view: read.view, tier: isLoaded ? 'hot' : 'postgres' }
    })
  }

  /** An event that this person may see, in memory. A draft has no lane: it is read as it stands. */
  async function readBy(
    { principal: { scope, user }, params: { event: id } }: ReadCall,
    readLane: (scope: TenantScope, eventId: EventId) => Promise<ReadEvent | null>,
  ): Promise<Result<ReadEvent, Refusal>> {
    const startedAt = performance.now()
    const read = await readLane(scope, id as EventId)
    countTierRead(read?.tier ?? 'postgres', performance.now() - startedAt)
    if (read) {
      const { status } = read.view.state.settings
      return visibleTo(user.role, { status, wasOnSale: true })
        ? ok(read)
        : refuse({ kind: 'event_not_found' })
    }
    const address = { scope, eventId: id as EventId }
    const draft = await loadDraft(database, seatMaps, address, event => visibleTo(user.role, event))
    if (!draft) return refuse({ kind: 'event_not_found' })
    const view = new CommittedView(address, draft)
    return ok({ view, tier: 'postgres' as const })
  }
}
