import type { Data } from './contract.ts'
import { readEventStream, type StreamMessage } from './event-stream.ts'
import { address, anyOf, pause, toError } from './http.ts'
import { Refused } from './refused.ts'

export type SeatStatus = 'available' | 'held' | 'sold' | 'blocked'
export type Occupancy = Omit<Data<'GET /api/events/:event/occupancy'>, 'seq' | 'timestamp'>

export interface Snapshot {
  readonly seq: number
  /** Two bits a seat by ordinal, the first seat in the lowest: 0 available, 1 held, 2 sold, 3 blocked. */
  readonly statuses: Uint8Array
}

export interface SeatChanges {
  readonly seq: number
  readonly seats: readonly (readonly [ordinal: number, status: SeatStatus])[]
  readonly occupancy: Occupancy
  /** Zones without seats in which holds ended that their buyers did not give back. */
  readonly released?: readonly string[]
}

/** Describes whether the event is on sale, as of `seq`. */
export interface SaleStatus
  extends Pick<Data<'GET /api/events/:event'>, 'status' | 'sale_start' | 'sale_end' | 'sales_end_at'> {
  readonly seq: number
  /** The platform has suspended the organization: nothing is sold. Left out: as it was. */
  readonly sales_paused?: boolean
}

/** `connecting`: never heard anything yet. `offline`: what is known may be old; it is being tried again. */
export type FeedState = 'connecting' | 'live' | 'offline'

export interface Follow {
  /** The first of all, and again whenever the server says that changes alone will not do. */
  onSnapshot(snapshot: Snapshot): void
  /** Each seq once, in order. */
  onChanges(changes: SeatChanges): void
  /** With every connection, and whenever the event's status or sale window changes. */
  onStatus?(status: SaleStatus): void
  onState?(state: FeedState): void
  /** The server will not tell this person about this event; nothing more is tried. */
  onRefused?(refused: Refused): void
  readonly signal?: AbortSignal
  /** A feed that says nothing for so long is dead: the server has a heartbeat of 15 s. */
  readonly silenceMs?: number
}

export interface Following {
  readonly state: FeedState
  /** Do not wait for the next try: the network is back, the page is in view again. */
  wake(): void
  stop(): void
}

/** Describes what this file needs of the client. */
interface Caller {
  readonly baseUrl: string
  bytes(
    name: 'GET /api/events/:event/availability',
    input: {
      readonly params: { readonly event: string }
      readonly signal: AbortSignal
      readonly attempts: number
    },
  ): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly headers: Headers }>
}

interface Target {
  readonly eventId: string
  readonly token: () => string | null
  readonly send: typeof fetch
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 20_000

/**
 * Snapshot, then changes by seq, over a stream that may break at any time:
 *
 *   no seq yet, or `reset`  → snapshot (its seq) → stream from that seq
 *   broken, ended, silent   → stream from the last seq, after a pause that doubles, with chance in it
 *
 * The stream is read with fetch rather than EventSource: it takes the Authorization header (no token in a
 * URL, no call for one before each reconnect), it shows why it was refused and for how long,
 * and it shows heartbeats.
 */
export function followEvent(client: Caller, target: Target, follow: Follow): Following {
  const stopped = new AbortController()
  let waking = new AbortController()
  let state: FeedState = 'connecting'
  let seq: number | null = null
  let statusSeq = 0
  let failures = 0
  /** Streams in a row that began with a reset: another node may not know yet that seq went back. */
  let resets = 0

  const isStopped = () => stopped.signal.aborted || (follow.signal?.aborted ?? false)
  const enter = (next: FeedState) => {
    if (state === next || isStopped()) return
    state = next
    follow.onState?.(next)
  }

  async function run(): Promise<void> {
    while (!isStopped()) {
      try {
        if (seq === null) {
          if (resets > 1) await pause(FIRST_WAIT_MS * (0.5 + Math.random() / 2), stopped.signal)
          if (isStopped()) return
          await takeSnapshot()
        }
        if (!isStopped()) await stream()
      } catch (error) {
        if (isStopped()) return
        if (error instanceof Refused && isFinal(error)) {
          enter('offline')
          follow.onRefused?.(error)
          return
        }
        const asked = error instanceof Refused ? (error.retryAfter ?? 0) * 1000 : 0
        enter('offline')
        const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures)
        failures = Math.min(failures + 1, 10)
        waking = new AbortController()
        await pause(asked + wait * (0.5 + Math.random() / 2), anyOf(waking.signal, stopped.signal))
        waking.abort()
      }
    }
  }

  async function takeSnapshot(): Promise<void> {
    const { bytes, headers } = await client.bytes('GET /api/events/:event/availability', {
      params: { event: target.eventId },
      signal: stopped.signal,
      attempts: 1,
    })
    const at = Number(headers.get('voelgoed-seq') ?? Number.NaN)
    if (!Number.isSafeInteger(at)) throw new Error('a snapshot without a seq')
    seq = at
    if (!isStopped()) follow.onSnapshot({ seq, statuses: bytes })
  }

  /** Returns when a new snapshot is needed; throws when the connection is lost. */
  async function stream(): Promise<void> {
    const silent = new AbortController()
    const signal = anyOf(silent.signal, stopped.signal)
    let watchdog: ReturnType<typeof setTimeout> | undefined
    const heard = () => {
      clearTimeout(watchdog)
      watchdog = setTimeout(() => silent.abort(new Error('silence')), follow.silenceMs ?? 40_000)
    }
    heard()
    try {
      const url = address(client.baseUrl, '/api/events/:event/live', { event: target.eventId })
      const bearer = target.token()
      const response = await target.send(url, {
        signal,
        headers: {
          accept: 'text/event-stream',
          'last-event-id': String(seq),
          ...(bearer && { authorization: `Bearer ${bearer}` }),
        },
      })
      if (!response.ok || !response.body) throw await toError(response, 'GET the live feed')
      for await (const message of readEventStream(response.body, heard)) {
        if (isStopped()) return
        failures = 0
        if (message.event === 'reset') {
          // Whatever seq comes next counts, also a smaller one: the server may have lost its last changes.
          seq = null
          statusSeq = 0
          resets += 1
          return
        }
        if (message.event === 'seats') {
          resets = 0
          deliver(message)
        }
        if (message.event === 'status') deliverStatus(JSON.parse(message.data) as SaleStatus)
        enter('live')
      }
      throw new Error('the feed ended')
    } finally {
      clearTimeout(watchdog)
      silent.abort()
    }
  }

  function deliver(message: StreamMessage): void {
    const { status, sale_start, sale_end, sales_end_at, sales_paused, ...changes } = JSON.parse(
      message.data,
    ) as SeatChanges & Partial<SaleStatus>
    // The first message of a connection also carries the status.
    if (status !== undefined) {
      deliverStatus({
        ...{ seq: changes.seq, status },
        ...{ sale_start: sale_start!, sale_end: sale_end!, sales_end_at: sales_end_at! },
        ...(sales_paused !== undefined && { sales_paused }),
      })
    }
    // A resumed feed may begin with nothing new but the counters.
    if (changes.seq < seq! || (changes.seq === seq && changes.seats.length > 0)) return
    seq = changes.seq
    follow.onChanges(changes)
  }

  function deliverStatus(status: SaleStatus): void {
    // One node may be behind another: an older status is not told after a newer one.
    if (status.seq < statusSeq) return
    statusSeq = status.seq
    follow.onStatus?.(status)
  }

  follow.signal?.addEventListener('abort', () => stopped.abort(), { once: true })
  void run()
  return {
    get state() {
      return state
    },
    wake() {
      failures = 0
      waking.abort()
    },
    stop: () => stopped.abort(),
  }
}

/** Trying again would bring the same. */
function isFinal({ status }: Refused): boolean {
  return status === 401 || status === 403 || status === 404
}
