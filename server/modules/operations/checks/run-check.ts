import type { Row } from '@voelgoed/kit/postgres/database'
import type { Snapshot } from '@voelgoed/kit/postgres/inspect'
import type { Check } from '../../check.ts'

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

/** Counts the rows of the tables that checks go through. */
export async function countRows(
  snapshot: Snapshot,
  checks: readonly Check[],
): Promise<Readonly<Record<string, number>>> {
  const tables = [...new Set(checks.map(check => check.over))]
  const counts = tables.map(table => `(select count(*) from ${table})::float8 as ${table}`)
  const [row] = await snapshot.rows<Record<string, number>>(`select ${counts.join()}`)
  return row!
}
