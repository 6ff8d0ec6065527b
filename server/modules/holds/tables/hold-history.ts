import type { Change } from '@voelgoed/core/event/change'
import type { Entry } from '@voelgoed/core/event/packed-changes'
import type { CheckoutId, EventId, OrganizationId, UserId } from '@voelgoed/core/ids'
import { assert } from '@voelgoed/core/result'
import { entriesBetween, STEPS_A_PAGE, storyPage } from '@voelgoed/engine/tables/journal'
import { bigints, ints, labels, texts, timestamps, uuids } from '@voelgoed/kit/postgres/binary-arrays'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

/** An event whose journal has entries that are not in the history yet. */
export interface EventBehind {
  readonly organizationId: OrganizationId
  readonly eventId: EventId
  readonly seq: number
  readonly cursor: number
}

const BEHIND = `select l.organization_id, l.event_id, l.seq::float8 as seq, coalesce(c.seq, 0)::float8 as cursor
  from event_ledgers l
  left join history_cursors c on c.organization_id = l.organization_id and c.event_id = l.event_id
  where l.seq > coalesce(c.seq, 0)`

type BehindRow = { organization_id: OrganizationId; event_id: EventId; seq: number; cursor: number }

export async function eventsBehind(
  tx: PlatformTx,
  limit: number,
  except: readonly EventId[],
): Promise<EventBehind[]> {
  const rows = await tx.query<BehindRow>(`${BEHIND} and l.event_id <> all($2::uuid[]) limit $1`, [
    limit,
    except,
  ])
  return rows.map(toBehind)
}

/** Finds the events behind of one organization, or one of its events. */
export async function eventsBehindOf(tx: TenantTx, eventId: EventId | null): Promise<EventBehind[]> {
  const rows = await tx.query<BehindRow>(
    `${BEHIND} and l.organization_id = $1 and ($2::uuid is null or l.event_id = $2) order by l.event_id`,
    [eventId],
  )
  return rows.map(toBehind)
}

function toBehind({ organization_id, event_id, seq, cursor }: BehindRow): EventBehind {
  return { organizationId: organization_id, eventId: event_id, seq, cursor }
}

export interface HistoryChunk {
  /** Another node is at it: nothing was read. */
  readonly isTaken: boolean
  /** Entries of the journal that were read. */
  readonly entries: number
  /** The history reaches to this entry. */
  readonly cursor: number
  /** The first of these entries was written so long ago, by the database's clock. */
  readonly lagMs: number
  /** The holds that ended with these entries. */
  readonly ended: readonly EndedHold[]
}

/**
 * Writes the history of the next `limit` entries of an event's journal, and moves the cursor past them in the
 * same transaction: each hold is written once, whatever crashes, and a commit that Postgres loses is lost
 * with its cursor. One node at a time: it does not wait for another one that is at it, because each of many
 * waiting nodes would keep a connection, and have its turn only after all the others.
 */
export async function writeHistory(tx: TenantTx, eventId: EventId, limit: number): Promise<HistoryChunk> {
  let own = await tx.one<Cursor>(`${CURSOR} for update skip locked`, [eventId])
  if (!own) {
    const others = await tx.one<Cursor>(CURSOR, [eventId])
    if (others) {
      // Nothing was written: a connection that breaks now leaves no doubt.
      tx.discard()
      return { isTaken: true, entries: 0, cursor: others.seq, lagMs: 0, ended: [] }
    }
    own = await makeCursor(tx, eventId)
  }
  const entries = await entriesBetween(tx, eventId, { from: own.seq + 1, to: own.seq + limit })
  if (entries.length === 0) return { isTaken: false, entries: 0, cursor: own.seq, lagMs: 0, ended: [] }
  const last = entries.at(-1)!.change.seq
  assert(last === own.seq + entries.length, 'the journal has no gap')
  const ended = await endedHolds(tx, eventId, entries)
  insertHolds(tx, eventId, ended)
  const [moved] = await tx.query<{ now: number }>(
    `update history_cursors set seq = $3 where organization_id = $1 and event_id = $2
     returning floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    [eventId, last],
  )
  const lagMs = Math.max(0, moved!.now - entries[0]!.change.at)
  return { isTaken: false, entries: entries.length, cursor: last, lagMs, ended }
}

const CURSOR = 'select seq::float8 as seq from history_cursors where organization_id = $1 and event_id = $2'

interface Cursor extends Record<string, unknown> {
  readonly seq: number
}

/**
 * A ledger is made with its cursor, but was not by older versions. An insert waits for another one of the
 * same row, and for a change of it that is not committed: so it is only tried where there is no row.
 */
async function makeCursor(tx: TenantTx, eventId: EventId): Promise<Cursor> {
  await tx.query(
    'insert into history_cursors (organization_id, event_id, seq) values ($1, $2, 0) on conflict do nothing',
    [eventId],
  )
  return (await tx.one<Cursor>(`${CURSOR} for update`, [eventId]))!
}

/** A hold was like this when it ended. */
export interface EndedHold {
  readonly end: EndOfHold
  readonly userId: UserId
  /** This user took it, where that is not its last owner. */
  readonly takenBy: UserId | null
  readonly createdAt: number
  readonly heldUntil: number
  readonly capUntil: number
  readonly checkoutId: CheckoutId | null
  readonly cartToken: string | null
  readonly source: string
  readonly ip: string | null
}

type EndOfHold = Extract<Change, { kind: 'seat_hold_expired' | 'seat_released' | 'seat_converted' }>

function isEnd(change: Change): change is EndOfHold {
  return (
    change.kind === 'seat_hold_expired' || change.kind === 'seat_released' || change.kind === 'seat_converted'
  )
}

/** Holds whose stories are read together. */
const STORIES_AT_ONCE = 500

/** Each end leads back, entry by entry, to the one that made the hold. However long that is: page by page. */
async function endedHolds(tx: TenantTx, eventId: EventId, entries: readonly Entry[]): Promise<EndedHold[]> {
  const ends = entries.filter(entry => isEnd(entry.change))
  const ended: EndedHold[] = []
  for (let from = 0; from < ends.length; from += STORIES_AT_ONCE) {
    const some = ends.slice(from, from + STORIES_AT_ONCE)
    const stories = new Map(some.map(end => [(end.change as EndOfHold).holdId, new Story(end)]))
    let wanted: readonly number[] = some.map(end => end.change.seq)
    while (wanted.length > 0) {
      const page = await storyPage(tx, eventId, wanted, STEPS_A_PAGE)
      for (const entry of page.entries) {
        if ('holdId' in entry.change) stories.get(entry.change.holdId)!.goBack(entry)
      }
      wanted = page.rest
    }
    for (const story of stories.values()) ended.push(story.toEndedHold())
  }
  return ended
}

/** A hold, told from its end back to its beginning: what is told first is what was true at the end. */
class Story {
  readonly #end: EndOfHold
  #first: Entry
  #userId: UserId | null = null
  #heldUntil: number | null = null
  #capUntil: number | null = null
  /** Undefined: not known yet. */
  #checkoutId: CheckoutId | null | undefined

  constructor(end: Entry) {
    this.#end = end.change as EndOfHold
    this.#first = end
  }

  goBack(entry: Entry): void {
    const { change } = entry
    this.#first = entry
    if (change.kind === 'hold_transferred') this.#userId ??= change.userId
    if (this.#checkoutId === undefined && change.kind === 'payment_started')
      this.#checkoutId = change.checkoutId
    if (this.#checkoutId === undefined && change.kind === 'payment_ended') this.#checkoutId = null
    if ('heldUntil' in change) this.#heldUntil ??= change.heldUntil
    if ('capUntil' in change) this.#capUntil ??= change.capUntil ?? null
  }

  toEndedHold(): EndedHold {
    const { change: made, source } = this.#first
    assert(made.kind === 'seat_reserved', 'the story of a hold begins with it')
    const owner = this.#userId ?? made.userId
    return {
      end: this.#end,
      userId: owner,
      takenBy: owner === made.userId ? null : made.userId,
      createdAt: made.at,
      heldUntil: this.#heldUntil!,
      capUntil: this.#capUntil!,
      checkoutId: this.#checkoutId ?? null,
      cartToken: made.cartToken,
      source,
      ip: made.ip,
    }
  }
}

function insertHolds(tx: TenantTx, eventId: EventId, holds: readonly EndedHold[]): void {
  if (holds.length === 0) return
  tx.send(
    'history_holds',
    `insert into hold_history (organization_id, event_id, id, user_id, ordinal, zone_index, quantity, status, created_at,
       held_until, cap_until, ended_at, end_reason, checkout_id, cart_token, source, ip, last_seq, taken_by)
     select $1, $2, unnest($3::uuid[]), unnest($4::uuid[]), unnest($5::int[]), unnest($6::int[]), unnest($7::int[]),
       unnest($8::hold_status[]), unnest($9::timestamptz[]), unnest($10::timestamptz[]), unnest($11::timestamptz[]),
       unnest($12::timestamptz[]), unnest($13::hold_end_reason[]), unnest($14::uuid[]), unnest($15::text[]),
       unnest($16::text[]), unnest($17::text[]), unnest($18::bigint[]), unnest($19::uuid[])`,
    [
      eventId,
      uuids(holds, hold => hold.end.holdId),
      uuids(holds, hold => hold.userId),
      ints(holds, hold => hold.end.ordinal),
      ints(holds, hold => hold.end.zoneIndex),
      ints(holds, hold => hold.end.quantity),
      labels(holds, hold => STATUS[hold.end.kind]),
      timestamps(holds, hold => hold.createdAt),
      timestamps(holds, hold => hold.heldUntil),
      timestamps(holds, hold => hold.capUntil),
      timestamps(holds, hold => hold.end.at),
      labels(holds, ({ end }) => (end.kind === 'seat_released' ? end.reason : REASON[end.kind])),
      uuids(holds, hold => hold.checkoutId),
      texts(holds, hold => hold.cartToken),
      texts(holds, hold => hold.source),
      texts(holds, hold => hold.ip),
      bigints(holds, hold => hold.end.seq),
      uuids(holds, hold => hold.takenBy),
    ],
  )
}

const STATUS = { seat_hold_expired: 'expired', seat_released: 'cancelled', seat_converted: 'converted' }
const REASON = { seat_hold_expired: 'ttl_expired', seat_converted: 'converted' }
