import type { Command } from '@voelgoed/core/event/command'
import type { Decision, Outcome } from '@voelgoed/core/event/decision'
import type { HoldRefusal, Refusal } from '@voelgoed/core/refusal'
import { ok, type Result } from '@voelgoed/core/result'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { BatchTable, RidingRow, RowRider } from '../ports/batch-table.ts'
import type { EventHall } from '../view/hot-event.ts'
import type { Exclusive } from './under-lock.ts'

/**
 * Work of a module on an event, and on rows of its own that commit with it. It is written once. It rides with
 * a batch while what it knew before the lock still holds; else the lane reads again under the lock, alone,
 * and the same code decides.
 */
export interface Step<Known, Row, Done> {
  readonly table: BatchTable<RidingRow, Row>
  /** This was read before the lock, with the row that shows whether it holds. Null: the step goes alone. */
  readonly rides: { readonly known: Known; readonly row: RidingRow } | null
  /** Reads and locks, under the event's lock. */
  read(tx: TenantTx): Promise<Result<Known, Refusal>>
  /** Null: there is nothing to ask of the event. */
  command(known: Known): Command | null
  /** The next rung of the ladder, when the event refuses a command. Null, or left out: the refusal stands. */
  instead?(known: Known, refused: Refused, hall: EventHall): Command | null
  /** Pure. `given` null: nothing was asked of the event. A refusal undoes the step. */
  decide(known: Known, given: Given | null, hall: EventHall): Result<Planned<Row, Done>, Refusal>
}

interface Given {
  readonly command: Command
  readonly decision: Decision
}

interface Refused {
  readonly command: Command
  readonly refusal: HoldRefusal
}

interface Planned<Row, Done> {
  readonly done: Done
  /** Null: the table has nothing to write. */
  readonly row: Row | null
  /** Writes what is unusual, after the row. A step that plans it stands aside from its batch. */
  besides?(tx: TenantTx): Promise<unknown>
  /** The next step, in the same transaction. */
  readonly next?: Step<unknown, unknown, Done>
}

/** The first try of a step: its command with a batch. `planned`: what it is to give its caller. */
export function riderOf<Known, Row, Done>(
  { table, decide }: Step<Known, Row, Done>,
  { known, row }: { readonly known: Known; readonly row: RidingRow },
  command: Command,
  planned: (done: Done) => void,
): RowRider<RidingRow, Row> {
  return {
    table,
    known: row,
    row(decision, hall) {
      const plan = decide(known, { command, decision }, hall)
      if (!plan.ok || plan.value.row === null || plan.value.besides || plan.value.next) return null
      planned(plan.value.done)
      return plan.value.row
    },
  }
}

/** A step, and those that follow it, alone under the lock. */
export function alone<Done>(first: Step<unknown, unknown, Done>): Exclusive<Done> {
  return async (tx, give, hall) => {
    for (let step = first; ; ) {
      const read = await step.read(tx)
      if (!read.ok) return read
      const given = climb(step, read.value, give, hall)
      if (!given.ok) return given
      const plan = step.decide(read.value, given.value, hall)
      if (!plan.ok) return plan
      const { row, done, next } = plan.value
      if (row !== null) step.table.write(tx, [row])
      await plan.value.besides?.(tx)
      if (!next) return ok(done)
      step = next
    }
  }
}

/** Gives the command of a step; while the event refuses, its next rung. Null: there was nothing to give. */
function climb<Known>(
  step: Step<Known, unknown, unknown>,
  known: Known,
  give: (command: Command) => Outcome,
  hall: EventHall,
): Result<Given | null, Refusal> {
  let command = step.command(known)
  while (command) {
    const outcome = give(command)
    if (outcome.ok) return ok({ command, decision: outcome.value })
    const next = step.instead?.(known, { command, refusal: outcome.problem }, hall)
    if (!next) return outcome
    command = next
  }
  return ok(null)
}
