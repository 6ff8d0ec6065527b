import type { Decision } from '@voelgoed/core/event/decision'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { EventHall } from '../view/hot-event.ts'

/**
 * Rows of a module that commit with commands of a batch. The engine locks, compares and writes them, all of a
 * batch at once, and does not know what they say.
 */
export interface BatchTable<Known extends RidingRow = RidingRow, Row = unknown> {
  /** Locks these and reads them, in one round trip. It leaves out those that another transaction has. */
  lock(tx: TenantTx, ids: readonly string[]): Promise<ReadonlyMap<string, Known>>
  isSame(one: Known, other: Known): boolean
  /** Sends them after the seats and tickets that they name. What was not as it was locked fails the batch. */
  write(tx: TenantTx, rows: readonly Row[]): void
}

export interface RidingRow {
  readonly id: string
}

/**
 * Rows that must commit with a command. All of it is prepared before the lock is asked for; under the lock
 * the lane compares what the table has with what the rider knows of it, and `row` runs, a pure function. A
 * rider that finds anything else stands aside: its command is not given, and its caller does the same work
 * alone under the lock.
 */
export interface RowRider<Known extends RidingRow = RidingRow, Row = unknown> {
  readonly table: BatchTable<Known, Row>
  readonly known: Known
  /** Null: this is not what the rider was prepared for. */
  row(decision: Decision, hall: EventHall): Row | null
}

/** Rows that a transaction has locked: by their table, by their id. */
export type LockedRows = Map<BatchTable, Map<string, RidingRow>>

/** Locks what these riders know, and adds it. */
export async function lockRows(tx: TenantTx, riders: readonly RowRider[], locked: LockedRows): Promise<void> {
  const asked = new Map<BatchTable, string[]>()
  for (const { table, known } of riders) {
    const ids = asked.get(table)
    if (ids) ids.push(known.id)
    else asked.set(table, [known.id])
  }
  await Promise.all(
    [...asked].map(async ([table, ids]) => {
      const rows = locked.get(table) ?? new Map<string, RidingRow>()
      locked.set(table, rows)
      for (const [id, row] of await table.lock(tx, ids)) rows.set(id, row)
    }),
  )
}

export function isAsKnown({ table, known }: RowRider, locked: LockedRows): boolean {
  const row = locked.get(table)?.get(known.id)
  return row !== undefined && table.isSame(row, known)
}
