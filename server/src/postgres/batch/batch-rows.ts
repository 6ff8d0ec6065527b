import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import { ChangePacker } from '@voelgoed/core/event/packed-changes'
import type { EventState } from '@voelgoed/core/event/state'
import type { CommandId, HoldId } from '@voelgoed/core/ids'
import { assertNever } from '@voelgoed/core/result'
import type { KeptAnswer } from './answers.ts'
import { type AuditRow, auditRow } from './audit.ts'
import type { HoldFields, NewHold } from './holds.ts'
import { FREE, heldBy, type SeatRow, type SeatStanding } from './seats.ts'
import type { TicketRow } from './tickets.ts'
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
  readonly #newHolds = new Map<HoldId, NewHold>()
  readonly #changedHolds = new Map<HoldId, HoldFields>()
  readonly #seats = new Map<number, SeatRow>()
  #tickets: TicketRow[] = []
  #audit: AuditRow[] = []
  readonly #zones = new Map<number, ZoneCounts>()
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
      case 'seat_reserved':
        this.#newHolds.set(change.holdId, {
          userId: change.userId,
          ordinal: change.ordinal,
          seatId: this.#seatId(change.ordinal),
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
            lastSeq: change.seq,
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
        this.#changed(change).quantity = change.quantity
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
            seatId: this.#seatId(change.ordinal),
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

  /** The rows of everything added since they were last taken. All of it must have been applied. */
  take(): BatchRows {
    const seats = [...this.#seats.values()]
    const newSeats = seats.filter(seat => seat.versionBefore === 0)
    const rows = {
      newHolds: [...this.#newHolds.values()],
      changedHolds: [...this.#changedHolds.values()],
      newSeats,
      changedSeats: newSeats.length === seats.length ? [] : seats.filter(seat => seat.versionBefore > 0),
      tickets: this.#tickets,
      audit: this.#audit,
      answers: this.#answers,
    }
    this.#unsent = 0
    this.#newHolds.clear()
    this.#changedHolds.clear()
    this.#seats.clear()
    this.#tickets = []
    this.#audit = []
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
      lastSeq: hold.lastSeq,
    }
    this.#changedHolds.set(holdId, known)
    return known
  }

  #changed({ holdId, seq }: { holdId: HoldId; seq: number }): HoldFields {
    const fields = this.#hold(holdId)
    fields.lastSeq = seq
    return fields
  }

  #postpone(change: { holdId: HoldId; seq: number; heldUntil: number; capUntil?: number }): HoldFields {
    const fields = this.#changed(change)
    fields.heldUntil = change.heldUntil
    if (change.capUntil !== undefined) fields.capUntil = change.capUntil
    return fields
  }

  #end(change: { holdId: HoldId; seq: number; at: number }, status: string, reason: string): void {
    Object.assign(this.#changed(change), { status, endedAt: change.at, endReason: reason })
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
