import type { Row } from '../database.ts'
import { type Check, TABLES, type Table } from './check.ts'
import type { Snapshot } from './inspect.ts'

export interface Finding {
  readonly violations: number
  /** The first of them. */
  readonly examples: readonly Row[]
}

export const EXAMPLES = 20

export async function runCheck(
  snapshot: Snapshot,
  check: Check,
  { tidyWithinSeconds }: { tidyWithinSeconds: number },
): Promise<Finding> {
  const rows = await snapshot.tryRows<Row & { total: string }>(
    `select *, count(*) over () as total from (${check.sql}) broken limit ${EXAMPLES}`,
    check.sql.includes('$1') ? [tidyWithinSeconds] : [],
  )
  if ('damage' in rows) return { violations: 1, examples: [rows] }
  return {
    violations: Number(rows[0]?.total ?? 0),
    examples: rows.map(({ total: _total, ...row }) => row),
  }
}

export async function countRows(snapshot: Snapshot): Promise<Record<Table, number>> {
  const counts = TABLES.map(table => `(select count(*) from ${table})::float8 as ${table}`)
  const [row] = await snapshot.rows<Record<Table, number>>(`select ${counts.join()}`)
  return row!
}
