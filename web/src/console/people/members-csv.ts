import { fromSpreadsheet, readCsv } from '@voelgoed/core/csv'

export interface MemberRow {
  readonly line: number
  readonly email: string
  readonly tier: string
  readonly status: string
}

/** So many lines are imported at once. */
export const MAX_MEMBER_LINES = 20_000
const MAX_CELL = 1_000
const MAX_STATUS = 100

const NAMES = {
  email: ['email', 'mail', 'emailaddress', 'epos', 'eposadres'],
  tier: ['tier', 'membership', 'membershiptier', 'level', 'vlak', 'lidmaatskap'],
  status: ['status', 'membershipstatus'],
} as const

/** Null: it is not in UTF-8, so the names of tiers would be wrong. */
export function decodeMembers(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/**
 * The rows of a members' list. With a header, its names say where the columns are; without one they are
 * address, tier, status. What is wrong with a row is for the server to say, which judges every row anyway.
 */
export function readMembersCsv(text: string): {
  readonly rows: readonly MemberRow[]
  readonly isTooMany: boolean
  /** The text can't be read any further than this line. */
  readonly brokenLine: number | null
} {
  const { records, broken } = readCsv(text, MAX_MEMBER_LINES + 2)
  const names = (records[0]?.cells ?? []).map(cell =>
    cell
      .slice(0, 40)
      .toLowerCase()
      .replace(/[^\p{L}]/gu, ''),
  )
  const find = (known: readonly string[]) => names.findIndex(name => known.includes(name))
  const isHeader = find(NAMES.email) !== -1
  const columns = isHeader
    ? { email: find(NAMES.email), tier: find(NAMES.tier), status: find(NAMES.status) }
    : { email: 0, tier: 1, status: 2 }
  const cell = (cells: readonly string[], column: number, most: number) =>
    fromSpreadsheet((cells[column] ?? '').trim()).slice(0, most)
  const rows = (isHeader ? records.slice(1) : records).map(({ line, cells }) => ({
    line,
    email: cell(cells, columns.email, MAX_CELL),
    tier: cell(cells, columns.tier, MAX_CELL),
    status: cell(cells, columns.status, MAX_STATUS),
  }))
  return {
    rows: rows.slice(0, MAX_MEMBER_LINES),
    isTooMany: rows.length > MAX_MEMBER_LINES,
    brokenLine: broken?.line ?? null,
  }
}
