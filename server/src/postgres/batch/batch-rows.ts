import type { Change } from '@voelgoed/core/event/change'
import type { Actor, Command } from '@voelgoed/core/event/command'
import { type EventState, isAccessible } from '@voelgoed/core/event/state'
import type { CommandId, HoldId, TicketId } from '@voelgoed/core/ids'
import { assertNever } from '@voelgoed/core/result'
import type { StoredAnswer } from '../tables/idempotency-keys.ts'
import { bigints, bytes, ints, jsons, labels, texts, timestamps, uuids } from './binary-arrays.ts'
import type { BatchRows, Columns, LedgerRows } from './write-batch.ts'

/** An answer to be stored under its idempotency key, with the changes it tells of. */
export interface KeptAnswer extends StoredAnswer {
  readonly keyHash: Buffer
}

/**
 * Collects the changes of a batch and turns them into rows: all of them for the journal; for holds, seats and
 * zones the net effect, because one statement can't touch a row twice and a seat may be freed and taken again
 * within a batch.
 */
export class BatchBuilder {
  readonly #state: EventState
  readonly #seqBefore: number
  readonly #changes: Change[] = []
  #firstCommand: CommandId | null = null
  #lastCommand: CommandId | null = null
  #firstKept: KeptAnswer | null = null
  #journal: { change: Change; command: Command }[] = []
  readonly #newHolds = new Map<HoldId, NewHold>()
  readonly #changedHolds = new Map<HoldId, HoldFields>()
  readonly #seats = new Map<number, SeatFields>()
  #tickets: TicketFields[] = []
  #entries: AccessibilityEntry[] = []
  readonly #zones = new Map<number, { index: number; held: number; sold: number; blocked: number }>()
  readonly #capacities = new Map<number, number>()
  #answers: KeptAnswer[] = []
  #answersKept = 0

  /** `state` must be the one before the first change of the batch. */
  constructor(state: EventState) {
    this.#state = state
    this.#seqBefore = state.seq
  }

  get isEmpty(): boolean {
    return this.#changes.length === 0 && this.#answersKept === 0
  }

  get changes(): readonly Change[] {
    return this.#changes
  }

  /** Changes added since rows were last taken. */
  get unsent(): number {
    return this.#journal.length
  }

  get firstCommand(): CommandId | null {
    return this.#firstCommand
  }

  get lastCommand(): CommandId | null {
    return this.#lastCommand
  }

  get firstKept(): KeptAnswer | null {
    return this.#firstKept
  }

  keep(answer: KeptAnswer): void {
    this.#firstKept ??= answer
    this.#answers.push(answer)
    this.#answersKept += 1
  }

  /** To be called before the change is applied: a hold that ends is still in the state then. */
  add(change: Change, command: Command): void {
    this.#changes.push(change)
    this.#firstCommand ??= command.commandId
    this.#lastCommand = command.commandId
    this.#journal.push({ change, command })
    this.#audit(change, command)
    switch (change.kind) {
      case 'seat_reserved':
        this.#newHolds.set(change.holdId, {
          userId: change.userId,
          ordinal: change.ordinal,
          zoneIndex: change.zoneIndex,
          quantity: change.quantity,
          createdAt: change.at,
          cartToken: change.cartToken,
          source: command.actor.source,
          ip: change.ip,
          fields: {
            id: change.holdId,
            userId: change.userId,
            quantity: change.quantity,
            status: 'active',
            heldUntil: change.heldUntil,
            capUntil: change.capUntil,
            checkoutId: null,
            endedAt: null,
            endReason: null,
          },
        })
        this.#seat(change, heldBy(change))
        this.#count(change.zoneIndex, { held: change.quantity })
        break
      case 'seat_hold_extended':
        this.#postpone(change)
        this.#seat(change, heldBy(change))
        break
      case 'payment_started':
        this.#postpone(change).checkoutId = change.checkoutId
        this.#seat(change, heldBy(change))
        break
      case 'hold_reduced':
        this.#hold(change.holdId).quantity = change.quantity
        this.#count(change.zoneIndex, { held: -change.freed })
        break
      case 'hold_transferred':
        this.#postpone(change).userId = change.userId
        this.#seat(change, heldBy(change))
        break
      case 'seat_hold_expired':
        this.#end(change, 'expired', 'ttl_expired')
        this.#seat(change, FREE)
        this.#count(change.zoneIndex, { held: -change.quantity })
        break
      case 'seat_released':
        this.#end(change, 'cancelled', change.reason)
        this.#seat(change, FREE)
        this.#count(change.zoneIndex, { held: -change.quantity })
        break
      case 'seat_converted':
        this.#end(change, 'converted', 'converted')
        this.#seat(change, {
          status: 'sold',
          holdId: change.holdId,
          ticketId: change.ticketIds[0] ?? null,
          heldUntil: null,
        })
        this.#count(change.zoneIndex, { held: -change.quantity, sold: change.quantity })
        for (const id of change.ticketIds) {
          this.#tickets.push({
            id,
            holdId: change.holdId,
            userId: change.userId,
            ordinal: change.ordinal,
            zoneIndex: change.zoneIndex,
            checkoutId: change.checkoutId,
            createdAt: change.at,
          })
        }
        break
      case 'seat_blocked':
        this.#seat(change, { ...FREE, status: 'blocked' })
        this.#count(change.zoneIndex, { blocked: 1 })
        break
      case 'seat_unblocked':
        this.#seat(change, FREE)
        this.#count(change.zoneIndex, { blocked: -1 })
        break
      case 'event_changed':
        for (const { zoneIndex, capacity } of change.zones ?? []) this.#capacities.set(zoneIndex, capacity)
        break
      default:
        assertNever(change, 'a kind of change that has no rows')
    }
  }

  /** What happens to wheelchair and companion seats has an audit entry, if the event's policy wants it. */
  #audit(change: Change, command: Command): void {
    if (!('holdId' in change) || change.ordinal === null || !(change.kind in ACCESSIBILITY_ACTIONS)) return
    const { seats, settings } = this.#state
    if (!isAccessible(seats, change.ordinal) || !settings.policy.accessibility_audit_enabled) return
    this.#entries.push({ change: change as AccessibilityEntry['change'], ordinal: change.ordinal, command })
  }

  /** The rows of everything added since they were last taken. All of it must have been applied. */
  take(): BatchRows {
    const { seatIds } = this.#state.seats
    const journal = this.#journal
    const newHolds = [...this.#newHolds.values()]
    const changedHolds = [...this.#changedHolds.values()]
    const seats = [...this.#seats.values()]
    const newSeats = seats.filter(seat => seat.versionBefore === 0)
    const changedSeats = newSeats.length === seats.length ? [] : seats.filter(seat => seat.versionBefore > 0)
    const tickets = this.#tickets
    const entries = this.#entries
    const answers = this.#answers
    this.#journal = []
    this.#newHolds.clear()
    this.#changedHolds.clear()
    this.#seats.clear()
    this.#tickets = []
    this.#entries = []
    this.#answers = []
    return {
      journal: columns(journal, rows => [
        bigints(rows, row => row.change.seq),
        texts(rows, row => row.change.kind),
        uuids(rows, row => row.command.commandId),
        uuids(rows, row => row.command.actor.person?.userId ?? null),
        texts(rows, row => row.command.actor.source),
        timestamps(rows, row => row.change.at),
        jsons(rows, row => journalBody(row.change, row.command.actor)),
        uuids(rows, row => holdToLookUp(row.change)),
        ints(rows, row => blockedOrdinal(row.change)),
      ]),
      newHolds: columns(newHolds, rows => [
        uuids(rows, hold => hold.fields.id),
        uuids(rows, hold => hold.fields.userId),
        ints(rows, hold => hold.ordinal),
        uuids(rows, hold => (hold.ordinal === null ? null : seatIds[hold.ordinal]!)),
        ints(rows, hold => hold.zoneIndex),
        ints(rows, hold => hold.fields.quantity),
        labels(rows, hold => hold.fields.status),
        timestamps(rows, hold => hold.createdAt),
        timestamps(rows, hold => hold.fields.heldUntil),
        timestamps(rows, hold => hold.fields.capUntil),
        uuids(rows, hold => hold.fields.checkoutId),
        texts(rows, hold => hold.cartToken),
        texts(rows, hold => hold.source),
        texts(rows, hold => hold.ip),
        timestamps(rows, hold => hold.fields.endedAt),
        labels(rows, hold => hold.fields.endReason),
        uuids(rows, hold => (hold.fields.userId === hold.userId ? null : hold.userId)),
        ints(rows, hold => (hold.fields.quantity === hold.quantity ? null : hold.quantity)),
      ]),
      changedHolds: columns(changedHolds, rows => [
        uuids(rows, hold => hold.id),
        labels(rows, hold => hold.status),
        timestamps(rows, hold => hold.heldUntil),
        timestamps(rows, hold => hold.capUntil),
        uuids(rows, hold => hold.checkoutId),
        timestamps(rows, hold => hold.endedAt),
        labels(rows, hold => hold.endReason),
        uuids(rows, hold => hold.userId),
        ints(rows, hold => hold.quantity),
      ]),
      newSeats: columns(newSeats, seatColumns),
      changedSeats: columns(changedSeats, rows => [
        ...seatColumns(rows),
        ints(rows, seat => seat.versionBefore),
      ]),
      tickets: columns(tickets, rows => [
        uuids(rows, ticket => ticket.id),
        uuids(rows, ticket => ticket.holdId),
        uuids(rows, ticket => ticket.userId),
        ints(rows, ticket => ticket.ordinal),
        uuids(rows, ticket => (ticket.ordinal === null ? null : seatIds[ticket.ordinal]!)),
        ints(rows, ticket => ticket.zoneIndex),
        uuids(rows, ticket => ticket.checkoutId),
        timestamps(rows, ticket => ticket.createdAt),
      ]),
      audit: columns(entries, rows => [
        texts(rows, entry => ACCESSIBILITY_ACTIONS[entry.change.kind]),
        texts(rows, entry => (entry.command.actor.person ? 'user' : 'system')),
        uuids(rows, entry => entry.command.actor.person?.userId ?? null),
        texts(rows, entry => entry.command.actor.from?.address ?? null),
        texts(rows, entry => entry.command.actor.from?.userAgent ?? null),
        uuids(rows, entry => entry.change.holdId),
        uuids(rows, entry => seatIds[entry.ordinal]!),
        timestamps(rows, entry => entry.change.at),
      ]),
      answers: columns(answers, rows => [
        bytes(rows, answer => answer.keyHash),
        bytes(rows, answer => answer.fingerprint),
        ints(rows, answer => answer.status),
        bytes(rows, answer => answer.answer),
      ]),
    }
  }

  /** What ends a batch: the counters and the ledger, each written once for all of its changes. */
  ledger(nextExpiry: number | null): LedgerRows {
    const zones = [...this.#zones.values()].filter(
      ({ held, sold, blocked }) => held !== 0 || sold !== 0 || blocked !== 0,
    )
    const capacities = [...this.#capacities]
    return {
      seqBefore: this.#seqBefore,
      seqAfter: this.#seqBefore + this.#changes.length,
      nextExpiry,
      zones: columns(zones, rows => [
        ints(rows, zone => zone.index),
        ints(rows, zone => zone.held),
        ints(rows, zone => zone.sold),
        ints(rows, zone => zone.blocked),
      ]),
      capacities: columns(capacities, rows => [
        ints(rows, ([index]) => index),
        ints(rows, ([, capacity]) => capacity),
      ]),
    }
  }

  #hold(holdId: HoldId): HoldFields {
    const fields = this.#newHolds.get(holdId)?.fields ?? this.#changedHolds.get(holdId)
    if (fields) return fields
    const hold = this.#state.holds.get(holdId)!
    const known: HoldFields = {
      id: holdId,
      userId: hold.user.key,
      quantity: hold.quantity,
      status: 'active',
      heldUntil: hold.heldUntil,
      capUntil: hold.capUntil,
      checkoutId: hold.checkoutId,
      endedAt: null,
      endReason: null,
    }
    this.#changedHolds.set(holdId, known)
    return known
  }

  #postpone(change: { holdId: HoldId; heldUntil: number; capUntil?: number }): HoldFields {
    const fields = this.#hold(change.holdId)
    fields.heldUntil = change.heldUntil
    if (change.capUntil !== undefined) fields.capUntil = change.capUntil
    return fields
  }

  #end(change: { holdId: HoldId; at: number }, status: string, reason: string): void {
    Object.assign(this.#hold(change.holdId), { status, endedAt: change.at, endReason: reason })
  }

  #seat(change: { ordinal: number | null; version: number | null }, fields: SeatStanding): void {
    if (change.ordinal === null) return
    const versionBefore = this.#seats.get(change.ordinal)?.versionBefore ?? change.version! - 1
    const { status, holdId, ticketId, heldUntil } = fields
    const { ordinal } = change
    this.#seats.set(ordinal, {
      ordinal,
      status,
      holdId,
      ticketId,
      heldUntil,
      version: change.version!,
      versionBefore,
    })
  }

  #count(zoneIndex: number, by: { held?: number; sold?: number; blocked?: number }): void {
    let counts = this.#zones.get(zoneIndex)
    if (!counts) {
      counts = { index: zoneIndex, held: 0, sold: 0, blocked: 0 }
      this.#zones.set(zoneIndex, counts)
    }
    counts.held += by.held ?? 0
    counts.sold += by.sold ?? 0
    counts.blocked += by.blocked ?? 0
  }
}

interface HoldFields {
  readonly id: HoldId
  userId: string
  quantity: number
  status: string
  heldUntil: number
  capUntil: number
  checkoutId: string | null
  endedAt: number | null
  endReason: string | null
}

/** `userId` and `quantity` are those of its making; `fields` has what became of them. */
interface NewHold {
  readonly userId: string
  readonly ordinal: number | null
  readonly zoneIndex: number
  readonly quantity: number
  readonly createdAt: number
  readonly cartToken: string | null
  readonly source: string
  readonly ip: string | null
  readonly fields: HoldFields
}

interface AccessibilityEntry {
  readonly change: Extract<Change, { kind: keyof typeof ACCESSIBILITY_ACTIONS }>
  readonly ordinal: number
  readonly command: Command
}

const ACCESSIBILITY_ACTIONS = {
  seat_reserved: 'accessibility_seat_held',
  seat_released: 'accessibility_seat_released',
  seat_hold_expired: 'accessibility_seat_expired',
  seat_converted: 'accessibility_seat_booked',
} as const satisfies Partial<Record<Change['kind'], string>>

type SeatStanding = Pick<SeatFields, 'status' | 'holdId' | 'ticketId' | 'heldUntil'>

interface SeatFields {
  readonly ordinal: number
  readonly status: string
  readonly holdId: HoldId | null
  readonly ticketId: TicketId | null
  readonly heldUntil: number | null
  readonly version: number
  /** Of the row in the database; 0 when there is none yet. */
  readonly versionBefore: number
}

interface TicketFields {
  readonly id: TicketId
  readonly holdId: HoldId
  readonly userId: string
  readonly ordinal: number | null
  readonly zoneIndex: number
  readonly checkoutId: string
  readonly createdAt: number
}

function heldBy({ holdId, heldUntil }: { holdId: HoldId; heldUntil: number }): SeatStanding {
  return { status: 'held', holdId, ticketId: null, heldUntil }
}

const FREE = { status: 'available', holdId: null, ticketId: null, heldUntil: null } as const

function seatColumns(rows: readonly SeatFields[]): (Buffer | string)[] {
  return [
    ints(rows, seat => seat.ordinal),
    labels(rows, seat => seat.status),
    uuids(rows, seat => seat.holdId),
    uuids(rows, seat => seat.ticketId),
    timestamps(rows, seat => seat.heldUntil),
    ints(rows, seat => seat.version),
  ]
}

function columns<Row>(
  rows: readonly Row[],
  columnsOf: (rows: readonly Row[]) => readonly (Buffer | string)[],
): Columns {
  return { rows: rows.length, columns: rows.length === 0 ? [] : columnsOf(rows) }
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
