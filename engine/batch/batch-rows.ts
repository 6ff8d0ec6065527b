import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import { ChangePacker } from '@voelgoed/core/event/packed-changes'
import type { EventState } from '@voelgoed/core/event/state'
import type { CommandId, HoldId, TicketId } from '@voelgoed/core/ids'
import { assertNever } from '@voelgoed/core/result'
import type { BatchTable } from '../ports/batch-table.ts'
import type { KeptAnswer } from './answers.ts'
import { type AuditRow, auditRow } from './audit.ts'
import { type HoldRow, isNew, type NewHoldRow } from './holds.ts'
import type { PlacesRow } from './places.ts'
import type { ClaimedSeat, FreeSeat, SeatRow } from './seats.ts'
import type { TicketRow, VoidRow } from './tickets.ts'
import type { BatchEnd, BatchRows } from './write-batch.ts'
import type { ZoneCounts } from './zones.ts'

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
  readonly #journal = new ChangePacker()
  #unsent = 0
  /** The holds of these rows that have not ended. */
  readonly #holds = new Map<HoldId, HoldRow>()
  readonly #seats = new Map<number, SeatRow>()
  readonly #places = new Map<HoldId, PlacesRow>()
  #endedPlaces: HoldId[] = []
  #tickets: TicketRow[] = []
  #voided: VoidRow[] = []
  #audit: AuditRow[] = []
  readonly #zones = new Map<number, ZoneCounts>()
  readonly #capacities = new Map<number, number>()
  readonly #released: number[] = []
  #riding = new Map<BatchTable, unknown[]>()
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
    return this.#unsent
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

  /** With a command that has changes: the journal shows what became of the row. */
  ride(table: BatchTable, row: unknown): void {
    const rows = this.#riding.get(table)
    if (rows) rows.push(row)
    else this.#riding.set(table, [row])
  }

  /** To be called before the change is applied: a hold that ends is still in the state then. */
  add(change: Change, command: Command): void {
    this.#changes.push(change)
    this.#firstCommand ??= command.commandId
    this.#lastCommand = command.commandId
    this.#unsent += 1
    const previous = 'holdId' in change ? (this.#state.holds.get(change.holdId)?.lastSeq ?? 0) : 0
    this.#journal.add(change, command, previous)
    const audited = auditRow(this.#state, change, command)
    if (audited) this.#audit.push(audited)
    switch (change.kind) {
      case 'seat_reserved': {
        const hold: NewHoldRow = {
          id: change.holdId,
          userId: change.userId,
          quantity: change.quantity,
          heldUntil: change.heldUntil,
          capUntil: change.capUntil,
          checkoutId: null,
          lastSeq: change.seq,
          made: {
            userId: change.userId,
            createdAt: change.at,
            cartToken: change.cartToken,
            source: command.actor.source,
            ip: change.ip,
          },
        }
        this.#holds.set(change.holdId, hold)
        this.#claim(change, hold)
        this.#count(change.zoneIndex, { held: change.quantity })
        break
      }
      case 'seat_hold_extended':
        this.#claim(change, this.#postpone(change))
        break
      case 'payment_started': {
        const hold = this.#postpone(change)
        hold.checkoutId = change.checkoutId
        this.#claim(change, hold)
        break
      }
      case 'payment_ended': {
        const hold = this.#hold(change)
        hold.checkoutId = null
        this.#claim(change, hold)
        break
      }
      case 'hold_reduced': {
        const hold = this.#hold(change)
        hold.quantity = change.quantity
        this.#claim(change, hold)
        this.#count(change.zoneIndex, { held: -change.freed })
        break
      }
      case 'hold_transferred': {
        const hold = this.#postpone(change)
        hold.userId = change.userId
        this.#claim(change, hold)
        break
      }
      case 'seat_hold_expired':
      case 'seat_released':
        this.#release(change)
        this.#count(change.zoneIndex, { held: -change.quantity })
        break
      case 'seat_converted':
        this.#claim(change, this.#hold(change), change.ticketIds[0])
        this.#count(change.zoneIndex, { held: -change.quantity, sold: change.quantity })
        for (const id of change.ticketIds) {
          this.#tickets.push({
            id,
            holdId: change.holdId,
            userId: change.userId,
            ordinal: change.ordinal,
            seatId: this.#seatId(change.ordinal),
            zoneIndex: change.zoneIndex,
            checkoutId: change.checkoutId,
            createdAt: change.at,
          })
        }
        break
      case 'ticket_voided': {
        const { ticketId, ordinal, version, at } = change
        this.#voided.push({ id: ticketId, voidedAt: at })
        if (ordinal !== null) this.#free({ ordinal, version: version! }, 'available')
        this.#count(change.zoneIndex, { sold: -1 })
        break
      }
      case 'seat_blocked':
        this.#free(change, 'blocked')
        this.#count(change.zoneIndex, { blocked: 1 })
        break
      case 'seat_unblocked':
        this.#free(change, 'available')
        this.#count(change.zoneIndex, { blocked: -1 })
        break
      case 'companions_released':
        this.#released.push(change.zoneIndex)
        break
      case 'event_changed':
        for (const { zoneIndex, capacity } of change.zones ?? []) this.#capacities.set(zoneIndex, capacity)
        break
      default:
        assertNever(change, 'a kind of change that has no rows')
    }
  }

  /** The rows of everything added since they were last taken. All of it must have been applied. */
  take(): BatchRows {
    const freeSeats: FreeSeat[] = []
    const takenSeats: ClaimedSeat<NewHoldRow>[] = []
    const keptSeats: ClaimedSeat[] = []
    for (const seat of this.#seats.values()) {
      if (!('hold' in seat)) freeSeats.push(seat)
      else if (isNew(seat.hold)) takenSeats.push(seat as ClaimedSeat<NewHoldRow>)
      else keptSeats.push(seat)
    }
    const takenPlaces: PlacesRow<NewHoldRow>[] = []
    const keptPlaces: PlacesRow[] = []
    for (const places of this.#places.values()) {
      if (isNew(places.hold)) takenPlaces.push(places as PlacesRow<NewHoldRow>)
      else keptPlaces.push(places)
    }
    const rows = {
      freeSeats,
      takenSeats,
      keptSeats,
      takenPlaces,
      keptPlaces,
      endedPlaces: this.#endedPlaces,
      tickets: this.#tickets,
      voided: this.#voided,
      audit: this.#audit,
      riding: this.#riding,
      answers: this.#answers,
    }
    this.#unsent = 0
    this.#holds.clear()
    this.#seats.clear()
    this.#places.clear()
    this.#endedPlaces = []
    this.#tickets = []
    this.#voided = []
    this.#audit = []
    this.#riding = new Map()
    this.#answers = []
    return rows
  }

  end(nextExpiry: number | null): BatchEnd {
    return {
      journal: this.#journal.pack(),
      ledger: {
        seqBefore: this.#seqBefore,
        seqAfter: this.#seqBefore + this.#changes.length,
        nextExpiry,
        tip: this.#lastCommand,
      },
      zones: [...this.#zones.values()].filter(
        ({ held, sold, blocked }) => held !== 0 || sold !== 0 || blocked !== 0,
      ),
      capacities: [...this.#capacities].map(([zoneIndex, capacity]) => ({ zoneIndex, capacity })),
      released: this.#released,
    }
  }

  /** The hold that a change is about, to be given what the change says. */
  #hold({ holdId, seq }: { holdId: HoldId; seq: number }): HoldRow {
    let row = this.#holds.get(holdId)
    if (!row) {
      const { user, quantity, heldUntil, capUntil, checkoutId } = this.#state.holds.get(holdId)!
      row = {
        id: holdId,
        userId: user.key,
        quantity,
        heldUntil,
        capUntil,
        checkoutId,
        lastSeq: seq,
        made: null,
      }
      this.#holds.set(holdId, row)
    }
    row.lastSeq = seq
    return row
  }

  #postpone(change: { holdId: HoldId; seq: number; heldUntil: number; capUntil?: number }): HoldRow {
    const hold = this.#hold(change)
    hold.heldUntil = change.heldUntil
    if (change.capUntil !== undefined) hold.capUntil = change.capUntil
    return hold
  }

  /** The seat or the places of a change are the hold's; with a ticket they are sold to it. */
  #claim(change: OfHold, hold: HoldRow, ticketId: TicketId | null = null): void {
    const status = ticketId === null ? 'held' : 'sold'
    const { ordinal, zoneIndex, version } = change
    if (ordinal === null) this.#places.set(hold.id, { hold, zoneIndex, status })
    else {
      const versionBefore = this.#versionBefore(ordinal, version!)
      this.#seats.set(ordinal, { ordinal, status, hold, ticketId, version: version!, versionBefore })
    }
  }

  /** The hold of a change has ended without a sale. Of one that began in this batch no row was written. */
  #release(change: OfHold): void {
    const { holdId, ordinal, version } = change
    const known = this.#holds.get(holdId)
    this.#holds.delete(holdId)
    if (ordinal !== null) this.#free({ ordinal, version: version! }, 'available')
    else {
      this.#places.delete(holdId)
      if (!known || !isNew(known)) this.#endedPlaces.push(holdId)
    }
  }

  #free({ ordinal, version }: { ordinal: number; version: number }, status: FreeSeat['status']): void {
    const versionBefore = this.#versionBefore(ordinal, version)
    this.#seats.set(ordinal, { ordinal, status, version, versionBefore })
  }

  #versionBefore(ordinal: number, version: number): number {
    return this.#seats.get(ordinal)?.versionBefore ?? version - 1
  }

  #seatId(ordinal: number | null): string | null {
    return ordinal === null ? null : this.#state.seats.seatIds.at(ordinal)
  }

  #count(zoneIndex: number, by: { held?: number; sold?: number; blocked?: number }): void {
    let counts = this.#zones.get(zoneIndex)
    if (!counts) {
      counts = { zoneIndex, held: 0, sold: 0, blocked: 0 }
      this.#zones.set(zoneIndex, counts)
    }
    counts.held += by.held ?? 0
    counts.sold += by.sold ?? 0
    counts.blocked += by.blocked ?? 0
  }
}

interface OfHold {
  readonly holdId: HoldId
  readonly ordinal: number | null
  readonly version: number | null
  readonly zoneIndex: number
}
