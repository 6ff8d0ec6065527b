import type { Data } from '@voelgoed/client'
import type { StaffSession } from '../kit/staff-session.svelte.ts'
import type { MemberRow } from './members-csv.ts'

/** In one call. */
export const MEMBERS_PART = 500

export type MemberLine = Data<'POST /api/admin/members/import'>['lines'][number]

/**
 * The rows as the server is to judge them. It judges each call by itself, so an address that comes in two
 * parts would count in both: here the last of all counts, and the others are left out with this outcome.
 */
export function splitTwice(rows: readonly MemberRow[]): {
  readonly rows: readonly MemberRow[]
  readonly twice: readonly MemberLine[]
} {
  const last = new Map(rows.map((row, index) => [row.email.trim().toLowerCase(), index]))
  const isLast = (row: MemberRow, index: number) =>
    row.email.trim() === '' || last.get(row.email.trim().toLowerCase()) === index
  return {
    rows: rows.filter(isLast),
    twice: rows
      .filter((row, index) => !isLast(row, index))
      .map(({ line, email }) => ({ line, email, outcome: 'twice', before: null, after: null })),
  }
}

/** Finds out part by part what an import would do. Null: it was called off. */
export async function checkMembers(
  session: StaffSession,
  rows: readonly MemberRow[],
  { signal, onPart }: { readonly signal: AbortSignal; onPart(done: number): void },
): Promise<readonly MemberLine[] | null> {
  const lines: MemberLine[] = []
  for (let at = 0; at < rows.length; at += MEMBERS_PART) {
    const body = { dry_run: true, rows: rows.slice(at, at + MEMBERS_PART).map(row => ({ ...row })) }
    const { data } = await session.call('POST /api/admin/members/import', { body, signal })
    if (signal.aborted) return null
    lines.push(...data.lines)
    onPart(lines.length)
  }
  return lines
}
