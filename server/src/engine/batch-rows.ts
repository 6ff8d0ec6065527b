import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import type { CommandId, HoldId, TicketId } from '@voelgoed/core/event/ids'
import type { EventState } from '@voelgoed/core/event/state'
import type { BatchRows, Columns } from '../postgres/write-batch.ts'

/** An answer to be stored under its idempotency key, with the changes it tells of. */
export interface KeptAnswer {
  readonly keyHash: Buffer
  readonly fingerprint: Buffer
  readonly status: number
  readonly answer: Buffer
}

/**
 * Collects the changes of a batch and turns them into rows: all of them for the journal; for holds, seats and
 * zones the net effect, because one statement can't touch a row twice and a seat may be freed and taken again
 * within a batch.
 */
export class BatchBuilder {
  readonly #state: EventState
  readonly #seqBefore: number
  readonly #journal: { change: Change; command: Command }[] = []
  readonly #newHolds = new Map<HoldId, NewHold>()
  readonly #changedHolds = new Map<HoldId, HoldFields>()
  readonly #seats = new Map<number, SeatFields>()
  readonly #tickets: TicketFields[] = []
  readonly #zones = new Map<number, { held: number; sold: number; blocked: number }>()
  readonly #capacities = new Map<number, number>()
  readonly #answers: KeptAnswer[] = []

  /** `state` must be the one before the first change of the batch. */
  constructor(state: EventState) {
    this.#state = state
    this.#seqBefore = state.seq
  }

  get isEmpty(): boolean {
    return this.#journal.length === 0 && this.#answers.length === 0
  }

  get changes(): Change[] {
    return this.#journal.map(({ change }) => change)
  }

  get firstCommand(): CommandId | null {
    return this.#journal[0]?.command.commandId ?? null
  }

  keep(answer: KeptAnswer): void {
    this.#answers.push(answer)
  }

  /** To be called before the change is applied: a hold that ends is still in the state then. */
  add(change: Change, command: Command): void {
    this.#journal.push({ change, command })
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
            status: 'active',
            heldUntil: change.heldUntil,
            capUntil: change.capUntil,
            checkoutId: null,
            endedAt: null,
            endReason: null,
          },
        })
        this.#seat(change, {
          status: 'held',
          holdId: change.holdId,
          ticketId: null,
          heldUntil: change.heldUntil,
        })
        this.#count(change.zoneIndex, { held: change.quantity })
        break
      case 'seat_hold_extended':
        this.#hold(change.holdId).heldUntil = change.heldUntil
        this.#seat(change, {
          status: 'held',
          holdId: change.holdId,
          ticketId: null,
          heldUntil: change.heldUntil,
        })
        break
      case 'payment_started':
        Object.assign(this.#hold(change.holdId), {
          heldUntil: change.heldUntil,
          capUntil: change.capUntil,
          checkoutId: change.checkoutId,
        })
        this.#seat(change, {
          status: 'held',
          holdId: change.holdId,
          ticketId: null,
          heldUntil: change.heldUntil,
        })
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
    }
  }

  /** After the last change was applied. */
  rows(nextExpiry: number | null): BatchRows {
    const { seatIds } = this.#state.seats
    const seatId = (ordinal: number | null) => (ordinal === null ? null : seatIds[ordinal]!)
    const seats = [...this.#seats]
    return {
      seqBefore: this.#seqBefore,
      seqAfter: this.#seqBefore + this.#journal.length,
      nextExpiry,
      journal: columns(this.#journal, [
        ({ change }) => change.seq,
        ({ change }) => change.kind,
        ({ command }) => command.commandId,
        ({ command }) => command.actor.person?.userId ?? null,
        ({ command }) => command.actor.source,
        ({ change }) => change.at,
        ({ change }) => quoted(journalBody(change)),
      ]),
      newHolds: columns(
        [...this.#newHolds],
        [
          ([id]) => id,
          ([, hold]) => hold.userId,
          ([, hold]) => hold.ordinal,
          ([, hold]) => seatId(hold.ordinal),
          ([, hold]) => hold.zoneIndex,
          ([, hold]) => hold.quantity,
          ([, { fields }]) => fields.status,
          ([, hold]) => hold.createdAt,
          ([, { fields }]) => fields.heldUntil,
          ([, { fields }]) => fields.capUntil,
          ([, { fields }]) => fields.checkoutId,
          ([, hold]) => (hold.cartToken === null ? null : quoted(hold.cartToken)),
          ([, hold]) => hold.source,
          ([, hold]) => (hold.ip === null ? null : quoted(hold.ip)),
          ([, { fields }]) => fields.endedAt,
          ([, { fields }]) => fields.endReason,
        ],
      ),
      changedHolds: columns(
        [...this.#changedHolds],
        [
          ([id]) => id,
          ([, fields]) => fields.status,
          ([, fields]) => fields.heldUntil,
          ([, fields]) => fields.capUntil,
          ([, fields]) => fields.checkoutId,
          ([, fields]) => fields.endedAt,
          ([, fields]) => fields.endReason,
        ],
      ),
      newSeats: columns(
        seats.filter(([, seat]) => seat.versionBefore === 0),
        SEAT_COLUMNS,
      ),
      changedSeats: columns(
        seats.filter(([, seat]) => seat.versionBefore > 0),
        [...SEAT_COLUMNS, ([, seat]) => seat.versionBefore],
      ),
      tickets: columns(this.#tickets, [
        ticket => ticket.id,
        ticket => ticket.holdId,
        ticket => ticket.userId,
        ticket => ticket.ordinal,
        ticket => seatId(ticket.ordinal),
        ticket => ticket.zoneIndex,
        ticket => ticket.checkoutId,
        ticket => ticket.createdAt,
      ]),
      zones: columns(
        [...this.#zones].filter(
          ([, counts]) => counts.held !== 0 || counts.sold !== 0 || counts.blocked !== 0,
        ),
        [([index]) => index, ([, c]) => c.held, ([, c]) => c.sold, ([, c]) => c.blocked],
      ),
      capacities: columns([...this.#capacities], [([index]) => index, ([, capacity]) => capacity]),
      answers: columns(this.#answers, [
        answer => bytes(answer.keyHash),
        answer => bytes(answer.fingerprint),
        answer => answer.status,
        answer => bytes(answer.answer),
      ]),
    }
  }

  #hold(holdId: HoldId): HoldFields {
    const fields = this.#newHolds.get(holdId)?.fields ?? this.#changedHolds.get(holdId)
    if (fields) return fields
    const hold = this.#state.holds.get(holdId)!
    const known: HoldFields = {
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

  #end(change: { holdId: HoldId; at: number }, status: string, reason: string): void {
    Object.assign(this.#hold(change.holdId), { status, endedAt: change.at, endReason: reason })
  }

  #seat(
    change: { ordinal: number | null; version: number | null },
    fields: Pick<SeatFields, 'status' | 'holdId' | 'ticketId' | 'heldUntil'>,
  ): void {
    if (change.ordinal === null) return
    const versionBefore = this.#seats.get(change.ordinal)?.versionBefore ?? change.version! - 1
    this.#seats.set(change.ordinal, { ...fields, version: change.version!, versionBefore })
  }

  #count(zoneIndex: number, by: { held?: number; sold?: number; blocked?: number }): void {
    let counts = this.#zones.get(zoneIndex)
    if (!counts) {
      counts = { held: 0, sold: 0, blocked: 0 }
      this.#zones.set(zoneIndex, counts)
    }
    counts.held += by.held ?? 0
    counts.sold += by.sold ?? 0
    counts.blocked += by.blocked ?? 0
  }
}

interface HoldFields {
  status: string
  heldUntil: number
  capUntil: number
  checkoutId: string | null
  endedAt: number | null
  endReason: string | null
}

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

interface SeatFields {
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

const FREE = { status: 'available', holdId: null, ticketId: null, heldUntil: null } as const

type Cell = string | number | null

const SEAT_COLUMNS: ((row: [number, SeatFields]) => Cell)[] = [
  ([ordinal]) => ordinal,
  ([, seat]) => seat.status,
  ([, seat]) => seat.holdId,
  ([, seat]) => seat.ticketId,
  ([, seat]) => seat.heldUntil,
  ([, seat]) => seat.version,
]

function columns<Row>(rows: readonly Row[], cells: readonly ((row: Row) => Cell)[]): Columns {
  return {
    rows: rows.length,
    columns: rows.length === 0 ? [] : cells.map(cell => `{${rows.map(row => cell(row) ?? 'NULL').join()}}`),
  }
}

/** What the journal's columns already say is left out. */
function journalBody(change: Change): string {
  const { seq: _seq, at: _at, kind: _kind, ...body } = change
  return JSON.stringify(body)
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

function bytes(buffer: Buffer): string {
  return `"\\\\x${buffer.toString('hex')}"`
}
